// SPDX-License-Identifier: Apache-2.0
// The reference driver on the real device model behind PCIe: probe, traffic both ways, Qav.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/drivers/igb.h"
#include "host_driver/host.h"
#include "host_driver/qdisc_etf.h"
#include "host_driver/qdisc_mq.h"
#include "host_driver/qdisc_taprio.h"
#include "models/i210/i210.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "sim/kernel.h"
#include "tests/host_driver/host_bench.h"
#include "tests/support/protocol_checkers.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

/// Counts and checks what the device puts on the wire.
struct Sink : sim::EthernetIf, sc_core::sc_module {
    explicit Sink(const sc_core::sc_module_name& name) : sc_module(name) {}
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps) override {
        ++frames;
        if (frame->length() == 1514) launches.push_back(start);
        bytes += frame->length();
        if (keep_last) last.assign(frame->bytes().begin(), frame->bytes().end());
    }
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    bool keep_last = false;
    std::vector<std::uint8_t> last;
    std::vector<sim::Ps> launches;
};

/// Keeps the discipline's backlog filled with plain frames of one priority.
struct Flood : Task, SkbOwner {
    Flood(HostMemory& memory, NetDevice& device, std::uint32_t bytes, std::uint32_t prio)
        : memory_(memory), device_(device), bytes_(bytes), priority_(prio) {}
    void start(Core& core) {
        core_ = &core;
        address_ = memory_.allocate(bytes_);
        for (std::uint32_t i = 0; i < bytes_; ++i)
            memory_.store(address_ + i, static_cast<std::uint8_t>(i * 3 + 1));
        core.wake(*this);
    }
    bool step(Core& core) override {
        if (outstanding >= window) return false;
        core.charge(Op::udp_datagram);
        SkbPtr skb = skb_pool().make();
        skb->linear = {address_, bytes_};
        skb->length = bytes_;
        skb->priority = priority_;
        skb->owner = this;
        ++outstanding;
        (void)device_.queue_xmit(core, skb);
        return outstanding < window;
    }
    void skb_freed(SkBuff&) override {
        --outstanding;
        if (outstanding < window / 2) core_->wake(*this);
    }
    unsigned outstanding = 0;
    unsigned window = 140;

private:
    HostMemory& memory_;
    NetDevice& device_;
    std::uint32_t bytes_;
    std::uint32_t priority_;
    std::uint64_t address_ = 0;
    Core* core_ = nullptr;
};

/// One packet with a launch time per cycle, handed over 1 ms ahead.
struct Talker : SkbOwner {
    Talker(HostMemory& memory, NetDevice& device, Core& core)
        : device_(device), timer_(core, Job::Action::to<&Talker::hand_over>(this)) {
        address_ = memory.allocate(1514);
    }
    void start(sim::Ps first_launch) {
        launch_ = first_launch;
        timer_.at(launch_ - 1_ms);
    }
    void hand_over(Core& core) {
        core.raise_softirq(job_);
        launch_ += 125_us;
        timer_.at(launch_ - 1_ms);
    }
    void send(Core& core) {
        SkbPtr skb = skb_pool().make();
        skb->linear = {address_, 1514};
        skb->length = 1514;
        skb->priority = 5;
        skb->transmit_time = launch_ - 125_us;
        skb->owner = this;
        if (device_.queue_xmit(core, skb)) ++sent;
    }
    void skb_freed(SkBuff&) override { ++freed; }
    std::uint64_t sent = 0;
    std::uint64_t freed = 0;

private:
    NetDevice& device_;
    Timer timer_;
    Job job_{Job::Action::to<&Talker::send>(this)};
    std::uint64_t address_ = 0;
    sim::Ps launch_ = 0;
};

