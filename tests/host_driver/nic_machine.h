// SPDX-License-Identifier: Apache-2.0
// A driver on a host, in front of its device model behind a PCIe link, with a wire that a test
// listens to and sends on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "host_driver/host.h"
#include "host_driver/net/headers.h"
#include "host_driver/net_device.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "sim/doors.h"
#include "tests/host_driver/host_bench.h"
#include "tests/support/protocol_checkers.h"

namespace nicsim::host::testing {

/// The far end of the cable: keeps what it gets.
struct Wire : sim::EthernetIf, sc_core::sc_module {
    explicit Wire(const sc_core::sc_module_name& name) : sc_module(name) {}
    void deliver(const sim::FramePtr& frame, sim::Ps, sim::Ps) override {
        ++frames;
        last.assign(frame->bytes().begin(), frame->bytes().end());
        if (keep_all) all.push_back(last);
    }
    std::uint64_t frames = 0;
    bool keep_all = false;
    std::vector<std::uint8_t> last;
    std::vector<std::vector<std::uint8_t>> all;
};

/// What a driver hands up.
struct Received : PacketHandler {
    void receive(Core&, const std::uint8_t* bytes, std::uint32_t length) override {
        frames.emplace_back(bytes, bytes + length);
    }
    std::vector<std::vector<std::uint8_t>> frames;
};

/// The same addresses everywhere.
inline FlowAddress test_flow(const MacAddress& from, const MacAddress& to) {
    return {from, to, 0x0a000001, 0x0a000002, 1234, 5001};
}

template <class Nic, class NicConfig, class Driver, class DriverConfig>
struct NicMachine {
    explicit NicMachine(const DriverConfig& config = {}, const NicConfig& nic_config = {},
                        const pcie::LinkConfig& link_config = {})
        : host("host", host_config()),
          root("root", pcie::RootComplexConfig{}, host.memory(), host.interrupts(), 1),
          nic("nic", nic_config),
          endpoint("endpoint", nic.identity()),
          link("link", link_config, root.port(), endpoint),
          driver(host, config) {
        host.attach(root);
        nic.interrupts.bind(endpoint.interrupts);
        nic.ethernet_out.bind(sink);
        endpoint.on_limits_changed(
            sim::Callback<const sim::BusLimits&>::template to<&Nic::set_bus_limits>(&nic));
        driver.device().set_handler(&received);
    }
    static HostConfig host_config() {
        HostConfig c;
        c.cores = 1;
        c.memory = 64 << 20;
        return c;
    }
    /// Enumerates, probes and opens. What went wrong is returned.
    std::string start() {
        host.script()
            .then([this](Core& c) { host.pci().enumerate(c); })
            .then([this](Core& c) { driver.probe(c); })
            .then([this](Core& c) { driver.open(c); });
        run(2 * sim::ps_per_s);
        if (host.script().error() != nullptr) {
            try {
                std::rethrow_exception(host.script().error());
            } catch (const std::exception& e) {
                return e.what();
            }
        }
        return host.script().done() ? "" : "not done";
    }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    void on_core(std::function<void(Core&)> f, sim::Ps t) {
        steps.run(host.core(), std::move(f));
        run(t);
    }
    SkbPtr packet(std::uint32_t length) {
        SkbPtr skb = skb_pool().make();
        skb->linear = {host.memory().allocate(length), length};
        skb->length = length;
        return skb;
    }
    /// A TCP packet with headers in its linear part and `payload` in a fragment; cut by the device
    /// into segments of `mss` if there is more.
    SkbPtr tcp_packet(std::span<const std::uint8_t> payload, std::uint16_t mss) {
        const auto n = static_cast<std::uint32_t>(payload.size());
        const unsigned headers = tcp_headers_length(false, true);
        SkbPtr skb = packet(headers);
        skb->frags[0] = {host.memory().allocate(n), n};
        skb->frag_count = 1;
        skb->length = headers + n;
        skb->l4 = L4::tcp;
        skb->transport_header_bytes = tcp_data_header_bytes;
        skb->checksum_partial = true;
        skb->gso_size = mss;
        skb->gso_segments = static_cast<std::uint16_t>((n + mss - 1) / mss);
        host.memory().write(skb->frags[0].address, payload);
        TcpFields fields;
        fields.sequence = 1000;
        fields.timestamp = 77;
        write_tcp_headers(host.memory().at(skb->linear.address, headers),
                          test_flow(driver.mac_address(), peer), fields, n, 42,
                          L4Checksum::partial);
        return skb;
    }
    /// Puts a frame on the wire towards the device, now.
    void deliver(std::span<const std::uint8_t> bytes, bool fcs_good = true) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(static_cast<std::uint32_t>(bytes.size()));
        std::copy(bytes.begin(), bytes.end(), frame->bytes().begin());
        frame->fcs_good = fcs_good;
        const sim::Ps on_wire =
            sim::wire_bytes(frame->length()) * 8U * sim::ps_per_s / driver.link_bits_per_second();
        nic.ethernet_in->deliver(frame, sim::now(), sim::now() + on_wire);
        run(on_wire);
    }
    /// A UDP datagram of the peer's in `length` bytes, its payload counting from `first`.
    [[nodiscard]] std::vector<std::uint8_t> datagram(std::uint32_t length,
                                                     std::uint8_t first) const {
        std::vector<std::uint8_t> bytes(length);
        constexpr unsigned headers = ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;
        for (std::uint32_t i = headers; i < length; ++i)
            bytes[i] = static_cast<std::uint8_t>(first + i);
        write_udp_headers(bytes.data(), test_flow(peer, driver.mac_address()), length - headers, 1,
                          L4Checksum::full);
        return bytes;
    }

    MacAddress peer = {0x02, 0, 0, 0, 0, 0x99};
    Host host;
    pcie::RootComplex root;
    Nic nic;
    pcie::Endpoint endpoint;
    pcie::Link link;
    nicsim::test::ProtocolCheckers checkers{nic, endpoint, link};
    Wire sink{"sink"};
    Received received;
    Driver driver;
    Steps steps;
};

/// Checks that the frames on the wire are `payload` cut at `mss`, each with right headers and sums.
inline void expect_segments(const std::vector<std::vector<std::uint8_t>>& frames,
                            std::span<const std::uint8_t> payload, std::uint32_t mss) {
    std::vector<std::uint8_t> joined;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        ParsedPacket p;
        ASSERT_EQ(parse_packet(frames[i], p), ParseResult::ok) << "segment " << i;
        EXPECT_EQ(p.protocol, protocol_tcp);
        EXPECT_TRUE(l4_checksum_good(p)) << "segment " << i;
        EXPECT_EQ(p.tcp.sequence, 1000 + joined.size()) << "segment " << i;
        EXPECT_EQ(p.ip_id, 42 + i) << "segment " << i;
        EXPECT_EQ(p.tcp.timestamp, 77U);
        const std::size_t left = payload.size() - joined.size();
        EXPECT_EQ(p.payload_length, std::min<std::size_t>(left, mss)) << "segment " << i;
        joined.insert(joined.end(), p.payload, p.payload + p.payload_length);
    }
    EXPECT_TRUE(std::equal(joined.begin(), joined.end(), payload.begin(), payload.end()));
}

inline std::vector<std::uint8_t> test_payload(std::size_t bytes) {
    std::vector<std::uint8_t> payload(bytes);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    return payload;
}

}  // namespace nicsim::host::testing
