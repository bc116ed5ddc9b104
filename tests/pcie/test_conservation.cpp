// SPDX-License-Identifier: Apache-2.0
// Random traffic on many kinds of links, watched by the checker: every byte arrives, and nothing is
// left over - no TLP, no tag, no credit, no request.
#include <string>

#include "bench.h"
#include "sim/random.h"

namespace nicsim::pcie::test {
namespace {

class RandomTraffic : public testing::TestWithParam<unsigned> {};

Options draw(sim::RandomStream& r) {
    Options o;
    o.link.generation = 1 + r.below(5);
    o.link.width = std::uint64_t{1} << r.below(5);
    o.link.max_payload = std::uint64_t{128} << r.below(4);
    o.link.max_read_request = std::uint64_t{128} << r.below(6);
    o.link.read_completion_boundary = std::uint64_t{64} << r.below(2);
    o.link.dllp = static_cast<DllpCharge>(r.below(3));
    o.device = fast_identity();
    o.device.tags = static_cast<unsigned>(1 + r.below(64));
    o.device.posted_header_credits = static_cast<unsigned>(r.below(5));
    o.device.nonposted_header_credits = static_cast<unsigned>(r.below(3));
    o.device.nonposted_data_credits = static_cast<unsigned>(r.below(3));
    o.root.read_latency_spread = r.below(2) * 300'000;
    o.root.completion_interval = r.below(2) * 40'000;
    o.root.completion_policy = static_cast<CompletionPolicy>(r.below(2));
    o.root.posted_header_credits = r.below(4);
    o.root.posted_data_credits = r.below(2) * (64 + r.below(100));
    o.root.nonposted_header_credits = r.below(4);
    o.root.update_fc_at_once = r.below(2) != 0;
    o.endpoint.posted_buffer = 1 + r.below(4);
    o.endpoint.nonposted_buffer = 1 + r.below(4);
    o.endpoint.update_fc_at_once = r.below(2) != 0;
    // Above and below 4 GiB.
    o.memory = r.below(2) != 0 ? memory_base : 0x2'0000'0000;
    return o;
}

TEST_P(RandomTraffic, ArrivesWholeAndLeavesNothingBehind) {
    sim::RandomStream r(GetParam(), "random_traffic");
    const Options o = draw(r);
    System s(o);
    s.enumerate();
    std::vector<std::uint8_t> expected(o.memory_size);
    for (std::uint64_t i = 0; i < o.memory_size; ++i) expected[i] = Memory::pattern(o.memory + i);
    // Reads from the lower half, writes to the upper half.
    const std::uint64_t half = o.memory_size / 2;
    unsigned interrupts = 0;
    unsigned register_reads = 0;
    unsigned answered = 0;
    for (unsigned i = 0; i < 400; ++i) {
        const auto length = static_cast<std::uint32_t>(1 + r.below(r.below(4) == 0 ? 9000 : 300));
        const std::uint64_t offset = r.below(half - length);
        switch (r.below(5)) {
            case 0:
            case 1:
                s.device.read(o.memory + offset, length);
                break;
            case 2: {
                const auto data = bytes(length, i);
                s.device.write(o.memory + half + offset, data);
                std::copy(data.begin(), data.end(),
                          expected.begin() + static_cast<std::ptrdiff_t>(half + offset));
                break;
            }
            case 3:
                s.device.interrupts->raise(static_cast<unsigned>(r.below(5)));
                ++interrupts;
                break;
            default:
                s.rc.mmio_write(bar0_base + 4 * r.below(64), 4, i);
                s.rc.mmio_read(bar0_base + 0x1000, 4, [&answered](std::uint64_t) { ++answered; });
                ++register_reads;
                break;
        }
        if (r.below(3) == 0) System::run(r.below(2'000'000) + 1);
    }
    System::run(20_ms);
    ASSERT_EQ(s.device.done, s.device.jobs.size());
    for (const Device::Job& j : s.device.jobs) {
        ASSERT_TRUE(j.ok);
        if (j.write) continue;
        for (std::size_t b = 0; b < j.data.size(); ++b)
            ASSERT_EQ(j.data[b], Memory::pattern(j.address + b));
    }
    for (std::uint64_t i = 0; i < o.memory_size; ++i)
        ASSERT_EQ(s.memory.at(o.memory + i), expected[i]) << i;
    EXPECT_EQ(s.interrupts.all.size(), interrupts);
    EXPECT_EQ(answered, register_reads);
    EXPECT_EQ(s.ep.reads_in_flight(), 0U);
    EXPECT_EQ(s.rc.reads_in_flight(), 0U);
    EXPECT_EQ(s.rc.host_reads_in_flight(), 0U);
    for (LinkDirection* d : {&s.link.up(), &s.link.down()}) {
        EXPECT_EQ(d->in_flight(), 0U);
        EXPECT_EQ(d->queued(), 0U);
        const CreditLimits& limits = d->receiver_traits().credits;
        for (const FlowClass f : {FlowClass::posted, FlowClass::nonposted}) {
            EXPECT_EQ(d->header_credits(f), limits.header[static_cast<unsigned>(f)]);
            EXPECT_EQ(d->data_credits(f), limits.data[static_cast<unsigned>(f)]);
        }
    }
    EXPECT_EQ(tlp_pool().in_use(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, testing::Range(1U, 41U));

}  // namespace
}  // namespace nicsim::pcie::test
