// SPDX-License-Identifier: Apache-2.0
// How many times the cost of its model an RTL block costs, on the same stimulus, measured in turn.
// `block_*` are a block and next to nothing else, `transmit_side` is one in all of its
// surroundings.
#include <benchmark/benchmark.h>

#include <functional>
#include <systemc>

#include "bench/rtl_blocks.h"
#include "bench/rtl_twin.h"

namespace nicsim::bench {
namespace {

/// Adds up runs, and knows what one piece of work costs.
struct Sum {
    double seconds = 0;
    double pieces = 0;
    void add(const Cost& cost) {
        seconds += cost.cpu_seconds;
        pieces += static_cast<double>(cost.packets);
    }
    [[nodiscard]] double ns() const { return pieces == 0 ? 0 : 1e9 * seconds / pieces; }
};

/// `few`, `many`: pieces of work with RTL, and with what is fast.
void compare(benchmark::State& state, const std::function<Cost(Twin, std::uint64_t)>& measure,
             std::uint64_t few, std::uint64_t many, bool has_nobody) {
    Sum nobody, model, rtl, every;
    for (auto _ : state) {
        const Cost cost = measure(Twin::rtl_every_clock, few);
        state.SetIterationTime(cost.cpu_seconds);
        every.add(cost);
        rtl.add(measure(Twin::rtl, few));
        model.add(measure(Twin::model, many));
        if (has_nobody) nobody.add(measure(Twin::nobody, many));
    }
    const double model_ns = model.ns() - nobody.ns();
    state.counters["around_ns"] = nobody.ns();
    state.counters["model_ns"] = model_ns;
    state.counters["rtl_ns"] = rtl.ns() - nobody.ns();
    state.counters["every_clock_ns"] = every.ns() - nobody.ns();
    state.counters["rtl_times"] = (rtl.ns() - nobody.ns()) / model_ns;
    state.counters["every_clock_times"] = (every.ns() - nobody.ns()) / model_ns;
}

void block_tx_packet_buffer(benchmark::State& state) {
    const auto length = static_cast<std::uint32_t>(state.range(0));
    compare(
        state, [=](Twin twin, std::uint64_t n) { return measure_packet_buffer(twin, length, n); },
        10'000, 300'000, true);
}

void block_interrupt_throttle(benchmark::State& state) {
    const auto gap = static_cast<std::uint64_t>(state.range(0));
    compare(
        state, [=](Twin twin, std::uint64_t n) { return measure_throttle(twin, gap, n); }, 50'000,
        3'000'000, true);
}

void block_descriptor_prefetcher(benchmark::State& state) {
    const auto gap = static_cast<std::uint64_t>(state.range(0));
    compare(
        state, [=](Twin twin, std::uint64_t n) { return measure_descriptors(twin, gap, n); },
        20'000, 300'000, false);
}

void transmit_side(benchmark::State& state) {
    const auto length = static_cast<std::uint32_t>(state.range(0));
    Sum model, rtl;
    for (auto _ : state) {
        const Cost cost = measure_transmit(true, length, 5'000);
        state.SetIterationTime(cost.cpu_seconds);
        rtl.add(cost);
        model.add(measure_transmit(false, length, 5'000));
    }
    state.counters["model_ns"] = model.ns();
    state.counters["rtl_ns"] = rtl.ns();
    state.counters["rtl_times"] = rtl.ns() / model.ns();
}

// Bytes of a frame, or nanoseconds between frames of 60 and of 1514 bytes at 1 Gbit/s.
BENCHMARK(block_tx_packet_buffer)->Arg(60)->Arg(1514)->UseManualTime();
BENCHMARK(block_interrupt_throttle)->Arg(672)->Arg(12'304)->UseManualTime();
BENCHMARK(block_descriptor_prefetcher)->Arg(672)->Arg(12'304)->UseManualTime();
BENCHMARK(transmit_side)->Arg(60)->Arg(1514)->UseManualTime();

}  // namespace
}  // namespace nicsim::bench
