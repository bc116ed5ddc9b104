// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/tx_packet_buffer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "models/i210/clocked_tx_block.h"
#include "models/rtl/still.h"
#include "models/rtl/verilated_model.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
// Generated; wants verilated_model.h before it.
#include "Vtx_packet_buffer.h"
#include "Vtx_packet_buffer___024root.h"

namespace nicsim::models::rtl {
namespace {

using i210::queues;
using i210::sr_queues;
using i210::WireState;

constexpr std::uint32_t granule = 64;
constexpr std::uint64_t slope_unit = 16'384;  ///< bit/s
constexpr unsigned room_bits = 10, used_bits = 12, launch_bits = 25, slope_bits = 16;
constexpr unsigned credit_bits = 17;

std::uint32_t granules(std::uint32_t bytes) {
    return (bytes + granule - 1) / granule;
}

class TxPacketBufferRtl final : public i210::ClockedTxBlock, private PacketBufferIf {
public:
    explicit TxPacketBufferRtl(const i210::TxBlockContext& context) : ClockedTxBlock(context) {
        for (unsigned q = 0; q < queues; ++q)
            used_probes_[q] = std::make_unique<sim::Probe>(
                context.path + ".queue" + std::to_string(q) + ".packet_buffer_bytes", 20);
        model_->rst = 1;
        clock_cycle(*model_);
        model_->rst = 0;
    }
    ~TxPacketBufferRtl() override { model_->final(); }

private:
    // ---- ClockedTxBlock ----
    Decided clock(std::uint64_t edge) override {
        run_to(edge - 1);
        clock_changes_ = context_.clock.changes();
        set_levels();
        model_->bus_ready = can_fetch();
        model_->wire_free = context_.mac.idle();
        set_events(edge);
        tick();
        clear_events();
        // Nobody is asked between the edges that are looked at.
        model_->bus_ready = model_->wire_free = 0;
        Decided decided;
        decided.reason = static_cast<WireState>(model_->wire_state);
        if (model_->grant != 0) {
            decided.fetch = model_->grant_queue;
            const TxPacket& packet = *context_.offers.offered(model_->grant_queue);
            granted_launch_ = context_.settings.launch_ns(packet.context.launch) / 32;
        }
        if (model_->send != 0) decided.send = model_->send_queue;
        return decided;
    }
    [[nodiscard]] bool events_left() const override { return next_event() <= edges_done() + 1; }
    PacketBufferIf& account() override { return *this; }
    sim::Ps credit_ready(unsigned queue) override {
        const std::int64_t credit = credit_of(queue);
        if (credit >= 0) return sim::now();
        if (slope_[queue] == 0) return sim::never;
        const auto step = static_cast<std::int64_t>(slope_[queue] << 7U);
        return Edges::time_of(edges_done() +
                              static_cast<std::uint64_t>((-credit + step - 1) / step));
    }
    void set_shaper(unsigned queue, const i210::TxShaperSettings& settings) override {
        sync();
        slope_[queue] = settings.idle_slope / slope_unit;
        model_->idle_slope = static_cast<IData>(slope_[0] | slope_[1] << slope_bits);
        hi_credit_[queue] = settings.hi_credit;
        model_->hi_credit = hi_credit_[0] | hi_credit_[1] << credit_bits;
        model_->keep_credit = static_cast<CData>((model_->keep_credit & ~(1U << queue)) |
                                                 unsigned{settings.keep_credits} << queue);
    }
    void set_link(std::uint64_t rate) override {
        sync();
        model_->speed = rate == 100'000'000 ? 1 : rate == 10'000'000 ? 2 : 0;
    }
    void take_stored(unsigned queue, bool ok) override { arrivals_[queue].push({next_edge(), ok}); }
    void take_dropped(unsigned queue) override { drops_[queue].push({next_edge(), queue, 0}); }
    void take_backlogs() override {}
    void take_sending(unsigned, const MacTx::Times& times) override { on_wire_ = times; }
    void take_sent() override { sent_ = {next_edge(), 0, 0}; }
    void clear_block() override {
        sync();
        clear_ = next_edge();
        reserved_ = {};
        sent_ = {};
        for (auto& queue : arrivals_) queue.clear();
        for (auto& queue : drops_) queue.clear();
        told_ = {};
        show_used();
    }

