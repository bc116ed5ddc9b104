// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/tx_packet_buffer.h"

#include <array>
#include <cassert>
#include <string>
#include <utility>

#include "models/rtl/edges.h"
#include "models/rtl/still.h"
#include "models/rtl/verilated_model.h"
#include "sim/probe.h"
// Generated; wants verilated_model.h before it.
#include "Vtx_packet_buffer.h"
#include "Vtx_packet_buffer___024root.h"

namespace nicsim::models::rtl {
namespace {

using i210::earlier;
using i210::FetchState;
using i210::queues;
using i210::sr_queues;
using i210::TransmitChoice;
using i210::WireState;

constexpr std::uint32_t granule = 64;
constexpr std::uint64_t slope_unit = 16'384;  ///< bit/s
constexpr unsigned room_bits = 10, used_bits = 12, launch_bits = 25, slope_bits = 16;
constexpr unsigned credit_bits = 17;
/// fetch_state of the block
enum FetchOutput : unsigned { nothing, time_not_reached, no_room, may_fetch };

std::uint32_t granules(std::uint32_t bytes) {
    return (bytes + granule - 1) / granule;
}

class TxPacketBufferRtl final : public i210::TxBlockIf, private PacketBufferIf {
public:
    explicit TxPacketBufferRtl(const i210::TxBlockContext& context)
        : context_(context), edges_(sim::Callback<>::to<&TxPacketBufferRtl::on_edge>(this)) {
        for (unsigned q = 0; q < queues; ++q)
            used_probes_[q] = std::make_unique<sim::Probe>(
                context.path + ".queue" + std::to_string(q) + ".packet_buffer_bytes", 20);
        model_->rst = 1;
        clock_cycle(*model_);
        model_->rst = 0;
    }
    ~TxPacketBufferRtl() override { model_->final(); }

    // ---- TxBlockIf ----
    PacketBufferIf& buffer() override { return *this; }
    FetchState fetch_state(unsigned queue) override {
        if (context_.offers.offered(queue) == nullptr) return FetchState::starved;
        if (!context_.settings.enabled) return FetchState::disabled;
        switch (model_->fetch_state >> (2 * queue) & 3U) {
            case time_not_reached:
                return FetchState::waiting_time;
            case no_room:
                return FetchState::no_space;
            default:
                return FetchState::waiting_turn;
        }
    }
    int choose_fetch() override {
        if (fetch_ < 0) {
            touch();
            return -1;
        }
        const TxPacket& packet = *context_.offers.offered(static_cast<unsigned>(fetch_));
        granted_launch_ = context_.settings.launch_ns(packet.context.launch) / 32;
        return std::exchange(fetch_, -1);
    }
    TransmitChoice choose_send() override {
        if (send_ < 0) touch();
        TransmitChoice choice;
        choice.reason = static_cast<WireState>(model_->wire_state);
        choice.queue = std::exchange(send_, -1);
        return choice;
    }
    void shaper_changed(unsigned queue, const i210::TxShaperSettings& settings) override {
        sync();
        slope_[queue] = settings.idle_slope / slope_unit;
        model_->idle_slope = static_cast<IData>(slope_[0] | slope_[1] << slope_bits);
        hi_credit_[queue] = settings.hi_credit;
        model_->hi_credit = hi_credit_[0] | hi_credit_[1] << credit_bits;
        model_->keep_credit = static_cast<CData>((model_->keep_credit & ~(1U << queue)) |
                                                 unsigned{settings.keep_credits} << queue);
        touch();
    }
    void link_changed(std::uint64_t rate) override {
        sync();
        model_->speed = rate == 100'000'000 ? 1 : rate == 10'000'000 ? 2 : 0;
        touch();
    }
    void stored(unsigned queue, bool ok) override {
        arrivals_[queue].push(ok);
        touch();
    }
    void dropped(unsigned queue) override {
        ++drops_[queue];
        touch();
    }
    void update_backlogs() override { touch(); }
    void sending(unsigned, const MacTx::Times& times) override {
        on_wire_ = times;
        touch();
    }
    void sent() override {
        sent_ = true;
        touch();
    }
    void reset() override {
        clear_ = true;
        reserved_ = {};
        sent_ = false;
        for (auto& queue : arrivals_) queue.clear();
        drops_ = {};
        fetch_ = send_ = -1;
        touch();
    }

private:
    // ---- PacketBufferIf: the account is the block's ----
    void configure(std::span<const std::uint32_t> bytes, bool shared) override {
        sync();
        model_->room = 0;
        for (unsigned q = 0; q < queues; ++q)
            model_->room |= static_cast<QData>(bytes[q] / granule) << (room_bits * q);
        model_->shared = shared;
        touch();
    }
    void set_fetch_threshold(std::uint32_t bytes) override {
        sync();
        model_->max_packet = static_cast<SData>(bytes / granule);
        touch();
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
        assert(!reserved_.valid);
        reserved_ = {true, queue, granules(bytes), granted_launch_};
        touch();
    }
    void release(unsigned, std::uint32_t) override {}
    [[nodiscard]] std::uint32_t used_bytes(unsigned queue) const override {
        return static_cast<std::uint32_t>(model_->used >> (used_bits * queue) &
                                          ((1U << used_bits) - 1)) *
               granule;
    }
    void clear() override {}

