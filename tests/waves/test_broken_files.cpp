// SPDX-License-Identifier: Apache-2.0
// Files cut anywhere, with any byte wrong, or of another kind: always a clear error or a clean
// prefix of what the whole file says, never a crash.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"
#include "waves/wave_reader.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {
namespace {

using test::Folder;
using testing::HasSubstr;

/// The changes as text, and the error if any.
std::pair<std::vector<std::string>, std::string> drain(const std::string& file) {
    std::vector<std::string> changes;
    try {
        ReaderOptions options;
        options.decoder_seconds = 2;
        const auto reader = WaveReader::open(file, options);
        Change change;
        while (reader->next(change))
            changes.push_back(fmt::format("{} {} {}", change.time, change.handle, change.value));
    } catch (const WaveError& error) {
        return {changes, error.what()};
    }
    return {changes, ""};
}

/// A small file with every kind of signal.
void write_sample(const std::string& file) {
    const auto writer = WaveWriter::create(file);
    const auto add = [&](const char* path, Kind kind, unsigned width) {
        Signal signal;
        signal.path = path;
        signal.kind = kind;
        signal.width = width;
        return writer->declare(signal);
    };
    const auto clk = add("tb.clk", Kind::bits, 1);
    const auto count = add("tb.dut.count", Kind::bits, 12);
    const auto level = add("tb.dut.level", Kind::real, 64);
    const auto state = add("tb.dut.state", Kind::string, 0);
    writer->begin();
    const double half = 0.5;
    for (unsigned i = 0; i < 20; ++i) {
        writer->set_time(1000 * i);
        writer->change(clk, std::uint64_t{i & 1U});
        writer->change(count, std::uint64_t{i} * 37);
        if (i % 5 == 0)
            writer->change(level, std::string_view(reinterpret_cast<const char*>(&half), 8));
        if (i % 7 == 0) writer->change(state, std::string_view(i == 0 ? "idle" : "go on"));
    }
    writer->close();
}

TEST(BrokenFiles, a_vcd_cut_at_any_byte_is_an_error_or_a_clean_prefix) {
    const Folder folder;
    write_sample(folder.file("whole.vcd"));
    const std::string whole = test::read_file(folder.file("whole.vcd"));
    const auto all = drain(folder.file("whole.vcd")).first;
    ASSERT_GT(all.size(), 40U);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        test::write_file(folder.file("cut.vcd"), whole.substr(0, length));
        const auto [changes, error] = drain(folder.file("cut.vcd"));
        ASSERT_LE(changes.size(), all.size());
        for (std::size_t i = 0; i + 1 < changes.size(); ++i) ASSERT_EQ(changes[i], all[i]);
        if (length < whole.find("$enddefinitions $end") + 20) {
            EXPECT_NE(error, "") << length;
        }
    }
}

TEST(BrokenFiles, an_fst_cut_at_any_byte_is_an_error_that_names_the_place) {
    const Folder folder;
    write_sample(folder.file("whole.fst"));
    const std::string whole = test::read_file(folder.file("whole.fst"));
    ASSERT_EQ(drain(folder.file("whole.fst")).second, "");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        test::write_file(folder.file("cut.fst"), whole.substr(0, length));
        const auto [changes, error] = drain(folder.file("cut.fst"));
        EXPECT_TRUE(changes.empty());
        EXPECT_THAT(error, HasSubstr(length == 0 ? "the file is empty" : ": byte ")) << length;
    }
}

void expect_survival_of_wrong_bytes(const std::string& ending, std::size_t step) {
    const Folder folder;
    write_sample(folder.file("whole." + ending));
    const std::string whole = test::read_file(folder.file("whole." + ending));
    unsigned errors = 0;
    for (std::size_t at = 0; at < whole.size(); at += step) {
        for (const unsigned char wrong : {0x00, 0xff, 0x80}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (wrong | 1U));
            test::write_file(folder.file("wrong"), bytes);
            errors += drain(folder.file("wrong")).second.empty() ? 0 : 1;
        }
    }
    EXPECT_GT(errors, 0U);
}

TEST(BrokenFiles, a_vcd_with_any_byte_wrong_does_not_crash_the_reader) {
    expect_survival_of_wrong_bytes("vcd", 3);
}

TEST(BrokenFiles, an_fst_with_any_byte_wrong_does_not_crash_the_reader) {
    expect_survival_of_wrong_bytes("fst", 11);
}

TEST(BrokenFiles, files_of_other_kinds_are_refused_by_name) {
    const Folder folder;
    const std::pair<std::string, std::string> cases[] = {
        {"", "the file is empty"},
        {"\x1f\x8b\x08\x00\x00\x00", "compressed by gzip"},
        {"\x7f"
         "ELF\x02\x01\x01",
         "neither VCD nor FST (byte 0x02"},
        {std::string(100, '\0'), "a block of 0 bytes"},
        {"\x89PNG\r\n\x1a\n", "neither VCD nor FST (byte 0x1a"},
        {"plain words", "this is not a VCD file"},
        {std::string("\xff\0\0\0\0\0\0\0\x08", 9), "not a VCD"},
    };
    for (const auto& [bytes, message] : cases) {
        test::write_file(folder.file("f"), bytes);
        const std::string error = drain(folder.file("f")).second;
        EXPECT_THAT(error, HasSubstr(folder.file("f")));
        if (message != "not a VCD") {
            EXPECT_THAT(error, HasSubstr(message));
        }
    }
    EXPECT_THAT(drain("/no/such/file").second, HasSubstr("cannot read /no/such/file"));
    EXPECT_THAT(drain("/tmp").second, HasSubstr("cannot read /tmp"));
}

TEST(BrokenFiles, an_unfinished_fst_is_told_from_a_damaged_one) {
    const Folder folder;
    write_sample(folder.file("whole.fst"));
    std::string bytes = test::read_file(folder.file("whole.fst"));
    bytes[330] = static_cast<char>(255);  // the first block behind the header
    test::write_file(folder.file("f.fst"), bytes);
    EXPECT_THAT(drain(folder.file("f.fst")).second, HasSubstr("did not end properly"));
}

}  // namespace
}  // namespace nicsim::waves
