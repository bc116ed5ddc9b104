// SPDX-License-Identifier: Apache-2.0
// A packet inside the host: buffers in host memory and what the stack and the driver tell each
// other about it. Headers are real bytes in the linear part; payload in it or in fragments.
//
// Checksums, as on Linux: with `checksum_partial` the L4 checksum field holds the folded pseudo
// header sum including the L4 length, not complemented, and whoever finishes the packet adds the
// rest. The IP header checksum is filled in by the stack.
#pragma once

#include <array>
#include <cstdint>

#include "sim/pool.h"
#include "sim/time.h"

namespace nicsim::host {

constexpr unsigned max_skb_frags = 17;  ///< MAX_SKB_FRAGS with 4 KiB pages

struct Fragment {
    std::uint64_t address = 0;  ///< in host memory
    std::uint32_t length = 0;   ///< bytes
};

class SkBuff;
using SkbPtr = sim::PoolPtr<SkBuff>;

/// Owns the bytes behind skbs: told when one is freed (TX clean), so that a socket can account for
/// it (small-queue limit, send buffer) and its buffers can be used again.
class SkbOwner {
public:
    virtual ~SkbOwner() = default;
    virtual void skb_freed(SkBuff& skb) = 0;
};

enum class L4 : std::uint8_t { none, udp, tcp };

class SkBuff : public sim::Pooled<SkBuff> {
public:
    Fragment linear;  ///< headers first
    std::array<Fragment, max_skb_frags> frags{};
    unsigned frag_count = 0;
    std::uint32_t length = 0;    ///< linear and fragments
    std::uint32_t truesize = 0;  ///< what a socket is charged for it
    std::uint8_t mac_header_bytes = 14;
    std::uint8_t network_header_bytes = 20;
    std::uint8_t transport_header_bytes = 0;
    L4 l4 = L4::none;
    bool checksum_partial = false;  ///< the device is to fill in the L4 (and IP) checksum
    std::uint16_t gso_size = 0;     ///< payload per segment; 0: not to be cut
    std::uint16_t gso_segments = 1;
    std::uint32_t priority = 0;  ///< SO_PRIORITY, 0..15
    std::uint32_t hash = 0;      ///< of the flow; spreads packets over queues
    unsigned queue = 0;          ///< transmit queue chosen
    unsigned rx_queue = 0;       ///< one more than the queue it came in by; 0: it did not come in
    sim::Ps transmit_time =
        0;  ///< SO_TXTIME as a time of the device's clock (ns resolution); 0 none
    SkbOwner* owner = nullptr;
    std::uint64_t cookie = 0;  ///< the owner's own
    SkbPtr parent;             ///< the skb that this was cut from; lives as long as its parts

    /// Bytes before the payload.
    [[nodiscard]] std::uint32_t header_bytes() const {
        return std::uint32_t{mac_header_bytes} + network_header_bytes + transport_header_bytes;
    }
    [[nodiscard]] bool is_gso() const { return gso_size != 0 && gso_segments > 1; }
    /// What it amounts to once cut into segments with headers of their own.
    [[nodiscard]] std::uint32_t wire_length() const {
        return length + (is_gso() ? (gso_segments - 1U) * header_bytes() : 0U);
    }

    // For observers.
    sim::Ps handed_over = 0;  ///< when the application gave the data to the stack
    sim::Ps queued = 0;       ///< when the driver began to work on it

    void recycle() {
        if (owner != nullptr) owner->skb_freed(*this);
        owner = nullptr;
        frag_count = 0;
        length = truesize = 0;
        linear = {};
        l4 = L4::none;
        checksum_partial = false;
        gso_size = 0;
        gso_segments = 1;
        transport_header_bytes = 0;
        priority = 0;
        queue = 0;
        rx_queue = 0;
        transmit_time = 0;
        cookie = 0;
        hash = 0;
        mac_header_bytes = 14;
        network_header_bytes = 20;
        parent = {};
        handed_over = queued = 0;
    }
};

/// Called by an owner that goes while skbs of it are still held somewhere.
void disown_skbs(const SkbOwner& owner);

/// Never destroyed, so that skbs may be held by anything until the program ends.
sim::Pool<SkBuff>& skb_pool();

}  // namespace nicsim::host
