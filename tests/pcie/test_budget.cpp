// SPDX-License-Identifier: Apache-2.0
// The closed forms against published figures, and the simulation against the closed forms.
#include "pcie/budget.h"

#include <string>

#include "bench.h"

namespace nicsim::pcie::test {
namespace {

LinkConfig link_of(unsigned generation, unsigned width, unsigned mps, unsigned mrrs) {
    LinkConfig c;
    c.generation = generation;
    c.width = width;
    c.max_payload = mps;
    c.max_read_request = mrrs;
    c.dllp = DllpCharge::closed_form;
    return c;
}

TEST(Budget, UsableRatesAreThoseOfTheLineCodes) {
    EXPECT_DOUBLE_EQ(link_of(1, 1, 128, 512).usable_rate(), 2e9);
    EXPECT_DOUBLE_EQ(link_of(2, 4, 128, 512).usable_rate(), 16e9);
    EXPECT_NEAR(link_of(3, 8, 128, 512).usable_rate(), 63.0154e9, 1e5);
    EXPECT_NEAR(link_of(5, 16, 128, 512).usable_rate(), 504.123e9, 1e6);
}

TEST(Budget, DllpLimitsAreThoseOfTheSpecificationsTables) {
    // ACK latency limits of the Base Specification, tables 3-7 to 3-9, x1, x4, x8 and x16.
    EXPECT_EQ(link_of(1, 1, 128, 512).dllp_limit_symbols(), 237U);
    EXPECT_EQ(link_of(1, 4, 128, 512).dllp_limit_symbols(), 73U);
    EXPECT_EQ(link_of(1, 8, 128, 512).dllp_limit_symbols(), 67U);
    EXPECT_EQ(link_of(1, 16, 128, 512).dllp_limit_symbols(), 48U);
    EXPECT_EQ(link_of(1, 1, 512, 512).dllp_limit_symbols(), 559U);
    EXPECT_EQ(link_of(2, 4, 128, 512).dllp_limit_symbols(), 124U);
    EXPECT_EQ(link_of(2, 8, 256, 512).dllp_limit_symbols(), 158U);
    EXPECT_EQ(link_of(3, 8, 256, 512).dllp_limit_symbols(), 203U);
}

TEST(Budget, BulkTransfersOf200BytesMatchTheWorkedExample) {
    // pcie-bench: generation 2 x4, MPS 128, MRRS 256, 64-bit addresses.
    const LinkConfig c = link_of(2, 4, 128, 256);
    EXPECT_NEAR(tlp_capacity(c), 13.8939e9, 1e5);
    const WireBytes w = bulk_write(c, 200);
    const WireBytes r = bulk_read(c, 200, CompletionPolicy::largest);
    WireBytes both = w;
    both += r;
    EXPECT_EQ(w.up, 248U);
    EXPECT_EQ(r.up, 24U);
    EXPECT_EQ(r.down, 240U);
    EXPECT_NEAR(effective_rate(c, 200, w), 11.2047e9, 1e5);
    EXPECT_NEAR(effective_rate(c, 200, r), 11.5782e9, 1e5);
    EXPECT_NEAR(effective_rate(c, 200, both), 10.2161e9, 1e5);
}

/// Keeps `window` transfers going until `count` are done.
struct Bulk {
    enum class Kind { read, write, both };
    Bulk(System& s, Kind k, std::uint32_t bytes, std::size_t n)
        : system(s), kind(k), size(bytes), count(n) {
        system.device.on_done = sim::Callback<std::size_t>::to<&Bulk::finished>(this);
    }
    void start(std::size_t window) {
        for (std::size_t i = 0; i < window; ++i) next();
    }
    void next() {
        if (issued >= count) return;
        const std::uint64_t at = base + issued % 64 * 4096;
        const bool write = kind == Kind::write || (kind == Kind::both && issued % 2 == 1);
        ++issued;
        if (write)
            system.device.write(at, bytes(size));
        else
            system.device.read(at, size);
    }
    void finished(std::size_t) { next(); }

