// SPDX-License-Identifier: Apache-2.0
// A PCIe switch: one upstream port and two or more downstream ports, each the end of a link of its
// own with its own credits.
//
//   pcie::Switch sw("switch", config);
//   pcie::Link to_host("to_host", link, rc.port(), sw.upstream());
//   pcie::Link to_nic("to_nic", link, sw.downstream(0), endpoint);   // after to_host
//
// Modelled: type-1 headers, routing by address, bus number and requester ID, peer-to-peer between
// downstream ports, forwarding with a latency (store-and-forward or cut-through), ingress buffers
// that give their credits back when a TLP moves on, egress queues of bounded length that push back
// per flow class, the ordering rules between TLPs of one ingress port, Unsupported Request, error
// registers and messages of each port (a poisoned TLP is passed on and noted as advisory), and the
// reset that comes with the loss of the upstream link (6.6.1): what is inside is lost, headers are
// as after power-up but for their error registers, and the links behind are in hot reset until the
// upstream link is back (assumed: they do not train before). Not modelled: virtual channels, ACS,
// multicast, ECRC checks of the switch itself, the hot reset that a bridge control register asks
// for; a TLP that cuts through cannot leave before its last byte has arrived (it leaves at once
// then if the latency has passed).
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "pcie/bridge_config.h"
#include "pcie/error_reporter.h"
#include "pcie/link.h"
#include "sim/param.h"

namespace nicsim::pcie {

enum class Forwarding : std::uint8_t { cut_through, store_and_forward };

struct SwitchConfig {
    std::uint64_t ports = 2;  ///< downstream
    Forwarding forwarding = Forwarding::cut_through;
    std::uint64_t latency = 150'000;  ///< ps
    std::uint64_t max_payload = 512;  ///< bytes
    std::uint64_t max_link_generation = 5;
    std::uint64_t max_link_width = 16;
    std::uint64_t egress_queue = 4;  ///< TLPs per class and port
    std::uint64_t posted_header_credits = 32;
    std::uint64_t posted_data_credits = 256;
    std::uint64_t nonposted_header_credits = 32;
    std::uint64_t nonposted_data_credits = 32;
    std::uint64_t completion_header_credits = 32;
    std::uint64_t completion_data_credits = 256;
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
};

struct SwitchCounters : ErrorCounters {
    std::uint64_t to_host = 0;  ///< TLPs forwarded
    std::uint64_t to_devices = 0;
    std::uint64_t peer_to_peer = 0;
    std::uint64_t config_accesses = 0;  ///< of the switch's own ports
    std::uint64_t unsupported = 0;
    std::uint64_t error_messages = 0;  ///< of its ports' own errors
    std::uint64_t blocked = 0;         ///< TLPs that had to wait for an egress queue
    std::uint64_t resets = 0;          ///< the upstream link was lost
    std::uint64_t reset_losses = 0;    ///< TLPs that were inside then
};

class Switch : public sc_core::sc_module {
public:
    Switch(const sc_core::sc_module_name& name, const SwitchConfig& config);
    ~Switch() override;

    [[nodiscard]] LinkPartner& upstream();
    [[nodiscard]] LinkPartner& downstream(unsigned index);
    [[nodiscard]] unsigned ports() const { return static_cast<unsigned>(config_.ports); }
    [[nodiscard]] const SwitchCounters& counters() const { return counters_; }
    /// TLPs inside.
    [[nodiscard]] std::size_t held() const;
    /// The error registers of a port: 0 is the upstream one, i + 1 the downstream one i.
    [[nodiscard]] const Aer& errors(unsigned port) const;
    void register_stats(sim::StatGroup& group);

private:
    class Port;
    friend class Port;

    /// Where a TLP that came in at `from` goes: a port, `from` itself for the switch, or null.
    Port* route(Port& from, const Tlp& tlp);
    Port* route_address(Port& from, std::uint64_t address);
    Port* route_id(unsigned bus);
    Port* config_owner(const Tlp& tlp);
    [[nodiscard]] sim::Ps forwarding_delay(const Port& from, const Port* to, const Tlp& tlp) const;
    void answer_config(Port& from, const Tlp& request);
    void refuse(Port& from, const Tlp& tlp);
    void pump();
    void reset();
    void end_reset();
    void count(const Port& from, const Port& to);

    const SwitchConfig config_;
    std::vector<std::unique_ptr<Port>> all_;  ///< the upstream port first
    bool pumping_ = false;
    bool again_ = false;
    bool resetting_ = false;
    SwitchCounters counters_;
};

}  // namespace nicsim::pcie
