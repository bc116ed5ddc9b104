// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/forwarder.h"

#include <gtest/gtest.h>

#include "host_driver/qdisc_fifo.h"
#include "host_driver/receive_buffers.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using testing::free_core;
using testing::NotingDriver;
using testing::Steps;

/// Two devices and a pool of receive buffers; frames arrive by calls.
struct Bench {
    explicit Bench(std::uint64_t batch = 1) {
        a.device = &in;
        b.device = &out;
        b.room = 100'000;
        forwarder = std::make_unique<Forwarder>(ForwardConfig{"a", "b", batch}, in, out);
        forwarder->start();
    }
    void arrive(Core& c, unsigned frames, std::uint32_t length = 60) {
        for (unsigned i = 0; i < frames; ++i) {
            const std::uint64_t buffer = buffers.take();
            memory.store(buffer, std::uint64_t{i} + 1000);
            in.receive(c, buffers.wrap(buffer, length));
        }
        in.receive_end(c);
    }
    void run(std::function<void(Core&)> f) {
        steps.run(core, std::move(f));
        sc_core::sc_start(sim::to_sc_time(1_ms));
    }
    HostMemory memory{16 << 20};
    Core core{"core", free_core()};
    ReceiveBuffers buffers{memory, 2048};
    NotingDriver a, b;
    NetDevice in{"a", a, memory};
    NetDevice out{"b", b, memory};
    std::unique_ptr<Forwarder> forwarder;
    Steps steps;
};

TEST(Forwarder, TheBufferMovesWithTheSkbAndComesBackWhenThatIsFreed) {
    Bench b;
    b.b.keep = true;
    b.run([&](Core& core) { b.arrive(core, 3); });
    ASSERT_EQ(b.b.sent.size(), 3U);
    EXPECT_EQ(b.buffers.in_use(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(b.memory.load<std::uint64_t>(b.b.sent[i].skb->linear.address), 1000 + i);
    b.b.sent.clear();
    EXPECT_EQ(b.buffers.in_use(), 0U);
}

TEST(Forwarder, HandsOverInListsAndWhatIsLeftAtTheEndOfThePoll) {
    Bench b(4);
    b.b.use_bql = true;
    b.run([&](Core& core) {
        b.out.queue(0).bql.min_limit = 1'000'000;
        b.out.bql_sent(0, 1);
        b.out.bql_completed(core, 0, 1, 1);  // takes the limit over
        b.arrive(core, 10);
    });
    ASSERT_EQ(b.b.sent.size(), 10U);
    const std::vector<bool> more{true, true, true, false, true, true, true, false, true, false};
    for (std::size_t i = 0; i < more.size(); ++i) EXPECT_EQ(b.b.sent[i].more, more[i]) << i;
}

TEST(Forwarder, ABulkTakesNoMoreThanByteQueueLimitsLeaveRoomFor) {
    Bench b(8);
    b.b.use_bql = true;
    b.run([&](Core& core) {
        b.out.queue(0).bql.min_limit = 200;
        b.out.bql_sent(0, 1);
        b.out.bql_completed(core, 0, 1, 1);
        b.arrive(core, 8, 60);
    });
    // 200 bytes: 60 + 60 + 60 + 60 exceeds them by one packet, and the queue stops.
    ASSERT_EQ(b.b.sent.size(), 4U);
    EXPECT_TRUE(b.b.sent[0].more && b.b.sent[1].more && b.b.sent[2].more);
    EXPECT_FALSE(b.b.sent[3].more);
    EXPECT_EQ(b.out.backlog_packets(), 4U);
}

TEST(Forwarder, WhatItReceivesIsForwardedDroppedOrWaiting) {
    Bench b(8);
    b.b.room = 20;
    b.run([&](Core& core) {
        (void)b.out.set_qdisc(core, std::make_unique<PfifoQdisc>(FifoConfig{50}));
        for (int i = 0; i < 10; ++i) b.arrive(core, 13);
    });
    EXPECT_EQ(b.forwarder->received(), 130U);
    EXPECT_EQ(b.b.sent.size(), 20U);
    EXPECT_EQ(b.out.qdisc().drops(), b.forwarder->dropped());
    EXPECT_EQ(b.forwarder->received(),
              b.b.sent.size() + b.out.backlog_packets() + b.forwarder->dropped());
    EXPECT_GT(b.forwarder->dropped(), 0U);
    EXPECT_EQ(b.buffers.in_use(), b.out.backlog_packets());
}

TEST(ReceiveBuffers, MayGoBeforeTheSkbsThatHoldThem) {
    HostMemory memory{1 << 20};
    SkbPtr held;
    {
        ReceiveBuffers buffers{memory, 2048};
        held = buffers.wrap(buffers.take(), 60);
    }
    held = {};  // has nobody to tell
}

}  // namespace
}  // namespace nicsim::host
