// SPDX-License-Identifier: Apache-2.0
// Effective bandwidth of bulk transfers beside the closed form, over links, limits and sizes. A
// sample of the sweep runs here; scripts/pcie_sweep.sh runs all of it, part by part, and writes
// a table (NICSIM_SWEEP, NICSIM_SWEEP_TABLE).
//
// The closed form counts useful bytes where the wire carries whole double words, so it is given
// sizes rounded up to those. Transfers start at a page, as the form knows no alignment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>

#include "bench.h"
#include "models/dma_bench/dma_bench.h"
#include "pcie/budget.h"
#include "sim/random.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::pcie::test {
namespace {

using models::dma_bench::DmaBench;
using models::dma_bench::DmaBenchConfig;
using models::dma_bench::Mode;
namespace reg = models::dma_bench::reg;

constexpr std::uint64_t high_memory = 0x1'0000'0000;  // 4-DW headers, as the form assumes

struct Point {
    LinkConfig link;
    CompletionPolicy policy = CompletionPolicy::largest;
    Mode mode = Mode::read;
    std::uint32_t size = 64;
};

std::string text_of(const Point& p) {
    static constexpr const char* modes[] = {"read", "write", "both"};
    return "gen " + std::to_string(p.link.generation) + " x" + std::to_string(p.link.width) +
           " MPS " + std::to_string(p.link.max_payload) + " MRRS " +
           std::to_string(p.link.max_read_request) + " RCB " +
           std::to_string(p.link.read_completion_boundary) +
           (p.policy == CompletionPolicy::largest ? "" : " every RCB") + " " +
           modes[static_cast<unsigned>(p.mode)] + " of " + std::to_string(p.size);
}

/// When each data TLP of one kind has left.
class Meter : public LinkObserver {
public:
    explicit Meter(TlpType type) : type_(type) {}
    void sent(const LinkDirection&, const Tlp& tlp, sim::Ps, sim::Ps end) override {
        if (tlp.type == type_ && tlp.purpose != sim::DmaPurpose::other) ends.push_back(end);
    }
    std::vector<sim::Ps> ends;

private:
    TlpType type_;
};

struct Exercise {
    explicit Exercise(const Point& p, unsigned index, std::uint32_t transactions)
        : point(p),
          count(transactions),
          memory(high_memory, 65536),
          interrupts(memory),
          rc(name("rc", index).c_str(), root(p), memory, interrupts, 1),
          device(name("device", index).c_str(), {}),
          ep(name("ep", index).c_str(), device.identity(),
             {.posted_buffer = 8, .nonposted_buffer = 8}),
          link(name("link", index).c_str(), p.link, rc.port(), ep),
          dma_checker(name("dma", index).c_str()),
          register_checker(name("registers", index).c_str()),
          meter(p.mode == Mode::write ? TlpType::MWr : TlpType::CplD) {
        device.dma().bind(dma_checker.target);
        dma_checker.initiator.bind(ep.dma);
        ep.registers.bind(register_checker.target);
        register_checker.initiator.bind(device.registers());
        device.interrupts.bind(ep.interrupts);
        ep.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::to<&DmaBench::set_bus_limits>(&device));
        link.observe(checker);
        link.observe(meter);
    }
    static std::string name(const char* what, unsigned index) {
        return what + std::to_string(index);
    }
    static RootComplexConfig root(const Point& p) {
        RootComplexConfig c;  // nothing but the link limits
        c.read_latency = 20'000;
        c.mmio_latency = 1'000;
        c.completion_policy = p.policy;
        c.posted_header_credits = 0;
        c.posted_data_credits = 0;
        c.nonposted_header_credits = 0;
        c.nonposted_data_credits = 0;
        return c;
    }
    void configure() {
        rc.config_write(device_at, config::bar0, 4, bar0_base, [] {});
        rc.config_write(device_at, config::bar0 + 4, 4, bar3_base, [] {});
    }
    void size_bars() {
        for (const unsigned bar : {config::bar0, config::bar0 + 4}) {
            rc.config_write(device_at, bar, 4, 0xffff'ffff, [] {});
            rc.config_read(device_at, bar, 4, [](std::uint64_t) {});
        }
    }
    void enable() {
        rc.config_write(device_at, config::command, 2, 6, [] {});
    }
    void start() {
        const auto wr = [this](std::uint32_t r, std::uint64_t v) {
            rc.mmio_write(bar0_base + r, 4, v);
        };
        wr(reg::BASE_HIGH, high_memory >> 32U);
        wr(reg::WINDOW, (point.size + 63U) / 64U * 64U);  // one unit: always at the page's start
        wr(reg::SIZE, point.size);
        wr(reg::MODE, static_cast<std::uint32_t>(point.mode));
        wr(reg::IN_FLIGHT, point.mode == Mode::write ? 8 : 512);
        wr(reg::COUNT, count);
        wr(reg::CTRL, models::dma_bench::ctrl_start);
    }
    /// Useful bit/s in the middle half of the run.
    [[nodiscard]] double rate() const {
        const std::uint32_t moves = point.mode == Mode::both ? count / 2 : count;
        const std::size_t per = meter.ends.size() / moves;
        const std::size_t from = moves / 4 * per;
        const std::size_t to = moves / 4 * 3 * per;
        return static_cast<double>((to - from) / per * point.size) * 8.0 /
               sim::to_seconds(meter.ends[to] - meter.ends[from]);
    }

    Point point;
    std::uint32_t count;
    Memory memory;
    Interrupts interrupts;
    RootComplex rc;
    DmaBench device;
    Endpoint ep;
    Link link;
    sim::TlmBaseChecker dma_checker;
    sim::TlmBaseChecker register_checker;
    TlpChecker checker;
    Meter meter;
};

struct Expected {
    double published = 0.0;
    double real = 0.0;  ///< with DLLPs in the direction that they travel in
};

Expected expected(const Point& p) {
    const std::uint32_t whole = (p.size + 3U) / 4U * 4U;
    const WireBytes w = bulk_write(p.link, whole);
    const WireBytes r = bulk_read(p.link, whole, p.policy);
    WireBytes sum;
    // In each limit interval: ACKs of what comes the other way; UpdateFC of the device's credits
    // never, since the host's are infinite here and the device gets no requests.
    unsigned up = 0, down = 0;
    if (p.mode != Mode::write) {
        sum += r;
        ++up;    // of completions
        ++down;  // of requests
    }
    if (p.mode != Mode::read) {
        sum += w;
        down = 1;
    }
    Expected e;
    e.published = effective_rate(p.link, p.size, sum);
    const double time_up = static_cast<double>(sum.up) / tlp_capacity_with(p.link, up);
    const double time_down = static_cast<double>(sum.down) / tlp_capacity_with(p.link, down);
    e.real = p.size / std::max(time_up, time_down);
    return e;
}

std::vector<Point> all_points() {
    static constexpr std::uint32_t sizes[] = {1,   3,   4,   16,  60,   64,   100,  128,  200,
                                              256, 300, 512, 777, 1024, 1500, 2048, 3000, 4096};
    struct Limits {
        std::uint64_t max_payload, max_read_request, boundary;
        CompletionPolicy policy;
    };
    static constexpr Limits limits[] = {{128, 128, 64, CompletionPolicy::largest},
                                        {128, 512, 64, CompletionPolicy::every_boundary},
                                        {256, 512, 64, CompletionPolicy::largest},
                                        {256, 4096, 128, CompletionPolicy::every_boundary},
                                        {512, 256, 128, CompletionPolicy::largest},
                                        {1024, 1024, 64, CompletionPolicy::largest},
                                        {4096, 4096, 128, CompletionPolicy::largest}};
    std::vector<Point> out;
    for (std::uint64_t generation = 1; generation <= 5; ++generation)
        for (const std::uint64_t width : {1, 2, 4, 8, 16})
            for (const Limits& l : limits)
                for (const std::uint32_t size : sizes)
                    for (const Mode mode : {Mode::read, Mode::write, Mode::both}) {
                        Point p;
                        p.link.generation = generation;
                        p.link.width = width;
                        p.link.max_payload = l.max_payload;
                        p.link.max_read_request = l.max_read_request;
                        p.link.read_completion_boundary = l.boundary;
                        p.policy = l.policy;
                        p.mode = mode;
                        p.size = size;
                        out.push_back(p);
                    }
    return out;
}

/// A sample of the sweep; or part `i` of `n` of it, if NICSIM_SWEEP is `i/n`.
std::vector<Point> points(std::size_t sample, std::uint64_t seed) {
    const std::vector<Point> all = all_points();
    std::vector<Point> out;
    if (const char* part = std::getenv("NICSIM_SWEEP")) {
        std::size_t i = 0, n = 1;
        if (std::sscanf(part, "%zu/%zu", &i, &n) != 2 || n == 0 || i >= n)
            throw std::invalid_argument("NICSIM_SWEEP is not of the form i/n with i below n");
        for (std::size_t at = i; at < all.size(); at += n) out.push_back(all[at]);
        return out;
    }
    sim::RandomStream random(seed, "sweep");
    for (std::size_t k = 0; k < sample; ++k) out.push_back(all[random.below(all.size())]);
    return out;
}

/// Enough transactions for a steady middle: many where they are short.
std::uint32_t transactions(const Point& p) {
    return std::clamp<std::uint32_t>(400'000 / (p.size + 100), 400, 4000);
}

void compare(DllpCharge charge, double tolerance, std::uint64_t seed) {
    std::deque<Exercise> runs;
    for (Point p : points(60, seed)) {
        p.link.dllp = charge;
        runs.emplace_back(p, static_cast<unsigned>(runs.size()), transactions(p));
    }
    for (Exercise& r : runs) r.size_bars();
    System::run(20_us);
    for (Exercise& r : runs) r.configure();
    System::run(20_us);
    for (Exercise& r : runs) r.enable();
    System::run(20_us);
    for (Exercise& r : runs) r.start();
    const auto running = [&runs] {
        for (const Exercise& r : runs)
            if (r.device.running()) return true;
        return false;
    };
    System::run(20_us);
    while (running()) System::run(1_ms);
    std::ofstream table;
    if (const char* file = std::getenv("NICSIM_SWEEP_TABLE")) table.open(file, std::ios::app);
    double worst = 0.0;
    double worst_published = 0.0;
    for (const Exercise& r : runs) {
        const Expected e = expected(r.point);
        const double wanted = charge == DllpCharge::closed_form ? e.published : e.real;
        const double error = r.rate() / wanted - 1.0;
        EXPECT_LE(std::abs(error), tolerance)
            << text_of(r.point) << ": " << r.rate() * 1e-9 << " for " << wanted * 1e-9;
        worst = std::max(worst, std::abs(error));
        worst_published = std::max(worst_published, std::abs(r.rate() / e.published - 1.0));
        if (table.is_open())
            table << text_of(r.point) << "," << r.rate() * 1e-9 << "," << wanted * 1e-9 << ","
                  << e.published * 1e-9 << "," << error << "\n";
    }
    testing::Test::RecordProperty("worst_error", std::to_string(worst));
    std::printf("%zu points, worst error %.3f %%, against the published form %.2f %%\n",
                runs.size(), worst * 100, worst_published * 100);
}

TEST(Bandwidth, IsTheClosedFormWhenDllpsAreChargedAsTheFormDoes) {
    compare(DllpCharge::closed_form, 0.005, 1);
}

TEST(Bandwidth, IsTheClosedFormOfEachDirectionWithRealDllps) {
    compare(DllpCharge::real, 0.03, 2);
}

TEST(Bandwidth, OfTheWorkedExampleIsMetByTheModel) {
    // Generation 2 x4, MPS 128, MRRS 256, 200 bytes: 11.2047, 11.5782 and 10.2161 Gbit/s.
    Point p;
    p.link.generation = 2;
    p.link.width = 4;
    p.link.max_payload = 128;
    p.link.max_read_request = 256;
    p.link.dllp = DllpCharge::closed_form;
    p.size = 200;
    std::deque<Exercise> runs;
    for (const Mode mode : {Mode::write, Mode::read, Mode::both}) {
        p.mode = mode;
        runs.emplace_back(p, static_cast<unsigned>(runs.size()), 2000U);
    }
    for (Exercise& r : runs) r.size_bars();
    System::run(20_us);
    for (Exercise& r : runs) r.configure();
    System::run(20_us);
    for (Exercise& r : runs) r.enable();
    System::run(20_us);
    for (Exercise& r : runs) r.start();
    System::run(2_ms);
    EXPECT_NEAR(runs[0].rate() * 1e-9, 11.2047, 11.2 * 0.005);
    EXPECT_NEAR(runs[1].rate() * 1e-9, 11.5782, 11.6 * 0.005);
    EXPECT_NEAR(runs[2].rate() * 1e-9, 10.2161, 10.2 * 0.005);
}

}  // namespace
}  // namespace nicsim::pcie::test
