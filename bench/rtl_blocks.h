// SPDX-License-Identifier: Apache-2.0
// What each RTL block costs beside its model, on the same stimulus and with as little around it as
// the stimulus needs.
#pragma once

#include <cstdint>

#include "bench/isolated.h"

namespace nicsim::bench {

/// Who stands in the block's place.
enum class Twin {
    nobody,           ///< the least that keeps the stimulus going: what all else costs
    model,            ///< in C++
    rtl,              ///< as nicsim runs it: clocks that change nothing are left out
    rtl_every_clock,  ///< as a simulator of Verilog runs it
};

/// Requests to an interrupt throttle with an interval of 50 us, one every `gap_ns`, each with the
/// driver's answer to the interrupts. Cost::packets are requests.
Cost measure_throttle(Twin twin, std::uint64_t gap_ns, std::uint64_t requests);

/// Four rings of 64 descriptors each that are always kept filled, and a device that finishes one
/// every `gap_ns`; with a bus that answers at once. There is no `nobody`, since the model's rules
/// are part of the rings. Cost::packets are descriptors.
Cost measure_descriptors(Twin twin, std::uint64_t gap_ns, std::uint64_t descriptors);

/// Frames of `length` bytes in four queues (two of them shaped, 6/6/6/6 KiB, Qav), offered as fast
/// as they are taken. Cost::packets are frames sent.
Cost measure_packet_buffer(Twin twin, std::uint32_t length, std::uint64_t frames);

}  // namespace nicsim::bench
