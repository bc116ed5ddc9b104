// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/headers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace nicsim::host {

namespace {

template <class T>
bool parse_part(std::string_view text, int base, unsigned max, T& out) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || value > max) return false;
    out = static_cast<T>(value);
    return true;
}

constexpr unsigned ip_offset = ethernet_header_bytes;
constexpr unsigned l4_offset = ethernet_header_bytes + ipv4_header_bytes;
constexpr std::uint16_t dont_fragment = 0x4000;
constexpr std::uint8_t time_to_live = 64;

constexpr std::uint8_t option_end_pad = 1;  // no operation
constexpr std::uint8_t option_mss = 2;
constexpr std::uint8_t option_window_scale = 3;
constexpr std::uint8_t option_timestamps = 8;

void put_checksum(std::uint8_t* field, const std::uint8_t* l4, std::uint32_t l4_length,
                  std::uint64_t pseudo, L4Checksum how, bool udp) {
    if (how == L4Checksum::partial) {
        put16(field, checksum_fold(pseudo));
        return;
    }
    auto value = static_cast<std::uint16_t>(~checksum_fold(pseudo + checksum_sum(l4, l4_length)));
    if (udp && value == 0) value = 0xffff;  // RFC 768: 0 means none
    put16(field, value);
}

void put_timestamps(std::uint8_t* p, const TcpFields& f) {
    p[0] = option_timestamps;
    p[1] = 10;
    put32(p + 2, f.timestamp);
    put32(p + 6, f.timestamp_echo);
}

void parse_tcp_options(const std::uint8_t* p, const std::uint8_t* end, TcpFields& f) {
    f.timestamps = false;
    while (p < end && *p != 0) {
        if (*p == option_end_pad) {
            ++p;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p) return;
        if (p[0] == option_mss && p[1] == 4) f.mss = get16(p + 2);
        if (p[0] == option_window_scale && p[1] == 3) f.window_scale = p[2];
        if (p[0] == option_timestamps && p[1] == 10) {
            f.timestamps = true;
            f.timestamp = get32(p + 2);
            f.timestamp_echo = get32(p + 6);
        }
        p += p[1];
    }
}

ParseResult parse_tcp(ParsedPacket& out) {
    if (out.l4_length < tcp_header_bytes) return ParseResult::truncated;
    const std::uint8_t* p = out.l4;
    const unsigned header = (p[12] >> 4) * 4U;
    if (header < tcp_header_bytes || header > out.l4_length) return ParseResult::truncated;
    TcpFields& f = out.tcp;
    f.sequence = get32(p + 4);
    f.acknowledgement = get32(p + 8);
    f.flags = p[13];
    f.window = get16(p + 14);
    f.mss = 0;
    f.window_scale = 0;
    parse_tcp_options(p + tcp_header_bytes, p + header, f);
    out.payload = p + header;
    out.payload_length = out.l4_length - header;
    return ParseResult::ok;
}

}  // namespace

std::optional<Ipv4Address> parse_ipv4(std::string_view text) {
    Ipv4Address address = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::size_t dot = text.find('.');
        if ((i < 3) == (dot == std::string_view::npos)) return std::nullopt;
        std::uint8_t part = 0;
        if (!parse_part(text.substr(0, dot), 10, 255, part)) return std::nullopt;
        address = (address << 8) | part;
        if (i < 3) text.remove_prefix(dot + 1);
    }
    return address;
}

std::string ipv4_error(const std::string& text) {
    if (parse_ipv4(text)) return {};
    return "four numbers are expected, as in 192.168.1.1";
}

std::string format_mac(const MacAddress& m) {
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", m[0], m[1], m[2], m[3], m[4],
                       m[5]);
}

std::string format_ipv4(Ipv4Address a) {
    return fmt::format("{}.{}.{}.{}", a >> 24, (a >> 16) & 255U, (a >> 8) & 255U, a & 255U);
}

void write_ip_headers(std::uint8_t* out, const FlowAddress& flow, std::uint8_t protocol,
                      std::uint32_t ip_length, std::uint16_t id) {
    std::memcpy(out, flow.destination_mac.data(), 6);
    std::memcpy(out + 6, flow.source_mac.data(), 6);
    put16(out + 12, ethertype_ipv4);
    std::uint8_t* ip = out + ip_offset;
    const auto total = static_cast<std::uint16_t>(ip_length);
    ip[0] = 0x45;
    ip[1] = 0;
    put16(ip + 2, total);
    put16(ip + 4, id);
    put16(ip + 6, dont_fragment);
    ip[8] = time_to_live;
    ip[9] = protocol;
    put32(ip + 12, flow.source);
    put32(ip + 16, flow.destination);
    // The same words, added without reading them back.
    const std::uint64_t sum = pseudo_header_sum(flow.source, flow.destination, 0, 0) + 0x4500U +
                              total + id + dont_fragment + (time_to_live << 8 | protocol);
    put16(ip + 10, static_cast<std::uint16_t>(~checksum_fold(sum)));
}

