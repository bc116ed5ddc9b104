// SPDX-License-Identifier: Apache-2.0
// What a receiver finds out about a TLP by looking at it: whether its header is well formed, and
// the bits of the header as they stand in a header log.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "pcie/tlp.h"

namespace nicsim::pcie {

/// Empty, or why the TLP is malformed (2.2.2 length and MPS, 2.2.5 byte enables, 2.2.7 4 KiB).
std::string why_malformed(const Tlp& tlp, std::uint32_t max_payload);
/// The same as a question, without a sentence.
bool malformed(const Tlp& tlp, std::uint32_t max_payload);

/// An answer without data, for whom and how much as the request says.
TlpPtr completion_without_data(const Tlp& request, CompletionStatus status);

/// The header as four double words, the first byte on the wire in bits 31:24 of the first (as the
/// Header Log registers hold it); a header of three ends with 0.
std::array<std::uint32_t, 4> header_dwords(const Tlp& tlp);

}  // namespace nicsim::pcie
