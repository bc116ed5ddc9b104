// SPDX-License-Identifier: Apache-2.0
// What Intel's gigabit and 10-gigabit controllers write into a receive descriptor when its buffer
// is filled: the advanced and the legacy write-back format (I210 datasheet 7.1.4, 7.1.5; 82599
// datasheet 7.1.5, 7.1.6).
// Not modelled: header split, FCoE, receive-side coalescing.
#pragma once

#include <cstdint>

#include "models/common/descriptor_queue.h"
#include "models/common/rx_verdict.h"

namespace nicsim::models {

/// Where a device reports checksum errors in dword 2.
struct RxErrorBits {
    std::uint32_t l4 = 0;
    std::uint32_t ip = 0;
};

/// Fills in type and status bits of a verdict whose packet is parsed. `ip` and `l4`: checksum
/// offloads that are on.
void describe_packet(RxVerdict& verdict, bool ip, bool l4, RxErrorBits errors);

/// What the write-back of a frame says.
struct RxCompletion {
    const RxVerdict* verdict = nullptr;
    std::uint32_t length = 0;  ///< bytes written to host memory
    bool timestamp = false;    ///< a time stamp stands before the frame
    bool packet_checksum_disabled = true;
};

/// `length`: bytes in this descriptor's buffer. `last`: of the frame.
Descriptor advanced_rx_image(const RxCompletion& completion, std::uint32_t length, bool last);
/// `address`: of the buffer, which the legacy format keeps.
Descriptor legacy_rx_image(std::uint64_t address, const RxCompletion& completion,
                           std::uint32_t length, bool last);

}  // namespace nicsim::models
