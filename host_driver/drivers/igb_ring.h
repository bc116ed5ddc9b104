// SPDX-License-Identifier: Apache-2.0
// The igb driver's own view of its rings and of the interrupt vector that serves a pair of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/drivers/igb_itr.h"
#include "host_driver/napi.h"
#include "host_driver/net_device.h"
#include "host_driver/sk_buff.h"
#include "sim/histogram.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::host {

class IgbDriver;

/// What the driver remembers of the packet whose first descriptor is at the same place.
struct IgbTxBuffer {
    SkbPtr skb;
    std::uint32_t bytes = 0;  ///< on the wire, headers of every segment included
    std::uint32_t segments = 0;
    std::uint32_t last = none;  ///< its last descriptor (next_to_watch)
    static constexpr std::uint32_t none = ~0U;
};

struct IgbTxRing {
    unsigned index = 0;
    std::uint32_t count = 0;          ///< descriptors
    std::uint64_t descriptors = 0;    ///< address in host memory
    std::uint64_t tail_register = 0;  ///< address
    std::uint32_t next_to_use = 0;
    std::uint32_t next_to_clean = 0;
    std::vector<IgbTxBuffer> buffers;

    bool launch_time = false;
    bool cbs = false;
    std::int64_t idleslope_kbit = 0;
    std::int64_t hicredit = 0;

    // Names of packets for observers: the n-th since the ring was set up.
    std::uint64_t packets_posted = 0;
    std::uint64_t packets_announced = 0;
    std::uint64_t packets_cleaned = 0;

    std::uint64_t doorbells = 0;
    std::uint64_t packets = 0;
    std::uint64_t descriptors_written = 0;
    std::uint64_t context_descriptors = 0;
    std::uint64_t reprieves = 0;
    sim::Histogram occupancy;  ///< descriptors in use, seen by each packet
    std::unique_ptr<sim::Probe> fill;

    [[nodiscard]] std::uint32_t unused() const {
        return (next_to_clean > next_to_use ? 0 : count) + next_to_clean - next_to_use - 1;
    }
    [[nodiscard]] std::uint32_t used() const { return count - 1 - unused(); }
    [[nodiscard]] std::uint32_t after(std::uint32_t i) const { return i + 1 == count ? 0 : i + 1; }
};

struct IgbRxRing {
    unsigned index = 0;
    std::uint32_t count = 0;
    std::uint64_t descriptors = 0;
    std::uint64_t tail_register = 0;
    std::uint32_t next_to_use = 0;
    std::uint32_t next_to_clean = 0;
    std::vector<std::uint64_t> buffers;  ///< address of each place's buffer

    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
    std::uint64_t doorbells = 0;

    [[nodiscard]] std::uint32_t unused() const {
        return (next_to_clean > next_to_use ? 0 : count) + next_to_clean - next_to_use - 1;
    }
    [[nodiscard]] std::uint32_t after(std::uint32_t i) const { return i + 1 == count ? 0 : i + 1; }
};

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
