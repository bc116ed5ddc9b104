// SPDX-License-Identifier: Apache-2.0
// How byte ranges become TLPs: byte enables, cutting of requests by MPS or MRRS and 4 KiB, cutting
// of completions by MPS and RCB. PCI Express Base Specification, 2.2.5, 2.2.7 and 2.3.1.1.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace nicsim::pcie {

constexpr std::uint32_t request_boundary = 4096;

/// How a completer cuts read completions.
enum class CompletionPolicy : std::uint8_t {
    largest,         ///< as long as MPS and RCB allow
    every_boundary,  ///< at every multiple of RCB, as older chipsets do
};

/// A byte range as a request header says it.
struct DwRange {
    std::uint64_t address = 0;  ///< of the first DW
    std::uint32_t length_dw = 0;
    std::uint8_t first_be = 0;
    std::uint8_t last_be = 0;
};

/// `length` at least 1.
constexpr DwRange dw_range(std::uint64_t address, std::uint32_t length) {
    const auto lead = static_cast<std::uint32_t>(address & 3U);
    DwRange r;
    r.address = address - lead;
    r.length_dw = (lead + length + 3U) / 4U;
    const auto first = (0xfU << lead) & 0xfU;
    const auto last = 0xfU >> (3U - ((lead + length - 1U) & 3U));
    r.first_be = static_cast<std::uint8_t>(r.length_dw == 1 ? first & last : first);
    r.last_be = static_cast<std::uint8_t>(r.length_dw == 1 ? 0U : last);
    return r;
}

/// The bytes between the first and the last enabled one; `length` 0 for a zero-length read.
struct ByteRange {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
};
constexpr ByteRange byte_range(const DwRange& r) {
    if (r.first_be == 0) return {r.address, 0};
    const auto first = static_cast<std::uint32_t>(std::countr_zero(r.first_be));
    const std::uint8_t end_be = r.length_dw == 1 ? r.first_be : r.last_be;
    const auto end = static_cast<std::uint32_t>(std::bit_width(end_be));
    return {r.address + first, (r.length_dw - 1U) * 4U + end - first};
}
/// Every byte of the range is enabled.
constexpr bool contiguous(const DwRange& r) {
    const ByteRange b = byte_range(r);
    if (b.length == 0) return true;
    const DwRange full = dw_range(b.address, b.length);
    return full.first_be == r.first_be && full.last_be == r.last_be;
}

/// Length of the next request for `length` bytes from `address`: not over `limit` (MPS for writes,
/// MRRS for reads; counted in whole DWs from the first DW), not across 4 KiB, and if it must be
/// cut, at a multiple of `limit` or of 64 bytes so that what follows is aligned.
constexpr std::uint32_t next_request(std::uint64_t address, std::uint32_t length,
                                     std::uint32_t limit) {
    const auto to_boundary =
        request_boundary - static_cast<std::uint32_t>(address & (request_boundary - 1U));
    const auto lead = static_cast<std::uint32_t>(address & 3U);
    const std::uint32_t most = std::min(to_boundary, limit - lead);
    if (length <= most) return length;
    if (most == to_boundary) return most;
    // Cut at a cache line: what follows starts aligned.
    const auto off_line = static_cast<std::uint32_t>((address + most) & 63U);
    return off_line < most ? most - off_line : most;
}

/// Length of the next completion for `length` bytes still due from `address`.
constexpr std::uint32_t next_completion(std::uint64_t address, std::uint32_t length,
                                        std::uint32_t max_payload, std::uint32_t boundary,
                                        CompletionPolicy policy) {
    if (policy == CompletionPolicy::every_boundary) {
        const auto to_boundary = boundary - static_cast<std::uint32_t>(address & (boundary - 1U));
        return std::min(length, to_boundary);
    }
    const auto lead = static_cast<std::uint32_t>(address & 3U);
    if (lead + length <= max_payload) return length;
    const auto over = static_cast<std::uint32_t>((address - lead + max_payload) & (boundary - 1U));
    return max_payload - lead - over;
}

}  // namespace nicsim::pcie
