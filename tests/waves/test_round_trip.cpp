// SPDX-License-Identifier: Apache-2.0
// What we write is what we and others read.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "support.h"
#include "waves/diff.h"
#include "waves/inspect.h"
#include "waves/wave_reader.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {
namespace {

using test::Folder;

/// Random changes of signals of all kinds, kept in memory too.
struct Sample {
    std::vector<Signal> signals;
    std::vector<std::string> changes;  ///< sorted within an instant
};

std::string random_value(const Signal& signal, std::mt19937_64& dice) {
    if (signal.kind == Kind::bits) {
        std::string bits;
        const bool unknown = dice() % 8 == 0;
        for (unsigned i = 0; i < signal.width; ++i)
            bits += unknown ? "01xz"[dice() % 4] : "01"[dice() % 2];
        return bits;
    }
    if (signal.kind == Kind::real) {
        const double number = static_cast<double>(dice() % 100000) / 128;
        return {reinterpret_cast<const char*>(&number), sizeof number};
    }
    std::string text;
    if (signal.kind == Kind::string)
        for (unsigned i = dice() % 12 + 1; i > 0; --i) text += "abc \\\"\n\x7f"[dice() % 8];
    return text;
}

Sample write_random(const std::string& file, unsigned instants) {
    Sample sample;
    std::mt19937_64 dice(7);
    for (unsigned i = 0; i < 40; ++i) {
        Signal signal;
        signal.path = fmt::format("top.unit{}.sub{}.s{}", i % 3, i % 5, i);
        signal.kind = i < 30   ? Kind::bits
                      : i < 34 ? Kind::real
                      : i < 37 ? Kind::string
                               : Kind::event;
        signal.width = signal.kind == Kind::bits   ? i * i % 130 + 1
                       : signal.kind == Kind::real ? 64
                                                   : 0;
        sample.signals.push_back(signal);
    }
    const auto writer = WaveWriter::create(file);
    for (const Signal& signal : sample.signals) writer->declare(signal);
    writer->begin();
    std::uint64_t time = 0;
    for (unsigned n = 0; n < instants; ++n) {
        writer->set_time(time);
        std::map<std::string, std::string> now;
        for (unsigned i = 0; i < sample.signals.size(); ++i) {
            const Signal& signal = sample.signals[i];
            if (n != 0 && dice() % 3 != 0) continue;
            if (n == 0 && signal.kind == Kind::event) continue;
            const std::string value = random_value(signal, dice);
            writer->change(i, std::string_view(value));
            now[signal.path] = value;
        }
        for (const auto& [path, value] : now)
            sample.changes.push_back(fmt::format("{} {} {}", time, path, value));
        time += dice() % 5000 + 1;
    }
    writer->close();
    return sample;
}

std::vector<std::string> read_back(const std::string& file,
                                   std::vector<Signal>* signals = nullptr) {
    const auto reader = WaveReader::open(file);
    std::map<std::uint32_t, std::string> names;
    for (const Signal& signal : reader->signals()) names[signal.handle] = signal.path;
    if (signals != nullptr) *signals = reader->signals();
    std::vector<std::string> changes;
    std::map<std::string, std::string> now;
    std::uint64_t time = 0;
    const auto settle = [&] {
        for (const auto& [path, value] : now)
            changes.push_back(fmt::format("{} {} {}", time, path, value));
        now.clear();
    };
    Change change;
    while (reader->next(change)) {
        if (change.time != time) settle();
        time = change.time;
        now[names[change.handle]] = change.value;
    }
    settle();
    return changes;
}

void expect_round_trip(const std::string& name, unsigned instants) {
    const Folder folder;
    const Sample sample = write_random(folder.file(name), instants);
    std::vector<Signal> signals;
    EXPECT_EQ(read_back(folder.file(name), &signals), sample.changes);
    std::map<std::string, Signal> by_path;
    for (const Signal& signal : signals) by_path[signal.path] = signal;
    for (const Signal& signal : sample.signals) {
        ASSERT_EQ(by_path.count(signal.path), 1U) << signal.path;
        EXPECT_EQ(by_path[signal.path].kind, signal.kind) << signal.path;
        EXPECT_EQ(by_path[signal.path].width, signal.width) << signal.path;
    }
}

TEST(RoundTrip, vcd_is_read_back_as_it_was_written) {
    expect_round_trip("t.vcd", 300);
}
TEST(RoundTrip, fst_is_read_back_as_it_was_written) {
    expect_round_trip("t.fst", 300);
}

TEST(RoundTrip, equal_runs_leave_equal_files) {
    const Folder folder;
    for (const char* ending : {".vcd", ".fst"}) {
        write_random(folder.file(std::string("a") + ending), 50);
        write_random(folder.file(std::string("b") + ending), 50);
        EXPECT_EQ(test::read_file(folder.file(std::string("a") + ending)),
                  test::read_file(folder.file(std::string("b") + ending)));
    }
}

DiffResult compare(const std::string& a, const std::string& b) {
    DiffOptions options;
    options.a = a;
    options.b = b;
    options.strict_names = true;
    return diff_waves(options);
}

TEST(RoundTrip, our_vcd_and_our_fst_of_the_same_run_are_the_same) {
    const Folder folder;
    write_random(folder.file("t.vcd"), 300);
    write_random(folder.file("t.fst"), 300);
    const DiffResult result = compare(folder.file("t.vcd"), folder.file("t.fst"));
    EXPECT_TRUE(result.same);
    EXPECT_EQ(result.compared, 40U);
    EXPECT_GT(result.matched, 3000U);
}

TEST(RoundTrip, gtkwaves_converters_read_and_write_the_same) {
    if (!test::have_program("fst2vcd") || !test::have_program("vcd2fst"))
        GTEST_SKIP() << "vcd2fst and fst2vcd (package gtkwave) are missing";
    const Folder folder;
    // vcd2fst drops the time zero of events and knows escapes in strings in its own way.
    const auto no_strings = [](const std::string& a, const std::string& b) {
        DiffOptions options;
        options.a = a;
        options.b = b;
        options.names.ignore = "**.s34,**.s35,**.s36,**.s37,**.s38,**.s39";
        return diff_waves(options);
    };
    write_random(folder.file("t.vcd"), 200);
    write_random(folder.file("t.fst"), 200);
    test::output_of("fst2vcd -f " + folder.file("t.fst") + " -o " + folder.file("theirs.vcd"));
    test::output_of("vcd2fst " + folder.file("t.vcd") + " " + folder.file("theirs.fst"));
    for (const char* theirs : {"theirs.vcd", "theirs.fst"}) {
        const DiffResult result = no_strings(folder.file("t.vcd"), folder.file(theirs));
        EXPECT_TRUE(result.same) << theirs;
        EXPECT_EQ(result.compared, 34U);
        EXPECT_GT(result.matched, 1500U);
    }
}

}  // namespace
}  // namespace nicsim::waves
