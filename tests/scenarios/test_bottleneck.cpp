// SPDX-License-Identifier: Apache-2.0
// Time accounts are filled by a clockwork that enters states at given times.
#include "scenarios/bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/time.h"

using namespace nicsim;
using namespace nicsim::scenarios;
using testing::HasSubstr;

namespace {

enum State : std::size_t { idle, works, waits };

sim::Activity resource(const std::string& reason) {
    return sim::Activity({{"idle", sim::ActivityKind::starved, "nothing to do"},
                          {"works", sim::ActivityKind::busy, "working"},
                          {"waits", sim::ActivityKind::blocked, reason}});
}

/// Spends shares (in percent of 100 us) in the three states, all resources side by side.
struct Bench {
    sim::Activity wire = resource("the guard before a launch time");
    sim::Activity fetch0 = resource("free space not above the limit");
    sim::Activity fetch3 = resource("free space not above the limit");
    sim::Activity source = resource("the window is full");
    sim::StatGroup root{"run"};
    const std::vector<ChainLink> chain{{"nic.wire", "the wire"},
                                       {"nic.queue*.fetch", "queue {} data fetch"},
                                       {"load.source", "the sender"}};
    Bench() {
        root.group("nic").activity("wire", "The wire.", wire);
        root.group("nic").group("queue0").activity("fetch", "Fetch.", fetch0);
        root.group("nic").group("queue3").activity("fetch", "Fetch.", fetch3);
        root.group("load").activity("source", "Source.", source);
    }
    struct Plan {
        sim::Activity& activity;
        unsigned busy;
        unsigned blocked;
    };
    void live(const std::vector<Plan>& plans) {
        for (unsigned percent = 0; percent < 100; ++percent) {
            for (const Plan& p : plans)
                p.activity.enter(percent < p.busy               ? works
                                 : percent < p.busy + p.blocked ? waits
                                                                : idle);
            sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
        }
    }
};

TEST(Bottleneck, a_resource_that_is_always_busy_is_the_limit) {
    Bench b;
    b.live({{b.wire, 99, 0}, {b.fetch3, 40, 60}, {b.source, 5, 95}});
    const Why why = explain(b.root, b.chain);
    EXPECT_EQ(why.limit, "nic.wire");
    EXPECT_EQ(why.sentence, "the wire busy 99 % of the time: working");
}

TEST(Bottleneck, a_starved_wire_points_to_what_blocks_its_feeder) {
    Bench b;
    b.live({{b.wire, 61, 0}, {b.fetch0, 10, 0}, {b.fetch3, 39, 61}, {b.source, 5, 95}});
    const Why why = explain(b.root, b.chain);
    EXPECT_EQ(why.limit, "nic.queue3.fetch");
    EXPECT_EQ(why.state, "waits");
    EXPECT_NEAR(why.share, 0.61, 1e-9);
    EXPECT_EQ(why.sentence,
              "queue 3 data fetch blocked 61 % of the time: free space not above the limit; the "
              "wire had nothing to do 39 % of the time");
}

TEST(Bottleneck, a_wire_that_is_held_back_more_than_starved_is_the_limit_itself) {
    Bench b;
    b.live({{b.wire, 70, 25}, {b.fetch3, 30, 70}, {b.source, 5, 95}});
    EXPECT_THAT(explain(b.root, b.chain).sentence, HasSubstr("the guard before a launch time"));
}

TEST(Bottleneck, a_source_that_waits_for_its_window_is_the_limit_of_idle_hardware) {
    Bench b;
    b.live({{b.wire, 20, 0}, {b.fetch3, 15, 1}, {b.source, 10, 90}});
    const Why why = explain(b.root, b.chain);
    EXPECT_EQ(why.limit, "load.source");
    EXPECT_THAT(why.sentence, HasSubstr("the window is full"));
}

TEST(Bottleneck, a_light_load_is_the_limit_itself) {
    Bench b;
    b.live({{b.wire, 20, 0}, {b.fetch3, 15, 1}, {b.source, 10, 0}});
    const Why why = explain(b.root, b.chain);
    EXPECT_EQ(why.limit, "");
    EXPECT_THAT(why.sentence, HasSubstr("the offered load was"));
    EXPECT_EQ(why.accounts.size(), 4U);
}

TEST(Bottleneck, a_pipeline_that_is_always_busy_is_the_limit_only_if_nothing_above_it_is) {
    Bench b;
    const std::vector<ChainLink> chain{{"nic.wire", "the wire"},
                                       {"nic.queue*.fetch", "queue {} data fetch", true},
                                       {"load.source", "the core"}};
    b.live({{b.wire, 60, 0}, {b.fetch3, 98, 0}, {b.source, 99, 0}});
    EXPECT_EQ(explain(b.root, chain).sentence,
              "the core busy 99 % of the time: working; queue 3 data fetch busy 98 %: working; the "
              "wire had nothing to do 40 % of the time");
    b.root.begin_measurement();
    b.live({{b.wire, 60, 0}, {b.fetch3, 98, 0}, {b.source, 40, 60}});
    EXPECT_EQ(explain(b.root, chain).limit, "nic.queue3.fetch")
        << "what waits further up waits for the pipeline";
}

TEST(Bottleneck, sources_that_wait_for_their_own_rate_are_the_limit_whatever_waits_below) {
    Bench b;
    std::vector<ChainLink> chain = b.chain;
    chain.back().own_choice = "waits";
    b.live({{b.wire, 94, 0}, {b.fetch3, 40, 50}, {b.source, 10, 90}});
    EXPECT_EQ(explain(b.root, chain).limit, "load.source");
    b.root.begin_measurement();
    b.live({{b.wire, 61, 0}, {b.fetch3, 39, 61}, {b.source, 99, 1}});
    EXPECT_EQ(explain(b.root, chain).limit, "nic.queue3.fetch") << "it hardly ever waited";
    b.root.begin_measurement();
    b.live({{b.wire, 99, 1}, {b.fetch3, 40, 50}, {b.source, 10, 90}});
    EXPECT_EQ(explain(b.root, chain).limit, "nic.wire") << "a full wire is the limit";
}

TEST(Bottleneck, a_feeder_that_lacked_work_as_often_as_the_wire_is_not_the_limit) {
    Bench b;
    b.live({{b.wire, 93, 0}, {b.fetch3, 58, 30}, {b.source, 5, 95}});
    EXPECT_EQ(explain(b.root, b.chain).limit, "load.source");
    b.root.begin_measurement();
    b.live({{b.wire, 60, 0}, {b.fetch3, 38, 60}, {b.source, 5, 95}});
    EXPECT_EQ(explain(b.root, b.chain).limit, "nic.queue3.fetch");
}

TEST(Bottleneck, a_pipeline_that_works_longer_than_it_is_blocked_says_both) {
    Bench b;
    b.live({{b.wire, 31, 0}, {b.fetch3, 69, 31}, {b.source, 5, 95}});
    const Why why =
        explain(b.root, {{"nic.wire", "the wire"}, {"nic.queue*.fetch", "fetch", true}});
    EXPECT_EQ(why.sentence,
              "fetch blocked 31 % of the time: free space not above the limit (69 %: working); the "
              "wire had nothing to do 69 % of the time");
}

TEST(Bottleneck, frames_that_found_no_place_while_everything_had_time_are_the_receive_rings) {
    for (const bool lost : {false, true}) {
        Bench b;
        sim::Activity dma = resource("the oldest frame waits for receive descriptors");
        std::uint64_t missed = 0;
        sim::StatGroup& rx = b.root.group("nic").group("rx");
        rx.activity("dma", "Receive DMA.", dma);
        rx.loss("missed", "packets", "Dropped: no room in the packet buffer.", missed);
        b.root.begin_measurement();
        if (lost) missed = 7;  // NOLINT(*DeadStores): the statistic reads it
        b.live({{b.wire, 10, 0}, {b.fetch3, 10, 0}, {b.source, 10, 0}, {dma, 5, 60}});
        const Why why = explain(b.root, b.chain);
        EXPECT_EQ(why.limit, lost ? "nic.rx.dma" : "");
        EXPECT_THAT(
            why.sentence,
            HasSubstr(lost ? "receive DMA blocked 60 % of the time: the oldest frame waits for "
                             "receive descriptors; 7 frames found no place"
                           : "the offered load was"));
    }
}

/// A far end's switch, a wire that it pauses, a generator that the device pauses.
struct PauseBench {
    sim::Activity drain = resource("");
    sim::Activity wire{{{"starved", sim::ActivityKind::starved, "nothing to send"},
                        {"busy", sim::ActivityKind::busy, "carrying a frame"},
                        {"paused", sim::ActivityKind::blocked, "paused by the link partner"}}};
    sim::Activity generator{{{"sending", sim::ActivityKind::busy, "sending by its schedule"},
                             {"paused", sim::ActivityKind::blocked, "paused by the port"}}};
    sim::Activity dma = resource("the oldest frame waits for receive descriptors");
    std::uint64_t dropped = 0, missed = 0, xoff = 0;
    sim::StatGroup root{"run"};
    const std::vector<ChainLink> chain{{"far_end.port.drain", "far end's switch"},
                                       {"nic.tx.wire.activity", "Ethernet wire"}};
    PauseBench() {
        sim::StatGroup& port = root.group("far_end").group("port");
        port.activity("drain", "Switch.", drain);
        port.formula("buffer", "B", "Size.", [] { return 65536.0; });
        port.loss("dropped", "packets", "Frames that found the buffer full.", dropped);
        root.group("nic").group("tx").group("wire").activity("activity", "Wire.", wire);
        root.group("nic").group("rx").activity("dma", "Receive DMA.", dma);
        root.group("nic").group("rx").loss("missed", "packets", "Dropped.", missed);
        root.group("nic").group("flow_control").counter("xoff_sent", "packets", "XOFF.", xoff);
        root.group("generators").group("tester").activity("activity", "Tester.", generator);
        root.begin_measurement();
    }
    Why live(unsigned drained, unsigned paused, unsigned generator_paused, bool sends = false) {
        for (unsigned percent = 0; percent < 100; ++percent) {
            drain.enter(percent < drained ? works : idle);
            wire.enter(percent < paused ? 2 : sends ? 1 : 0);
            generator.enter(percent < generator_paused ? 1 : 0);
            dma.enter(percent < 60 ? waits : idle);
            sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
        }
        return explain(root, chain);
    }
};

TEST(Bottleneck, a_slow_far_end_is_named_with_the_pause_that_it_causes) {
    PauseBench b;
    EXPECT_EQ(b.live(100, 60, 0).sentence,
              "far end's switch busy 100 % of the time: working; Ethernet wire paused by the link "
              "partner 60 % of the time");
}

TEST(Bottleneck, a_slow_far_end_is_named_with_the_frames_that_it_drops) {
    PauseBench b;
    b.dropped = 12;
    EXPECT_EQ(b.live(100, 0, 0).sentence,
              "far end's switch busy 100 % of the time: working; 12 frames found the far end's "
              "buffer of 64KiB full");
}

TEST(Bottleneck, a_wire_that_is_paused_longer_than_its_far_end_needs_is_the_limit) {
    PauseBench b;
    const Why why = b.live(40, 60, 0, true);
    EXPECT_EQ(why.limit, "nic.tx.wire.activity");
    EXPECT_EQ(why.state, "paused");
    EXPECT_THAT(why.sentence,
                HasSubstr("Ethernet wire blocked 60 % of the time: paused by the link partner"));
}

TEST(Bottleneck, pause_frames_in_place_of_losses_name_the_receive_side_too) {
    PauseBench b;
    b.xoff = 9;
    const Why why = b.live(10, 0, 43);
    EXPECT_EQ(why.limit, "nic.rx.dma");
    EXPECT_THAT(why.sentence, HasSubstr("9 pause frames asked the sender to wait while the cores "
                                        "had time: the receive ring is too short"));
    EXPECT_THAT(why.sentence, HasSubstr("; generator tester paused by the port 43 % of the time"));
}

TEST(Bottleneck, pauses_that_hardly_ever_come_are_not_worth_a_word) {
    PauseBench b;
    EXPECT_THAT(b.live(10, 2, 2).sentence, testing::Not(HasSubstr("paused")));
}

TEST(Bottleneck, a_resource_belongs_to_the_first_step_that_names_it) {
    Bench b;
    b.live({{b.wire, 20, 0}, {b.fetch0, 30, 70}, {b.fetch3, 99, 0}});
    const Why why =
        explain(b.root, {{"nic.queue0.fetch", "the first"}, {"nic.queue*.fetch", "the {}"}});
    EXPECT_EQ(why.limit, "nic.queue0.fetch");
    const Why other = explain(b.root, {{"nic.queue3.fetch*", "the only one {}"}});
    EXPECT_EQ(other.sentence, "the only one busy 99 % of the time: working")
        << "no blank where no number stands";
}

TEST(StatReader, reads_counters_figures_distributions_and_activities) {
    Bench b;
    std::uint64_t counter = 5;
    sim::Histogram histogram;
    b.root.group("nic").counter("packets", "packets", "Packets.", counter);
    b.root.group("nic").formula("rate", "bit/s", "Rate.", [] { return 7.5; });
    b.root.group("nic").distribution("latency", "ps", "Latency.", histogram);
    b.root.begin_measurement();
    counter = 12;  // NOLINT(*DeadStores): the statistic reads it
    for (std::uint64_t v = 1; v <= 10; ++v) histogram.record(v);
    b.live({{b.wire, 60, 30}});
    const StatReader reader(b.root);
    EXPECT_EQ(reader.read("nic.packets"), 7.0);
    EXPECT_EQ(reader.read("nic.packets.whole_run"), 12.0);
    EXPECT_EQ(reader.read("nic.rate"), 7.5);
    EXPECT_EQ(reader.read("nic.latency.mean"), 5.5);
    EXPECT_EQ(reader.read("nic.latency.p50"), 5.0);
    EXPECT_EQ(reader.read("nic.latency.max"), 10.0);
    EXPECT_NEAR(*reader.read("nic.wire.busy"), 0.6, 1e-9);
    EXPECT_NEAR(*reader.read("nic.wire.waits"), 0.3, 1e-9);
    EXPECT_EQ(reader.unit("nic.wire.waits"), "1");
    EXPECT_EQ(reader.unit("nic.latency.p50"), "ps");
    EXPECT_EQ(reader.complaint("nic.rate"), "");
    EXPECT_THAT(reader.complaint("nic.rat"), HasSubstr("did you mean 'nic.rate'?"));
    EXPECT_THAT(reader.complaint("nic.latency"), HasSubstr("needs one of its parts: count, min"));
    EXPECT_THAT(reader.complaint("nic.wire.asleep"), HasSubstr("needs one of its parts: busy"));
    EXPECT_EQ(reader.read("nic.nothing"), std::nullopt);
}

}  // namespace
