// SPDX-License-Identifier: Apache-2.0
#include "pcie/config_space.h"

#include "bench.h"
#include "pcie/address_map.h"

namespace nicsim::pcie::test {
namespace {

using namespace config;

TEST(ConfigSpace, BarsAnswerWithTheirSizeAfterAllOnes) {
    sim::DeviceIdentity d = identity();
    d.bars = {{.index = 0, .size = 0x20000},
              {.index = 2, .size = 0x20, .io = true},
              {.index = 4, .size = 0x10000, .is_64_bit = true, .prefetchable = true}};
    ConfigSpace c(d, LinkConfig{});
    for (unsigned i = 0; i < 6; ++i) c.write(bar0 + 4 * i, 0xffff'ffff, 0xf);
    EXPECT_EQ(c.read(bar0), 0xfffe'0000U);
    EXPECT_EQ(c.read(bar0 + 4), 0U) << "not there";
    EXPECT_EQ(c.read(bar0 + 8), 0xffff'ffe1U);
    EXPECT_EQ(c.read(bar0 + 12), 0U);
    EXPECT_EQ(c.read(bar0 + 16), 0xffff'000cU);
    EXPECT_EQ(c.read(bar0 + 20), 0xffff'ffffU);
}

TEST(ConfigSpace, ABarDecodesItsRangeOnlyWhileMemoryIsEnabled) {
    ConfigSpace c(identity(), LinkConfig{});
    c.write(bar0, 0xf000'0000, 0xf);
    EXPECT_EQ(c.decode(0xf000'0000, 4).bar, -1);
    c.write(command, command_memory, 0x3);
    EXPECT_EQ(c.decode(0xf000'0000, 4).bar, 0);
    EXPECT_EQ(c.decode(0xf001'fffc, 4).offset, 0x1fffcU);
    EXPECT_EQ(c.decode(0xf001'fffc, 8).bar, -1) << "runs over the end";
    EXPECT_EQ(c.decode(0xf002'0000, 4).bar, -1);
    EXPECT_EQ(c.decode(0xefff'fffc, 4).bar, -1);
}

TEST(ConfigSpace, ReadOnlyBitsStayAndOnesClearStatusBits) {
    ConfigSpace c(identity(), LinkConfig{});
    c.write(vendor_id, 0, 0xf);
    EXPECT_EQ(c.read(vendor_id), 0x1533'8086U);
    c.write(command, 0xffff, 0x3);
    EXPECT_EQ(c.read(command) & 0xffffU, 0x0547U);
    c.set_bits(pcie_at + pcie_device_control, 0x000a'0000);
    c.write(pcie_at + pcie_device_control, 0x0002'0000, 0xc);
    EXPECT_EQ(c.read(pcie_at + pcie_device_control) >> 16U, 0x8U);
    const std::uint32_t before = c.read(pcie_at + pcie_device_control);
    c.write(pcie_at + pcie_device_control, ~before, 0x0);
    EXPECT_EQ(c.read(pcie_at + pcie_device_control), before) << "no byte was enabled";
    EXPECT_EQ(c.read(0x3f0), 0U) << "not implemented";
}

TEST(ConfigSpace, TheCapabilityListLeadsToPowerMsixAndPcie) {
    LinkConfig link;
    link.max_payload = 512;
    link.max_read_request = 1024;
    ConfigSpace c(identity(), link);
    ASSERT_NE(c.read(command) >> 16U & status_capabilities, 0U);
    std::vector<unsigned> ids;
    for (unsigned at = c.read(capabilities) & 0xffU; at != 0; at = c.read(at) >> 8U & 0xffU)
        ids.push_back(c.read(at) & 0xffU);
    EXPECT_EQ(ids, (std::vector<unsigned>{cap_power, cap_msix, cap_pcie}));
    EXPECT_EQ(c.read(msix_at) >> 16U & 0x7ffU, 4U) << "vectors minus one";
    EXPECT_EQ(c.read(msix_at + 4), 3U) << "table at 0 of BAR 3";
    EXPECT_EQ(c.read(msix_at + 8), 0x2003U);
    EXPECT_EQ(c.max_payload(), 512U);
    EXPECT_EQ(c.max_read_request(), 1024U);
    EXPECT_EQ(c.read(pcie_at + pcie_link_control) >> 16U, 0x11U) << "2.5 GT/s x1";
    EXPECT_EQ(c.read(serial_at), 0x0001'0003U);
    EXPECT_EQ(c.read(serial_at + 4), 0xff33'4455U);
    EXPECT_EQ(c.read(serial_at + 8), 0x0011'22ffU);
}

TEST(ConfigSpace, AFunctionWithMsiHasItsCapabilityAndKeepsWhatIsProgrammed) {
    sim::DeviceIdentity d = identity();
    d.msi = true;
    d.msix_vectors = 0;
    ConfigSpace c(d, LinkConfig{});
    std::vector<unsigned> ids;
    for (unsigned at = c.read(capabilities) & 0xffU; at != 0; at = c.read(at) >> 8U & 0xffU)
        ids.push_back(c.read(at) & 0xffU);
    EXPECT_EQ(ids, (std::vector<unsigned>{cap_power, cap_msi, cap_pcie}));
    EXPECT_EQ(c.read(msi_at) >> 16U, 0x80U) << "one message, 64-bit address, off";
    c.write(msi_at, 0xffff'0000, 0xc);
    c.write(msi_at + 4, 0xfee0'1003, 0xf);
    c.write(msi_at + 8, 1, 0xf);
    c.write(msi_at + 12, 0xffff'0041, 0xf);
    EXPECT_EQ(c.read(msi_at) >> 16U, 0x81U) << "only the enable bit can be written";
    EXPECT_TRUE(c.msi_enabled());
    EXPECT_EQ(c.msi_address(), 0x1'fee0'1000U);
    EXPECT_EQ(c.msi_data(), 0x41U);
}

TEST(ConfigSpace, SoftwareChangesMrrsAndTheDeviceIsTold) {
    System s;
    s.enumerate();
    EXPECT_EQ(s.ep.limits().max_read_request, 512U);
    const auto control =
        static_cast<std::uint32_t>(s.config_read(pcie_at + pcie_device_control, 2));
    s.config_write(pcie_at + pcie_device_control, 2, (control & ~0x7000U) | 0x3000U);
    EXPECT_EQ(s.ep.limits().max_read_request, 1024U);
    s.beside.checker().set_max_read_request(1024);
    s.device.read(memory_base, 1024);
    System::run(50_us);
    EXPECT_EQ(s.link.up().counters().tlps[static_cast<unsigned>(TlpType::MRd)], 1U);
}

TEST(ConfigSpace, CompletionTimeoutFollowsDeviceControl2) {
    ConfigSpace c(identity(), LinkConfig{});
    EXPECT_EQ(c.completion_timeout(), 32_ms);
    c.write(pcie_at + pcie_device_control2, 1, 1);
    EXPECT_EQ(c.completion_timeout(), 100_us);
    c.write(pcie_at + pcie_device_control2, 0x10, 1);
    EXPECT_EQ(c.completion_timeout(), sim::never);
}

TEST(BarSnoop, ClaimsWhatSoftwareSizedAndProgrammed) {
    BarSnoop b;
    b.on_write(bar0, 0xffff'ffff, 0xf);
    b.on_read(bar0, 0xfffe'0000);
    b.on_write(bar0, 0xf000'0000, 0xf);
    EXPECT_FALSE(b.claims(0xf000'0000)) << "memory decoding is off";
    b.on_write(command, command_memory, 0x3);
    EXPECT_TRUE(b.claims(0xf000'0000));
    EXPECT_TRUE(b.claims(0xf001'ffff));
    EXPECT_FALSE(b.claims(0xf002'0000));
    EXPECT_FALSE(b.claims(0x1'f000'0000)) << "a 32-bit BAR is below 4 GiB";
}

TEST(BarSnoop, KnowsBarsOf64Bit) {
    BarSnoop b;
    b.on_write(command, command_memory, 0x3);
    b.on_write(bar0 + 8, 0xffff'ffff, 0xf);
    b.on_read(bar0 + 8, 0xffff'000c);
    b.on_write(bar0 + 12, 0xffff'ffff, 0xf);
    b.on_read(bar0 + 12, 0xffff'ffff);
    b.on_write(bar0 + 8, 0x4000'0000, 0xf);
    b.on_write(bar0 + 12, 0x0000'0020, 0xf);
    EXPECT_TRUE(b.claims(0x20'4000'ffff));
    EXPECT_FALSE(b.claims(0x4000'0000));
    EXPECT_FALSE(b.claims(0x20'4001'0000));
}

}  // namespace
}  // namespace nicsim::pcie::test
