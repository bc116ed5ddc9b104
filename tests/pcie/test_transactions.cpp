// SPDX-License-Identifier: Apache-2.0
// Header bits, byte enables, tags of all widths, flushing reads.
#include "bench.h"
#include "ends.h"
#include "pcie/tlp_rules.h"

namespace nicsim::pcie::test {
namespace {

using namespace config;

TEST(TlpRules, HeadersHaveTheBitsOfTheSpecification) {
    TlpPtr r = read(0x3a5, 0x1'2345'6000);
    r->requester_id = 0x0100;
    r->id_based_ordering = r->relaxed_ordering = r->no_snoop = true;
    const auto h = header_dwords(*r);
    // 4-DW header, T9 and T8 of the tag, IDO, RO, NS, 16 DW.
    EXPECT_EQ(h[0], 0x2000'0000U | 1U << 23U | 1U << 19U | 1U << 18U | 3U << 12U | 16U);
    EXPECT_EQ(h[1], 0x0100'a5ffU);
    EXPECT_EQ(h[2], 1U);
    EXPECT_EQ(h[3], 0x2345'6000U);
    TlpPtr c = completion(64, 7);
    c->status = CompletionStatus::completer_abort;
    c->completer_id = 0x0200;
    c->requester_id = 0x0100;
    c->lower_address = 0x40;
    const auto hc = header_dwords(*c);
    EXPECT_EQ(hc[0], 0x4a00'0010U);
    EXPECT_EQ(hc[1], 0x0200'8040U);
    EXPECT_EQ(hc[2], 0x0100'0740U);
    TlpPtr m = tlp_pool().make();
    m->type = TlpType::Msg;
    m->message_code = message::err_fatal;
    EXPECT_EQ(header_dwords(*m)[0] >> 24U, 0x30U) << "4 DW, no data, routed to the root complex";
    EXPECT_EQ(header_dwords(*m)[1] & 0xffU, 0x33U);
}

TEST(TlpRules, ByteEnablesMayHaveHolesOnlyWhereTheSpecificationAllowsIt) {
    const auto legal = [](std::uint64_t address, std::uint32_t dw, unsigned first, unsigned last) {
        TlpPtr w = write(4 * dw, 0, address);
        w->first_be = static_cast<std::uint8_t>(first);
        w->last_be = static_cast<std::uint8_t>(last);
        return why_malformed(*w, 256).empty();
    };
    for (unsigned be = 0; be < 16; ++be) EXPECT_TRUE(legal(0x1004, 1, be, 0)) << be;
    EXPECT_FALSE(legal(0x1004, 1, 0xf, 1));
    for (unsigned first = 1; first < 16; ++first)
        for (unsigned last = 1; last < 16; ++last) {
            EXPECT_TRUE(legal(0x1000, 2, first, last)) << first << " " << last;
            const bool run = (first == 0xf || first == 0xe || first == 0xc || first == 8) &&
                             (last == 0xf || last == 7 || last == 3 || last == 1);
            EXPECT_EQ(legal(0x1004, 2, first, last), run) << first << " " << last;
            EXPECT_EQ(legal(0x1000, 3, first, last), run) << first << " " << last;
        }
    EXPECT_FALSE(legal(0x1000, 2, 0, 0xf));
    EXPECT_FALSE(legal(0x1000, 2, 0xf, 0));
}

TEST(Tags, TenBitsGive768ReadsWithNumbersFrom256On) {
    Options o;
    o.device = fast_identity();
    o.device.tags = 1000;
    o.link.generation = 4;
    o.link.width = 16;
    o.root.nonposted_header_credits = 0;
    o.endpoint.nonposted_buffer = 1000;
    System s(o);
    s.enumerate();
    for (unsigned i = 0; i < 900; ++i) s.device.read(memory_base + 256 * i, 64);
    EXPECT_EQ(s.ep.reads_in_flight(), 768U);
    EXPECT_EQ(s.ep.tag_range().first, 256U);
    System::run(100_us);
    EXPECT_EQ(s.device.done, 900U);
}

TEST(Tags, SoftwareNarrowsThemWhileTheyAreInUse) {
    Options o;
    o.device = fast_identity();
    o.device.tags = 1000;
    o.link.generation = 5;
    o.link.width = 4;
    o.root.nonposted_header_credits = 0;
    o.endpoint.nonposted_buffer = 1000;
    System s(o);
    s.enumerate();
    EXPECT_EQ(s.ep.tag_range().count, 768U);
    for (unsigned i = 0; i < 300; ++i) s.device.read(memory_base + 256 * i, 64);
    s.config_write(pcie_at + pcie_device_control2, 2, 0);
    EXPECT_EQ(s.ep.tag_range().count, 256U);
    EXPECT_EQ(s.ep.tag_range().first, 0U);
    const auto control =
        static_cast<std::uint32_t>(s.config_read(pcie_at + pcie_device_control, 2));
    s.config_write(pcie_at + pcie_device_control, 2,
                   control & ~std::uint32_t{control_extended_tag});
    EXPECT_EQ(s.ep.tag_range().count, 32U);
    System::run(100_us);
    for (unsigned i = 0; i < 100; ++i) s.device.read(memory_base + 256 * i, 64);
    EXPECT_EQ(s.ep.reads_in_flight(), 32U);
    System::run(100_us);
    EXPECT_EQ(s.device.done, 400U);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
}

TEST(Tags, ThoseThatDeviceOrLinkForbidAreRefused) {
    EndpointConfig c;
    c.tag_bits = 5;
    c.tags = 33;
    EXPECT_EQ(c.check(), "tags: 33 do not fit in 5 tag bits (allowed: at most 32)");
    c.tag_bits = 8;
    EXPECT_EQ(c.check(), "");
    Memory memory(memory_base, 4096);
    Interrupts interrupts(memory);
    RootComplex rc("rc", {}, memory, interrupts, 1);
    EndpointConfig many;
    many.tags = 300;
    sim::DeviceIdentity d = fast_identity();
    d.tags = 768;
    Endpoint ep("ep", d, many);
    Device device("device");
    LinkConfig link;
    link.generation = 3;
    try {
        Link bad("link", link, rc.port(), ep);
        FAIL() << "10-bit tags begin with generation 4";
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(),
                     "PCIe endpoint: tags is 300; device, link (generation 3) and tag_bits (10) "
                     "allow 256");
    }
}

class Flushed {
public:
    void done(bool ok) {
        at = sim::now();
        good = ok;
    }
    sim::Ps at = sim::never;
    bool good = false;
};

TEST(Flush, AZeroLengthReadComesBackWhenTheWritesBeforeItAreInMemory) {
    System s;
    s.enumerate();
    s.device.write(memory_base, bytes(4000, 9));
    Flushed f;
    while (!s.ep.flush(memory_base, sim::Callback<bool>::to<&Flushed::done>(&f)))
        System::run(100_ns);  // a write waits for room
    System::run(100_us);
    ASSERT_NE(f.at, sim::never);
    EXPECT_TRUE(f.good);
    ASSERT_FALSE(s.memory.writes.empty());
    EXPECT_LT(s.memory.writes.back().time, f.at);
    EXPECT_EQ(s.memory.at(memory_base + 3999), bytes(4000, 9)[3999]);
    EXPECT_EQ(s.ep.counters().flushes, 1U);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
}

TEST(Flush, OfAnAddressThatNobodyHasFails) {
    System s;
    s.enumerate();
    Flushed f;
    ASSERT_TRUE(s.ep.flush(0x9000'0000, sim::Callback<bool>::to<&Flushed::done>(&f)));
    System::run(100_us);
    EXPECT_NE(f.at, sim::never);
    EXPECT_FALSE(f.good);
}

}  // namespace
}  // namespace nicsim::pcie::test