    // ---- PacketBufferIf: the account is the block's ----
    void configure(std::span<const std::uint32_t> bytes, bool shared) override {
        sync();
        model_->room = 0;
        for (unsigned q = 0; q < queues; ++q)
            model_->room |= static_cast<QData>(bytes[q] / granule) << (room_bits * q);
        model_->shared = shared;
    }
    void set_fetch_threshold(std::uint32_t bytes) override {
        sync();
        model_->max_packet = static_cast<SData>(bytes / granule);
    }
    void set_fetch_threshold(unsigned, std::uint32_t bytes) override {
        set_fetch_threshold(bytes);  // the device has one for all
    }
    [[nodiscard]] bool fetch_allowed(unsigned queue) const override {
        return free_bytes(queue) > model_->max_packet * granule;
    }
    [[nodiscard]] std::uint32_t free_bytes(unsigned queue) const override {
        std::uint32_t used = 0;
        for (unsigned q = 0; q < queues; ++q)
            if (model_->shared != 0 || q == queue) used += used_bytes(q);
        const unsigned partition = model_->shared != 0 ? 0 : queue;
        const auto size = static_cast<std::uint32_t>(model_->room >> (room_bits * partition) &
                                                     ((1U << room_bits) - 1)) *
                          granule;
        return size > used ? size - used : 0;
    }
    void reserve(unsigned queue, std::uint32_t bytes) override {
        assert(reserved_.edge == none);
        reserved_ = {next_edge(), queue, granules(bytes)};
        told_[queue] += reserved_.room;
        show_used();
    }
    /// Of the frame that was just said to be sent or dropped; the block knows how large it was.
    void release(unsigned queue, std::uint32_t bytes) override {
        Event& event =
            !drops_[queue].empty() && drops_[queue].back().room == 0 ? drops_[queue].back() : sent_;
        event.queue = queue;
        event.room = granules(bytes);
        told_[queue] -= event.room;
        show_used();
    }
    /// What the block counts, and what it was told and will count at its next clock.
    [[nodiscard]] std::uint32_t used_bytes(unsigned queue) const override {
        const auto counted = static_cast<std::uint32_t>(model_->used >> (used_bits * queue) &
                                                        ((1U << used_bits) - 1));
        return (counted + told_[queue]) * granule;
    }
    void show_used() {
        for (unsigned q = 0; q < queues; ++q) used_probes_[q]->set(used_bytes(q));
    }
    void clear() override {}

    // ---- the clock ----

    /// The next edge, with what only depends on its time.
    void tick() {
        const std::uint64_t edge = edges_done() + 1;
        model_->wire_active = edge >= wire_from() && edge <= wire_to();
        // What the clock showed before software set it is not known any more.
        if (time_matters() && context_.clock.changes() == clock_changes_)
            model_->systim = context_.clock.systiml_at(Edges::time_of(edge)) / 32;
        advance(1);
        clock_cycle(*model_);
    }
    /// Edges that nobody looked at: what was told comes when it was told, the levels stay.
    void run_to(std::uint64_t last) {
        while (edges_done() < last) {
            const std::uint64_t first = edges_done() + 1;
            if (next_event() <= first) {
                set_events(first);
                tick();
                clear_events();
                continue;
            }
            // As long as no input changes by itself.
            std::uint64_t until = std::min(last, next_event() - 1);
            if (first < wire_from())
                until = std::min(until, wire_from() - 1);
            else if (first <= wire_to())
                until = std::min(until, wire_to());
            advance(still_.run(until - edges_done(), [this] { tick(); }));
        }
    }
    /// The edges that end a clock of the frame on the wire or of its gap.
    [[nodiscard]] std::uint64_t wire_from() const {
        return (on_wire_.start + clock_period - 1) / clock_period + 1;
    }
    [[nodiscard]] std::uint64_t wire_to() const { return on_wire_.next / clock_period; }
    /// An empty block with nothing offered does not look at the clock.
    [[nodiscard]] bool time_matters() const {
        return uses_time_ && (model_->offered != 0 || model_->used != 0);
    }
    /// Before a setting is changed.
    void sync() { run_to(Edges::before(sim::now())); }

    void set_levels() {
        const auto& s = context_.settings;
        model_->enabled = s.enabled;
        model_->most_empty = s.fetch_most_empty;
        model_->use_credit = s.shaper;
        model_->use_launch = s.launch_time;
        model_->sp_wait_sr = s.sp_wait_sr;
        model_->fetch_delta = static_cast<SData>(s.fetch_delta_ns / 32);
        uses_time_ = s.qav && s.launch_time;
        unsigned sr = 0, high = 0, offered = 0;
        QData launch = 0;
        for (unsigned q = 0; q < queues; ++q) {
            sr |= unsigned{s.sr[q]} << q;
            high |= unsigned{s.high_priority[q]} << q;
            const TxPacket* packet = context_.offers.offered(q);
            if (packet == nullptr) continue;
            offered |= 1U << q;
            if (q < sr_queues)
                launch |= QData{s.launch_ns(packet->context.launch) / 32} << (launch_bits * q);
        }
        model_->sr = static_cast<CData>(sr);
        model_->high_priority = static_cast<CData>(high);
        model_->offered = static_cast<CData>(offered);
        model_->offered_launch = launch;
    }

