// SPDX-License-Identifier: Apache-2.0
// Settings of the ixgbe reference driver: what ethtool and its source's constants can change.
#pragma once

#include <cstdint>
#include <string>

#include "sim/param.h"

namespace nicsim::host {

/// How often interrupts may come (rx-usecs of ethtool).
enum class IxgbeItrMode : std::uint8_t {
    dynamic,  ///< adaptive (rx-usecs 1, the default)
    fixed,    ///< `itr_interval`
    off,      ///< 0: no gap
};

/// What itr_mode dynamic goes by.
enum class IxgbeItrAlgorithm : std::uint8_t {
    bytes_per_us,  ///< classes of traffic, until Linux 4.14
    packets,       ///< packets of an interval, since 4.15
};

/// When the tail register is written.
enum class IxgbeDoorbell : std::uint8_t {
    each_packet,  ///< after every packet, as in spring 2014
    more_hint,    ///< not while more packets for the queue follow at once, as since end of 2014
};

/// Link flow control, as `ethtool -A` sets it (ixgbe_fc_mode).
enum class IxgbeFlowControl : std::uint8_t {
    none,
    rx_pause,  ///< obeys pause frames
    tx_pause,  ///< sends them
    full,      ///< both
};

struct IxgbeConfig {
    std::uint64_t instance = 0;
    std::uint64_t queue_pairs = 1;
    std::uint64_t tx_ring = 512;
    std::uint64_t rx_ring = 512;
    std::uint64_t tx_pthresh = 32;
    std::uint64_t tx_hthresh = 1;
    std::uint64_t tx_wthresh = 8;
    std::uint64_t tx_stop = 21;
    std::uint64_t tx_wake = 42;
    std::uint64_t tx_work_limit = 256;
    std::uint64_t rx_refill_batch = 16;
    bool tso = true;
    bool tx_checksum = true;
    bool bql = true;
    bool service_task = true;
    IxgbeFlowControl flow_control = IxgbeFlowControl::full;
    IxgbeDoorbell doorbell = IxgbeDoorbell::each_packet;
    IxgbeItrMode itr_mode = IxgbeItrMode::dynamic;
    IxgbeItrAlgorithm itr_algorithm = IxgbeItrAlgorithm::bytes_per_us;
    std::uint64_t itr_interval = 50'000'000;    ///< ps
    std::uint64_t itr_bulk = default_itr_bulk;  ///< quarter microseconds
    static constexpr std::uint64_t default_itr_bulk = 500;
    static const sim::ParamTable& params();

    /// What the table's ranges cannot say; the first thing wrong, or an empty string.
    [[nodiscard]] std::string check() const;
    [[nodiscard]] bool obeys_pause() const {
        return flow_control == IxgbeFlowControl::rx_pause || flow_control == IxgbeFlowControl::full;
    }
    [[nodiscard]] bool sends_pause() const {
        return flow_control == IxgbeFlowControl::tx_pause || flow_control == IxgbeFlowControl::full;
    }
    /// A queue without descriptors drops its frames rather than hold up the others: with one queue
    /// there are none, and with pause frames the partner waits instead (ixgbe_set_rx_drop_en).
    [[nodiscard]] bool drops_without_descriptors() const {
        return queue_pairs > 1 && !sends_pause();
    }
    /// The interval that a vector starts with, in the driver's units (quarter microseconds).
    [[nodiscard]] std::uint32_t first_itr() const;
    /// WTHRESH that goes with an interval: write-backs are not gathered when interrupts come fast.
    [[nodiscard]] std::uint32_t wthresh_for(std::uint32_t itr) const;
};

}  // namespace nicsim::host
