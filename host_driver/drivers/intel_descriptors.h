// SPDX-License-Identifier: Apache-2.0
// Advanced descriptors as the I210 (datasheet 7.1.4, 7.2.2) and the 82599 (7.1.6, 7.2.3) have them.
#pragma once

#include <cstdint>

namespace nicsim::host::intel {

constexpr unsigned descriptor_bytes = 16;
constexpr std::uint32_t ADVTXD_DTYP_CTXT = 2U << 20;
constexpr std::uint32_t ADVTXD_DTYP_DATA = 3U << 20;
constexpr std::uint32_t ADVTXD_EOP = 1U << 24;
constexpr std::uint32_t ADVTXD_IFCS = 1U << 25;
constexpr std::uint32_t ADVTXD_RS = 1U << 27;
constexpr std::uint32_t ADVTXD_DEXT = 1U << 29;
constexpr std::uint32_t ADVTXD_TSE = 1U << 31;
constexpr std::uint32_t ADVTXD_IXSM = 1U << 8;
constexpr std::uint32_t ADVTXD_TXSM = 1U << 9;
constexpr unsigned ADVTXD_PAYLEN_SHIFT = 14;
constexpr std::uint32_t ADVTXD_TUCMD_IPV4 = 1U << 10;
constexpr std::uint32_t ADVTXD_TUCMD_L4T_TCP = 1U << 11;
constexpr unsigned ADVTXD_MACLEN_SHIFT = 9;
constexpr unsigned ADVTXD_L4LEN_SHIFT = 8;
constexpr unsigned ADVTXD_MSS_SHIFT = 16;
constexpr std::uint32_t TXD_STAT_DD = 1U << 0;
constexpr std::uint32_t RXD_STAT_EOP = 1U << 1;
constexpr std::uint32_t RXDEXT_ERR_RXE = 1U << 31;

}  // namespace nicsim::host::intel
