// SPDX-License-Identifier: Apache-2.0
// What a link is: generation, width, the limits that firmware leaves in the functions at its ends,
// and how link-layer packets are charged. Closed forms of its rate and timers.
#pragma once

#include <cstdint>
#include <string>

#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::pcie {

/// How ACK, UpdateFC and SKP are charged to the wire.
enum class DllpCharge : std::uint8_t {
    none,         ///< not at all; credits still travel
    real,         ///< as traffic makes them due, in the direction they travel in
    closed_form,  ///< as a constant share of the rate of both directions (pcie-bench)
};

struct LinkConfig {
    std::uint64_t generation = 1;
    std::uint64_t width = 1;
    std::uint64_t max_payload = 256;              ///< bytes; the smaller of port and device holds
    std::uint64_t max_read_request = 512;         ///< bytes; as firmware leaves it in the device
    std::uint64_t read_completion_boundary = 64;  ///< bytes
    DllpCharge dllp = DllpCharge::real;
    std::uint64_t propagation_delay = 5'000;  ///< ps, pin to pin and through both PHYs
    double bit_error_rate = 0.0;              ///< of each direction
    std::uint64_t replay_buffer = 0;          ///< bytes of TLPs not yet acknowledged; 0: enough
    std::uint64_t retrain_time = 10'000'000;  ///< ps
    bool ecrc = false;                        ///< both ends make and check it

    static const sim::ParamTable& params();
    /// Empty, or what is wrong with which parameter and what is allowed.
    [[nodiscard]] std::string validate() const;

    /// bit/s of all lanes after the line code, before any packet overhead.
    [[nodiscard]] double usable_rate() const;
    /// One symbol time: a byte on one lane, in picoseconds.
    [[nodiscard]] double symbol_time() const;
    /// Picoseconds that a byte of a TLP takes, times 2^32. `closed_form` puts the DLLPs in here.
    [[nodiscard]] std::uint64_t byte_time_q32() const;
    /// Time of `bytes` on an idle wire, rounded down.
    [[nodiscard]] sim::Ps wire_time(std::uint64_t bytes) const {
        return (bytes * byte_time_q32()) >> 32U;
    }
    /// The longest a receiver may hold back an ACK or UpdateFC, in symbol times.
    [[nodiscard]] std::uint64_t dllp_limit_symbols() const;
    [[nodiscard]] sim::Ps dllp_limit() const;
    /// How long a sender waits for an acknowledgement before it repeats: three times the limit
    /// above up to 8 GT/s, the simplified timer's least value from 16 GT/s on.
    [[nodiscard]] sim::Ps replay_timer() const;
    /// From a trained link until both ends have seen InitFC1 and InitFC2 of all three classes.
    [[nodiscard]] sim::Ps flow_control_init_time() const;
};

/// A SKP ordered set of 4 symbols at least every 1538 symbol times, on every lane.
constexpr std::uint64_t skp_interval_symbols = 1538;
constexpr std::uint64_t skp_symbols = 4;
/// Each finite class is updated at least this often while the link is up.
constexpr sim::Ps update_fc_interval = 30 * sim::ps_per_us;

}  // namespace nicsim::pcie
