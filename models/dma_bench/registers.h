// SPDX-License-Identifier: Apache-2.0
// The register map of the DMA exerciser, BAR 0. All registers are 32 bits wide.
#pragma once

#include <cstdint>

namespace nicsim::models::dma_bench {

// Ids of no device on the market.
constexpr std::uint16_t vendor_id = 0x5ea1;
constexpr std::uint16_t device_id = 0xbe4c;
constexpr std::uint32_t bar_bytes = 4096;
constexpr std::uint32_t msix_bar_bytes = 4096;
/// BAR 2: memory without effects, to measure what stores and loads of cores cost.
constexpr std::uint32_t scratch_bytes = 4096;

namespace reg {
constexpr std::uint32_t CTRL = 0x00;      ///< bit 0 start, bit 1 stop
constexpr std::uint32_t STATUS = 0x04;    ///< bit 0 running, bit 1 done, bit 2 an error
constexpr std::uint32_t BASE_LOW = 0x08;  ///< bus address of the window
constexpr std::uint32_t BASE_HIGH = 0x0c;
constexpr std::uint32_t WINDOW = 0x10;     ///< bytes of the window
constexpr std::uint32_t SIZE = 0x14;       ///< bytes of one transaction
constexpr std::uint32_t OFFSET = 0x18;     ///< of a transaction in its unit
constexpr std::uint32_t MODE = 0x1c;       ///< see Mode
constexpr std::uint32_t PATTERN = 0x20;    ///< 0 sequential, 1 random
constexpr std::uint32_t IN_FLIGHT = 0x24;  ///< transactions begun and not ended
constexpr std::uint32_t COUNT = 0x28;      ///< transactions to make; 0 until stopped
constexpr std::uint32_t SEED = 0x2c;       ///< of the random pattern
constexpr std::uint32_t INTERVAL = 0x30;   ///< ps between starts, if longer than the engine's own
constexpr std::uint32_t DONE = 0x40;       ///< transactions ended since the start
constexpr std::uint32_t ERRORS = 0x44;     ///< of them with an error
constexpr std::uint32_t BYTES_LOW = 0x48;  ///< bytes moved since the start; reading latches HIGH
constexpr std::uint32_t BYTES_HIGH = 0x4c;
constexpr std::uint32_t TIME_LOW = 0x50;  ///< ps from start to end; reading latches HIGH
constexpr std::uint32_t TIME_HIGH = 0x54;
}  // namespace reg

constexpr std::uint32_t ctrl_start = 1, ctrl_stop = 2;
constexpr std::uint32_t status_running = 1, status_done = 2, status_error = 4;

/// What a transaction does. `both` alternates reads and writes; `write_read` writes and then reads
/// the same bytes, which bounds when a write is visible.
enum class Mode : std::uint32_t { read, write, both, write_read };
constexpr std::uint32_t modes = 4;

/// Transactions start at OFFSET in units of this many bytes, rounded up for the size.
constexpr std::uint32_t unit_bytes = 64;

}  // namespace nicsim::models::dma_bench
