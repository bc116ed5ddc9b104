// SPDX-License-Identifier: Apache-2.0
// Whatever a file holds, loading it ends with a scenario or with problems: thousands of mutations
// of a real scenario, the same ones in every run.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/language.h"
#include "sim/random.h"

using namespace nicsim;
using namespace nicsim::scenarios;

namespace {

const std::string original =
    "name: x\nseed: 3\nduration: 5ms\n"
    "host: {cores: 4, core: {cost_syscall: 150ns}, ip: {mtu: 1500B}}\n"
    "pcie:\n  link: {generation: 1, width: 1, max_payload: 128B}\n"
    "nic: {type: i210, link_speed: 1Gbit/s}\n"
    "driver:\n  type: igb\n  tx_packet_buffer: [6KiB, 6KiB, 6KiB, 6KiB]\n"
    "qdisc:\n  type: taprio\n  gate_masks: [0xf]\n  intervals: [10ms]\n"
    "  children:\n    - {type: etf, queue: 0, delta: 1ms}\n"
    "workloads:\n  - {name: a, type: tcp_stream, write_bytes: 4KiB}\n"
    "  - {name: b, type: udp_stream, rate: 61Mbit/s}\n"
    "expect:\n  - {stat: a.b, value: 5, tolerance: 2%}\n";

/// True if it loads.
bool loads(const std::string& text) {
    Problems problems;
    const Value document = parse_yaml(text, "m.yaml", Origin::file, problems);
    if (problems.empty()) bind_document(document, scenario_grammar(), "/nowhere", problems);
    EXPECT_LT(problems.text().size(), 20'000U);
    return problems.empty();
}

TEST(Mutations, no_text_makes_the_loader_fall_over) {
    ASSERT_TRUE(loads(original));
    sim::RandomStream random(1, "mutations");
    const std::string salt = "[]{}:,-#&*!|>'\"%@`\t\n 0123456789eE.+xKiBus~?\\";
    std::size_t good = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = original;
        const std::uint64_t edits = 1 + random.bits() % 2;
        for (std::uint64_t e = 0; e < edits && !text.empty(); ++e) {
            const std::size_t at = random.bits() % text.size();
            switch (random.bits() % 4) {
                case 0:
                    text[at] = salt[random.bits() % salt.size()];
                    break;
                case 1:
                    text.insert(at, 1, salt[random.bits() % salt.size()]);
                    break;
                case 2:
                    text.erase(at, 1 + random.bits() % 8);
                    break;
                default:
                    text.insert(at, text.substr(random.bits() % text.size(), 20));
                    break;
            }
        }
        good += loads(text) ? 1 : 0;
    }
    EXPECT_GT(good, 20U) << "the mutations are too harsh to reach deep";
    EXPECT_LT(good, 3900U) << "the mutations are too mild";
}

}  // namespace
