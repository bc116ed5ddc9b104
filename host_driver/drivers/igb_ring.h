// SPDX-License-Identifier: Apache-2.0
// The igb driver's own view of its rings and of the interrupt vector that serves a pair of them.
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
};

using IgbRxRing = intel::RxRing;

/// One MSI-X vector with its queue pair (igb_q_vector).
class IgbVector {
public:
    IgbVector(IgbDriver& driver, unsigned queue);

    void interrupt(Core& core);
    void poll(Core& core, unsigned budget, unsigned& received);
    void reset_moderation();
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] unsigned vector() const { return queue + 1; }
    [[nodiscard]] std::uint32_t eims_bit() const { return 1U << vector(); }

    IgbDriver& driver;
    unsigned queue;
    Job job;
    Napi napi;
    igb::ItrWork rx_work;
    igb::ItrWork tx_work;
    std::uint32_t itr = igb::itr_start;
    bool write_itr = true;
    igb::LatencyClass rx_class = igb::LatencyClass::lowest;
    igb::LatencyClass tx_class = igb::LatencyClass::lowest;
    sim::Ps last_interrupt = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t itr_writes = 0;
    sim::Histogram packets_per_poll;
    sim::Histogram itr_interval;  ///< ps, at each interrupt

private:
    void update_moderation();
};

}  // namespace nicsim::host
