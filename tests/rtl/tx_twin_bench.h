// SPDX-License-Identifier: Apache-2.0
// One implementation of the transmit packet buffer in a small world of its own: packets that come
// by script, a bus that takes one frame's reads at a time, a MAC. Two of them get the same script.
// Everything in it happens at edges of the block's clock.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "models/common/clock_edges.h"
#include "models/common/mac_tx.h"
#include "models/common/tx_store.h"
#include "models/i210/tx_block_model.h"
#include "models/rtl/tx_packet_buffer.h"
#include "sim/alarm.h"
#include "sim/doors.h"
#include "tests/rtl/decisions.h"

namespace nicsim::models::rtl {

/// One packet of the script.
struct Scripted {
    std::uint32_t length = 0;
    std::uint32_t launch = 0;       ///< 32 ns
    std::uint32_t read_cycles = 1;  ///< from the grant to the last byte
    bool ok = true;
};

class TxTwinBench : public sc_core::sc_module, private i210::TxOffersIf, private sim::EthernetIf {
public:
    TxTwinBench(const sc_core::sc_module_name& name, bool rtl, const i210::SystemTime& clock)
        : TxTwinBench(name, clock, rtl ? make_tx_packet_buffer : make_model) {}
    TxTwinBench(const sc_core::sc_module_name& name, const i210::SystemTime& clock,
                const i210::TxBlockFactory& make)
        : sc_module(name), mac_("mac", sim::Callback<>::to<&TxTwinBench::on_idle>(this)) {
        mac_.out(*this);
        const i210::TxBlockContext context{this->name(),
                                           *this,
                                           store_,
                                           settings,
                                           clock,
                                           mac_,
                                           sim::Callback<>::to<&TxTwinBench::evaluate>(this),
                                           [this] { return bus_ready(); }};
        block_ = make(context);
        real_buffer_ = &block_->buffer();
        store_.on_complete(
            sim::Callback<unsigned, StoredFrame&>::to<&TxTwinBench::on_complete>(this));
    }

    i210::TxSettings settings;
    Decisions decisions;
    /// Cycles between the grant and the next time that the bus takes a read.
    std::uint64_t bus_gap = 2;
    bool record = true;
    /// For who does not call step() at every edge: next_event() may have changed.
    sim::Callback<> on_change;

    static std::unique_ptr<i210::TxBlockIf> make_model(const i210::TxBlockContext& context) {
        return std::make_unique<i210::TxBlockModel>(context);
    }
    i210::TxBlockIf& block() { return *block_; }
    void set_link(std::uint64_t rate) {
        block_->link_changed(rate);
        mac_.set_link(rate);
    }
    void offer(unsigned queue, const Scripted& packet) {
        auto made = pool_.make();
        made->context.launch = packet.launch;
        offers_[queue].push_back({std::move(made), packet});
        changed_ = true;
    }
    /// What waits, for messages.
    [[nodiscard]] std::string text() const {
        std::string out;
        for (unsigned q = 0; q < i210::queues; ++q)
            out += " queue " + std::to_string(q) + ": " + std::to_string(offers_[q].size()) +
                   " offered, " + std::to_string(store_.ready(q)) + " stored;";
        return out + " " + std::to_string(reads_.size()) + " being read";
    }
    [[nodiscard]] std::size_t waiting() const {
        std::size_t n = reads_.size();
        for (unsigned q = 0; q < i210::queues; ++q) n += offers_[q].size() + store_.ready(q);
        return n + (on_wire_.packet ? 1 : 0);
    }
    [[nodiscard]] std::size_t offered_packets(unsigned queue) const {
        return offers_[queue].size();
    }
    [[nodiscard]] std::uint64_t frames_sent() const { return frames_; }
    /// When step() has something to do next, as far as is known now.
    [[nodiscard]] sim::Ps next_event() const {
        if (changed_) return sim::now();
        sim::Ps next = bus_ready_ ? sim::never : bus_free_at_;
        if (!reads_.empty()) next = std::min(next, reads_.front().at);
        return next;
    }
    [[nodiscard]] std::uint32_t used(unsigned queue) { return real_buffer_->used_bytes(queue); }

