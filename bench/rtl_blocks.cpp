// SPDX-License-Identifier: Apache-2.0
#include "bench/rtl_blocks.h"

#include <systemc>

#include "models/common/clock_edges.h"
#include "models/common/interrupt_throttle.h"
#include "models/rtl/interrupt_throttle.h"
#include "models/rtl/still.h"
#include "sim/alarm.h"
#include "tests/rtl/tx_twin_bench.h"

namespace nicsim::bench {
namespace {

using models::clock_period;

void choose_clocks(Twin twin) {
    models::rtl::leave_out_still_clocks = twin != Twin::rtl_every_clock;
}

void run_for(sim::Ps time) {
    sc_core::sc_start(sim::to_sc_time(time));
}

// ---- interrupt throttle ----

class ThrottlePlayer {
public:
    ThrottlePlayer(Twin twin, std::uint64_t gap_ns)
        : gap_((gap_ns * sim::ps_per_ns + clock_period - 1) / clock_period * clock_period) {
        const auto issue = sim::Callback<unsigned>::to<&ThrottlePlayer::on_issue>(this);
        constexpr auto start = models::ThrottleStart::at_interrupt;
        if (twin == Twin::model)
            throttle_ = std::make_unique<models::InterruptThrottle>("model", start, 0, issue,
                                                                    sim::Callback<unsigned>{});
        else if (twin != Twin::nobody)
            throttle_ = models::rtl::make_interrupt_throttle("rtl", start, 0, issue,
                                                             sim::Callback<unsigned>{});
        if (throttle_) throttle_->set_interval(50 * sim::ps_per_us);
        call_.at(gap_);
    }
    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

private:
    void on_issue(unsigned) { ++interrupts_; }
    void on_call() {
        ++requests_;
        if (throttle_) throttle_->request();
        call_.after(gap_);
    }

    sim::Ps gap_;
    std::uint64_t requests_ = 0;
    std::uint64_t interrupts_ = 0;
    std::unique_ptr<models::InterruptThrottleIf> throttle_;
    sim::Alarm call_{"call", sim::Callback<>::to<&ThrottlePlayer::on_call>(this)};
};

// ---- transmit packet buffer ----

/// Fetches and sends in turn what there is room for: what a block costs that decides nothing.
class InTurn final : public models::i210::TxBlockIf, private models::PacketBufferIf {
public:
    explicit InTurn(const models::i210::TxBlockContext& context) : context_(context) {}

    PacketBufferIf& buffer() override { return *this; }
    models::i210::FetchState fetch_state(unsigned) override { return {}; }
    int choose_fetch() override {
        for (unsigned i = 0; i < models::i210::queues; ++i) {
            next_ = (next_ + 1) % models::i210::queues;
            if (used_[next_] < most_ && context_.offers.offered(next_) != nullptr)
                return static_cast<int>(next_);
        }
        return -1;
    }
    models::i210::TransmitChoice choose_send() override {
        models::i210::TransmitChoice choice;
        for (unsigned q = 0; q < models::i210::queues && choice.queue < 0; ++q) {
            last_ = (last_ + 1) % models::i210::queues;
            if (context_.store.ready(last_) != 0) choice.queue = static_cast<int>(last_);
        }
        return choice;
    }
    void shaper_changed(unsigned, const models::i210::TxShaperSettings&) override {}
    void link_changed(std::uint64_t) override {}
    void stored(unsigned, bool) override {}
    void dropped(unsigned) override {}
    void update_backlogs() override {}
    void sending(unsigned, const models::MacTx::Times&) override {}
    void sent() override {}
    void reset() override {}

private:
    void configure(std::span<const std::uint32_t> bytes, bool) override { most_ = bytes[0] - 1600; }
    void set_fetch_threshold(std::uint32_t) override {}
    void set_fetch_threshold(unsigned, std::uint32_t) override {}
    [[nodiscard]] bool fetch_allowed(unsigned) const override { return true; }
    [[nodiscard]] std::uint32_t free_bytes(unsigned) const override { return 0; }
    void reserve(unsigned q, std::uint32_t bytes) override { used_[q] += bytes; }
    void release(unsigned q, std::uint32_t bytes) override { used_[q] -= bytes; }
    [[nodiscard]] std::uint32_t used_bytes(unsigned q) const override { return used_[q]; }
    void clear() override { used_ = {}; }

