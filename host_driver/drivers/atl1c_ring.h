// SPDX-License-Identifier: Apache-2.0
// The rings of the AR8151: transmit descriptors (TPDs), freed up to an index that a register names,
// and free receive buffers (RFDs) with the descriptors that return them (RRDs). When a queue stops,
// when the doorbell is rung and when interrupts are let through is the driver's.
// Not modelled: VLAN tags, TSO over IPv6 (the stack has no IPv6), frames over several receive
// buffers (the driver's hold its longest frame).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/drivers/ring_places.h"
#include "host_driver/host_memory.h"
#include "host_driver/net_device.h"
#include "host_driver/receive_buffers.h"
#include "host_driver/sk_buff.h"
#include "sim/histogram.h"
#include "sim/life_cycle.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::host::atl1c {

struct TxRing : RingPlaces {
    std::vector<SkbPtr> packets_at;  ///< the packet whose last descriptor stands at the same place
    TxNames names;

    std::uint64_t doorbells = 0;
    std::uint64_t packets = 0;
    std::uint64_t descriptors_written = 0;
    std::uint64_t refusals = 0;
    sim::Ps last_sent = 0;     ///< trans_start
    sim::Histogram occupancy;  ///< descriptors in use, seen by each packet
    sim::Histogram packets_per_doorbell;
    std::unique_ptr<sim::Probe> fill;

    void set_up(const std::string& interface, unsigned queue, std::uint64_t size);
    /// Descriptors that a packet takes (atl1c_cal_tpd_req).
    [[nodiscard]] static unsigned needed(const SkBuff& skb);
    /// Writes a packet's descriptors.
    void post(Core& core, HostMemory& memory, const SkbPtr& skb, sim::LifeCycle* life_cycle);
    /// Writes the producer index.
    void ring_doorbell(Core& core, sim::LifeCycle* life_cycle);

    struct Cleaned {
        std::uint32_t packets = 0;
        std::uint32_t bytes = 0;
    };
    /// Frees everything up to the place `consumer`. `interrupted`: when the interrupt came.
    Cleaned clean(Core& core, std::uint32_t consumer, sim::Ps interrupted,
                  sim::LifeCycle* life_cycle);
    /// What a reset leaves behind is lost; the device's ring starts anew.
    void drop_all(NetDevice& device);
    void register_stats(sim::StatGroup& group);

private:
    void write(Core& core, HostMemory& memory, const Fragment& part, std::uint32_t word);
    std::uint64_t announced_packets_ = 0;
};

struct RxRing : RingPlaces {             ///< places are those of the RFDs
    std::uint64_t returns = 0;           ///< address of the RRDs
    std::uint32_t next_return = 0;       ///< the RRD to be looked at
    std::vector<std::uint64_t> buffers;  ///< address of each RFD's buffer; 0: has none

    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
    std::uint64_t doorbells = 0;

    void set_up(unsigned queue, std::uint64_t size);
    /// Gives buffers to every free place but one and tells the device, if there are any.
    void refill(Core& core, HostMemory& memory, ReceiveBuffers& spare);
    /// Hands up to `budget` packets to the stack while `running`, which what is handed up may
    /// change, and refills once. Packets handed up.
    unsigned clean(Core& core, HostMemory& memory, NetDevice& device, ReceiveBuffers& spare,
                   unsigned budget, const bool& running, const RxSeen& seen);
    /// Takes all buffers back; the device's rings start anew.
    void drop_all(HostMemory& memory, ReceiveBuffers& spare);
    void register_stats(sim::StatGroup& group);
};

}  // namespace nicsim::host::atl1c
