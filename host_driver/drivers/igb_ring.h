// SPDX-License-Identifier: Apache-2.0
// The igb driver's own view of its rings and of the interrupt vectors that serve them.
#pragma once

#include <cstdint>

#include "host_driver/core.h"
#include "host_driver/drivers/igb_itr.h"
#include "host_driver/drivers/intel_ring.h"
#include "host_driver/napi.h"
#include "sim/histogram.h"
#include "sim/stat.h"

namespace nicsim::host {

class IgbDriver;

struct IgbTxRing : intel::TxRing {
    bool launch_time = false;
    bool cbs = false;
    std::int64_t idleslope_kbit = 0;
    std::int64_t hicredit = 0;
    bool look_for_hang = false;  ///< at the next clean
    sim::Ps last_sent = 0;       ///< trans_start
};

using IgbRxRing = intel::RxRing;

/// One MSI-X vector with its rings (igb_q_vector): a receive and a transmit ring, or one of them.
class IgbVector {
public:
    static constexpr unsigned no_queue = ~0U;
    IgbVector(IgbDriver& driver, unsigned vector, unsigned rx_queue, unsigned tx_queue);

    void interrupt(Core& core);
    void poll(Core& core, unsigned budget, unsigned& received);
    void reset_moderation();
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] unsigned vector() const { return vector_; }
    [[nodiscard]] std::uint32_t eims_bit() const { return 1U << vector_; }
    [[nodiscard]] bool receives() const { return rx_queue != no_queue; }
    [[nodiscard]] bool transmits() const { return tx_queue != no_queue; }

    IgbDriver& driver;
    unsigned rx_queue;
    unsigned tx_queue;
    Job job;
    Napi napi;
    igb::ItrWork rx_work;
    igb::ItrWork tx_work;
    std::uint32_t itr = igb::itr_start;
    bool write_itr = true;
    sim::Ps last_interrupt = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t itr_writes = 0;
    sim::Histogram packets_per_poll;
    sim::Histogram itr_interval;  ///< ps, at each interrupt

private:
    /// Transmit settings count only where nothing is received.
    [[nodiscard]] IgbItrMode itr_mode() const;
    void update_moderation();
    unsigned vector_;
};

}  // namespace nicsim::host
