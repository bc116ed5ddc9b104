// SPDX-License-Identifier: Apache-2.0
// The DMA exerciser, host profiles and the closed form as users meet them.
#include <cmath>

#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

namespace {

Json run(const std::string& scenario, const std::vector<std::string>& sets = {}) {
    std::vector<std::string> arguments{"run", scenario, "--json"};
    for (const std::string& s : sets) {
        arguments.emplace_back("--set");
        arguments.push_back(s);
    }
    const auto child = nicsim::test::nicsim(arguments);
    EXPECT_EQ(child.code, 0) << child.errors;
    return Json::parse(child.output);
}
double value(const Json& result, const std::string& stat, const char* part = "value") {
    return result["statistics"][stat][part].get<double>();
}
Json budget(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"pcie-budget", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto child = nicsim::test::nicsim(arguments);
    EXPECT_EQ(child.code, 0) << child.errors;
    return Json::parse(child.output);
}

TEST(PcieBudget, PrintsTheWorkedExample) {
    const std::vector<std::string> link = {"--gen", "2",      "--width", "4",       "--mps",
                                           "128",   "--mrrs", "256",     "--sizes", "200,300"};
    const Json right = budget(link);
    EXPECT_EQ(right["link"]["dllp_limit_symbols"], 124);
    EXPECT_NEAR(right["link"]["tlp_capacity"].get<double>(), 13.8939e9, 5e4);
    EXPECT_NEAR(right["sizes"][0]["write"].get<double>(), 11.2047e9, 5e4);
    EXPECT_NEAR(right["sizes"][0]["read"].get<double>(), 11.5782e9, 5e4);
    EXPECT_NEAR(right["sizes"][0]["read_write"].get<double>(), 10.2161e9, 5e4);
    EXPECT_NEAR(right["sizes"][1]["kernel"]["both"].get<double>(), 7.8121e9, 5e4);
    std::vector<std::string> faulty = link;
    faulty.emplace_back("--as-published");
    EXPECT_NEAR(budget(faulty)["sizes"][1]["kernel"]["both"].get<double>(), 8.1801e9, 5e4);
}

TEST(PcieBudget, TheTableNamesTheLinkAndTheFault) {
    const auto child = nicsim::test::nicsim({"pcie-budget", "--as-published"});
    EXPECT_EQ(child.code, 0);
    EXPECT_THAT(child.output, HasSubstr("PCIe generation 3 x8, MPS 256 B, MRRS 512 B"));
    EXPECT_THAT(child.output, HasSubstr("with the published receive fault"));
}

TEST(PcieInput, ImpossibleLinksAndProgramsAreRefusedBeforeTheRun) {
    const std::string rd = "pcie/read_bandwidth";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"pcie-budget", "--width", "3"}, "width is 3; allowed are 1, 2, 4, 8, 16"},
        {{"pcie-budget", "--gen", "9"}, "generation is 9; allowed are 1, 2, 3, 4, 5"},
        {{"pcie-budget", "--rcb", "96"}, "read_completion_boundary is 96; allowed are 64, 128"},
        {{"pcie-budget", "--mps", "192"}, "max_payload is 192"},
        {{"pcie-budget", "--sizes", "0"}, "a size of 0"},
        {{"run", rd, "--set", "pcie.link.width=3"}, "allowed: 1, 2, 4, 8, 16"},
        {{"run", rd, "--set", "pcie.link.generation=9"}, "allowed: 1, 2, 3, 4, 5"},
        {{"run", rd, "--set", "pcie.link.read_completion_boundary=96B"}, "allowed: 64B, 128B"},
        {{"run", rd, "--set", "pcie.link.max_payload=192B"}, "allowed: 128B, 256B"},
        {{"run", rd, "--set", "pcie.link.max_read_request=64KiB"}, "allowed: 128B, 256B"},
        {{"run", rd, "--set", "nic.tags=1000"}, "allowed: 1 to 768"},
        {{"run", rd, "--set", "host.pci.extended_tags=false"}, "a tag has 5 bits, which allow 32"},
        {{"run", rd, "--set", "nic.tags=300"}, "a tag has 8 bits, which allow 256"},
        {{"run", rd, "--set", "pcie.root_complex.cache_latencies=[1ns, 2ns]"},
         "cache_latencies: needs seven times"},
        {{"run", rd, "--set", "pcie.cache.ddio_ways=20"}, "ddio_ways: more than the cache has"},
        {{"run", rd, "--set", "pcie.iommu.page_size=8KiB"}, "allowed: 4KiB, 2MiB, 1GiB"},
        {{"run", rd, "--set", "workloads.dma.size=128KiB"}, "size"},
        {{"run", rd, "--set", "workloads.dma.size=65KiB", "--set", "workloads.dma.window=64KiB"},
         "size"},
        {{"run", rd, "--set", "workloads.dma.size=8KiB", "--set", "workloads.dma.window=4KiB"},
         "do not hold one transaction"},
        {{"run", rd, "--set", "workloads.dma.window=512MiB"}, "B of memory (host.memory)"},
        {{"run", rd, "--set", "driver.type=igb"}, "'igb' does not drive 'dma_bench'"},
        {{"run", rd, "--set", "host.profile=xeon_e5_v33"}, "did you mean 'xeon_e5_v3'"},
        {{"run", "pcie/two_cards_behind_a_switch", "--set", "pcie.switch.ports=1"},
         "needs 2 cards, but the switch has 1"},
        {{"run", "pcie/two_cards_behind_a_switch", "--set", "pcie.switch.max_payload=4KiB", "--set",
          "pcie.switch.posted_data_credits=100"},
         "posted_data_credits: 100 of 16 B"},
        {{"run", rd, "--set", "pcie.switch.upstream_link.width=4"},
         "pcie.switch.upstream_link: has no effect without a switch (ports is 0)"},
        {{"run", "pcie/two_cards_behind_a_switch", "--set", "pcie.switch.upstream_link.width=3"},
         "pcie.switch.upstream_link.width"},
        {{"run", "i210/qav_8844", "--set", "workloads=[{name: a, type: dma_transfer}]"},
         "it needs dma_bench"},
    };
    for (const auto& [arguments, expected] : cases) {
        const auto child = nicsim::test::nicsim(arguments);
        EXPECT_EQ(child.code, 2) << expected;
        EXPECT_THAT(child.errors, HasSubstr(expected));
        EXPECT_EQ(child.output, "") << expected;
    }
}

