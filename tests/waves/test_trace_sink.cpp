// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "support.h"
#include "waves/trace_sink.h"

namespace nicsim::waves {
namespace {

using sim::literals::operator""_ns;
using test::Folder;
using test::read_file;
using testing::HasSubstr;

/// Two probes, driven by hand.
struct Bench {
    sim::Probe head{"nic.tx.queue0.head", 12};
    sim::Probe busy{"nic.wire.busy", 1};
    sim::Probe wide{"nic.tx.bytes", 64};

    static void wait(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
};

TEST(TraceSink, vcd_has_the_hierarchy_and_the_settled_value_of_each_instant) {
    const Folder folder;
    Bench bench;
    {
        TraceSink sink({folder.file("t.vcd"), "", 0, sim::never});
        EXPECT_EQ(sink.attach_probes(), 3U);
        Bench::wait(5_ns);
        bench.head.set(1);
        bench.head.set(7);
        bench.busy.set(1);
        Bench::wait(5_ns);
        bench.busy.set(0);
        bench.busy.set(1);
        bench.wide.set(~std::uint64_t{0});
        Bench::wait(5_ns);
        sink.close(sim::now());
    }
    const std::string vcd = read_file(folder.file("t.vcd"));
    EXPECT_EQ(vcd,
              "$version nicsim $end\n"
              "$timescale 1ps $end\n"
              "$scope module nic $end\n"
              "$scope module tx $end\n"
              "$var wire 64 ! bytes [63:0] $end\n"
              "$scope module queue0 $end\n"
              "$var wire 12 \" head [11:0] $end\n"
              "$upscope $end\n"
              "$upscope $end\n"
              "$scope module wire $end\n"
              "$var wire 1 # busy $end\n"
              "$upscope $end\n"
              "$upscope $end\n"
              "$enddefinitions $end\n"
              "#0\n$dumpvars\nb0 !\nb0 \"\n0#\n$end\n"
              "#5000\nb111 \"\n1#\n"
              "#10000\nb" +
                  std::string(64, '1') + " !\n#15000\n");
    EXPECT_EQ(folder.entries(), 2U);  // with the save file for GTKWave
}

TEST(TraceSink, a_counter_that_runs_down_is_zero_from_the_moment_on_without_a_wake_up) {
    const Folder folder;
    sim::RunDownProbe counter("nic.counter", 32);
    sim::Probe other("nic.other", 8);
    TraceSink sink({folder.file("t.vcd"), "", 0, sim::never});
    sink.attach_probes();
    counter.load(20, 20_ns);  // reaches zero before anything else happens
    Bench::wait(30_ns);
    other.set(1);
    counter.load(20, 20_ns);
    Bench::wait(10_ns);
    counter.load(15, 15_ns);  // loaded anew: the plan before does not count
    Bench::wait(15_ns);
    other.set(2);  // in the instant in which it reaches zero
    Bench::wait(5_ns);
    counter.load(9, 9_ns);
    counter.load(0, 0);
    counter.load(7, 7_ns);  // reaches zero after the last change
    Bench::wait(10_ns);
    sink.close(sim::now());
    const std::string vcd = read_file(folder.file("t.vcd"));
    EXPECT_THAT(vcd, HasSubstr("#0\n$dumpvars\nb10100 !\nb0 \"\n$end\n#20000\nb0 !\n"
                               "#30000\nb1 \"\nb10100 !\n#40000\nb1111 !\n"
                               "#55000\nb0 !\nb10 \"\n#60000\nb111 !\n#67000\nb0 !\n#70000\n"));
}

TEST(TraceSink, fst_reads_back_through_fst2vcd) {
    if (!test::have_program("fst2vcd")) GTEST_SKIP() << "fst2vcd (package gtkwave) is missing";
    const Folder folder;
    Bench bench;
    TraceSink sink({folder.file("t.fst"), "", 0, sim::never});
    sink.attach_probes();
    Bench::wait(5_ns);
    bench.head.set(0xabc);
    Bench::wait(5_ns);
    sink.close(sim::now());
    const std::string vcd = test::output_of("fst2vcd " + folder.file("t.fst"));
    EXPECT_THAT(vcd, HasSubstr("$timescale\n\t1ps"));
    EXPECT_THAT(vcd, HasSubstr("$scope module queue0 $end"));
    EXPECT_THAT(vcd, HasSubstr("#5000\nb101010111100"));
    EXPECT_THAT(vcd, HasSubstr("#10000"));
    EXPECT_EQ(folder.entries(), 2U);  // with the save file for GTKWave
}

TEST(TraceSink, window_opens_with_the_values_of_before_and_closes_on_time) {
    const Folder folder;
    Bench bench;
    TraceSink sink({folder.file("t.vcd"), "nic.tx.queue0", 7_ns, 12_ns});
    EXPECT_EQ(sink.attach_probes(), 1U);
    for (unsigned i = 1; i <= 4; ++i) {
        Bench::wait(5_ns);
        bench.head.set(i);
    }
    sink.close(sim::now());
    const std::string vcd = read_file(folder.file("t.vcd"));
    EXPECT_EQ(vcd.substr(vcd.find('#')), "#7000\n$dumpvars\nb1 !\n$end\n#10000\nb10 !\n#12000\n");
}

TEST(TraceSink, a_change_at_the_very_edge_of_the_window_is_inside) {
    const Folder folder;
    Bench bench;
    TraceSink sink({folder.file("t.vcd"), "nic.tx.queue0", 5_ns, 10_ns});
    sink.attach_probes();
    for (unsigned i = 1; i <= 3; ++i) {
        Bench::wait(5_ns);
        bench.head.set(i);
    }
    sink.close(sim::now());
    const std::string vcd = read_file(folder.file("t.vcd"));
    EXPECT_EQ(vcd.substr(vcd.find('#')), "#5000\n$dumpvars\nb1 !\n$end\n#10000\nb10 !\n");
}

TEST(TraceSink, tracing_can_begin_in_the_middle_of_a_run) {
    const Folder folder;
    Bench bench;
    Bench::wait(5_ns);
    bench.head.set(3);
    TraceSink sink({folder.file("t.vcd"), "nic.tx", 0, sim::never});
    EXPECT_EQ(sink.attach_probes(), 2U);
    Bench::wait(5_ns);
    bench.head.set(4);
    sink.close(sim::now());
    const std::string vcd = read_file(folder.file("t.vcd"));
    EXPECT_EQ(vcd.substr(vcd.find('#')), "#5000\n$dumpvars\nb0 !\nb11 \"\n$end\n#10000\nb100 \"\n");
}

TEST(TraceSink, a_scope_that_matches_nothing_names_the_nearest_signals) {
    const Folder folder;
    const Bench bench;
    TraceSink sink({folder.file("t.vcd"), "nic.tx.queue0.haed", 0, sim::never});
    try {
        sink.attach_probes();
        FAIL() << "no error";
    } catch (const WaveError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'nic.tx.queue0.haed'"));
        EXPECT_THAT(error.what(), HasSubstr("nearest are: nic.tx.queue0.head"));
    }
}

TEST(TraceSink, a_window_after_the_end_of_the_run_is_an_error_and_leaves_nothing) {
    const Folder folder;
    const Bench bench;
    {
        TraceSink sink({folder.file("t.fst"), "", 100_ns, sim::never});
        sink.attach_probes();
        Bench::wait(5_ns);
        EXPECT_THROW(sink.close(sim::now()), WaveError);
    }
    EXPECT_EQ(folder.entries(), 0U);
    EXPECT_THROW(TraceSink({folder.file("t.fst"), "", 9_ns, 9_ns}), WaveError);
}

TEST(TraceSink, an_unwritable_target_is_named_before_the_run) {
    for (const char* target : {"/no/such/folder/t.fst", "/proc/t.vcd", "/", "/dev/null"}) {
        try {
            const TraceSink sink({target, "", 0, sim::never});
            FAIL() << target;
        } catch (const WaveError& error) {
            EXPECT_THAT(error.what(), HasSubstr("cannot write")) << target;
        }
    }
    EXPECT_THROW(TraceSink({"t.wav", "", 0, sim::never}), WaveError);
}

TEST(TraceSink, a_sink_that_is_not_closed_leaves_the_old_file_and_no_listener) {
    const Folder folder;
    Bench bench;
    test::write_file(folder.file("t.fst"), "old");
    {
        TraceSink sink({folder.file("t.fst"), "", 0, sim::never});
        sink.attach_probes();
        bench.head.set(3);
    }
    bench.head.set(4);
    EXPECT_EQ(bench.head.sink(), nullptr);
    EXPECT_EQ(read_file(folder.file("t.fst")), "old");
    EXPECT_EQ(folder.entries(), 1U);
}

/// A limit on file sizes fails the way a full disk does, without needing one.
void expect_error_on_full_disk(const std::string& name) {
    const Folder folder;
    std::signal(SIGXFSZ, SIG_IGN);
    Bench bench;
    {
        TraceSink sink({folder.file(name), "", 0, sim::never});
        sink.attach_probes();
        const rlimit small{4096, RLIM_INFINITY};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        try {
            std::uint64_t noise = 1;
            for (unsigned i = 0; i < 200'000; ++i) {
                noise = noise * 6364136223846793005U + 1442695040888963407U;
                sink.change(0, i * 1000, noise);
            }
            sink.close(200'000'000);
            ADD_FAILURE() << "no error";
        } catch (const WaveError& error) {
            EXPECT_THAT(error.what(), HasSubstr("cannot write " + folder.file(name) + ": "));
        }
        const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    }
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(TraceSink, a_full_disk_is_an_error_and_leaves_nothing_of_a_vcd) {
    expect_error_on_full_disk("t.vcd");
}

TEST(TraceSink, a_full_disk_is_an_error_and_leaves_nothing_of_an_fst) {
    expect_error_on_full_disk("t.fst");
}

}  // namespace
}  // namespace nicsim::waves