    // ---- the clock ----
    void touch() { edges_.ask(sim::now()); }

    /// The next edge, with what only depends on its time.
    void tick() {
        const std::uint64_t edge = edges_.done() + 1;
        model_->wire_active = edge >= wire_from() && edge <= wire_to();
        // What the clock showed before software set it is not known any more.
        if (time_matters() && context_.clock.changes() == clock_changes_)
            model_->systim = context_.clock.systiml_at(Edges::time_of(edge)) / 32;
        edges_.advance();
        clock_cycle(*model_);
    }
    /// Edges at which nothing was told: the inputs stay. A decision here would be one whose time
    /// was not foreseen; it is handed on, late.
    void catch_up(std::uint64_t last) {
        while (edges_.done() < last) {
            // As long as no input changes by itself.
            const std::uint64_t first = edges_.done() + 1;
            std::uint64_t until = last;
            if (first < wire_from())
                until = std::min(last, wire_from() - 1);
            else if (first <= wire_to())
                until = std::min(last, wire_to());
            edges_.advance(still_.run(until - edges_.done(), [this] {
                tick();
                take_outputs();
            }));
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
    /// Before an input is changed.
    void sync() { catch_up(Edges::before(sim::now())); }
    void take_outputs() {
        if (model_->grant != 0) fetch_ = model_->grant_queue;
        if (model_->send != 0) send_ = model_->send_queue;
    }

    void on_edge() {
        const std::uint64_t edge = edges_.next(sim::now());
        catch_up(edge - 1);
        assert(fetch_ < 0 && send_ < 0);
        if (fetch_ >= 0 || send_ >= 0) context_.evaluate();
        clock_changes_ = context_.clock.changes();
        set_levels();
        set_events();
        tick();
        clear_events();
        take_outputs();
        for (unsigned q = 0; q < queues; ++q) used_probes_[q]->set(used_bytes(q));
        const unsigned outputs = model_->fetch_state | unsigned{model_->wire_state} << 8;
        if (fetch_ >= 0 || send_ >= 0 || outputs != outputs_) {
            outputs_ = outputs;
            context_.evaluate();
        }
        if (events_left()) touch();
        edges_.ask(next_change());
    }

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
        model_->bus_ready = context_.bus_takes_read();
        model_->wire_free = context_.mac.idle();
    }

    void set_events() {
        model_->clear = clear_;
        model_->reserve = reserved_.valid;
        model_->reserve_queue = static_cast<CData>(reserved_.queue);
        model_->reserve_room = static_cast<SData>(reserved_.room);
        model_->reserve_launch = reserved_.launch;
        model_->sent = sent_;
        unsigned stored = 0, spoiled = 0;
        for (unsigned q = 0; q < queues; ++q) {
            auto& frames = arrivals_[q];
            if (!frames.empty() && !frames.front() && drops_[q] != 0) {
                --drops_[q];
                frames.pop();
                spoiled |= 1U << q;
            }
            if (frames.empty() || !frames.front()) continue;
            frames.pop();
            stored |= 1U << q;
        }
        model_->stored = static_cast<CData>(stored);
        model_->spoiled = static_cast<CData>(spoiled);
        clear_ = sent_ = false;
        reserved_ = {};
    }
    void clear_events() {
        model_->clear = model_->reserve = model_->sent = 0;
        model_->stored = model_->spoiled = 0;
    }
    [[nodiscard]] bool events_left() const {
        for (unsigned q = 0; q < queues; ++q)
            if (!arrivals_[q].empty() && (arrivals_[q].front() || drops_[q] != 0)) return true;
        return false;
    }

    /// When the decision may be another one though nothing happens.
    [[nodiscard]] sim::Ps next_change() {
        const auto& s = context_.settings;
        sim::Ps wake = sim::never;
        if (!s.enabled || !s.qav) return wake;
        for (unsigned q = 0; q < sr_queues; ++q) {
            if (!s.sr[q]) continue;
            wake = std::min(wake, fetch_change(q));
            if (context_.mac.idle() && context_.store.ready(q) != 0)
                wake = std::min(wake, send_change(q));
        }
        return wake;
    }
    sim::Ps fetch_change(unsigned queue) {
        const TxPacket* packet = context_.offers.offered(queue);
        if (packet == nullptr || !context_.settings.timed(queue)) return sim::never;
        const std::uint32_t launch = context_.settings.launch_ns(packet->context.launch);
        const std::uint32_t fetch = earlier(launch, context_.settings.fetch_delta_ns);
        if (context_.clock.reached(fetch, sim::now()) || context_.clock.reached(launch, sim::now()))
            return sim::never;
        return context_.clock.launch_time(fetch, sim::now());
    }
    sim::Ps send_change(unsigned queue) {
        if (context_.settings.timed(queue)) {
            const std::uint32_t launch =
                context_.settings.launch_ns(context_.store.oldest(queue)->packet->context.launch);
            if (!context_.clock.reached(launch, sim::now()))
                return context_.clock.launch_time(launch, sim::now());
        }
        const std::int64_t credit = credit_of(queue);
        if (!context_.settings.shaper || credit >= 0 || slope_[queue] == 0) return sim::never;
        const auto step = static_cast<std::int64_t>(slope_[queue] << 7U);
        return Edges::time_of(edges_.done() +
                              static_cast<std::uint64_t>((-credit + step - 1) / step));
    }
    /// In the block's unit.
    [[nodiscard]] std::int64_t credit_of(unsigned queue) const {
        const auto& w = model_->credit;
        const std::uint64_t raw = queue == 0 ? w[0] | std::uint64_t{w[1] & 0xffffU} << 32U
                                             : w[1] >> 16U | std::uint64_t{w[2]} << 16U;
        return static_cast<std::int64_t>(raw << 16U) >> 16U;
    }

    struct Reserved {
        bool valid = false;
        unsigned queue = 0;
        std::uint32_t room = 0;
        std::uint32_t launch = 0;
    };

    i210::TxBlockContext context_;
    VerilatedContext verilated_;
    std::unique_ptr<Vtx_packet_buffer> model_ = std::make_unique<Vtx_packet_buffer>(&verilated_);
    Still<Vtx_packet_buffer___024root> still_{*model_->rootp};
    Edges edges_;
    std::array<std::unique_ptr<sim::Probe>, queues> used_probes_;
    std::array<std::uint64_t, sr_queues> slope_{}, hi_credit_{};
    bool uses_time_ = false;
    std::uint64_t clock_changes_ = 0;
    MacTx::Times on_wire_;
    // what happened since the last edge
    bool clear_ = false;
    bool sent_ = false;
    Reserved reserved_;
    std::uint32_t granted_launch_ = 0;
    std::array<sim::RingQueue<std::uint8_t>, queues> arrivals_;  ///< without errors?
    std::array<unsigned, queues> drops_{};
    // decided at the last edge
    int fetch_ = -1;
    int send_ = -1;
    unsigned outputs_ = 0;
};

}  // namespace

std::unique_ptr<i210::TxBlockIf> make_tx_packet_buffer(const i210::TxBlockContext& context) {
    return std::make_unique<TxPacketBufferRtl>(context);
}

}  // namespace nicsim::models::rtl
