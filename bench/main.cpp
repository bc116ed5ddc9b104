// SPDX-License-Identifier: Apache-2.0
// Entry of the benchmark programs: runs what the command line asks for of their benchmarks.
#include <benchmark/benchmark.h>

#include <systemc>

int sc_main(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
