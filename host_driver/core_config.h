// SPDX-License-Identifier: Apache-2.0
// What work costs on a core: one figure per named operation, part of a host profile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host_driver/idle_states.h"
#include "sim/param.h"

namespace nicsim::host {

/// What a core can be charged for. Each has a parameter `cost_<name>` in the host profile.
enum class Op : std::uint8_t {
    syscall,        ///< enter and leave the kernel
    copy_byte,      ///< copy one byte from user to kernel (charged times the length)
    tcp_segment,    ///< TCP and IP work for one skb sent
    tcp_ack,        ///< take one received acknowledgement
    udp_datagram,   ///< UDP and IP work for one datagram
    pktgen_packet,  ///< pktgen makes one packet anew
    pktgen_round,   ///< pktgen hands over one packet or burst, without the driver's work
    gso_segment,    ///< cut one segment off in software
    qdisc_enqueue,
    qdisc_dequeue,
    xmit_packet,       ///< driver work per packet
    map_buffer,        ///< DMA mapping of one buffer
    write_descriptor,  ///< fill one descriptor
    mmio_write,        ///< an uncached store leaves the core
    mmio_read,         ///< issue cost; the stall itself is measured
    clean_packet,      ///< free one transmitted packet
    clean_descriptor,  ///< look at one descriptor when cleaning
    receive_packet,    ///< driver and stack work per received packet
    forward_packet,    ///< layer-2 forwarding of one received packet
    refill_buffer,     ///< give one receive buffer to the device
    hard_interrupt,    ///< enter, handler body, leave
    softirq,           ///< enter and leave
    napi_poll,         ///< one call of a poll function, without its packets
    wake_task,         ///< wake a task and switch to it
    timer,             ///< program or take a high-resolution timer
};
constexpr unsigned ops = 25;
const char* name_of(Op op);

/// Costs in picoseconds, one per operation, and what else a core takes its time for.
struct CoreConfig {
    std::array<std::uint64_t, ops> cost{};
    double relative_clock = 1.0;             ///< divides the costs of what the core computes
    std::uint64_t write_combining_line = 0;  ///< a full write-combining buffer leaves the core
    std::uint64_t interrupt_latency = 0;     ///< from the MSI at the host to the first instruction
    std::uint64_t task_quantum = 0;  ///< how far tasks run ahead before simulated time follows
    std::uint64_t softirq_time_limit = 0;  ///< then softirqs go to a thread (ksoftirqd)
    std::uint64_t softirq_restarts = 0;    ///< passes before softirqs go to that thread

    // Of IdleConfig:
    std::vector<IdleState> idle_states;  ///< that may be entered
    std::uint64_t idle_entry_time = 0;   ///< ps from the last work to an idle state

    CoreConfig();  ///< the generic desktop's figures
    [[nodiscard]] std::uint64_t cost_of(Op op) const { return cost[static_cast<unsigned>(op)]; }
    /// The cost at the core's clock: stores and loads of registers are the bus's and do not change.
    [[nodiscard]] std::uint64_t scaled_cost(Op op) const;
    static const sim::ParamTable& params();
};

}  // namespace nicsim::host
