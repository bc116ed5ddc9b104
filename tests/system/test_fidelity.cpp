// SPDX-License-Identifier: Apache-2.0
// `nicsim fidelity` on a reference file of its own with short runs; and on the real
// records of the I210.
#include <set>

#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

namespace {

const std::string head =
    "records:\n"
    "  - {id: a.good, device: i210, unit: Mbit/s, measured: 930, goal: 0.1, kind: predict,\n"
    "     scenario: i210/qav_6666, set: [warmup=200ms, duration=5ms],\n"
    "     stat: far_end.tcp.goodput}\n"
    "  - {id: b.none, device: other, unit: kpps, measured: 5, goal: 0.1, kind: calibrate}\n";
const std::string bad =
    "  - {id: c.bad, device: i210, unit: Mbit/s, measured: 5, goal: 0.1, kind: predict,\n"
    "     scenario: i210/qav_6666, set: [warmup=200ms, duration=5ms],\n"
    "     stat: far_end.tcp.goodput}\n";

TEST(Fidelity, json_has_exactly_the_keys_that_tools_rely_on) {
    const Folder folder;
    const auto run =
        nicsim::test::nicsim({"fidelity", "--json", "--reference", folder.write("r.yaml", head)});
    EXPECT_EQ(run.code, 0) << run.errors;
    const Json list = Json::parse(run.output);
    ASSERT_EQ(list.size(), 2U);
    for (const Json& record : list) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : record.items()) keys.push_back(key);
        EXPECT_THAT(keys, testing::ElementsAre("id", "unit", "measured", "simulated", "error",
                                               "goal", "kind", "pass"));
    }
    EXPECT_EQ(list[0]["pass"], true);
    EXPECT_NEAR(list[0]["simulated"].get<double>(), 930, 93);
    EXPECT_TRUE(list[1]["simulated"].is_null());
    EXPECT_TRUE(list[1]["pass"].is_null());
}

TEST(Fidelity, a_missed_goal_ends_with_code_1) {
    const Folder folder;
    const std::string reference = folder.write("r.yaml", head + bad);
    const auto run =
        nicsim::test::nicsim({"fidelity", "--device", "i210", "--reference", reference});
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.output, HasSubstr("1 of 2 records within their goal"));
    EXPECT_THAT(run.output, testing::Not(HasSubstr("b.none")));
}

TEST(Fidelity, a_device_is_known_by_its_type_and_by_the_name_in_the_record) {
    const Folder folder;
    const std::string reference = folder.write(
        "r.yaml",
        "records:\n  - {id: a, device: '82599', unit: x, measured: 1, goal: 0.1, kind: predict}\n"
        "  - {id: b, device: i210, unit: x, measured: 1, goal: 0.1, kind: predict}\n");
    for (const char* name : {"82599", "i82599", "I82599"}) {
        const auto run = nicsim::test::nicsim(
            {"fidelity", "--device", name, "--json", "--reference", reference});
        EXPECT_EQ(run.code, 0) << run.errors;
        EXPECT_EQ(Json::parse(run.output).size(), 1U) << name;
    }
}

TEST(Fidelity, a_record_that_cannot_be_simulated_is_missed_and_says_why) {
    const Folder folder;
    const std::string reference = folder.write(
        "r.yaml",
        "records: [{id: a, device: i210, unit: x, measured: 1, goal: 0.1, kind: predict,\n"
        "           scenario: i210/nothing, stat: a.b}]\n");
    const auto run = nicsim::test::nicsim({"fidelity", "--reference", reference});
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.output, HasSubstr("no such file"));
}

TEST(Fidelity, the_shipped_records_are_complete) {
    const Json list = Json::parse(contents(NICSIM_SOURCE_DIR "/tests/system/record_ids.json"));
    const std::string file = contents(NICSIM_SOURCE_DIR "/scenarios/reference/measurements.yaml");
    for (const auto& id : list)
        EXPECT_THAT(file, HasSubstr("- id: " + id.get<std::string>() + "\n"));
    EXPECT_GE(list.size(), 17U);
}

/// 491 packets per 61 x 2.048 us, whatever the core costs; each interrupt finds the queue stopped.
TEST(Fidelity, a_ring_of_512_on_the_82599_is_bound_by_its_interrupts) {
    const auto run = nicsim::test::nicsim({"run", NICSIM_SOURCE_DIR "/scenarios/i82599/ring.yaml",
                                           "--set", "duration=20ms", "--json", "--quiet"});
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json all = Json::parse(run.output)["statistics"];
    EXPECT_NEAR(all["far_end.generator.packet_rate"]["value"].get<double>(), 491 / 124.928e-6,
                0.005 * 491 / 124.928e-6);
    const double interrupts = all["driver.vector0.interrupts"]["measured"].get<double>();
    EXPECT_NEAR(interrupts, 20e-3 / 124.928e-6, 2);
    EXPECT_NEAR(all["workloads.generator.queue_stops"]["measured"].get<double>(), interrupts, 2);
    EXPECT_EQ(all["driver.vector0.itr_value"]["value"], 490);
}

