// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "waves/bit_text.h"
#include "waves/fst_blocks.h"
#include "waves/fst_decoder.h"

namespace nicsim::waves {
namespace {

constexpr std::size_t read_chunk = 256 * 1024;
constexpr std::size_t longest_name = 128 * 1024;
constexpr std::size_t longest_value = 4 * std::size_t{max_width};
constexpr std::size_t longest_reason = 1024;

}  // namespace

FstReader::FstReader(std::string file, ReaderOptions options) : options_(options) {
    file_ = std::move(file);
    check_fst_blocks(file_);
    channel_ = std::make_unique<FstProcess>(file_, options_);
    read_names();
}

FstReader::FstReader(std::string file, std::unique_ptr<FstChannel> channel, ReaderOptions options)
    : channel_(std::move(channel)), options_(options) {
    file_ = std::move(file);
    read_names();
}

std::string FstReader::place() const {
    if (has_time_) return fmt::format("after #{} ({})", time_, format_time(time_, exponent_));
    return selected_ ? "before the first change" : "within the declarations";
}

void FstReader::damaged(const std::string& what) const {
    throw WaveError(fmt::format("{}: the file is damaged: {}, {}", file_, what, place()));
}

void FstReader::nonsense() const {
    damaged("its decoder speaks nonsense");
}

const char* FstReader::take(std::size_t size) {
    while (end_ - at_ < size) {
        if (at_ != 0) {
            std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
            end_ -= at_;
            at_ = 0;
        }
        if (buffer_.size() < std::max(size, read_chunk)) buffer_.resize(std::max(size, read_chunk));
        const std::size_t got = channel_->read(buffer_.data() + end_, buffer_.size() - end_);
        if (got == 0) damaged(fmt::format("its decoder failed ({})", channel_->ending()));
        end_ += got;
    }
    const char* bytes = buffer_.data() + at_;
    at_ += size;
    return bytes;
}

template <class T>
T FstReader::number() {
    T value{};
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
}

std::string_view FstReader::text(std::size_t longest) {
    const auto length = number<std::uint32_t>();
    if (length > longest) nonsense();
    return {take(length), length};
}

fst::Word FstReader::word() {
    const auto word = static_cast<fst::Word>(number<std::uint8_t>());
    if (word == fst::Word::error) damaged(std::string(text(longest_reason)));
    return word;
}

void FstReader::read_names() {
    if (word() != fst::Word::header) nonsense();
    exponent_ = number<std::int32_t>();
    first_time_ = number<std::uint64_t>();
    end_time_ = number<std::uint64_t>();
    handles_ = number<std::uint32_t>();
    version_ = text(128);
    if (exponent_ < -21 || exponent_ > 2)
        damaged(fmt::format("its time unit is 10^{} s", exponent_));
    fst::Word next = word();
    for (; next == fst::Word::variable; next = word()) read_variable();
    if (next != fst::Word::ready) nonsense();
    // Every signal has at least one name; otherwise nothing says that the count is not invented.
    if (handles_ > signals_.size())
        damaged(fmt::format("{} signals, but {} names", handles_, signals_.size()));
    // Handles without a name have no width and are never wanted.
    wanted_.assign(handles_, false);
    by_handle_.resize(handles_);
    for (const Signal& signal : signals_) {
        Shape& shape = by_handle_[signal.handle];
        if (wanted_[signal.handle] && (shape.kind != signal.kind || shape.width != signal.width))
            damaged(fmt::format("{} is {} of {} bits, and by another name {} of {}", signal.path,
                                name_of(signal.kind), signal.width, name_of(shape.kind),
                                shape.width));
        shape = {signal.kind, signal.width};
        wanted_[signal.handle] = true;
    }
}

void FstReader::read_variable() {
    Signal signal;
    const auto kind = number<std::uint8_t>();
    signal.kind = static_cast<Kind>(kind);
    signal.width = number<std::uint32_t>();
    signal.handle = number<std::uint32_t>();
    const std::uint32_t narrowest = signal.kind == Kind::bits ? 1 : 0;
    if (kind > 3 || signal.handle >= handles_ || signal.width > max_width ||
        signal.width < narrowest)
        nonsense();
    signal.path = text(longest_name);
    const std::string name(text(longest_name));
    set_name_and_range(signal, name);
    name_bytes_ += signal.path.size() + sizeof signal;
    if (name_bytes_ > options_.name_bytes)
        damaged(fmt::format("its names take more than {} bytes", options_.name_bytes));
    // Names go to terminals and into VCD files.
    for (char& c : signal.path)
        if (static_cast<unsigned char>(c) <= ' ' || c == 127) c = '_';
    signals_.push_back(std::move(signal));
}

void FstReader::select(std::vector<bool> handles) {
    for (std::size_t i = 0; i < wanted_.size(); ++i)
        wanted_[i] = wanted_[i] && i < handles.size() && handles[i];
}

void FstReader::send_selection() {
    selected_ = true;
    std::string bytes(wanted_.size(), 0);
    for (std::size_t i = 0; i < wanted_.size(); ++i) bytes[i] = wanted_[i] ? 1 : 0;
    channel_->send(bytes);
}

bool FstReader::next(Change& change) {
    if (done_) return false;
    if (!selected_) send_selection();
    while (true) {
        switch (word()) {
            case fst::Word::time: {
                const auto time = number<std::uint64_t>();
                if (has_time_ && time < time_) damaged(fmt::format("time goes back to #{}", time));
                time_ = time;
                has_time_ = true;
                break;
            }
            case fst::Word::change:
                read_change(change);
                return true;
            case fst::Word::done:
                if (end_time_ > time_ || !has_time_) {
                    time_ = end_time_;
                    has_time_ = true;
                }
                done_ = true;
                return false;
            default:
                nonsense();
        }
    }
}

void FstReader::read_change(Change& change) {
    const auto handle = number<std::uint32_t>();
    const auto value = text(longest_value);
    if (!has_time_) nonsense();
    if (handle >= handles_ || !wanted_[handle]) damaged("a change of a signal that is not there");
    const Shape& shape = by_handle_[handle];
    change.time = time_;
    change.handle = handle;
    change.value = value;
    if (shape.kind == Kind::bits) {
        value_.resize(shape.width);
        if (!expand_bits(value, shape.width, value_.data())) damaged("no bits in a value");
        change.value = value_;
    } else if (shape.kind == Kind::real && value.size() != sizeof(double)) {
        damaged("a real of another size");
    } else if (shape.kind == Kind::event && !value.empty()) {
        damaged("an event with a value");
    }
}

}  // namespace nicsim::waves
