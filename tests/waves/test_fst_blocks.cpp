// SPDX-License-Identifier: Apache-2.0
// Claims of an FST file that cannot be true, and files packed as a whole.
#include <fstapi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "support.h"
#include "waves/fst_blocks.h"
#include "waves/wave_reader.h"

namespace nicsim::waves {
namespace {

using test::Folder;
using testing::HasSubstr;

/// A file of fstapi's with a clock, in two blocks of value changes.
void write_sample(const std::string& file, fstWriterPackType pack, bool whole) {
    void* to = fstWriterCreate(file.c_str(), 1);
    fstWriterSetPackType(to, pack);
    fstWriterSetRepackOnClose(to, whole ? 1 : 0);
    fstWriterSetTimescale(to, -12);
    fstWriterSetScope(to, FST_ST_VCD_MODULE, "tb", nullptr);
    const auto clock = fstWriterCreateVar(to, FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "clk", 0);
    fstWriterCreateVar(to, FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "a_rather_long_name", clock);
    for (unsigned time = 0; time < 100; ++time) {
        fstWriterEmitTimeChange(to, time * 5U);
        fstWriterEmitValueChange(to, clock, (time & 1U) != 0 ? "1" : "0");
        if (time == 60) fstWriterFlushContext(to);
    }
    fstWriterClose(to);
}

std::string sample(fstWriterPackType pack = FST_WR_PT_LZ4, bool whole = false) {
    const Folder folder;
    write_sample(folder.file("f"), pack, whole);
    return test::read_file(folder.file("f"));
}

std::string check(const std::string& bytes) {
    std::istringstream in(bytes);
    try {
        check_fst_blocks(in, "f.fst");
    } catch (const WaveError& error) {
        return error.what();
    }
    return "";
}

struct Result {
    unsigned changes = 0;
    std::string error;
};
Result drain(const std::string& file, ReaderOptions options = {}) {
    Result result;
    try {
        const auto reader = WaveReader::open(file, options);
        Change change;
        while (reader->next(change)) ++result.changes;
    } catch (const WaveError& error) {
        result.error = error.what();
    }
    return result;
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    return value;
}
std::string with(std::string bytes, std::size_t at, std::uint64_t value) {
    for (std::size_t i = 8; i-- > 0; value >>= 8U) bytes[at + i] = static_cast<char>(value & 0xffU);
    return bytes;
}
/// Where the n-th block of one of these types begins.
std::size_t find_block(const std::string& bytes, const std::vector<int>& types, unsigned n = 0) {
    for (std::size_t at = 0; at < bytes.size(); at += 1 + number_at(bytes, at + 1)) {
        for (const int type : types)
            if (static_cast<unsigned char>(bytes[at]) == type && n-- == 0) return at;
    }
    ADD_FAILURE() << "no such block";
    return 0;
}
const std::vector<int> changes_types = {FST_BL_VCDATA, FST_BL_VCDATA_DYN_ALIAS,
                                        FST_BL_VCDATA_DYN_ALIAS2};
const std::vector<int> names_types = {FST_BL_HIER, FST_BL_HIER_LZ4, FST_BL_HIER_LZ4DUO};

TEST(FstBlocks, of_every_writer_pass) {
    for (const auto pack : {FST_WR_PT_LZ4, FST_WR_PT_ZLIB, FST_WR_PT_FASTLZ}) {
        EXPECT_EQ(check(sample(pack)), "");
        EXPECT_EQ(check(sample(pack, true)), "");
    }
}

TEST(FstBlocks, with_claims_that_cannot_be_true_are_refused_with_their_place) {
    const std::string good = sample();
    const std::uint64_t huge = std::uint64_t{1} << 60U;
    const std::size_t widths = find_block(good, {FST_BL_GEOM});
    const std::size_t names = find_block(good, names_types);
    const std::size_t first = find_block(good, changes_types);
    const std::size_t second = find_block(good, changes_types, 1);
    const std::size_t tail = first + 1 + number_at(good, first + 1) - 24;
    std::string unit = good;
    unit[73] = 100;
    const std::tuple<std::string, std::size_t, const char*> cases[] = {
        {with(good, 9, huge), 9, "a trace from #1152921504606846976 to #495"},
        {with(good, 25, 0), 25, "the mark of the byte order is wrong"},
        {unit, 73, "a time unit of 10^100 s"},
        {with(good, widths + 9, huge), widths + 9, "bytes of widths in"},
        {with(good, widths + 17, huge), widths + 17, "1152921504606846976 signals with"},
        {with(good, names + 9, huge), names + 9, "1152921504606846976 bytes of names in"},
        {with(good, first + 9, huge), first + 9, "a block of value changes from #1152921504606"},
        {with(with(good, first + 17, huge), first + 9, 499), second + 9,
         "value changes from #300 on follow those from #499 on"},
        {with(good, tail, huge), tail, "a table of times of 1152921504606846976 bytes in"},
        {with(good, tail + 8, huge), tail + 8,
         "a table of times of 1152921504606846976 bytes in a"},
        {with(good, tail + 16, huge), tail + 16, "1152921504606846976 times in a table of"},
    };
    for (const auto& [bytes, at, message] : cases) {
        const std::string error = check(bytes);
        EXPECT_THAT(error, HasSubstr("f.fst: byte " + std::to_string(at) + ": "));
        EXPECT_THAT(error, HasSubstr(message));
    }
}

TEST(FstBlocks, twice_or_not_at_all_are_refused) {
    const std::string good = sample();
    const auto block = [&](std::size_t at) { return good.substr(at, 1 + number_at(good, at + 1)); };
    const std::string widths = block(find_block(good, {FST_BL_GEOM}));
    const std::string names = block(find_block(good, names_types));
    EXPECT_THAT(check(good + widths), HasSubstr("a second block of widths"));
    EXPECT_THAT(check(good + names), HasSubstr("a second block of names"));
    EXPECT_THAT(check(block(0) + widths + names), HasSubstr("there is no block of value changes"));
}

TEST(FstBlocks, whose_names_have_no_end_are_an_error_at_once) {
    const Folder folder;
    std::string bytes = sample(FST_WR_PT_ZLIB);
    const std::size_t names = find_block(bytes, names_types);
    bytes = with(bytes, names + 9, number_at(bytes, names + 9) - 5);
    test::write_file(folder.file("f.fst"), bytes);
    ReaderOptions options;
    options.decoder_seconds = 600;  // it is not time that ends it
    EXPECT_THAT(drain(folder.file("f.fst"), options).error,
                HasSubstr("the file is damaged: a name has no end, within the declarations"));
}

TEST(FstBlocks, packed_as_a_whole_are_read_and_leave_nothing_beside_them) {
    const Folder folder;
    write_sample(folder.file("f.fst"), FST_WR_PT_LZ4, true);
    write_sample(folder.file("plain.fst"), FST_WR_PT_LZ4, false);
    ASSERT_EQ(static_cast<unsigned char>(test::read_file(folder.file("f.fst"))[0]), 254);
    const Result packed = drain(folder.file("f.fst"));
    EXPECT_EQ(packed.error, "");
    EXPECT_EQ(packed.changes, drain(folder.file("plain.fst")).changes);
    EXPECT_GE(packed.changes, 100U);
    EXPECT_EQ(folder.entries(), 2U);
}

TEST(FstBlocks, packed_as_a_whole_and_damaged_are_refused) {
    const Folder folder;
    const std::string good = sample(FST_WR_PT_LZ4, true);
    const std::string file = folder.file("f.fst");
    const auto error_of = [&](const std::string& bytes) {
        test::write_file(file, bytes);
        return drain(file).error;
    };
    EXPECT_THAT(error_of(with(good, 9, std::uint64_t{1} << 60U)),
                HasSubstr("byte 9: a file of 1152921504606846976 bytes in"));
    EXPECT_THAT(error_of(good + "x"), HasSubstr("more beside it"));
    std::string wrong = good;
    wrong[good.size() / 2] = static_cast<char>(wrong[good.size() / 2] ^ 0x55);
    EXPECT_THAT(error_of(wrong), HasSubstr("what is packed in it breaks off after"));
    std::string cut = with(good.substr(0, good.size() - 20), 1, number_at(good, 1) - 20);
    EXPECT_THAT(error_of(cut), HasSubstr("the file is damaged: "));
    test::write_file(file, good);
    ReaderOptions options;
    options.decoder_memory = 512U << 20U;
    EXPECT_EQ(drain(file, options).error, "");
}

TEST(FstBlocks, are_read_from_the_file_and_no_other_beside_it) {
    const Folder folder;
    write_sample(folder.file("f.fst"), FST_WR_PT_LZ4, false);
    const Result before = drain(folder.file("f.fst"));
    test::write_file(folder.file("f.fst.hier"), "left over by another program");
    const Result after = drain(folder.file("f.fst"));
    EXPECT_EQ(after.error, "");
    EXPECT_EQ(after.changes, before.changes);
}

}  // namespace
}  // namespace nicsim::waves
