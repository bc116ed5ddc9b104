// SPDX-License-Identifier: Apache-2.0
// The worked example of a generation 2 x4 link: every figure by hand, and equal to what the
// published program prints.
#include "pcie/nic_budget.h"

#include <gtest/gtest.h>

namespace nicsim::pcie::test {
namespace {

LinkConfig gen2_x4() {
    LinkConfig link;
    link.generation = 2;
    link.width = 4;
    link.max_payload = 128;
    link.max_read_request = 256;
    return link;
}

struct Row {
    NicModel model;
    double tx_down, tx_up, rx_down, rx_up_published;
    double tx, rx, both, both_corrected;
};
constexpr Row rows[] = {
    {NicModel::simple, 448, 124, 88, 464, 9.3039, 8.9831, 7.0887, 6.8107},
    {NicModel::kernel, 430.5, 93.675, 39.875, 415.875, 9.6821, 10.0226, 8.1801, 7.8121},
    {NicModel::dpdk, 379.375, 68.8, 36.875, 412, 10.9869, 10.1169, 8.6692, 8.2571},
};

TEST(NicBudget, TheWorkedExampleIsMetByByte) {
    for (const Row& r : rows) {
        const NicBudget b = nic_budget(gen2_x4(), r.model, 300, true);
        EXPECT_DOUBLE_EQ(b.transmit.down, r.tx_down) << name_of(r.model);
        EXPECT_DOUBLE_EQ(b.transmit.up, r.tx_up) << name_of(r.model);
        EXPECT_DOUBLE_EQ(b.receive.down, r.rx_down) << name_of(r.model);
        EXPECT_DOUBLE_EQ(b.receive.up, r.rx_up_published) << name_of(r.model);
    }
}

TEST(NicBudget, TheWorkedExampleIsMetByRate) {
    for (const Row& r : rows) {
        const NicBudget published = nic_budget(gen2_x4(), r.model, 300, true);
        EXPECT_NEAR(published.transmit_rate * 1e-9, r.tx, 5e-5) << name_of(r.model);
        EXPECT_NEAR(published.receive_rate * 1e-9, r.rx, 5e-5) << name_of(r.model);
        EXPECT_NEAR(published.both_rate * 1e-9, r.both, 5e-5) << name_of(r.model);
        const NicBudget right = nic_budget(gen2_x4(), r.model, 300);
        EXPECT_NEAR(right.both_rate * 1e-9, r.both_corrected, 5e-5) << name_of(r.model);
        EXPECT_NEAR(right.transmit_rate * 1e-9, r.tx, 5e-5) << "only receive has the fault";
    }
}

TEST(NicBudget, WhatThePublishedProgramLosesIsOneReadRequestOfThePacketsWay) {
    for (const Row& r : rows) {
        const double lost = nic_budget(gen2_x4(), r.model, 1000).receive.up -
                            nic_budget(gen2_x4(), r.model, 1000, true).receive.up;
        EXPECT_DOUBLE_EQ(lost, 24.0);
        EXPECT_DOUBLE_EQ(
            nic_budget(gen2_x4(), r.model, 1000, true, CompletionPolicy::largest, overhead(false))
                .receive.up,
            nic_budget(gen2_x4(), r.model, 1000, false, CompletionPolicy::largest, overhead(false))
                    .receive.up -
                20.0);
    }
}

TEST(NicBudget, CuttingAtEveryBoundaryCostsTheDirectionToTheDeviceOnly) {
    LinkConfig link = gen2_x4();
    link.max_payload = 256;
    const NicBudget whole = nic_budget(link, NicModel::dpdk, 1024);
    const NicBudget cut =
        nic_budget(link, NicModel::dpdk, 1024, false, CompletionPolicy::every_boundary);
    // 16 completions of 64 bytes in place of 4; the descriptors' 640 bytes: 10 in place of 3.
    EXPECT_DOUBLE_EQ(cut.transmit.down - whole.transmit.down, 12 * 20 + 7 * 20 / 40.0);
    EXPECT_DOUBLE_EQ(cut.transmit.up, whole.transmit.up);
}

}  // namespace
}  // namespace nicsim::pcie::test
