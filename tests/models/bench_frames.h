// SPDX-License-Identifier: Apache-2.0
// What the far ends of the benches of devices send: IPv4 frames with right checksums, one after the
// other at the rate of a wire.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "models/common/internet_checksum.h"
#include "models/common/packet_parser.h"
#include "sim/doors.h"
#include "sim/frame.h"
#include "sim/time.h"

namespace nicsim::models {

/// The sum of the pseudo header of a frame of ip_frame().
inline std::uint32_t pseudo_header_sum(const std::vector<std::uint8_t>& f) {
    return ones_complement_sum(std::span(f).subspan(26, 8)) + f[23] +
           static_cast<std::uint32_t>(f.size()) - 34;
}

/// UDP, or TCP with a header of 20 bytes.
inline std::vector<std::uint8_t> ip_frame(std::uint32_t length, std::uint16_t source_port,
                                          bool tcp) {
    std::vector<std::uint8_t> f(length, 0);
    const std::uint8_t head[] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 9, 0x08, 0x00, 0x45, 0};
    std::copy(std::begin(head), std::end(head), f.begin());
    put_be16(f, 16, static_cast<std::uint16_t>(length - 14));
    put_be16(f, 18, 0x1234);
    f[22] = 64;
    f[23] = tcp ? 6 : 17;
    const std::uint8_t addresses[] = {10, 0, 0, 9, 10, 0, 0, 1};
    std::copy(std::begin(addresses), std::end(addresses), f.begin() + 26);
    put_be16(f, 34, source_port);
    put_be16(f, 36, 5001);
    if (!tcp) put_be16(f, 38, static_cast<std::uint16_t>(length - 34));
    if (tcp) f[46] = 0x50;
    for (std::uint32_t i = tcp ? 54 : 42; i < length; ++i)
        f[i] = static_cast<std::uint8_t>(i * 7 + source_port);
    const std::span<std::uint8_t> s(f);
    put_be16(f, 24, static_cast<std::uint16_t>(~ones_complement_sum(s.subspan(14, 20))));
    put_be16(f, tcp ? 50 : 40,
             static_cast<std::uint16_t>(~ones_complement_sum(s.subspan(34), pseudo_header_sum(f))));
    return f;
}

/// The far end's side of a wire: a frame starts as soon as the last one has passed.
class BenchWire {
public:
    explicit BenchWire(std::uint64_t bits_per_second) : rate_(bits_per_second) {}

    /// Returns the frame's last bit.
    sim::Ps send(sim::EthernetIf& device, const std::vector<std::uint8_t>& bytes, bool fcs_good) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(static_cast<std::uint32_t>(bytes.size()));
        std::copy(bytes.begin(), bytes.end(), frame->bytes().begin());
        frame->fcs_good = fcs_good;
        const sim::Ps start = std::max(free_, sim::now());
        const sim::Ps end = start + sim::serialisation_time(bytes.size() + 12, rate_);
        free_ = end + sim::serialisation_time(12, rate_);
        device.deliver(frame, start, end);
        return end;
    }

private:
    std::uint64_t rate_;
    sim::Ps free_ = 0;
};

}  // namespace nicsim::models
