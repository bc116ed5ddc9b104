// SPDX-License-Identifier: Apache-2.0
// Receive buffers of a driver. A buffer is in the ring, free, or inside of an skb that went up the
// stack: then it belongs to the skb and comes back when that is freed, wherever it went meanwhile.
// No byte is copied on the way.
#pragma once

#include <cstdint>

#include "host_driver/host_memory.h"
#include "host_driver/sk_buff.h"

namespace nicsim::host {

class ReceiveBuffers final : public SkbOwner {
public:
    ReceiveBuffers(HostMemory& memory, std::uint64_t buffer_bytes)
        : slab_(memory, buffer_bytes, buffer_bytes), bytes_(buffer_bytes) {}
    ~ReceiveBuffers() override { disown_skbs(*this); }
    ReceiveBuffers(const ReceiveBuffers&) = delete;
    ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;

    /// A buffer for the ring. Throws std::bad_alloc when memory is full.
    [[nodiscard]] std::uint64_t take() { return slab_.take(); }
    void give(std::uint64_t buffer) { slab_.give(buffer); }
    /// A frame of `length` bytes at `start` inside of `buffer` as an skb that owns the buffer.
    [[nodiscard]] SkbPtr wrap(std::uint64_t buffer, std::uint64_t start, std::uint32_t length) {
        SkbPtr skb = skb_pool().make();
        skb->linear = {start, length};
        skb->length = length;
        skb->truesize = static_cast<std::uint32_t>(bytes_);
        skb->owner = this;
        skb->cookie = buffer;
        return skb;
    }
    [[nodiscard]] SkbPtr wrap(std::uint64_t buffer, std::uint32_t length) {
        return wrap(buffer, buffer, length);
    }
    /// Buffers in rings and in skbs.
    [[nodiscard]] std::uint64_t in_use() const { return slab_.in_use(); }

    void skb_freed(SkBuff& skb) override { slab_.give(skb.cookie); }

private:
    HostMemory::Slab slab_;
    std::uint64_t bytes_;
};

}  // namespace nicsim::host
