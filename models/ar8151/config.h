// SPDX-License-Identifier: Apache-2.0
// What an AR8151, or a MikroTik 10/25G card, is built as: constants of the die, the board and the
// cable. What a driver programs (rings, bursts, request sizes, moderation, ...) is a register of
// the device and a parameter of the driver, not of this structure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::models::ar8151 {

enum class Variant : std::uint8_t {
    ar8151,    ///< Atheros AR8151 v2.0, 1 Gbit/s
    mikrotik,  ///< MikroTik's 10/25G card: the same registers, and some of its own
};

/// When the moderation interval of a cause begins again.
enum class ModerationStart : std::uint8_t {
    interrupt,    ///< with the message that tells of it
    acknowledge,  ///< when its handler has acknowledged it and lets interrupts go on
    unmask,       ///< when the driver enables the cause again, at the end of its poll
};

struct Ar8151Config {
    Variant variant = Variant::ar8151;
    // ---- board and cable ----
    std::uint64_t link_speed = 1'000'000'000;       ///< bit/s
    std::string mac_address = "02:00:00:00:00:01";  ///< in MAC_STA_ADDR after power-up
    std::uint64_t auto_negotiation_time = 0;        ///< ps
    // ---- die ----
    std::uint64_t queues = 1;  ///< receive queues; of the MikroTik card transmit queues, too
    std::uint64_t register_access_time = 0;  ///< ps
    std::uint64_t tpd_cache = 32;            ///< descriptors per queue
    std::uint64_t rfd_cache = 32;            ///< descriptors per queue
    std::uint64_t tx_data_reads_in_flight = 8;
    std::uint64_t tx_fifo = 8'192;       ///< bytes
    std::uint64_t rx_fifo = 16'384;      ///< bytes
    std::uint64_t rx_phy_latency = 0;    ///< ps, wire to MAC
    std::uint64_t rx_store_latency = 0;  ///< ps, last bit in the MAC to DMA start
    // ---- moderation ----
    ModerationStart moderation_start = ModerationStart::acknowledge;
    // Of the MikroTik card:
    std::uint64_t own_tx_interval = 0;  ///< ps
    std::uint64_t own_rx_interval = 0;  ///< ps
    // ---- bus interface ----
    std::uint64_t posted_header_credits = 16;
    std::uint64_t posted_data_credits = 64;  ///< units of 16 bytes
    std::uint64_t nonposted_header_credits = 4;

    /// Of the AR8151.
    static const sim::ParamTable& params();

    [[nodiscard]] bool mikrotik() const { return variant == Variant::mikrotik; }
    /// The AR8151 has one of normal and one of high priority.
    [[nodiscard]] unsigned tx_queues() const {
        return mikrotik() ? static_cast<unsigned>(queues) : 2;
    }
    [[nodiscard]] unsigned rx_queues() const { return static_cast<unsigned>(queues); }
    /// The address as six bytes. Throws std::invalid_argument if it is not one.
    [[nodiscard]] std::array<std::uint8_t, 6> mac_bytes() const;
    /// Reads of all channels together: the tags that the bus interface needs.
    [[nodiscard]] unsigned tags() const;
};

/// The same structure with the defaults and the parameters of the MikroTik card.
struct MikrotikConfig : Ar8151Config {
    MikrotikConfig();
    static const sim::ParamTable& params();
};

}  // namespace nicsim::models::ar8151
