// SPDX-License-Identifier: Apache-2.0
#include "waves/vcd_writer.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cstring>

namespace nicsim::waves {
namespace {

/// Identifier codes count in base 94 over the printable characters.
std::string code_of(std::uint32_t index) {
    std::string code;
    for (std::uint64_t n = std::uint64_t{index} + 1; n > 0; n = (n - 1) / 94)
        code += static_cast<char>('!' + (n - 1) % 94);
    return code;
}

std::string_view type_of(Kind kind) {
    switch (kind) {
        case Kind::real:
            return "real";
        case Kind::string:
            return "string";
        case Kind::event:
            return "event";
        default:
            return "wire";
    }
}

unsigned declared_width(const Signal& signal) {
    if (signal.kind == Kind::real) return 64;
    return signal.kind == Kind::bits ? signal.width : 1;
}

/// VCD words hold no white space; GTKWave's convention of C escapes.
void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte >= 127 || c == '\\')
            out += fmt::format("\\{:03o}", byte);
        else
            out += c;
    }
}

}  // namespace

VcdWriter::VcdWriter(const std::string& file, int exponent) : out_(file), exponent_(exponent) {}

void VcdWriter::begin() {
    // 10^exponent s as 1, 10 or 100 of a unit.
    static constexpr std::array<const char*, 6> units = {"s", "ms", "us", "ns", "ps", "fs"};
    if (exponent_ < -15 || exponent_ > 2)
        throw WaveError(fmt::format("a time unit of 10^{} s cannot be written", exponent_));
    const int unit = exponent_ >= 0 ? 0 : (-exponent_ + 2) / 3;
    const int zeros = exponent_ + 3 * unit;
    out_.write("$version nicsim $end\n");
    out_.write(fmt::format("$timescale 1{}{} $end\n",
                           std::string(static_cast<unsigned>(zeros), '0'),
                           units[static_cast<unsigned>(unit)]));
    for (std::uint32_t i = 0; i < signals_.size(); ++i)
        codes_.push_back(fmt::format(" {}\n", code_of(i)));
    walk([&](std::string_view scope) { out_.write(fmt::format("$scope module {} $end\n", scope)); },
         [&] { out_.write("$upscope $end\n"); },
         [&](std::uint32_t i) {
             out_.write(fmt::format("$var {} {} {} {} $end\n", type_of(signals_[i].kind),
                                    declared_width(signals_[i]), code_of(i), leaf(signals_[i])));
         });
    out_.write("$enddefinitions $end\n");
}

void VcdWriter::set_time(std::uint64_t ticks) {
    assert(!time_set_ || ticks >= time_);
    if (time_set_ && ticks == time_) return;
    if (initial_ == Initial::inside) {
        out_.write("$end\n");
        initial_ = Initial::done;
    }
    time_ = ticks;
    time_set_ = true;
    time_written_ = false;
}

void VcdWriter::settle_time() {
    if (time_written_) return;
    std::array<char, 24> digits{};
    const auto* end = fmt::format_to(digits.data(), "#{}\n", time_);
    out_.write({digits.data(), static_cast<std::size_t>(end - digits.data())});
    time_written_ = true;
    if (initial_ == Initial::before) {
        out_.write("$dumpvars\n");
        initial_ = Initial::inside;
    }
}

void VcdWriter::change(std::uint32_t id, std::string_view value) {
    settle_time();
    const Signal& signal = signals_[id];
    const std::string& code = codes_[id];
    line_.clear();
    switch (signal.kind) {
        case Kind::bits:
            if (signal.width == 1) {
                out_.put(value[0]);
                out_.write(std::string_view(code).substr(1));
                return;
            } else {
                // Leading zeros are implied by what follows them.
                const auto one = value.find_first_not_of('0');
                line_ += 'b';
                line_ += value.substr(one == std::string_view::npos  ? value.size() - 1
                                      : value[one] != '1' && one > 0 ? one - 1
                                                                     : one);
            }
            break;
        case Kind::real: {
            double number = 0;
            std::memcpy(&number, value.data(), sizeof number);
            line_ = fmt::format("r{}", number);
            break;
        }
        case Kind::string:
            line_ += 's';
            append_escaped(line_, value);
            break;
        case Kind::event:
            out_.put('1');
            out_.write(std::string_view(code).substr(1));
            return;
    }
    line_ += code;
    out_.write(line_);
}

void VcdWriter::change(std::uint32_t id, std::uint64_t value) {
    settle_time();
    const std::string& code = codes_[id];
    if (signals_[id].width == 1) {
        out_.put((value & 1U) != 0 ? '1' : '0');
        out_.write(std::string_view(code).substr(1));
        return;
    }
    std::array<char, 66> digits{};
    std::size_t at = digits.size();
    do {
        digits[--at] = (value & 1U) != 0 ? '1' : '0';
        value >>= 1U;
    } while (value != 0);
    digits[--at] = 'b';
    out_.write({digits.data() + at, digits.size() - at});
    out_.write(code);
}

void VcdWriter::close() {
    if (time_set_) settle_time();
    if (initial_ == Initial::inside) out_.write("$end\n");
    out_.commit();
}

}  // namespace nicsim::waves