TEST(PcieRun, BandwidthIsTheClosedFormsWithItsWayOfChargingDllps) {
    const std::vector<std::string> form = {"pcie.link.dllp=closed_form", "duration=50us",
                                           "pcie.root_complex.nonposted_header_credits=0",
                                           "pcie.root_complex.posted_header_credits=0",
                                           "pcie.root_complex.posted_data_credits=0"};
    const Json expected = budget({"--sizes", "256", "--low-addresses"})["sizes"][0];
    const Json read = run("pcie/read_bandwidth", form);
    EXPECT_NEAR(value(read, "nic.read_bandwidth") / expected["read"].get<double>(), 1.0, 0.005);
    const Json write = run("pcie/write_bandwidth", form);
    EXPECT_NEAR(value(write, "nic.write_bandwidth") / expected["write"].get<double>(), 1.0, 0.005);
    const Json both = run("pcie/read_write_bandwidth", form);
    EXPECT_NEAR(value(both, "nic.read_bandwidth") / expected["read_write"].get<double>(), 1.0,
                0.005);
}

TEST(PcieRun, ASwitchCarriesTwoCardsAndEveryTransactionEndsWell) {
    const Json r = run("pcie/two_cards_behind_a_switch");
    EXPECT_GT(value(r, "nic0.read_bandwidth"), 10e9);
    EXPECT_GT(value(r, "nic1.write_bandwidth"), 10e9);
    EXPECT_EQ(value(r, "nic0.errors", "whole_run") + value(r, "nic1.errors", "whole_run"), 0.0);
    EXPECT_EQ(value(r, "pcie.switch.unsupported_requests", "measured"), 0.0);
}

