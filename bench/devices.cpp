// SPDX-License-Identifier: Apache-2.0
// What a simulated packet costs. Absolute times mean little on shared machines, so every figure is
// also given in U (one timed SC_METHOD event) and against the floor, measured in turn with it.
#include <benchmark/benchmark.h>

#include <systemc>

#include "bench/measure.h"

namespace nicsim::bench {
namespace {

constexpr std::uint64_t floor_packets = 200'000;

double per_packet(double total, const Cost& cost) {
    return total / static_cast<double>(cost.packets);
}

void report(benchmark::State& state, const Cost& sum) {
    state.counters["wakeups/packet"] = per_packet(static_cast<double>(sum.wakeups), sum);
    state.counters["packets/cpu_s"] = static_cast<double>(sum.packets) / sum.cpu_seconds;
    state.counters["ns/packet"] = per_packet(1e9 * sum.cpu_seconds, sum);
}

void add(Cost& sum, const Cost& one) {
    sum.packets += one.packets;
    sum.wakeups += one.wakeups;
    sum.cpu_seconds += one.cpu_seconds;
}

void kernel_event(benchmark::State& state) {
    Cost sum;
    for (auto _ : state) {
        const Cost cost = measure_kernel_events(2'000'000);
        state.SetIterationTime(cost.cpu_seconds);
        add(sum, cost);
    }
    state.counters["ns/event"] = per_packet(1e9 * sum.cpu_seconds, sum);
}

void floor_run(benchmark::State& state) {
    FloorConfig config;
    config.packets = floor_packets;
    config.length = static_cast<std::uint32_t>(state.range(0));
    Cost sum;
    for (auto _ : state) {
        const Cost cost = measure_floor(config);
        state.SetIterationTime(cost.cpu_seconds);
        add(sum, cost);
    }
    report(state, sum);
}

/// A scenario in turn with the floor and the kernel's event.
void against_floor(benchmark::State& state, const std::string& scenario) {
    FloorConfig config;
    config.packets = floor_packets;
    config.length = static_cast<std::uint32_t>(state.range(0));
    const std::string bytes = std::to_string(config.length == 64 ? 60 : config.length) + "B";
    Cost sum;
    Cost floor_sum;
    Cost events;
    for (auto _ : state) {
        const Cost cost = measure_scenario(scenario, {"workloads.generator.packet_bytes=" + bytes});
        state.SetIterationTime(cost.cpu_seconds);
        add(sum, cost);
        add(floor_sum, measure_floor(config));
        add(events, measure_kernel_events(500'000));
    }
    report(state, sum);
    const double ours = per_packet(sum.cpu_seconds, sum);
    state.counters["U/packet"] = ours / per_packet(events.cpu_seconds, events);
    state.counters["times_floor"] = ours / per_packet(floor_sum.cpu_seconds, floor_sum);
}

void i210(benchmark::State& state) {
    against_floor(state, "bench/i210_stream");
}

void i82599(benchmark::State& state) {
    against_floor(state, "bench/i82599_stream");
}

void ar8151(benchmark::State& state) {
    against_floor(state, "bench/ar8151_stream");
}

void mikrotik(benchmark::State& state) {
    against_floor(state, "bench/mikrotik_stream");
}

/// Cost of one packet at `range` outstanding; compare 16 with 1000.
void i210_outstanding(benchmark::State& state) {
    Cost sum;
    for (auto _ : state) {
        const Cost cost =
            measure_scenario("bench/i210_stream",
                             {"workloads.generator.outstanding=" + std::to_string(state.range(0))});
        state.SetIterationTime(cost.cpu_seconds);
        add(sum, cost);
    }
    report(state, sum);
}

/// A machine that is up and has nothing to do.
void i210_idle(benchmark::State& state) {
    Cost sum;
    for (auto _ : state) {
        const Cost cost =
            measure_scenario("bench/i210_stream", {"workloads.generator.start=1000s"});
        state.SetIterationTime(cost.cpu_seconds);
        add(sum, cost);
    }
    constexpr double simulated_ms = 100.0;  // the scenario's duration
    state.counters["wakeups/ms"] =
        static_cast<double>(sum.wakeups) / simulated_ms / static_cast<double>(state.iterations());
}

BENCHMARK(kernel_event)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(floor_run)->Arg(64)->Arg(1514)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(i210)->Arg(64)->Arg(1514)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(i82599)->Arg(64)->Arg(1514)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ar8151)->Arg(64)->Arg(1514)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(mikrotik)->Arg(64)->Arg(1514)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(i210_outstanding)->Arg(16)->Arg(1000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(i210_idle)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nicsim::bench
