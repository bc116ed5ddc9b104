// SPDX-License-Identifier: Apache-2.0
// Cuts a large TCP packet into MTU-sized ones in software (skb_gso_segment): each part gets its own
// copy of the headers, with length, identification, sequence number and flags put right, and
// refers to its share of the payload. IPv4 only; anything but a TCP packet with `gso_size` is
// handed on as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/sk_buff.h"

namespace nicsim::host {

class GsoCutter final : public SkbOwner {
public:
    explicit GsoCutter(HostMemory& memory) : memory_(memory), headers_(memory, header_room, 64) {}

    /// Appends the parts of `skb` in order. The packet itself is freed with its last part.
    void cut(Core& core, const SkbPtr& skb, std::vector<SkbPtr>& parts);
    [[nodiscard]] std::uint64_t headers_in_use() const { return headers_.in_use(); }

    void skb_freed(SkBuff& part) override { headers_.give(part.linear.address); }

private:
    static constexpr std::uint32_t header_room = 256;

    HostMemory& memory_;
    HostMemory::Slab headers_;
};

}  // namespace nicsim::host
