// SPDX-License-Identifier: Apache-2.0
// A transaction layer packet as an object: header fields by name, payload bytes, pooled and shared.
// Modelled: the header fields that decide timing, routing, ordering and data; poison.
// The ECRC is a flag, not 32 bits: the digest takes its place on the wire, and a receiver that
// checks it knows whether the contents were changed on the way.
// Not modelled: prefixes, traffic classes other than 0 (the field is carried), atomics, I/O,
// messages with data.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "pcie/host_ports.h"
#include "sim/doors.h"
#include "sim/pool.h"

namespace nicsim::pcie {

/// Names as in the PCI Express Base Specification.
enum class TlpType : std::uint8_t { MRd, MWr, CfgRd0, CfgWr0, Cpl, CplD, Msg };
constexpr unsigned tlp_types = 7;
const char* name_of(TlpType type);

/// What flow control and the ordering rules distinguish.
enum class FlowClass : std::uint8_t { posted, nonposted, completion };
constexpr unsigned flow_classes = 3;
const char* name_of(FlowClass flow);

enum class CompletionStatus : std::uint8_t {
    successful = 0,
    unsupported_request = 1,
    configuration_retry = 2,
    completer_abort = 4,
};

/// Message codes of the messages that are sent here (2.2.8.3).
namespace message {
constexpr std::uint8_t err_cor = 0x30, err_nonfatal = 0x31, err_fatal = 0x33;
}

/// Requester or completer ID: bus 15:8, device 7:3, function 2:0.
constexpr std::uint16_t id_of(Bdf f) {
    return static_cast<std::uint16_t>((f.bus << 8U) | ((f.device & 0x1fU) << 3U) |
                                      (f.function & 7U));
}
constexpr Bdf bdf_of(std::uint16_t id) {
    return {static_cast<std::uint8_t>(id >> 8U), static_cast<std::uint8_t>((id >> 3U) & 0x1fU),
            static_cast<std::uint8_t>(id & 7U)};
}

/// Framing, sequence number and LCRC: 8 bytes per TLP in every generation.
constexpr std::uint32_t tlp_framing_bytes = 8;
constexpr std::uint32_t dllp_bytes = 8;
constexpr std::uint32_t digest_bytes = 4;

class Tlp : public sim::Pooled<Tlp> {
public:
    Tlp() : storage_(256) {}

    TlpType type = TlpType::MRd;
    std::uint8_t first_be = 0;  ///< byte enables of the first DW of a request
    std::uint8_t last_be = 0;   ///< of the last DW; 0 if the request has one DW
    std::uint8_t traffic_class = 0;
    bool relaxed_ordering = false;
    bool id_based_ordering = false;
    bool no_snoop = false;
    bool poisoned = false;    ///< EP
    bool digest = false;      ///< TD: an ECRC follows
    bool ecrc_error = false;  ///< the contents have changed since the ECRC was made
    std::uint8_t message_code = 0;
    CompletionStatus status = CompletionStatus::successful;
    sim::DmaPurpose purpose = sim::DmaPurpose::other;  ///< for statistics only
    std::uint16_t requester_id = 0;
    std::uint16_t completer_id = 0;
    std::uint16_t tag = 0;
    std::uint16_t length_dw = 0;  ///< 1..1024; of requests and of data
    /// Memory requests: byte address of the first DW. Configuration requests: register offset.
    std::uint64_t address = 0;
    Bdf target;                      ///< of configuration requests
    std::uint16_t byte_count = 0;    ///< of completions: bytes still to come, including this one
    std::uint8_t lower_address = 0;  ///< of completions: address bits 6:0 of the first byte
    std::uint64_t order = 0;         ///< n-th TLP handed to its link direction; set by the link

    /// Payload bytes, `length_dw` double words in wire order; empty for TLPs without data.
    [[nodiscard]] std::span<std::uint8_t> data() { return {storage_.data(), data_bytes()}; }
    [[nodiscard]] std::span<const std::uint8_t> data() const {
        return {storage_.data(), data_bytes()};
    }
    /// Sets `length_dw` of a TLP with data; the contents of the buffer are undefined.
    void allocate(std::uint32_t dw) {
        length_dw = static_cast<std::uint16_t>(dw);
        if (storage_.size() < dw * 4U) storage_.resize(dw * 4U);
    }

    [[nodiscard]] bool has_data() const {
        return type == TlpType::MWr || type == TlpType::CplD || type == TlpType::CfgWr0;
    }
    [[nodiscard]] bool is_completion() const {
        return type == TlpType::Cpl || type == TlpType::CplD;
    }
    [[nodiscard]] bool is_memory() const { return type == TlpType::MRd || type == TlpType::MWr; }
    [[nodiscard]] std::uint32_t data_bytes() const { return has_data() ? length_dw * 4U : 0U; }
    /// 4-DW headers carry addresses at or above 4 GiB, and all messages; nothing below may use one.
    [[nodiscard]] std::uint32_t header_bytes() const {
        return type == TlpType::Msg || (is_memory() && (address >> 32U) != 0) ? 16U : 12U;
    }
    [[nodiscard]] std::uint32_t wire_bytes() const {
        return header_bytes() + data_bytes() + (digest ? digest_bytes : 0U) + tlp_framing_bytes;
    }
    [[nodiscard]] FlowClass flow_class() const {
        switch (type) {
            case TlpType::MWr:
            case TlpType::Msg:
                return FlowClass::posted;
            case TlpType::Cpl:
            case TlpType::CplD:
                return FlowClass::completion;
            default:
                return FlowClass::nonposted;
        }
    }
    /// Data credits: units of 16 bytes, rounded up.
    [[nodiscard]] std::uint32_t data_credits() const { return (data_bytes() + 15U) / 16U; }

    void recycle();

private:
    std::vector<std::uint8_t> storage_;
};

using TlpPtr = sim::PoolPtr<Tlp>;

/// The pool that every TLP of the run comes from. Never destroyed.
sim::Pool<Tlp>& tlp_pool();

}  // namespace nicsim::pcie
