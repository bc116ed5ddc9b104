// SPDX-License-Identifier: Apache-2.0
// Rings of advanced descriptors as igb and ixgbe keep them: which places are free, writing of
// descriptors, the doorbell, freeing of what was sent, receiving. When a queue stops, when the
// doorbell is rung and how interrupts are moderated is the driver's.
// Not modelled: VLAN tags, jumbo frames over several receive buffers, header split, receive-side
// coalescing. Receive buffers are used again when the stack returns, as page recycling does.
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

namespace nicsim::host::intel {

/// What one direction did since the interrupt interval was last looked at.
struct Work {
    std::uint32_t bytes = 0;
    std::uint32_t packets = 0;
};

/// What the driver remembers of the packet whose first descriptor is at the same place.
struct TxBuffer {
    SkbPtr skb;
    std::uint32_t bytes = 0;  ///< on the wire, headers of every segment included
    std::uint32_t segments = 0;
    std::uint32_t last = none;  ///< its last descriptor (next_to_watch)
    static constexpr std::uint32_t none = ~0U;
};

/// How a packet is posted.
struct TxPosting {
    std::uint32_t max_data = 1U << 15;  ///< bytes of one data descriptor
    bool launch_time = false;           ///< every packet has a context descriptor with its time
    sim::LifeCycle* life_cycle = nullptr;
};

/// Data descriptors that a packet takes.
unsigned data_descriptors(const SkBuff& skb, std::uint32_t max_data);

struct TxRing : RingPlaces {
    std::vector<TxBuffer> buffers;

    TxNames names;
    std::uint64_t doorbells = 0;
    std::uint64_t packets = 0;
    std::uint64_t descriptors_written = 0;
    std::uint64_t context_descriptors = 0;
    std::uint64_t reprieves = 0;
    sim::Histogram occupancy;  ///< descriptors in use, seen by each packet
    std::unique_ptr<sim::Probe> fill;

    void set_up(const std::string& interface, unsigned queue, std::uint64_t size);
    /// Before the device's ring is set up (again): empty, packets named from 0.
    void restart();
    /// False if there is no room for `needed` descriptors and the queue was stopped.
    bool room_or_stop(NetDevice& device, unsigned needed);
    /// Writes a packet's descriptors; the last one asks for a report. Bytes on the wire.
    std::uint32_t post(Core& core, HostMemory& memory, const SkbPtr& skb, const TxPosting& how);
    /// Writes the tail register.
    void ring_doorbell(Core& core, sim::LifeCycle* life_cycle);

    struct Cleaned {
        Work work;             ///< segments and bytes freed
        bool finished = true;  ///< not ended by the limit
    };
    /// Frees at most `limit` packets whose last descriptor was written back. `interrupted`: when
    /// the interrupt came that led to it.
    Cleaned clean(Core& core, HostMemory& memory, std::uint64_t limit, sim::Ps interrupted,
                  sim::LifeCycle* life_cycle);
    /// What a reset leaves behind is lost.
    void drop_all(NetDevice& device);
    void register_stats(sim::StatGroup& group);

private:
    void write_context(Core& core, HostMemory& memory, const SkBuff& skb, bool tso,
                       bool launch_time);
    void write_data(Core& core, HostMemory& memory, const SkBuff& skb, std::uint32_t cmd_type,
                    std::uint32_t olinfo, std::uint32_t max_data);
};

struct RxRing : RingPlaces {
    std::vector<std::uint64_t> buffers;  ///< address of each place's buffer

    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
    std::uint64_t doorbells = 0;

    /// Gives `n` buffers to the device.
    void refill(Core& core, HostMemory& memory, unsigned n);
    /// Hands up to `budget` packets to the stack, giving buffers back in batches and at the end,
    /// while `running`, which what is handed up may change. Packets looked at.
    unsigned clean(Core& core, HostMemory& memory, NetDevice& device, ReceiveBuffers& spare,
                   unsigned budget, std::uint64_t batch, Work& work, const bool& running,
                   const RxSeen& seen);
    void register_stats(sim::StatGroup& group);
};

}  // namespace nicsim::host::intel
