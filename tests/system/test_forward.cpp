// SPDX-License-Identifier: Apache-2.0
// Forwarding between two ports under an external generator, from the scenario file to the result.
#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;

namespace {

std::vector<std::string> forwarding(const std::string& scenario,
                                    const std::vector<std::string>& sets) {
    std::vector<std::string> out{"run", scenario, "--json", "--quiet"};
    for (const std::string& s : sets) {
        out.emplace_back("--set");
        out.push_back(s);
    }
    return out;
}

Json result_of(const std::string& scenario, const std::vector<std::string>& sets) {
    const auto run = nicsim::test::nicsim(forwarding(scenario, sets));
    EXPECT_EQ(run.code, 0) << run.errors;
    return Json::parse(run.output, nullptr, false);
}

std::uint64_t whole(const Json& result, const std::string& path) {
    return result["statistics"][path]["whole_run"].get<std::uint64_t>();
}

/// Packets that some counter of devices and disciplines says were dropped, since the start.
std::uint64_t dropped(const Json& result) {
    std::uint64_t sum = 0;
    for (const auto& loss : result["headline"]["loss_by_cause"]) {
        const std::string path = loss["stat"];
        if (result["statistics"][path]["unit"] == "packets") sum += whole(result, path);
    }
    return sum;
}

void expect_conservation(const std::string& scenario, const std::vector<std::string>& sets,
                         bool loses) {
    const Json r = result_of(scenario, sets);
    const std::uint64_t offered = whole(r, "generators.tester.offered");
    const std::uint64_t received = whole(r, "generators.tester.received");
    EXPECT_GT(received, 1000U);
    EXPECT_EQ(offered, received + dropped(r));
    EXPECT_EQ(dropped(r) != 0, loses);
    EXPECT_EQ(whole(r, "generators.tester.wrong"), 0U);
    EXPECT_EQ(whole(r, "generators.tester.duplicates"), 0U);
    EXPECT_EQ(whole(r, "generators.tester.out_of_order"), 0U);
    EXPECT_EQ(whole(r, "generators.tester.foreign"), 0U);
}

TEST(Forward, EveryFrameComesBackByteForByteThroughTwoI210) {
    expect_conservation("forward/i210", {"generators.tester.drain=2ms", "duration=10ms"}, false);
}

TEST(Forward, LongFramesInBurstsComeBackByteForByteThroughTwo82599) {
    expect_conservation("forward/i82599",
                        {"generators.tester.drain=4ms", "duration=10ms",
                         "generators.tester.frame_bytes=1518B", "generators.tester.rate=400kpps",
                         "generators.tester.arrivals=bursts", "generators.tester.burst=64"},
                        false);
}

TEST(Forward, JumboFramesComeBackByteForByteThroughTwoAr8151) {
    expect_conservation("ar8151/forward",
                        {"generators.tester.drain=4ms", "duration=10ms", "host.ip.mtu=6000B",
                         "generators.tester.frame_bytes=6018B", "generators.tester.rate=18kpps",
                         "nic.tx_fifo=16KiB"},
                        false);
}

TEST(Forward, PktgenSendsFramesAsLongAsTheMtu) {
    const Json r = result_of("i82599/ring", {"duration=2ms", "host.ip.mtu=9000B",
                                             "workloads.generator.packet_bytes=9014B"});
    // The wire's rate: preamble, FCS and gap are 24 bytes more.
    EXPECT_NEAR(r["statistics"]["far_end.generator.packet_rate"]["value"].get<double>(),
                10e9 / 8 / 9038, 1e3);
    EXPECT_EQ(r["statistics"]["far_end.generator.wrong_payloads"]["whole_run"], 0);
}

TEST(Forward, UnderOverloadWhatIsNotForwardedIsInADropCounter) {
    expect_conservation(
        "forward/i210",
        {"generators.tester.drain=15ms", "duration=20ms", "generators.tester.rate=1.4Mpps"}, true);
}

TEST(Forward, UnderOverloadTheCoreIsNamedAndEachPortHasItsReason) {
    const Json r = result_of("forward/i82599", {"duration=5ms", "generators.tester.rate=2Mpps"});
    EXPECT_EQ(r["why"]["limit"], "host.core0.time");
    ASSERT_EQ(r["ports"].size(), 2U);
    EXPECT_EQ(r["ports"][0]["name"], "a");
    EXPECT_EQ(r["ports"][0]["packets_sent"], 0);
    EXPECT_EQ(r["ports"][1]["name"], "b");
    EXPECT_GT(r["ports"][1]["packets_sent"], 1000);
}

TEST(Forward, FlowsSpreadOverTheReceiveQueuesAndCores) {
    const std::vector<std::string> sets{"duration=5ms", "driver.queue_pairs=4",
                                        "ports.a.interrupt_affinity=[0, 1, 2, 3]"};
    const auto busy_queues = [&sets](const std::string& flows) {
        std::vector<std::string> all = sets;
        all.push_back("generators.tester.flows=" + flows);
        const Json r = result_of("forward/i82599", all);
        EXPECT_EQ(r["statistics"]["generators.tester.wrong"]["measured"], 0);
        int busy = 0;
        for (int q = 0; q < 4; ++q)
            if (r["statistics"]["ports.a.nic.rx.queue" + std::to_string(q) + ".packets"]
                 ["measured"] > 100)
                ++busy;
        return busy;
    };
    EXPECT_EQ(busy_queues("1"), 1);
    EXPECT_EQ(busy_queues("64"), 4);
}

TEST(Forward, SeveralCoresForwardAtOnceEachInOrderAndLoseNothing) {
    for (const char* scenario : {"forward/i210", "forward/i82599"}) {
        const std::vector<std::string> sets{"duration=8ms",
                                            "generators.tester.drain=3ms",
                                            "driver.queue_pairs=4",
                                            "generators.tester.flows=64",
                                            "workloads.bridge.batch=4",
                                            "ports.a.interrupt_affinity=[0, 1, 2, 3]",
                                            "ports.b.interrupt_affinity=[0, 1, 2, 3]",
                                            "generators.tester.rate=1.2Mpps"};
        expect_conservation(scenario, sets, false);
        const Json r = result_of(scenario, sets);
        for (int core = 0; core < 4; ++core)
            EXPECT_GT(r["statistics"]["host.core" + std::to_string(core) + ".time"]["busy"], 0.05);
    }
}

TEST(Forward, InterruptsOfAPortGoToTheCoreThatItNames) {
    const Json r = result_of("forward/i210", {"duration=5ms", "ports.b.interrupt_affinity=[2]"});
    EXPECT_GT(r["statistics"]["host.core0.interrupts"]["measured"], 10);
    EXPECT_GT(r["statistics"]["host.core2.interrupts"]["measured"], 10);
}

TEST(Forward, AnIdleCoreMakesTheMeanLatencyLonger) {
    // What port b has sent is cleaned elsewhere, so that only frames wake the core.
    const std::vector<std::string> sets{"duration=10ms", "host.profile=core_i7_4790k",
                                        "ports.b.interrupt_affinity=[1]",
                                        "generators.tester.rate=5kpps"};
    const auto mean = [&](const std::string& deepest) {
        auto more = sets;
        more.push_back("host.idle.deepest=" + deepest);
        return result_of("forward/i210", more)["statistics"]["generators.tester.latency"]["mean"]
            .get<double>();
    };
    // 200 us between frames: C3 is entered, C6 would be too deep.
    const double none = mean("none"), c3 = mean("C3"), c6 = mean("C6");
    EXPECT_NEAR(c3 - none, 33e6, 1e6);
    EXPECT_NEAR(c6, c3, 1e6);
}

TEST(Forward, TheSearchFindsABracketAndTheSameOneAgain) {
    const std::vector<std::string> search{"rfc2544",      "forward/i210", "--min",   "100kpps",
                                          "--resolution", "100kpps",      "--trial", "5ms",
                                          "--drain",      "10ms",         "--json",  "--quiet"};
    const auto first = nicsim::test::nicsim(search);
    ASSERT_EQ(first.code, 0) << first.errors;
    const Json r = Json::parse(first.output);
    const std::uint64_t passed = r["throughput_pps"], failed = r["lowest_failed_pps"];
    EXPECT_GT(failed, passed);
    EXPECT_LE(failed - passed, 100'000U);
    for (const Json& t : r["trials"]) {
        EXPECT_EQ(t["passed"].get<bool>(), t["rate_pps"] <= passed);
        EXPECT_EQ(t["lost"] == 0, t["passed"].get<bool>());
    }
    EXPECT_EQ(nicsim::test::nicsim(search).output, first.output);
}

// ---------------------------------------------------------------- the published set-up

Json ar8151(const std::string& scenario, std::vector<std::string> sets) {
    sets.insert(sets.end(), {"warmup=270ms", "duration=30ms"});
    return result_of("ar8151/" + scenario, sets);
}

double value(const Json& result, const std::string& path, const std::string& part) {
    return result["statistics"][path][part].get<double>();
}

/// A ring of 1024, one place of which stays free, is cleaned once per 2 us times tx_imt.
TEST(ForwardAr8151, TheRingAndTheTransmitTimerLimitTheRate) {
    const Json r = ar8151("forward", {"driver.doorbell=batched", "driver.tx_imt=1000"});
    const double rate = value(r, "generators.tester.received_rate", "value");
    EXPECT_LT(rate, 1.01 * 1023 / 2e-3);
    EXPECT_GT(rate, 0.9 * 1023 / 2e-3);
}

TEST(ForwardAr8151, ADoorbellAnnouncesOnePacketOrABatch) {
    const Json each = ar8151("forward", {"driver.doorbell=each"});
    const Json batched = ar8151("forward", {"driver.doorbell=batched"});
    const std::string stat = "ports.b.driver.tx_ring0.packets_per_doorbell";
    EXPECT_DOUBLE_EQ(value(each, stat, "mean"), 1.0);
    EXPECT_NEAR(value(batched, stat, "mean"), 8.0, 0.2);
    EXPECT_GT(value(batched, "generators.tester.received_rate", "value"),
              1.15 * value(each, "generators.tester.received_rate", "value"));
}

/// "No matter what": the timer begins with the message, not with what the host does.
TEST(ForwardAr8151, TransmitInterruptsKeepTheirRateWhateverTheLoadAndTheIdleStates) {
    for (const char* rate : {"500kpps", "800kpps", "1400kpps"})
        for (const char* deepest : {"none", "C6"}) {
            const Json r = ar8151("forward", {"driver.doorbell=batched", "driver.tx_imt=1000",
                                              std::string("generators.tester.rate=") + rate,
                                              std::string("host.idle.deepest=") + deepest});
            EXPECT_NEAR(value(r, "ports.b.driver.interrupts", "measured"), 15, 1)
                << rate << ' ' << deepest;
        }
}

/// The core polls until nothing is left: frames wait half of the pause between two polls. A poll
/// shorter than the interval takes its share of it; after a longer one a whole interval follows.
TEST(ForwardAr8151, MeanLatencyGrowsWithTheReceiveTimerAsTheClosedFormSays) {
    constexpr double per_packet = 1 / 1.07e6;
    for (const double load : {200e3, 500e3, 800e3}) {
        const auto mean = [&](int imt) {
            const Json r = ar8151(
                "latency",
                {"driver.doorbell=batched", "host.idle.deepest=none",
                 "driver.rx_imt=" + std::to_string(imt),
                 "generators.tester.rate=" + std::to_string(static_cast<int>(load)) + "pps"});
            return value(r, "generators.tester.latency", "mean");
        };
        const double busy = load * per_packet;
        EXPECT_NEAR(mean(150) - mean(50), 100e6 * (busy < 0.5 ? 1 - busy : 1), 8e6) << load;
    }
}

// ---------------------------------------------------------------- what users get wrong

void expect_refused(const std::vector<std::string>& sets, const std::string& message) {
    const auto run = nicsim::test::nicsim(forwarding("forward/i210", sets));
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, testing::HasSubstr(message));
}

TEST(ForwardErrors, NameThePlaceWhatIsWrongAndWhatIsAllowed) {
    expect_refused({"workloads.bridge.to=c"},
                   "workloads.bridge.to: no port 'c'; did you mean 'a'? (known: a, b)");
    expect_refused({"workloads.bridge.to=a"},
                   "workloads.bridge.to: is the port that frames come from; it needs another one");
    expect_refused({"workloads.bridge.core=1"},
                   "workloads.bridge.core: has no effect on 'forward'");
    expect_refused({"generators.tester.out_of="}, "generators.tester.out_of");
    expect_refused({"generators.tester.out_of=a"}, "generators.tester.out_of: is the port that it");
    expect_refused({"generators=[{name: x, into: a, out_of: b}, {name: y, into: a, out_of: b}]"},
                   "generators.y.into: port 'a' is taken by another generator");
    expect_refused({"generators.tester.rate=1488096pps"},
                   "1488096 frames per second of 64 bytes are more than a wire of 1Gbit/s takes: "
                   "1488095");
    expect_refused({"nic.link_speed=100Mbit/s"}, "more than a wire of 100Mbit/s takes: 148809");
    expect_refused({"ports=[{name: a}, {name: b}, {name: c}]"},
                   "there are 3 ports, but the switch has 2 (pcie.switch.ports)");
    expect_refused({"ports=[{name: a}, {name: a}]"}, "the name is used twice in this list");
    expect_refused({"ports=[{name: a}, {name: 'b c'}]"}, "a port needs a name of letters");
    expect_refused({"ports.a.interrupt_affinity=[7]"}, "names core 7 of 4 (the first is 0)");
    expect_refused(
        {"pcie.faults=[{type: drop, link: link_c}]"},
        "pcie.faults.0.link: there is no link 'link_c'; did you mean 'link_a'?; the links "
        "are link_a, link_b, link_to_switch");
    expect_refused({"host.idle.deepest=C6"}, "host.idle.deepest: 'C6' is not one of none");
}

TEST(ForwardErrors, FramesAreNotLongerThanTheMtuAndTheDriverAllow) {
    const auto refused = [](const std::string& scenario, const std::string& set,
                            const std::string& message) {
        const auto run = nicsim::test::nicsim(forwarding(scenario, {set, "host.ip.mtu=2000B"}));
        EXPECT_EQ(run.code, 2);
        EXPECT_THAT(run.errors, testing::HasSubstr("--set " + set + ": " + message));
    };
    refused("ar8151/forward", "generators.tester.frame_bytes=2019B",
            "generators.tester.frame_bytes: 2019B is more than a frame of the MTU (2000B, "
            "host.ip.mtu): at most 2018B");
    refused("forward/i210", "generators.tester.frame_bytes=1519B",
            "generators.tester.frame_bytes: 1519B is more than 'igb' receives: at most 1518B");
    refused("i82599/ring", "workloads.generator.packet_bytes=2015B",
            "workloads.generator.packet_bytes: 2015B is more than a frame of the MTU (2000B, "
            "host.ip.mtu) without FCS: at most 2014B");
}

TEST(Forward, AFaultIsOnTheLinkThatItNamesAndTheFirstOneIfItNamesNone) {
    for (const std::string at : {"", "link_a", "link_b"}) {
        const Json r =
            result_of("forward/i210",
                      {"duration=10ms",
                       "pcie.faults=[{type: corrupt, direction: up, tlp: MWr, nth: 50, link: '" +
                           at + "'}]"});
        const auto naks = [&r](const std::string& port) {
            const std::string link = "ports." + port + ".pcie.link";
            return whole(r, link + ".up.naks") + whole(r, link + ".down.naks");
        };
        EXPECT_EQ(naks("a"), at == "link_b" ? 0U : 1U) << at;
        EXPECT_EQ(naks("b"), at == "link_b" ? 1U : 0U) << at;
    }
    const auto never =
        result_of("forward/i210", {"duration=1ms",
                                   "pcie.faults=[{type: corrupt, name: late, direction: up, "
                                   "tlp: MWr, nth: 1000000000, link: link_b}]"});
    EXPECT_THAT(never["warnings"].dump(), testing::HasSubstr("late"));
}

TEST(Forward, TheCablesHaveTheRateOfTheDevices) {
    const Json r = result_of("forward/i210", {"nic.link_speed=100Mbit/s", "duration=10ms",
                                              "generators.tester.rate=148809pps"});
    EXPECT_NEAR(r["statistics"]["generators.tester.received_rate"]["value"].get<double>(), 148809,
                200);
}

TEST(ForwardErrors, APortNameInAFileIsShownWithLineAndColumn) {
    const Folder folder;
    const std::string file = folder.write("mine.yaml", "base: " NICSIM_SOURCE_DIR
                                                       "/scenarios/forward/i210.yaml\n"
                                                       "workloads:\n"
                                                       "  - {type: forward, from: a, to: east}\n");
    const auto run = nicsim::test::nicsim({"run", file});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, testing::HasSubstr("mine.yaml:3:34: workloads.0.to: no port 'east'"));
}

TEST(ForwardErrors, ForwardingNeedsNamedPorts) {
    const auto run = nicsim::test::nicsim(
        {"run", "i210/legacy", "--set", "workloads=[{type: forward, from: a, to: b}]"});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, testing::HasSubstr("the scenario has no list `ports`"));
}

TEST(ForwardErrors, TheSearchSaysWhatItNeeds) {
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        const auto run = nicsim::test::nicsim(arguments);
        EXPECT_EQ(run.code, 2);
        EXPECT_THAT(run.errors, testing::HasSubstr(message));
    };
    refused({"rfc2544", "i210/legacy"}, "the scenario has no generator");
    refused({"rfc2544", "forward/i210", "--generator", "taster"}, "did you mean 'tester'?");
    refused({"rfc2544", "forward/i210", "--min", "fast"}, "--min: ");
    refused({"rfc2544", "forward/i210", "--max", "2Mpps"}, "the wire takes 1488095");
    refused({"rfc2544", "forward/i210", "--min", "500kpps", "--max", "400kpps"},
            "is not below the highest rate");
}

}  // namespace
