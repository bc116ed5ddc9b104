// SPDX-License-Identifier: Apache-2.0
// What software has set for the transmit side, decoded from the registers once at each write.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/tx_segment.h"
#include "models/i210/registers.h"

namespace nicsim::models::i210 {

constexpr unsigned sr_queues = 2;  ///< queues 0 and 1 can be stream-reservation queues

struct TxSettings {
    bool enabled = false;                      ///< TCTL.EN
    bool qav = false;                          ///< TQAVCTRL.TransmitMode
    bool fetch_most_empty = false;             ///< DataFetchARB
    bool shaper = false;                       ///< DataTranARB
    bool launch_time = false;                  ///< DataTranTIM
    bool sp_wait_sr = false;                   ///< SP_WAIT_SR
    std::uint32_t fetch_delta_ns = 0;          ///< FetchTimeDelta
    std::uint32_t max_packet = 0;              ///< bytes, DTXMXPKTSZ
    std::uint32_t launch_offset = 0;           ///< LAUNCH_OS0, 32 ns
    std::array<bool, queues> sr{};             ///< TQAVCC.QueueMode
    std::array<bool, queues> high_priority{};  ///< TXDCTL.Priority
    TcpFlagMasks tcp_flags;

    /// Nanoseconds inside the second of a context's launch time.
    [[nodiscard]] std::uint32_t launch_ns(std::uint32_t launch) const {
        const std::uint64_t units = std::uint64_t{launch_offset} + launch;
        return static_cast<std::uint32_t>(units * 32 % 1'000'000'000);
    }
    /// The queue's packets wait for their launch time.
    [[nodiscard]] bool timed(unsigned queue) const { return qav && sr[queue] && launch_time; }
};

/// `ns` before `launch_ns`, both inside the second.
constexpr std::uint32_t earlier(std::uint32_t launch_ns, std::uint64_t ns) {
    constexpr std::uint64_t second = 1'000'000'000;
    return static_cast<std::uint32_t>((launch_ns + second - ns % second) % second);
}

}  // namespace nicsim::models::i210