struct Machine {
    explicit Machine(const IgbConfig& config = {})
        : host("host", host_config()),
          root("root", pcie::RootComplexConfig{}, host.memory(), host.interrupts(), 1),
          nic("nic", models::i210::I210Config{}),
          endpoint("endpoint", nic.identity()),
          link("link", pcie::LinkConfig{}, root.port(), endpoint),
          driver(host, config) {
        host.attach(root);
        nic.interrupts.bind(endpoint.interrupts);
        nic.ethernet_out.bind(sink);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&models::i210::I210::set_bus_limits>(&nic));
    }
    static HostConfig host_config() {
        HostConfig c;
        c.memory = 64 << 20;
        return c;
    }
    std::string start(bool qav) {
        host.script()
            .then([this](Core& c) { host.pci().enumerate(c); })
            .then([this](Core& c) { driver.probe(c); })
            .then([this](Core& c) { driver.open(c); });
        if (qav) {
            host.script().then([this](Core& c) {
                TaprioConfig schedule;
                schedule.map = {3, 3, 3, 2, 3, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3};
                schedule.queue_counts = {1, 1, 1, 1};
                schedule.queue_offsets = {0, 1, 2, 3};
                schedule.gate_masks = {0xf};
                schedule.intervals = {10_ms};
                std::string error =
                    driver.device().set_qdisc(c, std::make_unique<TaprioQdisc>(schedule, 4));
                if (error.empty())
                    error = driver.device().graft(
                        c, 0,
                        std::make_unique<EtfQdisc>(EtfConfig{.delta = 1_ms, .offload = true}));
                if (!error.empty()) throw DriverError(error);
            });
        }
        run(8_s);
        if (host.script().error() != nullptr) {
            try {
                std::rethrow_exception(host.script().error());
            } catch (const std::exception& e) {
                return e.what();
            }
        }
        return host.script().done() ? "" : "not done";
    }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }

    Host host;
    pcie::RootComplex root;
    models::i210::I210 nic;
    pcie::Endpoint endpoint;
    pcie::Link link;
    nicsim::test::ProtocolCheckers checkers{nic, endpoint, link};
    Sink sink{"sink"};
    IgbDriver driver;
};

TEST(IgbOnI210, ProbesTheModelWithoutTouchingAnythingItDoesNotHave) {
    Machine m;
    ASSERT_EQ(m.start(false), "");
    EXPECT_TRUE(m.driver.device().carrier());
    std::string unknown;
    for (const auto& u : m.nic.unmodelled()) unknown.append(" ").append(std::to_string(u.offset));
    EXPECT_EQ(unknown, "");
}

TEST(IgbOnI210, TheWatchdogReachesEveryQueueAndReadsOnlyWhatIsThere) {
    Machine m;
    ASSERT_EQ(m.start(false), "");
    std::array<std::uint64_t, 4> before{};
    for (unsigned v = 0; v < 4; ++v) before[v] = m.driver.vector(v).interrupts;
    m.run(4_s);
    for (unsigned v = 0; v < 4; ++v) EXPECT_EQ(m.driver.vector(v).interrupts, before[v] + 2);
    EXPECT_TRUE(m.nic.unmodelled().empty());
}

TEST(IgbOnI210, SendsTheBytesOfAPacketAndFreesIt) {
    Machine m;
    ASSERT_EQ(m.start(false), "");
    m.sink.keep_last = true;
    Flood flood(m.host.memory(), m.driver.device(), 1000, 0);
    flood.window = 1;
    flood.start(m.host.core(1));
    m.run(1_ms);
    ASSERT_GT(m.sink.frames, 0U);
    ASSERT_EQ(m.sink.last.size(), 1000U);
    for (std::uint32_t i = 0; i < 1000; ++i)
        ASSERT_EQ(m.sink.last[i], static_cast<std::uint8_t>(i * 3 + 1)) << "byte " << i;
    EXPECT_LE(m.sink.frames - m.driver.device().queue(0).packets, 1U);
}

