// SPDX-License-Identifier: Apache-2.0
// The scenarios of MikroTik's card: what they expect, and the sums of costs that it follows from.
#include <numeric>

#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;

namespace {

/// The exit code says whether the scenario's own expectations were met.
Json as_expected(const std::string& scenario) {
    const auto run =
        nicsim::test::nicsim({"run", scenario, "--json", "--quiet", "--set", "duration=10ms"});
    EXPECT_EQ(run.code, 0) << run.errors;
    Json result = Json::parse(run.output, nullptr, false);
    EXPECT_FALSE(result["expectations"].empty());
    return result;
}

/// Nanoseconds of these operations of a core together.
double cost(const Json& result, const std::vector<std::string>& operations) {
    return std::accumulate(operations.begin(), operations.end(), 0.0,
                           [&result](double sum, const std::string& operation) {
                               const Json& value =
                                   result["configuration"]["host.core.cost_" + operation]["base"];
                               return sum + value.get<double>() / 1e3;
                           });
}

double figure(const Json& result, const std::string& path) {
    return result["statistics"][path]["value"].get<double>();
}

TEST(MikroTik, FourQueuesCarryFourTimesWhatACoreThatOnlySendsCan) {
    const Json r = as_expected("ar8151/mikrotik_queues");
    const double packet = cost(r, {"xmit_packet", "map_buffer", "write_descriptor"}) +
                          cost(r, {"mmio_write", "pktgen_round"}) / 64;
    for (int q = 0; q < 4; ++q) {
        const std::string queue = std::to_string(q);
        EXPECT_NEAR(figure(r, "far_end.queue" + queue + ".packet_rate"), 1e9 / packet, 2e3);
        EXPECT_EQ(r["statistics"]["driver.tx_ring" + queue + ".packets_per_doorbell"]["mean"], 64);
    }
    // One interrupt for all queues: who takes it sends nothing, and the senders take none.
    EXPECT_GT(r["statistics"]["host.core4.interrupts"]["measured"], 50);
    for (int c = 0; c < 4; ++c)
        EXPECT_EQ(r["statistics"]["host.core" + std::to_string(c) + ".interrupts"]["measured"], 0);
}

TEST(MikroTik, ForwardingTakesWhatItsOperationsCostAndNothingIsLostUncounted) {
    const Json r = as_expected("ar8151/mikrotik_forward");
    const double frame =
        cost(r, {"receive_packet", "forward_packet", "qdisc_enqueue", "qdisc_dequeue",
                 "xmit_packet", "map_buffer", "write_descriptor", "refill_buffer"}) +
        cost(r, {"mmio_write"}) / 8 + cost(r, {"mmio_write", "napi_poll"}) / 64;
    const double rate = figure(r, "generators.tester.received_rate");
    EXPECT_LT(rate, 1e9 / frame);
    EXPECT_GT(rate, 0.95 * 1e9 / frame);  // interrupts take the rest
    EXPECT_EQ(r["why"]["limit"], "host.core0.time");
    EXPECT_EQ(r["statistics"]["generators.tester.wrong"]["measured"], 0);
    EXPECT_EQ(r["statistics"]["generators.tester.out_of_order"]["measured"], 0);
}

}  // namespace
