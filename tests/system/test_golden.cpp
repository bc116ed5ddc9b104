// SPDX-License-Identifier: Apache-2.0
// Exact statistics of short runs. A change that moves them shows here what moved. If the move is
// meant, `NICSIM_REFRESH_GOLDEN=1 ctest -R Golden` writes the new figures; commit them with the
// reason.
#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;

namespace {

/// Counters, figures and counts of distributions by path.
Json essence(const Json& result) {
    Json out = Json::object();
    for (const auto& [path, stat] : result["statistics"].items()) {
        const std::string kind = stat["kind"];
        if (kind == "counter")
            out[path] = stat["whole_run"];
        else if (kind == "figure")
            out[path] = stat["value"];
        else if (kind == "distribution")
            out[path] = Json{stat["count"], stat["min"], stat["max"]};
        else
            out[path] = Json{stat["busy"], stat["starved"], stat["blocked"]};
    }
    out["kernel.wakeups"] = result["kernel"]["wakeups"];
    return out;
}

void check(const std::string& name, const std::vector<std::string>& arguments) {
    const auto run = nicsim::test::nicsim(with(arguments, {"--json", "--quiet"}));
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json now = essence(Json::parse(run.output));
    const std::string path = NICSIM_SOURCE_DIR "/tests/system/golden/" + name + ".json";
    if (std::getenv("NICSIM_REFRESH_GOLDEN") != nullptr) {
        std::ofstream(path) << now.dump(0) << "\n";
        GTEST_SKIP() << "written: " << path;
    }
    const Json golden = Json::parse(contents(path), nullptr, false);
    ASSERT_FALSE(golden.is_discarded()) << path << " is missing or not JSON";
    std::string moved;
    for (const auto& [key, value] : golden.items()) {
        if (!now.contains(key))
            moved += key + ": " + value.dump() + " -> gone\n";
        else if (now[key] != value)
            moved += key + ": " + value.dump() + " -> " + now[key].dump() + "\n";
    }
    for (const auto& [key, value] : now.items())
        if (!golden.contains(key)) moved += key + ": new, " + value.dump() + "\n";
    EXPECT_EQ(moved, "") << "What moved (old -> new). If it is meant, refresh with "
                            "NICSIM_REFRESH_GOLDEN=1 and say why in the commit.";
}

TEST(Golden, i210_split_8844_tcp_and_talker) {
    check("i210_8844_tcp_talker", {"run", "i210/qav_8844", "--set", "warmup=200ms", "--set",
                                   "duration=2ms", "--set", "workloads.talker.enabled=true"});
}

TEST(Golden, i210_legacy_udp) {
    check("i210_legacy_udp",
          {"run", "i210/legacy", "--set", "warmup=200ms", "--set", "duration=2ms", "--set",
           "workloads.tcp.enabled=false", "--set", "workloads.udp.enabled=true"});
}

TEST(Golden, i82599_ring_of_512) {
    check("i82599_ring_512",
          {"run", "i82599/ring", "--set", "warmup=70ms", "--set", "duration=1ms"});
}

TEST(Golden, i82599_forward) {
    check("i82599_forward", {"run", "forward/i82599", "--set", "duration=2ms"});
}

TEST(Golden, ar8151_forward_batched) {
    check("ar8151_forward", {"run", "ar8151/forward", "--set", "warmup=260ms", "--set",
                             "duration=3ms", "--set", "driver.doorbell=batched"});
}

TEST(Golden, ar8151_latency) {
    check("ar8151_latency",
          {"run", "ar8151/latency", "--set", "warmup=260ms", "--set", "duration=3ms"});
}

TEST(Golden, mikrotik_transmit) {
    check("mikrotik_tx", {"run", "ar8151/mikrotik_tx", "--set", "duration=1ms"});
}

TEST(Golden, mikrotik_forward_one_packet_a_doorbell) {
    check("mikrotik_forward",
          {"run", "ar8151/mikrotik_forward", "--set", "warmup=85ms", "--set", "duration=2ms",
           "--set", "driver.doorbell=each", "--set", "expect=[]"});
}

}  // namespace
