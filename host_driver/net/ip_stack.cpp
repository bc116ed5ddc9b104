// SPDX-License-Identifier: Apache-2.0
#include "host_driver/net/ip_stack.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nicsim::host {

const sim::ParamTable& IpConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<IpConfig>()
            .add("mac", &IpConfig::mac,
                 {.text_check = sim::mac_address_error,
                  .sentence =
                      "MAC address of the host's interface, unless the driver finds another.",
                  .source = sim::assumed("a locally administered address")})
            .add("address", &IpConfig::address,
                 {.text_check = ipv4_error,
                  .sentence = "IPv4 address of the host.",
                  .source = sim::assumed("a private address (RFC 1918)")})
            .add("peer_mac", &IpConfig::peer_mac,
                 {.text_check = sim::mac_address_error,
                  .sentence = "MAC address of the far end, known statically (no ARP).",
                  .source = sim::assumed("a locally administered address")})
            .add("peer_address", &IpConfig::peer_address,
                 {.text_check = ipv4_error,
                  .sentence = "IPv4 address of the far end.",
                  .source = sim::assumed("a private address (RFC 1918)")})
            .add("mtu", &IpConfig::mtu,
                 {.unit = sim::Unit::bytes,
                  .min = 576,
                  .max = 9216,
                  .sentence = "Largest IP packet; TCP segments hold 52 bytes less (40 without "
                              "timestamps), or what `far_end.mtu` leaves if that is less.",
                  .source = sim::driver("Linux include/uapi/linux/if_ether.h, ETH_DATA_LEN")})
            .build();
    return table;
}

IpStack::IpStack(NetDevice& device, HostMemory& memory, const IpConfig& config)
    : device_(device), memory_(memory), config_(config) {
    for (const std::string& error : {ipv4_error(config.address), ipv4_error(config.peer_address)})
        if (!error.empty()) throw std::invalid_argument("addresses of the host: " + error);
    mac_ = sim::parse_mac_address(config.mac, "mac");
    peer_mac_ = sim::parse_mac_address(config.peer_mac, "peer_mac");
    address_ = *parse_ipv4(config.address);
    peer_address_ = *parse_ipv4(config.peer_address);
    device_.set_mtu(mtu());
    device_.set_handler(this);
}

void IpStack::bind(std::uint8_t protocol, std::uint16_t port, PortHandler* handler) {
    for (const Binding& b : bindings_) {
        if (b.protocol == protocol && b.port == port) {
            throw std::invalid_argument("local port " + std::to_string(port) +
                                        " is used by two workloads");
        }
    }
    bindings_.push_back({protocol, port, handler});
}

FlowAddress IpStack::flow_to_peer(std::uint16_t local_port, std::uint16_t peer_port) const {
    return {mac_, peer_mac_, address_, peer_address_, local_port, peer_port};
}

std::uint32_t IpStack::flow_hash(const FlowAddress& flow) {
    std::uint64_t h =
        (std::uint64_t{flow.source} << 32 | flow.destination) * 0x9e37'79b9'7f4a'7c15U;
    h ^= (std::uint64_t{flow.source_port} << 16 | flow.destination_port) * 0xbf58'476d'1ce4'e5b9U;
    h ^= h >> 31;
    h *= 0x94d0'49bb'1331'11ebU;
    return static_cast<std::uint32_t>(h >> 32);
}

void IpStack::receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) {
    ++received_;
    ParsedPacket packet;
    switch (parse_packet({bytes, length}, packet)) {
        case ParseResult::ok:
            break;
        case ParseResult::bad_ip_checksum:
            ++bad_checksum_;
            return;
        default:
            ++malformed_;
            return;
    }
    if (packet.flow.destination != address_) {
        ++no_port_;
        return;
    }
    if (!l4_checksum_good(packet)) {
        ++bad_checksum_;
        return;
    }
    for (const Binding& b : bindings_) {
        if (b.port == packet.flow.destination_port && b.protocol == packet.protocol) {
            b.handler->receive(core, packet);
            return;
        }
    }
    ++no_port_;
}

void IpStack::register_stats(sim::StatGroup& group) {
    group.counter("received", "packets", "Packets that reached the IP layer.", received_);
    group.loss("bad_checksum", "packets", "Packets dropped for an IP or L4 checksum.",
               bad_checksum_);
    group.loss("malformed", "packets", "Packets that are not IPv4 TCP or UDP, or cut off.",
               malformed_);
    group.loss("no_port", "packets", "Packets for another address or a port nobody uses.",
               no_port_);
}

}  // namespace nicsim::host