/// Saturates one queue with UDP-sized frames (1448 bytes of payload in 1490) for 20 ms.
double best_effort_mbit(Machine& m, bool launches = false) {
    static std::unique_ptr<Flood> flood;
    flood = std::make_unique<Flood>(m.host.memory(), m.driver.device(), 1490, 0);
    flood->start(m.host.core(1));
    m.run(5_ms);
    const auto best_effort = [&m] { return m.sink.frames - m.sink.launches.size(); };
    const std::uint64_t before = best_effort();
    const std::uint64_t wakeups = sim::kernel_cost.wakeups;
    const std::uint64_t own = m.host.core(0).thread_wakeups() + m.host.core(1).thread_wakeups();
    m.run(20_ms);
    const auto frames = static_cast<double>(best_effort() - before);
    if (launches) return frames * 1448.0 * 8.0 / 20'000.0;
    const auto cost = static_cast<double>(sim::kernel_cost.wakeups - wakeups) / frames;
    const auto cores = static_cast<double>(m.host.core(0).thread_wakeups() +
                                           m.host.core(1).thread_wakeups() - own) /
                       frames;
    ::testing::Test::RecordProperty("wakeups_per_packet", std::to_string(cost));
    ::testing::Test::RecordProperty("core_wakeups_per_packet", std::to_string(cores));
    EXPECT_LT(cost, 45.0) << "kernel wake-ups per packet";
    EXPECT_LT(cores, 4.0) << "wake-ups of the cores' threads per packet";
    return frames * 1448.0 * 8.0 / 20'000.0;
}

TEST(IgbOnI210, FillsTheWireInNormalMode) {
    Machine m;
    ASSERT_EQ(m.start(false), "");
    EXPECT_NEAR(best_effort_mbit(m), 956.4, 3.0);
}

TEST(IgbOnI210, QavWith6KiBForBestEffortFillsTheWire) {
    Machine m;
    ASSERT_EQ(m.start(true), "");
    const double mbit = best_effort_mbit(m);
    EXPECT_NEAR(mbit, 956.4, 3.0);
    RecordProperty("mbit", std::to_string(mbit));
}

TEST(IgbOnI210, QavWith4KiBForBestEffortFetchesAndSendsInTurn) {
    IgbConfig config;
    config.tx_packet_buffer = {8192, 8192, 4096, 4096};
    Machine m(config);
    ASSERT_EQ(m.start(true), "");
    const double mbit = best_effort_mbit(m);
    EXPECT_GT(mbit, 560.0);
    EXPECT_LT(mbit, 610.0);
    RecordProperty("mbit", std::to_string(mbit));
}

/// Packets of best effort per 125 us beside one packet with a launch time.
double per_cycle_with_launches(Machine& m) {
    static std::unique_ptr<Talker> talker;
    talker = std::make_unique<Talker>(m.host.memory(), m.driver.device(), m.host.core(0));
    talker->start(sim::now() / 125_us * 125_us + 2_ms + 60_us);
    const double mbit = best_effort_mbit(m, true);
    EXPECT_GT(talker->sent, 180U);
    EXPECT_LE(talker->sent - talker->freed, 20U);
    // SYSTIM was set at the reset, by a register write that took its time to arrive: launches keep
    // the cycle exactly, at a constant offset.
    for (std::size_t i = 1; i < m.sink.launches.size(); ++i)
        EXPECT_NEAR(static_cast<double>(m.sink.launches[i] - m.sink.launches[i - 1]), 125e6, 32e3);
    return mbit * 125.0 / (1448.0 * 8.0);
}

TEST(IgbOnI210, SevenBestEffortPacketsFitBetweenLaunchesWith6KiB) {
    Machine m;
    ASSERT_EQ(m.start(true), "");
    const double n = per_cycle_with_launches(m);
    RecordProperty("per_cycle", std::to_string(n));
    EXPECT_NEAR(n, 7.0, 0.1);
}

TEST(IgbOnI210, FiveBestEffortPacketsFitBetweenLaunchesWith4KiB) {
    IgbConfig config;
    config.tx_packet_buffer = {8192, 8192, 4096, 4096};
    Machine m(config);
    ASSERT_EQ(m.start(true), "");
    const double n = per_cycle_with_launches(m);
    RecordProperty("per_cycle", std::to_string(n));
    EXPECT_NEAR(n, 5.0, 0.2);
}

}  // namespace
}  // namespace nicsim::host
