// SPDX-License-Identifier: Apache-2.0
// Polling in the softirq and in threads.
#include "host_driver/napi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host_driver/host.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host {
namespace {

using namespace testing;
using namespace sim::literals;

/// Has `left` packets and notes in which context it is polled.
struct Poller {
    void poll(Core& core, unsigned budget, unsigned& received) {
        contexts.push_back(core.context());
        received = std::min(left, budget);
        left -= received;
        core.charge(Op::receive_packet, received);
        if (received < budget) napi.complete();
    }
    unsigned left = 0;
    std::vector<Work> contexts;
    Napi napi{Napi::Poll::to<&Poller::poll>(this)};
};

struct NapiBench {
    NapiBench() {
        CoreConfig c = free_core();
        c.cost[static_cast<unsigned>(Op::receive_packet)] = 1_us;
        c.cost[static_cast<unsigned>(Op::wake_task)] = 3_us;
        config = c;
    }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    CoreConfig config;
};

TEST(Napi, PollsInTheSoftirqUntilLessThanTheBudgetIsLeft) {
    NapiBench b;
    Core core("core", b.config);
    Softnet softnet(core, NapiConfig{});
    Poller poller;
    poller.left = 100;
    Steps steps;
    steps.run(core, [&](Core&) { softnet.schedule(poller.napi); });
    b.run(1_ms);
    EXPECT_EQ(poller.contexts, (std::vector<Work>{Work::softirq, Work::softirq}));
    EXPECT_FALSE(poller.napi.scheduled());
    EXPECT_EQ(core.count_of(Op::wake_task), 1U) << "the one that scheduled";
}

TEST(Napi, AThreadPollsAsATaskThatIsWokenOnceAndTakesTurns) {
    NapiBench b;
    Core core("core", b.config);
    Softnet softnet(core, NapiConfig{});
    Poller first, second;
    first.napi.set_threaded(true);
    second.napi.set_threaded(true);
    first.left = second.left = 100;
    Steps steps;
    steps.run(core, [&](Core&) {
        softnet.schedule(first.napi);
        softnet.schedule(second.napi);
        softnet.schedule(first.napi);  // it is scheduled already
    });
    b.run(1_ms);
    EXPECT_EQ(first.contexts, (std::vector<Work>{Work::task, Work::task}));
    EXPECT_EQ(second.contexts.size(), 2U);
    EXPECT_EQ(core.count_of(Op::wake_task), 3U);
    EXPECT_EQ(core.count_of(Op::napi_poll), 4U);
    EXPECT_EQ(core.time_in(Work::softirq), 0U);
}

TEST(Napi, AThreadLetsATaskGoFirstThatWasWokenAndOtherwisePollsOnForItsSlice) {
    NapiBench b;
    Core core("core", b.config);
    NapiConfig config;
    config.thread_slice = 1_ms;
    Softnet softnet(core, config);
    Poller busy, rare;
    busy.napi.set_threaded(true);
    rare.napi.set_threaded(true);
    busy.left = 100'000;
    rare.left = 65;  // a full budget, and one more
    Steps steps;
    steps.run(core, [&](Core&) { softnet.schedule(busy.napi); });
    // Woken in the middle of a poll of 64 us.
    At wake("wake", 100_us, [&] { softnet.schedule(rare.napi); });
    b.run(100_us + 64_us + 3_us + 65_us + 3_us);
    EXPECT_EQ(rare.left, 0U) << "it went first and polled again at once";
    EXPECT_FALSE(rare.napi.scheduled());
    EXPECT_EQ(rare.contexts.size(), 2U);
}

TEST(Napi, AThreadThatWasDisabledIsNotPolledAgain) {
    NapiBench b;
    Core core("core", b.config);
    Softnet softnet(core, NapiConfig{});
    Poller poller;
    poller.napi.set_threaded(true);
    poller.left = 1000;
    Steps steps;
    steps.run(core, [&](Core&) { softnet.schedule(poller.napi); });
    b.run(100_us);
    poller.napi.disable();
    const std::size_t polls = poller.contexts.size();
    b.run(1_ms);
    EXPECT_LE(poller.contexts.size(), polls + 1);
    EXPECT_FALSE(poller.napi.scheduled());
}

}  // namespace
}  // namespace nicsim::host
