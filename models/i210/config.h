// SPDX-License-Identifier: Apache-2.0
// What an I210 is built as: constants of the die, the board and the cable. What a driver programs
// (buffer split, thresholds, throttle interval, ...) is a register of the device and a parameter of
// the driver, not of this structure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::models::i210 {

enum class NvmKind : std::uint8_t {
    flash,  ///< external flash, device id 0x1533
    invm,   ///< no flash, words in the on-die one-time memory, device id 0x157B
};

struct I210Config {
    // ---- board and cable ----
    std::uint64_t link_speed = 1'000'000'000;       ///< bit/s
    std::string mac_address = "02:00:00:00:00:01";  ///< in the NVM
    NvmKind nvm = NvmKind::flash;
    std::uint64_t auto_negotiation_time = 0;  ///< ps, from PHY reset to link up
    std::uint64_t systim_start = 0;           ///< ps, SYSTIM at simulated time 0
    // ---- die ----
    std::uint64_t register_access_time = 0;  ///< ps
    std::uint64_t tx_descriptor_cache = 24;  ///< descriptors per queue
    std::uint64_t rx_descriptor_cache = 16;  ///< descriptors per queue
    std::uint64_t tx_data_reads_in_flight = 6;
    std::uint64_t max_read_request = 2048;                ///< bytes
    std::uint64_t rx_phy_latency = 448 * sim::ps_per_ns;  ///< ps, wire to MAC
    std::uint64_t rx_store_latency = 0;                   ///< ps, last bit in the MAC to DMA start

    static const sim::ParamTable& params();

    /// The address as six bytes. Throws std::invalid_argument if it is not one.
    [[nodiscard]] std::array<std::uint8_t, 6> mac_bytes() const;
};

}  // namespace nicsim::models::i210
