// SPDX-License-Identifier: Apache-2.0
// The host's network layer below the sockets: addresses, IPv4 identification and the demultiplexing
// of received packets to ports. One device, one peer; the peer's MAC is known statically (no ARP).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/headers.h"
#include "host_driver/net_device.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct IpConfig {
    std::string mac = "02:00:00:00:00:01";  ///< replaced by the device's own, see set_mac
    std::string address = "192.168.1.1";
    std::string peer_mac = "02:00:00:00:00:02";
    std::string peer_address = "192.168.1.2";
    std::uint64_t mtu = 1500;  ///< bytes of an IP packet
    static const sim::ParamTable& params();
};

/// A socket: receives what comes for its port, in softirq context.
class PortHandler {
public:
    virtual ~PortHandler() = default;
    virtual void receive(Core& core, const ParsedPacket& packet) = 0;
};

class IpStack final : public PacketHandler {
public:
    /// Becomes the device's packet handler. Throws std::invalid_argument if `config` is wrong.
    IpStack(NetDevice& device, HostMemory& memory, const IpConfig& config);

    void receive(Core& core, const std::uint8_t* bytes, std::uint32_t length) override;
    void bind(std::uint8_t protocol, std::uint16_t port, PortHandler* handler);
    /// The device's address as the driver found it.
    void set_mac(const MacAddress& mac) { mac_ = mac; }

    /// The flow from a local port to a port of the peer.
    [[nodiscard]] FlowAddress flow_to_peer(std::uint16_t local_port, std::uint16_t peer_port) const;
    /// Spreads flows over transmit queues.
    static std::uint32_t flow_hash(const FlowAddress& flow);
    [[nodiscard]] NetDevice& device() { return device_; }
    [[nodiscard]] HostMemory& memory() { return memory_; }
    [[nodiscard]] std::uint32_t mtu() const { return static_cast<std::uint32_t>(config_.mtu); }
    void register_stats(sim::StatGroup& group);

private:
    struct Binding {
        std::uint8_t protocol = 0;
        std::uint16_t port = 0;
        PortHandler* handler = nullptr;
    };

    NetDevice& device_;
    HostMemory& memory_;
    IpConfig config_;
    MacAddress mac_{};
    MacAddress peer_mac_{};
    Ipv4Address address_ = 0;
    Ipv4Address peer_address_ = 0;
    std::vector<Binding> bindings_;

    std::uint64_t received_ = 0;
    std::uint64_t bad_checksum_ = 0;
    std::uint64_t malformed_ = 0;
    std::uint64_t no_port_ = 0;
};

}  // namespace nicsim::host
