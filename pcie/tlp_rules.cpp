// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "pcie/splitting.h"

namespace nicsim::pcie {
namespace {

constexpr std::uint32_t largest_length_dw = 1024;

enum class Defect { none, length, payload, boundary, alignment, enables };

bool has_hole(unsigned enables) {
    const unsigned run = enables >> static_cast<unsigned>(std::countr_zero(enables));
    return (run & (run + 1U)) != 0;
}

bool enables_are_legal(const Tlp& t) {
    if (t.length_dw == 1) return t.last_be == 0;
    if (t.first_be == 0 || t.last_be == 0) return false;
    // Holes in several double words: two of them only, on a quad-word boundary.
    if (t.length_dw == 2 && (t.address & 7U) == 0) return true;
    return !has_hole(t.first_be) && !has_hole(t.last_be) && (t.first_be & 8U) != 0 &&
           (t.last_be & 1U) != 0;
}

Defect defect_of(const Tlp& t, std::uint32_t max_payload) {
    if (t.type == TlpType::Msg || t.type == TlpType::Cpl) return Defect::none;
    if (t.length_dw < 1 || t.length_dw > largest_length_dw) return Defect::length;
    if (t.data_bytes() > max_payload) return Defect::payload;
    if (t.is_completion()) return Defect::none;
    if ((t.address & 3U) != 0) return Defect::alignment;
    if (!t.is_memory()) return t.length_dw == 1 && t.last_be == 0 ? Defect::none : Defect::length;
    if ((t.address & (request_boundary - 1U)) + t.length_dw * 4U > request_boundary)
        return Defect::boundary;
    return enables_are_legal(t) ? Defect::none : Defect::enables;
}

std::uint32_t format_and_type(const Tlp& t) {
    constexpr std::uint32_t long_header = 1U << 5U;
    constexpr std::uint32_t with_data = 1U << 6U;
    constexpr std::uint32_t config = 0x04;
    constexpr std::uint32_t completion = 0x0a;
    constexpr std::uint32_t message_to_root = 0x10;
    const std::uint32_t format =
        (t.header_bytes() == 16 ? long_header : 0U) | (t.has_data() ? with_data : 0U);
    switch (t.type) {
        case TlpType::CfgRd0:
        case TlpType::CfgWr0:
            return format | config;
        case TlpType::Cpl:
        case TlpType::CplD:
            return format | completion;
        case TlpType::Msg:
            return format | message_to_root;
        default:
            return format;
    }
}

}  // namespace

bool malformed(const Tlp& tlp, std::uint32_t max_payload) {
    return defect_of(tlp, max_payload) != Defect::none;
}

std::string why_malformed(const Tlp& tlp, std::uint32_t max_payload) {
    switch (defect_of(tlp, max_payload)) {
        case Defect::length:
            return "the length is not one that this type can have";
        case Defect::payload:
            return fmt::format("the payload exceeds MPS of {} bytes", max_payload);
        case Defect::boundary:
            return "it crosses a 4 KiB boundary";
        case Defect::alignment:
            return "the address is not a multiple of 4";
        case Defect::enables:
            return "the byte enables are of no legal form";
        default:
            return {};
    }
}

TlpPtr completion_without_data(const Tlp& request, CompletionStatus status) {
    TlpPtr completion = tlp_pool().make();
    completion->type = TlpType::Cpl;
    completion->status = status;
    completion->requester_id = request.requester_id;
    completion->tag = request.tag;
    completion->traffic_class = request.traffic_class;
    completion->purpose = request.purpose;
    completion->byte_count = 4;
    if (request.type == TlpType::MRd) {
        const ByteRange bytes =
            byte_range({request.address, request.length_dw, request.first_be, request.last_be});
        completion->byte_count = static_cast<std::uint16_t>(std::max(bytes.length, 1U));
        completion->lower_address = static_cast<std::uint8_t>(bytes.address & 0x7fU);
    }
    return completion;
}

std::array<std::uint32_t, 4> header_dwords(const Tlp& t) {
    std::array<std::uint32_t, 4> dw{};
    const std::uint32_t tag = t.tag;
    dw[0] = format_and_type(t) << 24U | (tag >> 9U & 1U) << 23U | (t.traffic_class & 7U) << 20U |
            (tag >> 8U & 1U) << 19U | (t.id_based_ordering ? 1U << 18U : 0U) |
            (t.digest ? 1U << 15U : 0U) | (t.poisoned ? 1U << 14U : 0U) |
            (t.relaxed_ordering ? 1U << 13U : 0U) | (t.no_snoop ? 1U << 12U : 0U) |
            (t.length_dw & 0x3ffU);
    const std::uint32_t low_tag = (tag & 0xffU) << 8U;
    if (t.is_completion()) {
        dw[1] = std::uint32_t{t.completer_id} << 16U | static_cast<std::uint32_t>(t.status) << 13U |
                (t.byte_count & 0xfffU);
        dw[2] = std::uint32_t{t.requester_id} << 16U | low_tag | t.lower_address;
        return dw;
    }
    dw[1] = std::uint32_t{t.requester_id} << 16U | low_tag |
            (t.type == TlpType::Msg ? std::uint32_t{t.message_code}
                                    : static_cast<std::uint32_t>(t.last_be << 4U | t.first_be));
    if (t.type == TlpType::CfgRd0 || t.type == TlpType::CfgWr0) {
        dw[2] = std::uint32_t{id_of(t.target)} << 16U | static_cast<std::uint32_t>(t.address);
    } else if (t.header_bytes() == 16) {
        dw[2] = static_cast<std::uint32_t>(t.address >> 32U);
        dw[3] = static_cast<std::uint32_t>(t.address);
    } else {
        dw[2] = static_cast<std::uint32_t>(t.address);
    }
    return dw;
}

}  // namespace nicsim::pcie