    // ---- what was told, each from its edge on ----
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    [[nodiscard]] bool may_drop(unsigned queue, std::uint64_t edge) const {
        const auto& frames = arrivals_[queue];
        return !frames.empty() && !frames.front().ok && !drops_[queue].empty() &&
               drops_[queue].front().edge <= edge;
    }
    void set_events(std::uint64_t edge) {
        if (clear_ <= edge) model_->clear = 1, clear_ = none;
        if (sent_.edge <= edge) {
            model_->sent = 1;
            told_[sent_.queue] += sent_.room;
            sent_ = {};
        }
        if (reserved_.edge <= edge) {
            model_->reserve = 1;
            model_->reserve_queue = static_cast<CData>(reserved_.queue);
            model_->reserve_room = static_cast<SData>(reserved_.room);
            model_->reserve_launch = granted_launch_;
            told_[reserved_.queue] -= reserved_.room;
            reserved_ = {};
        }
        unsigned stored = 0, spoiled = 0;
        for (unsigned q = 0; q < queues; ++q) {
            auto& frames = arrivals_[q];
            if (may_drop(q, edge)) {
                told_[q] += drops_[q].pop().room;
                frames.pop();
                spoiled |= 1U << q;
            }
            if (frames.empty() || !frames.front().ok || frames.front().edge > edge) continue;
            frames.pop();
            stored |= 1U << q;
        }
        model_->stored = static_cast<CData>(stored);
        model_->spoiled = static_cast<CData>(spoiled);
    }
    void clear_events() {
        model_->clear = model_->reserve = model_->sent = 0;
        model_->stored = model_->spoiled = 0;
    }
    /// The first edge with something to tell.
    [[nodiscard]] std::uint64_t next_event() const {
        std::uint64_t next = std::min({clear_, sent_.edge, reserved_.edge});
        for (unsigned q = 0; q < queues; ++q) {
            if (arrivals_[q].empty()) continue;
            if (arrivals_[q].front().ok)
                next = std::min(next, arrivals_[q].front().edge);
            else if (!drops_[q].empty())
                next = std::min(next, drops_[q].front().edge);
        }
        return next;
    }

    /// In the block's unit.
    [[nodiscard]] std::int64_t credit_of(unsigned queue) const {
        const auto& w = model_->credit;
        const std::uint64_t raw = queue == 0 ? w[0] | std::uint64_t{w[1] & 0xffffU} << 32U
                                             : w[1] >> 16U | std::uint64_t{w[2]} << 16U;
        return static_cast<std::int64_t>(raw << 16U) >> 16U;
    }

    /// Room of a queue that is taken or given back.
    struct Event {
        std::uint64_t edge = none;
        unsigned queue = 0;
        std::uint32_t room = 0;
    };
    struct Arrival {
        std::uint64_t edge = 0;
        bool ok = false;  ///< without errors
    };

    VerilatedContext verilated_;
    std::unique_ptr<Vtx_packet_buffer> model_ = std::make_unique<Vtx_packet_buffer>(&verilated_);
    Still<Vtx_packet_buffer___024root> still_{*model_->rootp};
    std::array<std::unique_ptr<sim::Probe>, queues> used_probes_;
    std::array<std::uint64_t, sr_queues> slope_{}, hi_credit_{};
    bool uses_time_ = false;
    std::uint64_t clock_changes_ = 0;
    MacTx::Times on_wire_;
    std::uint64_t clear_ = none;
    Event sent_, reserved_;
    std::uint32_t granted_launch_ = 0;
    std::array<sim::RingQueue<Arrival>, queues> arrivals_;
    std::array<sim::RingQueue<Event>, queues> drops_;
    std::array<std::uint32_t, queues> told_{};  ///< granules, modulo 2^32: not yet clocked
};

}  // namespace

std::unique_ptr<i210::TxBlockIf> make_tx_packet_buffer(const i210::TxBlockContext& context) {
    return std::make_unique<TxPacketBufferRtl>(context);
}

}  // namespace nicsim::models::rtl
