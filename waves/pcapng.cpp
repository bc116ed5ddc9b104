// SPDX-License-Identifier: Apache-2.0
#include "waves/pcapng.h"

#include <cassert>

#include "sim/frame.h"

namespace nicsim::waves {
namespace {

// Block types, option codes and link type of the draft and of the tcpdump.org registry.
constexpr std::uint32_t section_header = 0x0a0d0d0a;
constexpr std::uint32_t interface_description = 1;
constexpr std::uint32_t enhanced_packet = 6;
constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::uint16_t link_type_ethernet = 1;
constexpr std::uint16_t option_end = 0;
constexpr std::uint16_t shb_userappl = 4;
constexpr std::uint16_t if_name = 2;
constexpr std::uint16_t if_speed = 8;
constexpr std::uint16_t if_tsresol = 9;
constexpr std::uint16_t if_fcslen = 13;
constexpr std::uint16_t epb_flags = 2;
constexpr std::uint32_t crc_error = 1U << 24U;
constexpr char nanoseconds = 9;  // 10^-9 s

std::string little_endian(std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
    return text;
}

}  // namespace

PcapngWriter::PcapngWriter(const std::string& file) : out_(file) {
    begin_block(section_header);
    put32(byte_order_magic);
    put16(1);  // version 1.0
    put16(0);
    put64(~std::uint64_t{0});  // length of the section: unknown
    option(shb_userappl, "nicsim");
    option(option_end, {});
    end_block();
}

void PcapngWriter::put16(std::uint16_t value) {
    block_ += little_endian(value, 2);
}

void PcapngWriter::put32(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) block_ += static_cast<char>((value >> (8 * i)) & 0xffU);
}

void PcapngWriter::put64(std::uint64_t value) {
    put32(static_cast<std::uint32_t>(value));
    put32(static_cast<std::uint32_t>(value >> 32U));
}

void PcapngWriter::padded(std::string_view bytes) {
    block_ += bytes;
    block_.append((4 - bytes.size() % 4) % 4, '\0');
}

void PcapngWriter::option(std::uint16_t code, std::string_view value) {
    put16(code);
    put16(static_cast<std::uint16_t>(value.size()));
    padded(value);
}

void PcapngWriter::begin_block(std::uint32_t type) {
    block_.clear();
    put32(type);
    put32(0);  // the length, known at the end
}

void PcapngWriter::end_block() {
    const auto length = static_cast<std::uint32_t>(block_.size() + 4);
    put32(length);
    for (unsigned i = 0; i < 4; ++i) block_[4 + i] = static_cast<char>((length >> (8 * i)) & 0xffU);
    out_.write(block_);
}

std::uint32_t PcapngWriter::add_interface(const std::string& name, std::uint64_t bit_rate) {
    begin_block(interface_description);
    put16(link_type_ethernet);
    put16(0);
    put32(0);  // no limit of length
    option(if_name, name.substr(0, 1024));
    if (bit_rate != 0) option(if_speed, little_endian(bit_rate, 8));
    option(if_tsresol, {&nanoseconds, 1});
    option(if_fcslen, std::string_view("\0", 1));
    option(option_end, {});
    end_block();
    return interfaces_++;
}

void PcapngWriter::frame(std::uint32_t interface, sim::Ps time, std::span<const std::uint8_t> bytes,
                         Direction direction, bool fcs_good) {
    assert(interface < interfaces_);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    const std::uint32_t on_wire = std::max(length, sim::ethernet_min_frame_bytes);
    const std::uint64_t nanosecond = time / sim::ps_per_ns;
    begin_block(enhanced_packet);
    put32(interface);
    put32(static_cast<std::uint32_t>(nanosecond >> 32U));
    put32(static_cast<std::uint32_t>(nanosecond));
    put32(on_wire);
    put32(on_wire);
    block_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    block_.append(on_wire - length + (4 - on_wire % 4) % 4, '\0');
    put16(epb_flags);
    put16(4);
    put32(static_cast<std::uint32_t>(direction) | (fcs_good ? 0 : crc_error));
    put32(0);  // end of options
    end_block();
    ++frames_;
}

void PcapngWriter::close() {
    out_.commit();
}

}  // namespace nicsim::waves