    models::i210::TxBlockContext context_;
    std::array<std::uint32_t, models::i210::queues> used_{};
    std::uint32_t most_ = 0;
    unsigned next_ = 0;
    unsigned last_ = 0;
};

models::i210::TxBlockFactory block_of(Twin twin) {
    if (twin == Twin::model) return models::rtl::TxTwinBench::make_model;
    if (twin != Twin::nobody) return models::rtl::make_tx_packet_buffer;
    return [](const models::i210::TxBlockContext& context) {
        return std::make_unique<InTurn>(context);
    };
}

/// Calls the world only when something happens in it.
class TxPlayer {
public:
    TxPlayer(Twin twin, std::uint32_t length)
        : length_(length), world_("world", clock_, block_of(twin)) {
        auto& s = world_.settings;
        s.enabled = s.qav = s.shaper = true;
        s.max_packet = 63 * 64;
        s.sr = {true, true};
        s.high_priority = {true, true, false, false};
        s.fetch_most_empty = true;
        world_.record = false;
        world_.on_change = sim::Callback<>::to<&TxPlayer::on_change>(this);
        const std::array<std::uint32_t, models::i210::queues> room{6 * 1024, 6 * 1024, 6 * 1024,
                                                                   6 * 1024};
        world_.block().buffer().configure(room, false);
        world_.block().buffer().set_fetch_threshold(s.max_packet);
        world_.set_link(1'000'000'000);
        for (unsigned q = 0; q < models::i210::sr_queues; ++q)
            world_.block().shaper_changed(q, {200'000'000 / 16'384 * 16'384, 5'000, false});
        alarm_.at(clock_period);
    }
    [[nodiscard]] std::uint64_t frames() const { return world_.frames_sent(); }

private:
    void on_change() {
        if (!stepping_ && world_.next_event() != sim::never) alarm_.at_latest(world_.next_event());
    }
    void on_alarm() {
        stepping_ = true;
        for (unsigned q = 0; q < models::i210::queues; ++q)
            while (world_.offered_packets(q) < 4) world_.offer(q, {length_, 0, 40, true});
        world_.step();
        stepping_ = false;
        on_change();
    }

    std::uint32_t length_;
    models::i210::SystemTime clock_{0};
    models::rtl::TxTwinBench world_;
    bool stepping_ = false;
    sim::Alarm alarm_{"alarm", sim::Callback<>::to<&TxPlayer::on_alarm>(this)};
};

}  // namespace

Cost measure_throttle(Twin twin, std::uint64_t gap_ns, std::uint64_t requests) {
    return run_isolated([=] {
        choose_clocks(twin);
        ThrottlePlayer player(twin, gap_ns);
        const double before = cpu_seconds_now();
        while (player.requests() < requests) run_for(sim::ps_per_ms);
        Cost cost;
        cost.packets = player.requests();
        cost.cpu_seconds = cpu_seconds_now() - before;
        cost.wakeups = player.interrupts();
        return cost;
    });
}

Cost measure_packet_buffer(Twin twin, std::uint32_t length, std::uint64_t frames) {
    return run_isolated([=] {
        choose_clocks(twin);
        TxPlayer player(twin, length);
        const double before = cpu_seconds_now();
        while (player.frames() < frames) run_for(100 * sim::ps_per_us);
        Cost cost;
        cost.packets = player.frames();
        cost.cpu_seconds = cpu_seconds_now() - before;
        return cost;
    });
}

}  // namespace nicsim::bench
