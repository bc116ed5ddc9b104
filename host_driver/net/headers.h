// SPDX-License-Identifier: Apache-2.0
// Ethernet, IPv4, UDP and TCP headers as real bytes: writing, parsing and checksums.
// IPv4 without options and fragments; TCP options: MSS, window scale and timestamps. Not modelled:
// VLAN tags, ARP (the peer's MAC is known statically), IPv6, SACK blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/mac_address.h"

namespace nicsim::host {

using sim::MacAddress;
using Ipv4Address = std::uint32_t;  ///< in host order: 10.0.0.1 is 0x0a000001

std::optional<Ipv4Address> parse_ipv4(std::string_view text);
/// Empty, or why a text is no address; for declarations of parameters.
std::string ipv4_error(const std::string& text);
std::string format_mac(const MacAddress& mac);
std::string format_ipv4(Ipv4Address address);

constexpr unsigned ethernet_header_bytes = 14;
constexpr unsigned ipv4_header_bytes = 20;
constexpr unsigned udp_header_bytes = 8;
constexpr unsigned tcp_header_bytes = 20;            ///< without options
constexpr unsigned tcp_timestamp_option_bytes = 12;  ///< RFC 7323, with two bytes of padding
constexpr unsigned tcp_data_header_bytes = 32;       ///< with timestamps
constexpr unsigned tcp_syn_header_bytes = 40;        ///< MSS, timestamps and window scale
constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint8_t protocol_tcp = 6;
constexpr std::uint8_t protocol_udp = 17;

/// Unaligned big-endian accesses.
inline void put16(std::uint8_t* p, std::uint16_t v) {
    p[0] = static_cast<std::uint8_t>(v >> 8);
    p[1] = static_cast<std::uint8_t>(v);
}
inline void put32(std::uint8_t* p, std::uint32_t v) {
    put16(p, static_cast<std::uint16_t>(v >> 16));
    put16(p + 2, static_cast<std::uint16_t>(v));
}
inline void put64(std::uint8_t* p, std::uint64_t v) {
    put32(p, static_cast<std::uint32_t>(v >> 32));
    put32(p + 4, static_cast<std::uint32_t>(v));
}
inline std::uint16_t get16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>((p[0] << 8) | p[1]);
}
inline std::uint32_t get32(const std::uint8_t* p) {
    return (std::uint32_t{get16(p)} << 16) | get16(p + 2);
}
inline std::uint64_t get64(const std::uint8_t* p) {
    return (std::uint64_t{get32(p)} << 32) | get32(p + 4);
}

// ---- Internet checksum (RFC 1071) ----

/// One's complement sum of big-endian 16-bit words, not folded and not complemented. An odd last
/// byte counts as the high half of a word, so only the last piece of a chain may be odd.
std::uint64_t checksum_sum(const std::uint8_t* bytes, std::size_t length);
/// Folds a sum to 16 bits (not complemented).
constexpr std::uint16_t checksum_fold(std::uint64_t sum) {
    sum = (sum & 0xffff'ffffU) + (sum >> 32);
    sum = (sum & 0xffffU) + (sum >> 16);
    sum = (sum & 0xffffU) + (sum >> 16);
    sum = (sum & 0xffffU) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}
/// Sum of the pseudo header of UDP and TCP.
constexpr std::uint64_t pseudo_header_sum(Ipv4Address source, Ipv4Address destination,
                                          std::uint8_t protocol, std::uint32_t l4_length) {
    return std::uint64_t{source >> 16} + (source & 0xffffU) + (destination >> 16) +
           (destination & 0xffffU) + protocol + l4_length;
}

// ---- writing ----

/// Both ends of a flow.
struct FlowAddress {
    MacAddress source_mac{};
    MacAddress destination_mac{};
    Ipv4Address source = 0;
    Ipv4Address destination = 0;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    /// The same flow seen from the other end.
    [[nodiscard]] FlowAddress reversed() const {
        return {destination_mac, source_mac, destination, source, destination_port, source_port};
    }
};

constexpr std::uint8_t tcp_fin = 0x01;
constexpr std::uint8_t tcp_syn = 0x02;
constexpr std::uint8_t tcp_rst = 0x04;
constexpr std::uint8_t tcp_psh = 0x08;
constexpr std::uint8_t tcp_ack_flag = 0x10;

/// What one TCP header says beside its ports. Timestamps are written always.
struct TcpFields {
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgement = 0;
    std::uint8_t flags = tcp_ack_flag;
    std::uint16_t window = 0;  ///< as on the wire, scaled
    std::uint32_t timestamp = 0;
    std::uint32_t timestamp_echo = 0;
    bool timestamps = true;
    std::uint16_t mss = 0;          ///< SYN only; 0 for none
    std::uint8_t window_scale = 0;  ///< SYN only
};

/// How the L4 checksum is left: as the device expects it, or complete.
enum class L4Checksum : std::uint8_t {
    partial,  ///< pseudo header only, not complemented (CHECKSUM_PARTIAL)
    full,     ///< over `payload`, which must follow the headers in memory
};

/// Ethernet and IPv4 headers (34 bytes), the IP checksum included.
void write_ip_headers(std::uint8_t* out, const FlowAddress& flow, std::uint8_t protocol,
                      std::uint32_t ip_length, std::uint16_t id);
/// All headers of a UDP datagram (42 bytes).
void write_udp_headers(std::uint8_t* out, const FlowAddress& flow, std::uint32_t payload_length,
                       std::uint16_t id, L4Checksum checksum);
/// All headers of a TCP segment; returns their length. A SYN carries MSS and window scale.
unsigned write_tcp_headers(std::uint8_t* out, const FlowAddress& flow, const TcpFields& fields,
                           std::uint32_t payload_length, std::uint16_t id, L4Checksum checksum);
/// Length that `write_tcp_headers` gives, from the first byte of the Ethernet header.
constexpr unsigned tcp_headers_length(bool syn, bool timestamps) {
    const unsigned l4 = syn ? tcp_syn_header_bytes
                            : tcp_header_bytes + (timestamps ? tcp_timestamp_option_bytes : 0U);
    return ethernet_header_bytes + ipv4_header_bytes + l4;
}

// ---- parsing ----

struct ParsedPacket {
    const std::uint8_t* l4 = nullptr;
    const std::uint8_t* payload = nullptr;
    std::uint32_t payload_length = 0;
    std::uint32_t l4_length = 0;  ///< L4 header and payload
    FlowAddress flow;             ///< MAC addresses are not filled in
    std::uint8_t protocol = 0;
    std::uint16_t ip_id = 0;
    TcpFields tcp;  ///< if protocol is TCP
};

enum class ParseResult : std::uint8_t {
    ok,
    not_ipv4,         ///< another EtherType, version, or a fragment
    truncated,        ///< shorter than its headers say
    bad_ip_checksum,  ///< IPv4 header checksum wrong
    other_protocol,   ///< neither TCP nor UDP
};
ParseResult parse_packet(std::span<const std::uint8_t> frame, ParsedPacket& out);

/// Whether the UDP or TCP checksum of a parsed packet is right (a UDP checksum of 0 is none).
bool l4_checksum_good(const ParsedPacket& packet);

}  // namespace nicsim::host