void write_udp_headers(std::uint8_t* out, const FlowAddress& flow, std::uint32_t payload_length,
                       std::uint16_t id, L4Checksum checksum) {
    const std::uint32_t length = udp_header_bytes + payload_length;
    write_ip_headers(out, flow, protocol_udp, ipv4_header_bytes + length, id);
    std::uint8_t* udp = out + l4_offset;
    put16(udp, flow.source_port);
    put16(udp + 2, flow.destination_port);
    put16(udp + 4, static_cast<std::uint16_t>(length));
    put16(udp + 6, 0);
    put_checksum(udp + 6, udp, length,
                 pseudo_header_sum(flow.source, flow.destination, protocol_udp, length), checksum,
                 true);
}

unsigned write_tcp_headers(std::uint8_t* out, const FlowAddress& flow, const TcpFields& f,
                           std::uint32_t payload_length, std::uint16_t id, L4Checksum checksum) {
    const bool syn = (f.flags & tcp_syn) != 0;
    const unsigned headers = tcp_headers_length(syn, f.timestamps);
    const unsigned tcp_length = headers - l4_offset;
    const std::uint32_t length = tcp_length + payload_length;
    write_ip_headers(out, flow, protocol_tcp, ipv4_header_bytes + length, id);
    std::uint8_t* tcp = out + l4_offset;
    put16(tcp, flow.source_port);
    put16(tcp + 2, flow.destination_port);
    put32(tcp + 4, f.sequence);
    put32(tcp + 8, f.acknowledgement);
    tcp[12] = static_cast<std::uint8_t>(tcp_length / 4 << 4);
    tcp[13] = f.flags;
    put16(tcp + 14, f.window);
    put32(tcp + 16, 0);  // checksum and urgent pointer
    std::uint8_t* option = tcp + tcp_header_bytes;
    if (syn) {
        option[0] = option_mss;
        option[1] = 4;
        put16(option + 2, f.mss);
        option[4] = option[5] = option_end_pad;
        put_timestamps(option + 6, f);
        if (!f.timestamps) std::memset(option + 6, option_end_pad, 10);
        option[16] = option_end_pad;
        option[17] = option_window_scale;
        option[18] = 3;
        option[19] = f.window_scale;
    } else if (f.timestamps) {
        option[0] = option[1] = option_end_pad;
        put_timestamps(option + 2, f);
    }
    put_checksum(tcp + 16, tcp, length,
                 pseudo_header_sum(flow.source, flow.destination, protocol_tcp, length), checksum,
                 false);
    return headers;
}

ParseResult parse_packet(std::span<const std::uint8_t> frame, ParsedPacket& out) {
    if (frame.size() < ethernet_header_bytes + ipv4_header_bytes) return ParseResult::truncated;
    if (get16(frame.data() + 12) != ethertype_ipv4) return ParseResult::not_ipv4;
    const std::uint8_t* ip = frame.data() + ip_offset;
    if (ip[0] != 0x45 || (get16(ip + 6) & 0x3fffU) != 0) return ParseResult::not_ipv4;
    const std::uint32_t total = get16(ip + 2);
    if (total < ipv4_header_bytes || total + ip_offset > frame.size()) {
        return ParseResult::truncated;
    }
    if (checksum_fold(checksum_sum(ip, ipv4_header_bytes)) != 0xffff) {
        return ParseResult::bad_ip_checksum;
    }
    out.ip_id = get16(ip + 4);
    out.protocol = ip[9];
    out.flow.source = get32(ip + 12);
    out.flow.destination = get32(ip + 16);
    out.l4 = ip + ipv4_header_bytes;
    out.l4_length = total - ipv4_header_bytes;
    if (out.protocol != protocol_tcp && out.protocol != protocol_udp) {
        return ParseResult::other_protocol;
    }
    if (out.l4_length < udp_header_bytes) return ParseResult::truncated;
    out.flow.source_port = get16(out.l4);
    out.flow.destination_port = get16(out.l4 + 2);
    if (out.protocol == protocol_tcp) return parse_tcp(out);
    if (get16(out.l4 + 4) < udp_header_bytes || get16(out.l4 + 4) > out.l4_length) {
        return ParseResult::truncated;
    }
    out.l4_length = get16(out.l4 + 4);
    out.payload = out.l4 + udp_header_bytes;
    out.payload_length = out.l4_length - udp_header_bytes;
    return ParseResult::ok;
}

bool l4_checksum_good(const ParsedPacket& p) {
    if (p.protocol == protocol_udp && get16(p.l4 + 6) == 0) return true;
    const std::uint64_t pseudo =
        pseudo_header_sum(p.flow.source, p.flow.destination, p.protocol, p.l4_length);
    return checksum_fold(pseudo + checksum_sum(p.l4, p.l4_length)) == 0xffff;
}

}  // namespace nicsim::host
