// SPDX-License-Identifier: Apache-2.0
// What an 82599 is built as: constants of the die, the board and the cable. What a driver programs
// (thresholds, throttle interval, packet-buffer sizes, ...) is a register of the device and a
// parameter of the driver, not of this structure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::models::i82599 {

enum class Board : std::uint8_t {
    kx4,  ///< backplane, device id 0x10F7: no module, no I2C
    sfp,  ///< SFP+ cage with an SR module behind I2C, device id 0x10FB
};

struct I82599Config {
    // ---- board and cable ----
    Board board = Board::sfp;
    std::uint64_t link_speed = 10'000'000'000;      ///< bit/s
    std::string mac_address = "02:00:00:00:00:01";  ///< in the EEPROM
    std::uint64_t link_time = 0;                    ///< ps, from a restart of the link to link up
    // ---- die ----
    std::uint64_t queues = 16;               ///< transmit and receive queues with a data path
    std::uint64_t register_access_time = 0;  ///< ps
    std::uint64_t tx_descriptor_cache = 40;  ///< descriptors per queue
    bool tx_waiting_hold_places = true;      ///< in the descriptor cache
    std::uint64_t rx_descriptor_cache = 40;  ///< descriptors per queue
    std::uint64_t rx_prefetch = 32;          ///< descriptors
    std::uint64_t rx_writeback = 1;          ///< descriptors
    std::uint64_t tx_descriptor_reads_in_flight = 4;
    std::uint64_t rx_descriptor_reads_in_flight = 4;
    std::uint64_t tx_data_reads_in_flight = 24;
    std::uint64_t max_read_request = 2048;  ///< bytes
    std::uint64_t rx_phy_latency = 0;       ///< ps, wire to MAC
    std::uint64_t rx_store_latency = 0;     ///< ps, last bit in the MAC to DMA start
    // ---- bus interface ----
    std::uint64_t posted_header_credits = 16;
    std::uint64_t posted_data_credits = 64;  ///< units of 16 bytes
    std::uint64_t nonposted_header_credits = 4;

    static const sim::ParamTable& params();

    /// The address as six bytes. Throws std::invalid_argument if it is not one.
    [[nodiscard]] std::array<std::uint8_t, 6> mac_bytes() const;
    /// Reads of all channels together: the tags that the bus interface needs.
    [[nodiscard]] unsigned tags() const {
        return static_cast<unsigned>(tx_descriptor_reads_in_flight + rx_descriptor_reads_in_flight +
                                     tx_data_reads_in_flight);
    }
};

}  // namespace nicsim::models::i82599
