// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "models/common/mdio_phy.h"

namespace nicsim::models {
namespace {

using namespace sim::literals;
using sim::Ps;

struct Bench : sc_core::sc_module {
    explicit Bench(Ps negotiation = 0, std::uint64_t speed = 1'000'000'000)
        : sc_module(sc_core::sc_module_name("bench")),
          phy("phy", {.link_speed = speed, .auto_negotiation_time = negotiation},
              sim::Callback<bool>::to<&Bench::on_link>(this)) {}
    void on_link(bool up) { changes.emplace_back(sim::now(), up); }
    /// Up to `t`, without what happens at `t` itself.
    void run_to(Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }

    MdioPhy phy;
    std::vector<std::pair<Ps, bool>> changes;
};

constexpr std::uint16_t link_bit = 1U << 2;
constexpr std::uint16_t negotiated_bit = 1U << 5;

TEST(MdioPhy, ShowsAGigabitLinkWithItsPartner) {
    Bench b;
    EXPECT_EQ(b.phy.read(0), 0x1140U);
    EXPECT_EQ(b.phy.read(1), 0x796DU);
    EXPECT_EQ(b.phy.read(2), 0x0141U);
    EXPECT_EQ(b.phy.read(3), 0x0C00U);
    EXPECT_EQ(b.phy.read(5), 0xCDE1U);
    EXPECT_EQ(b.phy.read(10), 0x7C00U);
    EXPECT_EQ(b.phy.read(17), 0xAC48U);
}

TEST(MdioPhy, ShowsSlowerLinksInTheVendorStatus) {
    Bench b(0, 100'000'000);
    EXPECT_EQ(b.phy.read(17) >> 14, 1U);
    EXPECT_EQ(b.phy.speed(), 100'000'000U);
}

TEST(MdioPhy, ClearsResetAndRestartBits) {
    Bench b;
    b.phy.write(0, 0x9140);
    EXPECT_EQ(b.phy.read(0), 0x1140U);
    b.phy.write(0, 0x1340);
    EXPECT_EQ(b.phy.read(0), 0x1140U);
    EXPECT_TRUE(b.changes.empty()) << "with no negotiation time the link stays up";
}

TEST(MdioPhy, LosesTheLinkForTheTimeOfNegotiation) {
    Bench b(30_us);
    b.run_to(10_us);
    b.phy.write(0, 0x1340);
    EXPECT_EQ(b.phy.read(1) & (link_bit | negotiated_bit), 0);
    EXPECT_EQ(b.phy.read(17), 0);
    b.run_to(40_us);
    EXPECT_FALSE(b.phy.link());
    b.run_to(40_us + 1);
    EXPECT_TRUE(b.phy.link());
    EXPECT_EQ(b.changes, (std::vector<std::pair<Ps, bool>>{{10_us, false}, {40_us, true}}));
}

TEST(MdioPhy, LatchesALostLinkUntilStatusIsRead) {
    Bench b;
    b.phy.set_carrier(false);
    b.phy.set_carrier(true);
    EXPECT_TRUE(b.phy.link());
    EXPECT_EQ(b.phy.read(1) & link_bit, 0);
    EXPECT_EQ(b.phy.read(1) & link_bit, link_bit);
}

TEST(MdioPhy, PowersDownAndUp) {
    Bench b;
    b.phy.write(0, 0x1940);
    EXPECT_FALSE(b.phy.link());
    b.phy.write(0, 0x1140);
    EXPECT_TRUE(b.phy.link());
}

TEST(MdioPhy, KeepsOtherPagesApart) {
    Bench b;
    b.phy.write(22, 7);
    EXPECT_EQ(b.phy.read(22), 7U);
    EXPECT_EQ(b.phy.read(16), 0U);
    b.phy.write(16, 0x55);
    b.phy.write(22, 0);
    EXPECT_EQ(b.phy.read(16), 0x0060U);
    b.phy.write(22, 0xFC);
    EXPECT_NE(b.phy.read(14), 0xFFU) << "the PLL check of the I210's driver";
    b.phy.write(22, 7);
    EXPECT_EQ(b.phy.read(16), 0x55U);
    b.phy.reset();
    EXPECT_EQ(b.phy.page(), 0U);
}

}  // namespace
}  // namespace nicsim::models