    /// Once per edge: tells what happened.
    void step() {
        while (!reads_.empty() && reads_.front().at <= sim::now()) {
            const Read read = reads_.front();
            reads_.pop_front();
            store_.arrive(read.queue, read.number, read.ok);
            changed_ = true;
        }
        if (!bus_ready_ && sim::now() >= bus_free_at_) changed_ = bus_ready_ = true;
        if (!changed_) return;
        changed_ = false;
        evaluate();
    }
    /// CTRL.RST.
    void reset() {
        store_.clear();
        reads_.clear();
        for (auto& queue : offers_) queue.clear();
        on_wire_.room = 0;
        block_->reset();
        changed_ = true;
    }

private:
    struct Offer {
        TxPacketPtr packet;
        Scripted script;
    };
    struct Read {
        sim::Ps at;
        unsigned queue;
        std::uint64_t number;
        bool ok;
    };
    /// TxStore wants the buffer before the block is made.
    class Forward : public PacketBufferIf {
    public:
        explicit Forward(PacketBufferIf*& to) : to_(to) {}
        void configure(std::span<const std::uint32_t> b, bool s) override { to_->configure(b, s); }
        void set_fetch_threshold(std::uint32_t b) override { to_->set_fetch_threshold(b); }
        void set_fetch_threshold(unsigned q, std::uint32_t b) override {
            to_->set_fetch_threshold(q, b);
        }
        [[nodiscard]] bool fetch_allowed(unsigned q) const override {
            return to_->fetch_allowed(q);
        }
        [[nodiscard]] std::uint32_t free_bytes(unsigned q) const override {
            return to_->free_bytes(q);
        }
        void reserve(unsigned q, std::uint32_t b) override { to_->reserve(q, b); }
        void release(unsigned q, std::uint32_t b) override { to_->release(q, b); }
        [[nodiscard]] std::uint32_t used_bytes(unsigned q) const override {
            return to_->used_bytes(q);
        }
        void clear() override { to_->clear(); }

    private:
        PacketBufferIf*& to_;
    };

    [[nodiscard]] const TxPacket* offered(unsigned queue) override {
        return offers_[queue].empty() ? nullptr : offers_[queue].front().packet.get();
    }
    void deliver(const sim::FramePtr&, sim::Ps, sim::Ps) override {}
    [[nodiscard]] bool bus_ready() const { return bus_ready_; }
    void on_idle() {
        if (on_wire_.packet) {
            block_->sent();
            store_.release(wire_queue_, on_wire_.room);
            on_wire_ = {};
        }
        evaluate();
    }
    void on_complete(unsigned queue, StoredFrame& frame) { block_->stored(queue, !frame.spoiled); }

    // What TxArbiter and TxFetch do.
    void evaluate() {
        for (unsigned q = 0; q < i210::queues; ++q)
            while (store_.ready(q) != 0 && store_.oldest(q)->spoiled) {
                const StoredFrame frame = store_.take(q);
                block_->dropped(q);
                store_.release(q, frame.room);
            }
        block_->update_backlogs();
        if (!on_wire_.packet && mac_.idle() && settings.enabled) send();
        if (bus_ready() && settings.enabled) fetch();
        if (on_change) on_change();
    }
    void send() {
        const i210::TransmitChoice choice = block_->choose_send();
        if (choice.queue < 0) return;
        wire_queue_ = static_cast<unsigned>(choice.queue);
        ++frames_;
        if (record) decisions.push_back({'s', wire_queue_, sim::now()});
        on_wire_ = store_.take(wire_queue_);
        block_->sending(wire_queue_, mac_.send(on_wire_.frame));
    }
    void fetch() {
        const int chosen = block_->choose_fetch();
        if (chosen < 0) return;
        const auto queue = static_cast<unsigned>(chosen);
        if (record) decisions.push_back({'f', queue, sim::now()});
        const Offer offer = offers_[queue].front();
        offers_[queue].pop_front();
        StoredFrame stored;
        stored.packet = offer.packet;
        stored.plan.length = stored.room = offer.script.length;
        stored.plan.last = true;
        stored.frame = sim::frame_pool().make();
        stored.frame->resize(offer.script.length);
        stored.frame->queue = queue;
        const std::uint64_t number = store_.reserve(queue, std::move(stored));
        bus_free_at_ = sim::now() + bus_gap * clock_period;
        bus_ready_ = false;
        // Answers come in order, one per cycle.
        sim::Ps at = sim::now() + offer.script.read_cycles * clock_period;
        if (!reads_.empty()) at = std::max(at, reads_.back().at + clock_period);
        reads_.push_back({at, queue, number, offer.script.ok});
    }

    sim::Pool<TxPacket> pool_;
    std::array<std::deque<Offer>, i210::queues> offers_;
    std::unique_ptr<i210::TxBlockIf> block_;
    PacketBufferIf* real_buffer_ = nullptr;
    Forward buffer_{real_buffer_};
    TxStore store_{buffer_, settings.tcp_flags, i210::queues};
    MacTx mac_;
    std::deque<Read> reads_;
    StoredFrame on_wire_;
    unsigned wire_queue_ = 0;
    std::uint64_t frames_ = 0;
    sim::Ps bus_free_at_ = 0;
    bool bus_ready_ = true;
    bool changed_ = false;
};

}  // namespace nicsim::models::rtl
