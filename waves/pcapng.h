// SPDX-License-Identifier: Apache-2.0
// Writes Ethernet frames as pcapng (the IETF draft draft-ietf-opsawg-pcapng): a section header, an
// interface description per port and an enhanced packet block per frame, little endian, with
// nanosecond times. Own code since nothing in Debian 12 offers it to us: libpcap and libtins write
// the classic format only, and DPDK's writer wants DPDK's packet buffers and environment.
// Not written: name resolution, statistics, decryption secrets.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/time.h"
#include "waves/output_file.h"

namespace nicsim::waves {

/// Seen from the interface that the frame belongs to (epb_flags bits 0-1).
enum class Direction : std::uint8_t { unknown = 0, inbound = 1, outbound = 2 };

class PcapngWriter {
public:
    /// Throws WaveError when the target cannot be written. The file appears with `close`.
    explicit PcapngWriter(const std::string& file);

    /// An Ethernet interface without FCS in its frames; `bit_rate` 0 for unknown.
    std::uint32_t add_interface(const std::string& name, std::uint64_t bit_rate);
    /// Frames shorter than 60 bytes get the padding that they have on the wire. `fcs_good` false
    /// sets the CRC error bit.
    void frame(std::uint32_t interface, sim::Ps time, std::span<const std::uint8_t> bytes,
               Direction direction, bool fcs_good = true);
    void close();

    [[nodiscard]] std::uint64_t frames() const { return frames_; }

private:
    void begin_block(std::uint32_t type);
    void end_block();
    void put16(std::uint16_t value);
    void put32(std::uint32_t value);
    void put64(std::uint64_t value);
    void padded(std::string_view bytes);
    void option(std::uint16_t code, std::string_view value);

    OutputFile out_;
    std::string block_;
    std::uint32_t interfaces_ = 0;
    std::uint64_t frames_ = 0;
};

}  // namespace nicsim::waves
