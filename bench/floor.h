// SPDX-License-Identifier: Apache-2.0
// The floor: about the least that a SystemC/TLM program can do and still move the TLPs of a
// transmitting NIC as objects with real bytes over a link with serialisation, arbitration by class
// and credits. It knows no registers, rings, thresholds, ordering rules or statistics. nicsim's
// cost per packet is quoted against it.
#pragma once

#include <cstdint>

namespace nicsim::bench {

struct FloorConfig {
    std::uint64_t packets = 100'000;
    std::uint32_t length = 64;             ///< bytes of a packet
    std::uint32_t outstanding = 64;        ///< packets between doorbell and completion
    std::uint32_t max_read_request = 512;  ///< bytes
    std::uint32_t max_payload = 128;       ///< bytes
};

struct FloorResult {
    std::uint64_t packets = 0;
    std::uint64_t wakeups = 0;   ///< process activations
    std::uint64_t checksum = 0;  ///< over the bytes that reached the wire
};

/// Builds, runs and reports the floor. Once per process.
FloorResult run_floor(const FloorConfig& config);

}  // namespace nicsim::bench