    static constexpr std::uint64_t base = 0x1'0000'0000;
    System& system;
    Kind kind;
    std::uint32_t size;
    std::size_t count;
    std::size_t issued = 0;
};

WireBytes wire_bytes(const LinkConfig& link, Bulk::Kind kind, std::uint32_t size,
                     CompletionPolicy policy) {
    WireBytes cost =
        kind == Bulk::Kind::write ? bulk_write(link, size) : bulk_read(link, size, policy);
    if (kind == Bulk::Kind::both) cost += bulk_write(link, size);
    return cost;
}

/// bit/s of useful bytes from the first request until the last bit has left the busier wire.
double simulate(LinkConfig link, Bulk::Kind kind, std::uint32_t size, CompletionPolicy policy) {
    Options o;
    o.link = link;
    o.device = fast_identity();
    o.device.posted_header_credits = o.device.nonposted_header_credits = 0;
    o.device.nonposted_data_credits = 0;
    o.root.posted_header_credits = o.root.posted_data_credits = 0;
    o.root.nonposted_header_credits = o.root.nonposted_data_credits = 0;
    o.root.read_latency = 200'000;
    o.root.completion_policy = policy;
    o.memory = Bulk::base;
    System s(o);
    s.enumerate();
    const WireBytes cost = wire_bytes(link, kind, size, policy);
    const std::size_t transfers = 4000;
    const std::size_t count = kind == Bulk::Kind::both ? 2 * transfers : transfers;
    Bulk bulk(s, kind, size, count);
    const sim::Ps begin = sim::now();
    bulk.start(kind == Bulk::Kind::write ? 8 : 256);
    // All is sent: the last byte leaves the busier wire.
    while (s.device.done < count) System::run(sim::ps_per_us);
    const LinkDirection& busier = cost.up >= cost.down ? s.link.up() : s.link.down();
    const double start_up = kind == Bulk::Kind::read && cost.down > cost.up ? 220e3 : 0.0;
    const auto taken = static_cast<double>(busier.wire_free() - begin) - start_up;
    System::run(sim::ps_per_ms);
    return static_cast<double>(transfers) * size * 8e12 / taken;
}

struct Case {
    unsigned generation, width, mps, mrrs;
    std::uint32_t size;
};
constexpr Case cases[] = {{1, 1, 128, 512, 64},    {1, 1, 256, 512, 1500},  {2, 4, 128, 256, 200},
                          {2, 4, 128, 256, 1024},  {3, 8, 256, 512, 64},    {3, 8, 256, 512, 256},
                          {3, 8, 256, 512, 1500},  {3, 8, 256, 4096, 4096}, {4, 8, 512, 512, 512},
                          {4, 16, 256, 512, 2048}, {5, 16, 512, 1024, 4096}};

class BulkRate : public testing::TestWithParam<Case> {};

void expect_closed_form(const Case& c, Bulk::Kind kind, CompletionPolicy policy) {
    const LinkConfig link = link_of(c.generation, c.width, c.mps, c.mrrs);
    const double expected = effective_rate(link, c.size, wire_bytes(link, kind, c.size, policy));
    const double simulated = simulate(link, kind, c.size, policy);
    EXPECT_NEAR(simulated, expected, expected * 0.005) << "ratio " << simulated / expected;
}

TEST_P(BulkRate, WritesReachTheClosedFormWithinHalfAPercent) {
    expect_closed_form(GetParam(), Bulk::Kind::write, CompletionPolicy::largest);
}
TEST_P(BulkRate, ReadsReachTheClosedFormWithinHalfAPercent) {
    expect_closed_form(GetParam(), Bulk::Kind::read, CompletionPolicy::largest);
}
TEST_P(BulkRate, ReadsCutAtEveryBoundaryReachTheClosedFormWithinHalfAPercent) {
    expect_closed_form(GetParam(), Bulk::Kind::read, CompletionPolicy::every_boundary);
}
TEST_P(BulkRate, ReadsBesideWritesReachTheClosedFormWithinHalfAPercent) {
    expect_closed_form(GetParam(), Bulk::Kind::both, CompletionPolicy::largest);
}

INSTANTIATE_TEST_SUITE_P(Links, BulkRate, testing::ValuesIn(cases), [](const auto& parameter) {
    const Case& c = parameter.param;
    return "Gen" + std::to_string(c.generation) + "x" + std::to_string(c.width) + "Mps" +
           std::to_string(c.mps) + "Mrrs" + std::to_string(c.mrrs) + "Size" +
           std::to_string(c.size);
});

}  // namespace
}  // namespace nicsim::pcie::test
