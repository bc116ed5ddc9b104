// SPDX-License-Identifier: Apache-2.0
#include "sim/life_cycle.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace nicsim::sim {
namespace {

void stamp(LifeCycle& lives, std::uint64_t n,
           std::initializer_list<std::pair<TxStage, Ps>> stages) {
    for (const auto& [stage, t] : stages) lives.stamp(0, n, stage, t);
}

TEST(LifeCycle, CountsAPacketThatLeavesAfterItWasFreed) {
    LifeCycle lives(1);
    stamp(lives, 0,
          {{TxStage::driver, 100},
           {TxStage::packet_buffer, 300},
           {TxStage::write_back, 310},
           {TxStage::clean, 400}});
    EXPECT_EQ(lives.total().count(), 1U) << "free is free";
    EXPECT_EQ(lives.application_to_wire().count(), 0U);
    stamp(lives, 0, {{TxStage::wire_start, 900}, {TxStage::wire_end, 1000}});
    EXPECT_EQ(lives.application_to_wire().count(), 1U);
    EXPECT_EQ(lives.application_to_wire().max(), 900U);
    EXPECT_EQ(lives.stage_time(TxStage::wire_start).max(), 600U) << "since the packet buffer";
    EXPECT_EQ(lives.stage_time(TxStage::wire_end).max(), 100U);
    EXPECT_EQ(lives.stage_time(TxStage::write_back).max(), 10U) << "since the packet buffer, too";
    EXPECT_EQ(lives.stage_time(TxStage::clean).max(), 90U);
}

TEST(LifeCycle, CountsEachStageFromTheOneBeforeIfCompletionComesLast) {
    LifeCycle lives(1);
    stamp(lives, 0,
          {{TxStage::driver, 100},
           {TxStage::packet_buffer, 300},
           {TxStage::wire_start, 350},
           {TxStage::wire_end, 450},
           {TxStage::write_back, 500},
           {TxStage::clean, 600}});
    EXPECT_EQ(lives.application_to_wire().max(), 350U);
    EXPECT_EQ(lives.stage_time(TxStage::write_back).max(), 50U);
    EXPECT_EQ(lives.stage_time(TxStage::clean).max(), 100U);
    EXPECT_EQ(lives.total().max(), 500U);
}

TEST(LifeCycle, CountsWhatIsKnownOfAPacketThatNeverLeft) {
    constexpr std::size_t window = 4;
    LifeCycle lives(1, window);
    stamp(lives, 0, {{TxStage::driver, 100}, {TxStage::doorbell, 150}, {TxStage::clean, 400}});
    EXPECT_EQ(lives.stage_time(TxStage::doorbell).count(), 0U) << "it may still leave";
    lives.begin(0, window);
    EXPECT_EQ(lives.stage_time(TxStage::doorbell).count(), 1U);
    EXPECT_EQ(lives.application_to_wire().count(), 0U);
}

}  // namespace
}  // namespace nicsim::sim