TEST(Fidelity, a_ring_of_1024_on_the_82599_is_bound_by_its_core) {
    const auto run = nicsim::test::nicsim({"run", NICSIM_SOURCE_DIR "/scenarios/i82599/ring.yaml",
                                           "--set", "duration=20ms", "--set", "driver.tx_ring=1024",
                                           "--json", "--quiet"});
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json all = Json::parse(run.output)["statistics"];
    EXPECT_NEAR(all["far_end.generator.packet_rate"]["value"].get<double>(), 1 / 186.5e-9,
                0.01 / 186.5e-9);
    EXPECT_EQ(all["workloads.generator.queue_stops"]["measured"], 0);
}

/// The TCP figures at the wire's limit: the published ones lie 1 % below it, see the records' note.
const std::set<std::string> known_misses{"i210.tcp.6666", "i210.tcp4k.6666", "i210.tcp192.6666"};

TEST(Fidelity, the_i210_reaches_every_published_figure_but_three_that_miss_by_a_hair) {
    const auto run = nicsim::test::nicsim({"fidelity", "--device", "i210", "--json"});
    const Json list = Json::parse(run.output);
    ASSERT_EQ(list.size(), 17U);
    for (const Json& record : list) {
        const auto id = record["id"].get<std::string>();
        if (known_misses.contains(id)) {
            EXPECT_EQ(record["pass"], false)
                << id << " is reached now: say so in its note and here";
            EXPECT_LT(record["error"].get<double>(), 0.0115) << id;
        } else {
            EXPECT_EQ(record["pass"], true) << record.dump();
        }
    }
}

TEST(Fidelity, the_ar8151_reaches_every_published_figure) {
    const auto run = nicsim::test::nicsim({"fidelity", "--device", "ar8151", "--json"});
    EXPECT_EQ(run.code, 0) << run.errors;
    const Json list = Json::parse(run.output);
    ASSERT_EQ(list.size(), 8U);
    for (const Json& record : list) EXPECT_EQ(record["pass"], true) << record.dump();
}

/// Both figures are fitted: what is tested is that one pair of costs gives both, and that the saved
/// doorbells alone are the difference.
TEST(Fidelity, one_doorbell_per_burst_is_worth_what_was_published_of_the_mikrotik_card) {
    const auto kpps = [](const std::string& policy) {
        const auto run =
            nicsim::test::nicsim({"run", "ar8151/mikrotik_tx", "--set", "duration=20ms", "--set",
                                  "driver.doorbell=" + policy, "--json", "--quiet"});
        EXPECT_EQ(run.code, 0) << run.errors;
        const Json all = Json::parse(run.output)["statistics"];
        const double packets = all["driver.tx_ring0.packets"]["measured"].get<double>();
        const double doorbells = all["driver.tx_ring0.doorbells"]["measured"].get<double>();
        EXPECT_NEAR(packets / doorbells, policy == "each" ? 1 : 64, 0.5);
        return all["far_end.generator.packet_rate"]["value"].get<double>() / 1e3;
    };
    EXPECT_NEAR(kpps("each"), 1150, 0.02 * 1150);
    EXPECT_NEAR(kpps("batched"), 1700, 0.02 * 1700);
}

TEST(Fidelity, the_bus_of_the_e5_2630_v4_reaches_every_published_latency_but_one) {
    const auto run = nicsim::test::nicsim({"fidelity", "--device", "pcie_e5_2630_v4", "--json"});
    const Json list = Json::parse(run.output);
    ASSERT_EQ(list.size(), 20U);
    unsigned fitted = 0;
    for (const Json& record : list) {
        const auto id = record["id"].get<std::string>();
        fitted += record["kind"] == "calibrate" ? 1U : 0U;
        const bool missed = id == "pcie.e5_2630_v4.wrrd.2048";
        EXPECT_EQ(record["pass"], !missed) << record.dump();
        if (missed) {
            EXPECT_GT(record["error"].get<double>(), -0.06) << id;
        }
    }
    EXPECT_EQ(fitted, 3U) << "two sizes and the cost of a cache miss";
}

}  // namespace