TEST(PcieRun, TheLinkToTheHostMayBeAnotherThanThoseToTheDevices) {
    const std::string scenario = "pcie/two_cards_behind_a_switch";
    const Json same = run(scenario);
    const Json explicitly = run(
        scenario, {"pcie.switch.upstream_link.generation=3", "pcie.switch.upstream_link.width=8"});
    EXPECT_EQ(same["statistics"], explicitly["statistics"]) << "the links of the scenario";
    // One lane of generation 3 carries 7.9 Gbit/s in each direction, the devices' own links eight.
    const Json narrow = run(scenario, {"pcie.switch.upstream_link.width=1"});
    for (const char* stat : {"nic0.read_bandwidth", "nic1.write_bandwidth"}) {
        EXPECT_LT(value(narrow, stat), 7.9e9) << stat;
        EXPECT_GT(value(narrow, stat), 0.6 * 7.9e9) << stat;
        EXPECT_GT(value(same, stat), 1.5 * value(narrow, stat)) << stat;
    }
}

TEST(PcieRun, ANicWorksBehindASwitchAndItsReadsTakeLonger) {
    const std::vector<std::string> run_short = {"warmup=200ms", "duration=5ms"};
    std::vector<std::string> behind = run_short;
    behind.emplace_back("pcie.switch.ports=4");
    const Json direct = run("i210/legacy", run_short);
    const Json r = run("i210/legacy", behind);
    EXPECT_GT(value(r, "far_end.tcp.goodput"), 0.95 * value(direct, "far_end.tcp.goodput"));
    EXPECT_GT(value(r, "pcie.switch.to_devices", "measured"), 1000.0);
    EXPECT_EQ(value(r, "pcie.switch.unsupported_requests", "measured"), 0.0);
}

TEST(PcieRun, AWindowThatOverflowsTheIotlbCostsAWalkPerRead) {
    const std::vector<std::string> one = {"workloads.dma.in_flight=1", "duration=200us"};
    std::vector<std::string> small = one;
    small.emplace_back("workloads.dma.window=128KiB");
    const Json large = run("pcie/iommu_window", one);
    const Json fits = run("pcie/iommu_window", small);
    const double difference =
        value(large, "nic.read_latency", "mean") - value(fits, "nic.read_latency", "mean");
    // 64 of 1024 pages are in the buffer: about one read in 16 does not wait for a walk.
    const double walks = value(large, "pcie.root_complex.iommu.misses", "measured");
    const double hits = value(large, "pcie.root_complex.iommu.hits", "measured");
    EXPECT_NEAR(hits / (hits + walks), 1.0 / 16, 0.05);
    EXPECT_NEAR(difference, 250e3 * walks / (hits + walks), 5e3);
}

TEST(PcieRun, AProfileOfAHostSetsItsBusAndAScenarioGoesBeforeIt) {
    const Json slow = run("pcie/latency_e5_2630_v4", {"duration=100us"});
    EXPECT_EQ(slow["statistics"]["nic.read_latency"]["count"].get<double>() > 100, true);
    const Json fast =
        run("pcie/latency_e5_2630_v4", {"duration=100us", "pcie.root_complex.read_latency=100ns"});
    EXPECT_LT(value(fast, "nic.read_latency", "mean") + 200e3,
              value(slow, "nic.read_latency", "mean"));
    for (const char* profile : {"xeon_e5_2630", "xeon_e5_v3", "xeon_e5_2630_v4", "xeon_e3_1226_v3",
                                "core_i7_4790k", "threadripper_3960x", "generic_desktop"}) {
        const Json r =
            run("pcie/read_bandwidth", {std::string("host.profile=") + profile, "duration=20us"});
        EXPECT_GT(value(r, "nic.reads", "measured"), 0.0) << profile;
    }
}

TEST(PcieRun, TheSameSeedGivesTheSameBytes) {
    const std::vector<std::string> arguments = {"run", "pcie/iommu_window", "--json", "--set",
                                                "duration=50us"};
    const auto a = nicsim::test::nicsim(arguments);
    const auto b = nicsim::test::nicsim(arguments);
    EXPECT_EQ(a.output, b.output);
}

}  // namespace
