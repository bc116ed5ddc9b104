// SPDX-License-Identifier: Apache-2.0
// Pause frames from the scenario file to the result: what they change when the host is too slow to
// receive and when the far end is too slow to take, against closed forms and against runs without.
#include <cmath>

#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

namespace {

using Sets = std::vector<std::string>;

nicsim::scenarios::ChildResult run(const std::string& scenario, const Sets& sets,
                                   const Sets& more = {}) {
    std::vector<std::string> arguments{"run", scenario, "--json", "--quiet"};
    for (const std::string& s : sets) {
        arguments.emplace_back("--set");
        arguments.push_back(s);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nicsim::test::nicsim(arguments);
}

/// Without looking at its expectations, which are those of the scenario as it is shipped.
Json result_of(const std::string& scenario, const Sets& sets) {
    Sets all = sets;
    all.emplace_back("expect=[]");
    const auto out = run(scenario, all);
    EXPECT_EQ(out.code, 0) << out.errors;
    return Json::parse(out.output, nullptr, false);
}

double stat(const Json& r, const std::string& path, const char* part = "measured") {
    return r["statistics"][path][part].get<double>();
}

double paused(const Json& r, const std::string& path) {
    return r["statistics"][path]["states"]["paused"]["share"].get<double>();
}

const std::string transmit = "i82599/pause_transmit";
const std::string receive = "i82599/pause_receive";

TEST(Pause, TheShippedScenariosShowWhatTheyPromise) {
    for (const std::string& scenario : {transmit, receive}) {
        const auto out = run(scenario, {});
        EXPECT_EQ(out.code, 0) << scenario << out.errors;
        EXPECT_GE(Json::parse(out.output)["expectations"].size(), 5U);
    }
}

TEST(Pause, TheSameRunGivesTheSameBytes) {
    for (const std::string& scenario : {transmit, receive}) {
        const Sets sets{"duration=5ms"};
        const std::string once = run(scenario, sets).output;
        EXPECT_GT(once.size(), 1000U);
        EXPECT_EQ(once, run(scenario, sets).output) << scenario;
    }
}

// ---- a far end that is slower ----

TEST(Pause, ASlowFarEndGetsItsRateEitherWayButOnlyPauseFramesSaveTheRest) {
    constexpr double rate = 4e9 / (8 * 1538);
    for (const std::string mode : {"full", "tx_pause", "rx_pause", "none"}) {
        const Json r = result_of(transmit, {"duration=20ms", "far_end.flow_control=" + mode});
        const bool sends = mode == "full" || mode == "tx_pause";
        EXPECT_NEAR(stat(r, "far_end.port.drained_rate", "value"), rate, 60.0) << mode;
        EXPECT_EQ(stat(r, "far_end.port.dropped") == 0, sends) << mode;
        EXPECT_EQ(stat(r, "far_end.port.xoff_sent") != 0, sends) << mode;
        EXPECT_NEAR(paused(r, "nic.tx.wire.activity"), sends ? 0.6 : 0.0, 0.002) << mode;
        // Of 812744 frames per second on the wire, what the switch cannot send on.
        if (!sends) {
            EXPECT_NEAR(stat(r, "far_end.port.dropped"), (1e10 / (8 * 1538) - rate) * 0.02, 3.0);
        }
    }
}

TEST(Pause, NothingIsLostThatIsNotCounted) {
    for (const std::string mode : {"full", "none"}) {
        const Json r = result_of(transmit, {"duration=20ms", "far_end.flow_control=" + mode});
        const double sent = stat(r, "nic.tx.mac.frames", "whole_run");
        const double taken = stat(r, "far_end.generator.packets", "whole_run");
        // Frames begin, are counted by the far end and dropped there at one and the same moment.
        EXPECT_EQ(sent, taken + stat(r, "far_end.port.dropped", "whole_run")) << mode;
        EXPECT_GT(taken, 10'000);
    }
}

TEST(Pause, BothEndsCountTheSamePauseFrames) {
    const Json r = result_of(transmit, {"duration=20ms"});
    for (const std::string kind : {"xoff", "xon"})
        EXPECT_NEAR(stat(r, "far_end.port." + kind + "_sent", "whole_run"),
                    stat(r, "nic.flow_control." + kind + "_received", "whole_run"), 1.0)
            << "one may be on the wire";
    EXPECT_GT(stat(r, "far_end.port.xoff_sent"), 100);
}

// Between the thresholds 12 frames more must come than leave, at distances of 1230.4 and d.
TEST(Pause, XoffComesAsOftenAsBufferThresholdsAndRatesSay) {
    for (const double gbit : {2.0, 4.0, 8.0}) {
        const Json r = result_of(
            transmit, {"duration=20ms", "far_end.drain_rate=" + std::to_string(gbit) + "Gbit/s"});
        const double slow = 1538 * 8 / gbit, fast = 1538 * 0.8;  // ns
        double k = 1;  // XON to its arrival, one frame, the cable; then one frame after the other
        while (k - std::floor((57.6 + 1220.8 + 2 * 25 + (k - 1) * fast) / slow) < 12) ++k;
        const double frames = k + 1;  // one more is on the wire by then
        EXPECT_NEAR(stat(r, "far_end.port.xoff_sent"), 0.02e9 / slow / frames, 1.0) << gbit;
        EXPECT_EQ(stat(r, "far_end.port.dropped"), 0.0) << gbit;
    }
}

TEST(Pause, ADriverThatDoesNotObeyLosesWhatItWasAskedToHoldBack) {
    const Json r = result_of(transmit, {"duration=20ms", "driver.flow_control=tx_pause"});
    EXPECT_GT(stat(r, "far_end.port.dropped"), 9'000);
    EXPECT_GT(stat(r, "far_end.port.xoff_sent"), 0);
    EXPECT_EQ(stat(r, "nic.flow_control.xoff_received"), 0) << "they end in the MAC unread";
}

TEST(Pause, TooLittleRoomBehindTheThresholdLosesFramesInSpiteOfPauseFrames) {
    const Sets sets{"duration=20ms", "far_end.cable_delay=20us"};  // 4 km
    EXPECT_GT(stat(result_of(transmit, sets), "far_end.port.dropped"), 0);
    Sets more = sets;
    more.emplace_back("far_end.buffer=96KiB");
    EXPECT_EQ(stat(result_of(transmit, more), "far_end.port.dropped"), 0);
}

TEST(Pause, ShortPausesAreRepeatedAndHoldAsWell) {
    const Json r = result_of(transmit, {"duration=20ms", "far_end.pause_time=100"});
    EXPECT_EQ(stat(r, "far_end.port.dropped"), 0);
    EXPECT_GT(stat(r, "far_end.port.xoff_sent"), 5 * stat(r, "far_end.port.xon_sent"));
}

TEST(Pause, ATcpStreamOfLargePacketsAndSeveralQueuesArePausedToo) {
    const Json r = result_of(
        transmit,
        {"duration=20ms", "driver.queue_pairs=2",
         "workloads=[{name: one, type: tcp_stream, core: 1, port: 5001, local_port: 40001}, "
         "{name: two, type: tcp_stream, core: 2, port: 5002, local_port: 40002}]"});
    const double goodput = stat(r, "far_end.goodput", "value");
    EXPECT_NEAR(goodput, 4e9 * 1448 / 1538, 0.005 * 4e9);
    EXPECT_EQ(stat(r, "far_end.port.dropped"), 0);
    for (const std::string name : {"one", "two"}) {
        EXPECT_EQ(stat(r, "workloads." + name + ".retransmits"), 0);
        EXPECT_GT(stat(r, "far_end." + name + ".packets"), 100);
    }
}

TEST(Pause, TheRunSaysThatTheWireWasPausedAndByWhom) {
    const Json with = result_of(transmit, {"duration=20ms"});
    EXPECT_EQ(with["why"]["limit"], "far_end.port.drain");
    EXPECT_THAT(with["why"]["sentence"].get<std::string>(),
                HasSubstr("Ethernet wire paused by the link partner 60 % of the time"));
    const Json without = result_of(transmit, {"duration=20ms", "far_end.flow_control=none"});
    EXPECT_THAT(without["why"]["sentence"].get<std::string>(),
                HasSubstr("frames found the far end's buffer of 64KiB full"));
}

TEST(Pause, QuantaAreThoseOfTheLinksRate) {
    const Json r = result_of(transmit, {"duration=20ms", "nic.link_speed=1Gbit/s",
                                        "far_end.drain_rate=400Mbit/s", "far_end.pause_time=200"});
    EXPECT_NEAR(stat(r, "far_end.port.drained_rate", "value"), 4e8 / (8 * 1538), 100.0);
    EXPECT_EQ(stat(r, "far_end.port.dropped"), 0);
    // While paused for 60 % of the time, XOFF is repeated every 100 quanta of 512 ns.
    const double repeated = stat(r, "far_end.port.xoff_sent") - stat(r, "far_end.port.xon_sent");
    EXPECT_NEAR(repeated, 0.6 * 20e-3 / (100 * 512e-9), 0.2 * repeated);
}

TEST(Pause, AnyDeviceMayHaveASlowFarEndThatDropsAndSaysSo) {
    const Json r = result_of("i210/legacy", {"duration=20ms", "far_end.drain_rate=100Mbit/s"});
    EXPECT_GT(stat(r, "far_end.port.dropped", "whole_run"), 0);
    EXPECT_LE(stat(r, "far_end.port.drained_rate", "value"), 1e8 / (8 * 84));
    EXPECT_EQ(stat(r, "far_end.frames", "whole_run"), stat(r, "nic.tx.mac.frames", "whole_run"));
}

// ---- a host that is too slow to receive ----

TEST(Pause, ASlowHostForwardsAsMuchEitherWayButOnlyPauseFramesSaveTheRest) {
    const Sets at_rate{"generators.tester.flow_control=false"};
    const Json with = result_of(receive, {});
    const Json without = result_of(receive, at_rate);
    EXPECT_NEAR(stat(with, "generators.tester.received_rate", "value"),
                stat(without, "generators.tester.received_rate", "value"), 100.0);
    EXPECT_EQ(stat(with, "ports.a.nic.rx.missed"), 0);
    EXPECT_GT(stat(without, "ports.a.nic.rx.missed"), 50'000);
    EXPECT_NEAR(stat(with, "generators.tester.left_out", "value"),
                2e6 * 0.1 * paused(with, "generators.tester.activity"), 1.0);
    EXPECT_EQ(stat(with, "generators.tester.offered"),
              2e5 - std::round(stat(with, "generators.tester.left_out", "value")));
    EXPECT_THAT(with["why"]["sentence"].get<std::string>(),
                HasSubstr("generator tester paused by the port it sends into 40 % of the time"));
    EXPECT_GT(stat(without, "generators.tester.xoff_received"), 0) << "asked, and did not obey";
}

TEST(Pause, EveryFrameOfAnObedientGeneratorComesBackOnceWholeAndInOrder) {
    const Json r = result_of(receive, {"duration=50ms", "generators.tester.drain=10ms"});
    EXPECT_GT(stat(r, "generators.tester.xoff_received"), 0);
    EXPECT_GT(stat(r, "generators.tester.received", "whole_run"), 100'000);
    EXPECT_EQ(stat(r, "generators.tester.received", "whole_run"),
              stat(r, "generators.tester.offered", "whole_run"));
    for (const std::string bad : {"wrong", "duplicates", "out_of_order", "foreign"})
        EXPECT_EQ(stat(r, "generators.tester." + bad, "whole_run"), 0) << bad;
    EXPECT_EQ(stat(r, "generators.tester.lost", "value"), 0);
}

TEST(Pause, WithTheDriverSilentAnObedientGeneratorIsNeverPaused) {
    const Json r = result_of(receive, {"duration=20ms", "driver.flow_control=rx_pause"});
    EXPECT_EQ(stat(r, "ports.a.nic.flow_control.xoff_sent"), 0);
    EXPECT_GT(stat(r, "ports.a.nic.rx.missed"), 0);
    EXPECT_EQ(paused(r, "generators.tester.activity"), 0.0);
}

// With pause frames a queue without descriptors holds up the others, since its sender is to wait;
// without them it drops what it gets, so that the others go on.
TEST(Pause, SeveralQueuesDropWhereNoPauseFramesAreSent) {
    const auto overload = [](const std::string& mode) {
        return result_of(receive, {"duration=20ms", "driver.flow_control=" + mode,
                                   "driver.queue_pairs=4", "generators.tester.flow_control=false",
                                   "generators.tester.flows=64", "generators.tester.rate=4Mpps"});
    };
    const auto at_queues = [](const Json& r) {
        double sum = 0;
        for (int q = 0; q < 4; ++q)
            sum += stat(r, "ports.a.nic.rx.queue" + std::to_string(q) + ".dropped_no_descriptor");
        return sum;
    };
    const Json none = overload("none"), full = overload("full");
    EXPECT_GT(at_queues(none), 1000);
    EXPECT_EQ(stat(none, "ports.a.nic.rx.missed"), 0);
    EXPECT_EQ(at_queues(full), 0);
    EXPECT_GT(stat(full, "ports.a.nic.rx.missed"), 1000);
}

// ---- what it costs where it is not needed ----

TEST(Pause, OnOrOffTheBenchmarkWakesAsOften) {
    const auto wakeups = [](const char* mode) {
        return result_of("bench/i82599_stream",
                         {"duration=2ms", std::string("driver.flow_control=") + mode})["kernel"]
            .dump();
    };
    EXPECT_EQ(wakeups("full"), wakeups("none"));
}

TEST(Pause, TheWavesShowIt) {
    const Folder folder;
    const std::string wave = folder / "pause.vcd";
    const auto out = run(transmit, {"duration=1ms", "expect=[]"}, {"--wave", wave});
    ASSERT_EQ(out.code, 0) << out.errors;
    const std::string text = contents(wave);
    // Both signals rise and fall with every XOFF and XON: 16 times in each of the simulated
    // milliseconds since the driver was up.
    for (const std::string name : {"paused", "xoff"}) {
        // "$var wire 1 CODE NAME $end"
        const std::size_t after = text.find(" " + name + " $end");
        ASSERT_NE(after, std::string::npos) << name;
        const std::size_t code = text.rfind(' ', after - 1) + 1;
        const std::string up = "\n1" + text.substr(code, after - code) + "\n";
        unsigned rises = 0;
        for (std::size_t at = text.find(up); at != std::string::npos; at = text.find(up, at + 1))
            ++rises;
        EXPECT_GT(rises, 15U) << name;
    }
}

// ---- refusals ----

void refused(const std::string& scenario, const Sets& sets, const std::string& message) {
    const auto out = run(scenario, sets);
    EXPECT_EQ(out.code, 2) << message;
    EXPECT_THAT(out.errors, HasSubstr(message));
}

TEST(PauseErrors, AFarEndThatContradictsItselfIsRefused) {
    refused(transmit, {"far_end.xoff_above=64KiB"},
            "far_end.xoff_above: 64KiB leave no room for a frame of 1518B in the buffer's 64KiB");
    refused(transmit, {"far_end.buffer=40KiB"},
            "far_end.xoff_above: 48KiB leave no room for a frame of 1518B in the buffer's 40KiB");
    refused(transmit, {"far_end.xon_below=49KiB"}, "far_end.xon_below: 49KiB is above xoff_above");
    refused(transmit, {"far_end.flow_control=none", "far_end.drain_rate=0"},
            "far_end.drain_rate: a switch of this rate sends nothing on");
    refused(transmit, {"far_end.pause_time=65536"}, "far_end.pause_time: 65536 is not allowed");
    refused(transmit, {"far_end.flow_control=on"}, "none, rx_pause, tx_pause, full");
    refused("i82599/ring", {"far_end.flow_control=full"}, "give it a drain_rate");
    refused("i82599/ring", {"far_end.flow_controll=full"}, "did you mean 'flow_control'?");
    refused("i82599/ring", {"driver.flow_control=yes"}, "none, rx_pause, tx_pause, full");
}

TEST(PauseErrors, AKeyWithoutEffectIsRefused) {
    refused("i82599/ring", {"far_end.buffer=64KiB"},
            "far_end.buffer: has no effect without `drain_rate`");
    for (const std::string key : {"xoff_above=40KiB", "xon_below=20KiB", "pause_time=100"})
        refused("i82599/ring", {"far_end.drain_rate=4Gbit/s", "far_end." + key},
                "has no effect without `flow_control: tx_pause` or `full`");
    refused("forward/i82599",
            {"far_end.flow_control=rx_pause",
             "generators=[{name: there, into: a, out_of: b}, {name: back, into: b, out_of: a}]"},
            "far_end.flow_control: has no effect: every cable leads to a generator");
    refused("forward/i82599",
            {"far_end.drain_rate=4Gbit/s",
             "generators=[{name: there, into: a, out_of: b}, {name: back, into: b, out_of: a}]"},
            "far_end.drain_rate: has no effect: every cable leads to a generator");
}

TEST(PauseErrors, ADeviceWithoutPauseFramesRefusesThem) {
    const std::string message = "neither obeys nor sends pause frames (i82599 does)";
    refused("i210/legacy", {"far_end.flow_control=rx_pause"},
            "far_end.flow_control: the model of 'i210' " + message);
    refused("forward/i210", {"generators.tester.flow_control=true"},
            "generators.tester.flow_control: the model of 'i210' " + message);
    refused("ar8151/forward", {"generators.tester.flow_control=true"}, message);
    refused("i210/legacy", {"driver.flow_control=full"},
            "'igb' has no 'flow_control'; 'ixgbe' has it");
}

TEST(PauseErrors, TheSearchForARateWithoutLossNeedsAGeneratorThatKeepsItsRate) {
    const auto out = nicsim::test::nicsim({"rfc2544", receive});
    EXPECT_EQ(out.code, 2);
    EXPECT_THAT(out.errors, HasSubstr("generators.tester.flow_control: a generator that obeys"));
}

}  // namespace
