// SPDX-License-Identifier: Apache-2.0
// What FstReader makes of a decoder that has gone mad: it never follows, and says what and where.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "support.h"
#include "waves/fst_reader.h"
#include "waves/wave_writer.h"

namespace nicsim::waves {
namespace {

using fst::Word;
using test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;

/// A decoder that says what it was given, a few bytes at a time, and then is gone.
class Recorded : public FstChannel {
public:
    explicit Recorded(std::string words) : words_(std::move(words)) {}
    std::size_t read(char* to, std::size_t size) override {
        const std::size_t n = words_.copy(to, std::min<std::size_t>(size, 3), at_);
        at_ += n;
        return n;
    }
    void send(std::string_view /*bytes*/) override {}
    std::string ending() override { return "Segmentation fault"; }

private:
    std::string words_;
    std::size_t at_ = 0;
};

/// Words in the form of the pipe.
class Says {
public:
    Says& header(std::uint32_t handles, std::int32_t exponent = -9) {
        return put(Word::header)
            .put(exponent)
            .put(std::uint64_t{0})
            .put(std::uint64_t{50})
            .put(handles)
            .text("v");
    }
    Says& variable(Kind kind, std::uint32_t width, std::uint32_t handle, std::string_view name) {
        return put(Word::variable).put(kind).put(width).put(handle).text("tb.").text(name);
    }
    Says& ready() { return put(Word::ready); }
    Says& time(std::uint64_t ticks) { return put(Word::time).put(ticks); }
    Says& change(std::uint32_t handle, std::string_view value) {
        return put(Word::change).put(handle).text(value);
    }
    Says& done() { return put(Word::done); }
    Says& error(std::string_view why) { return put(Word::error).text(why); }
    Says& text(std::string_view bytes) {
        put(static_cast<std::uint32_t>(bytes.size()));
        words += bytes;
        return *this;
    }
    template <class T>
    Says& put(T value) {
        words.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    /// One bit `a`, and ready.
    Says& bit() { return header(1).variable(Kind::bits, 1, 0, "a").ready(); }

    std::string words;
};

struct Heard {
    std::vector<std::string> changes;
    std::string error;
};

Heard hear(const Says& says, ReaderOptions options = {}) {
    Heard heard;
    try {
        FstReader reader("f.fst", std::make_unique<Recorded>(says.words), options);
        Change change;
        while (reader.next(change))
            heard.changes.push_back(
                fmt::format("{} {} {}", change.time, change.handle, change.value));
    } catch (const WaveError& error) {
        heard.error = error.what();
    }
    return heard;
}

TEST(FstWords, of_a_sane_decoder_are_its_changes) {
    const Heard heard = hear(Says().bit().time(5).change(0, "1").time(7).change(0, "x").done());
    EXPECT_EQ(heard.error, "");
    EXPECT_THAT(heard.changes, ElementsAre("5 0 1", "7 0 x"));
}

TEST(FstWords, that_make_no_sense_are_an_error_with_its_place) {
    const std::string nonsense = "its decoder speaks nonsense";
    const std::pair<Says, std::string> cases[] = {
        {Says(), "its decoder failed (Segmentation fault), within the declarations"},
        {Says().put('?'), nonsense + ", within the declarations"},
        {Says().ready(), nonsense},
        {Says().header(1).header(1), nonsense},
        {Says().header(9).variable(Kind::bits, 1, 8, "a").header(1), nonsense},
        {Says().header(1, 99), "its time unit is 10^99 s"},
        {Says().header(1).variable(Kind::bits, 1, 1, "a"), nonsense},
        {Says().header(1).variable(Kind::bits, 0, 0, "a"), nonsense},
        {Says().header(1).variable(Kind::bits, max_width + 1, 0, "a"), nonsense},
        {Says().header(1).variable(static_cast<Kind>(4), 1, 0, "a"), nonsense},
        {Says().header(1).put(Word::variable).put(Kind::bits).put(1U).put(0U).put(~0U), nonsense},
        {Says().header(4'000'000'000).ready(), "4000000000 signals, but 0 names"},
        {Says().header(1).variable(Kind::bits, 1, 0, "a").variable(Kind::bits, 2, 0, "b").ready(),
         "tb.b is bits of 2 bits, and by another name bits of 1"},
        {Says().header(1).variable(Kind::bits, 1, 0, "a").variable(Kind::real, 1, 0, "b").ready(),
         "tb.b is real of 1 bits, and by another name bits of 1"},
        {Says().header(1).error("a name has no end"), "a name has no end, within the declarations"},
        {Says().bit(), "its decoder failed (Segmentation fault), before the first change"},
        {Says().bit().ready(), nonsense + ", before the first change"},
        {Says().bit().change(0, "1"), nonsense + ", before the first change"},
        {Says().bit().time(5).change(1, "1"), "a change of a signal that is not there, after #5"},
        {Says().bit().time(5).change(0, "?"), "no bits in a value, after #5 (5 ns)"},
        {Says().bit().time(5).change(0, ""), "no bits in a value"},
        {Says().bit().time(5).change(0, "11"), "no bits in a value"},
        {Says().bit().time(5).time(4), "time goes back to #4, after #5 (5 ns)"},
        {Says().bit().time(5).change(0, "1").error("fstapi stopped"), "fstapi stopped, after #5"},
        {Says().bit().time(5).put(Word::error).put(~0U), nonsense},
        {Says().header(1).variable(Kind::real, 64, 0, "r").ready().time(0).change(0, "1234567"),
         "a real of another size"},
        {Says().header(1).variable(Kind::event, 0, 0, "e").ready().time(0).change(0, "1"),
         "an event with a value"},
    };
    for (const auto& [says, message] : cases) {
        const Heard heard = hear(says);
        EXPECT_THAT(heard.error, HasSubstr("f.fst: the file is damaged: " + message));
    }
}

TEST(FstWords, without_end_are_an_error_and_no_lack_of_memory) {
    Says says;
    says.header(1);
    for (int i = 0; i < 1'000; ++i) says.variable(Kind::bits, 1, 0, std::string(1'000, 'n'));
    ReaderOptions options;
    options.name_bytes = 100'000;
    EXPECT_THAT(hear(says, options).error, HasSubstr("its names take more than 100000 bytes"));
}

TEST(FstWords, cut_anywhere_are_an_error_or_a_clean_prefix) {
    const Says whole =
        Says().bit().time(5).change(0, "1").time(7).change(0, "x").time(9).change(0, "z").done();
    const auto all = hear(whole).changes;
    ASSERT_EQ(all.size(), 3U);
    for (std::size_t length = 0; length < whole.words.size(); ++length) {
        Says cut;
        cut.words = whole.words.substr(0, length);
        const Heard heard = hear(cut);
        EXPECT_THAT(heard.error, HasSubstr("Segmentation fault")) << length;
        ASSERT_LE(heard.changes.size(), all.size());
        for (std::size_t i = 0; i < heard.changes.size(); ++i) EXPECT_EQ(heard.changes[i], all[i]);
    }
}

void write_bit(const std::string& file) {
    const auto writer = WaveWriter::create(file);
    Signal signal;
    signal.path = "tb.a";
    const auto bit = writer->declare(signal);
    writer->begin();
    for (unsigned i = 0; i < 10; ++i) {
        writer->set_time(i);
        writer->change(bit, std::uint64_t{i & 1U});
    }
    writer->close();
}

/// Children of this process, as text.
std::string children() {
    std::string text;
    std::getline(std::ifstream("/proc/thread-self/children"), text);
    return text;
}

TEST(FstProcess, that_stands_still_is_ended_and_told_of) {
    const Folder folder;
    write_bit(folder.file("f.fst"));
    ReaderOptions options;
    options.decoder_seconds = 1;
    FstProcess process(folder.file("f.fst"), options);
    const std::string child = children();
    ASSERT_NE(child, "");
    ASSERT_EQ(::kill(std::stoi(child), SIGSTOP), 0);
    char bytes[4096];
    while (process.read(bytes, sizeof bytes) != 0) {
    }
    EXPECT_EQ(process.ending(), "it stood still for 1 s");
    EXPECT_EQ(children(), "");
}

TEST(FstProcess, that_takes_no_selection_does_not_hold_up_the_reader) {
    const Folder folder;
    write_bit(folder.file("f.fst"));
    ReaderOptions options;
    options.decoder_seconds = 1;
    FstProcess process(folder.file("f.fst"), options);
    ASSERT_EQ(::kill(std::stoi(children()), SIGSTOP), 0);
    process.send(std::string(8U << 20U, '\1'));  // more than a socket holds
    char bytes[16];
    EXPECT_EQ(process.read(bytes, sizeof bytes), 0U);
}

TEST(FstProcess, that_was_killed_is_told_of_with_the_signal) {
    const Folder folder;
    write_bit(folder.file("f.fst"));
    FstProcess process(folder.file("f.fst"), {});
    ASSERT_EQ(::kill(std::stoi(children()), SIGKILL), 0);
    char bytes[4096];
    while (process.read(bytes, sizeof bytes) != 0) {
    }
    EXPECT_EQ(process.ending(), "Killed");
    process.send("1");  // nobody hears it, and no signal comes of it
}

TEST(FstProcess, leaves_nothing_behind_when_the_reader_goes_early) {
    const Folder folder;
    write_bit(folder.file("f.fst"));
    { const FstProcess process(folder.file("f.fst"), {}); }
    EXPECT_EQ(children(), "");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace nicsim::waves
