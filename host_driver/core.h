// SPDX-License-Identifier: Apache-2.0
// A CPU core: runs one thing at a time - hard interrupt, softirq or task, in that order of
// precedence - as real C++ code whose cost is charged by named operations.
//
// Local time: `charge` moves only the core's local time. `sync` lets simulated time catch up and is
// called before anything that another part can see or change is read or written (the accessors here
// do so themselves). Hard interrupts are taken inside `sync`, nested in whatever runs, unless they
// are masked; softirqs run when the outermost interrupt or bottom-half section ends, never nested
// in one another, and keep tasks from running, as on Linux.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "pcie/host_ports.h"
#include "sim/param.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::host {

/// What a core can be charged for. Each has a parameter `cost_<name>` in the host profile.
enum class Op : std::uint8_t {
    syscall,       ///< enter and leave the kernel
    copy_byte,     ///< copy one byte from user to kernel (charged times the length)
    tcp_segment,   ///< TCP and IP work for one skb sent
    tcp_ack,       ///< take one received acknowledgement
    udp_datagram,  ///< UDP and IP work for one datagram
    gso_segment,   ///< cut one segment off in software
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
    refill_buffer,     ///< give one receive buffer to the device
    hard_interrupt,    ///< enter, handler body, leave
    softirq,           ///< enter and leave
    napi_poll,         ///< one call of a poll function, without its packets
    wake_task,         ///< wake a task and switch to it
    timer,             ///< program or take a high-resolution timer
};
constexpr unsigned ops = 22;
const char* name_of(Op op);

/// What kind of work a core spends its time on.
enum class Work : std::uint8_t { idle, task, softirq, hard_interrupt };
constexpr unsigned work_kinds = 4;

/// Costs in picoseconds, one per operation; part of a host profile.
struct CoreConfig {
    std::array<std::uint64_t, ops> cost{};
    std::uint64_t interrupt_latency =
        0;         ///< from the MSI reaching the host to the first instruction
    CoreConfig();  ///< the generic desktop's figures
    static const sim::ParamTable& params();
};

/// Something schedulable. `step` does one bounded piece of work on the core it is given and returns
/// whether there is more to do at once; a task that returns false sleeps until `Core::wake`.
class Core;
class Task {
public:
    virtual ~Task() = default;
    virtual bool step(Core& core) = 0;
};

class Core : public sc_core::sc_module {
public:
    Core(const sc_core::sc_module_name& name, const CoreConfig& config, pcie::HostBusIf& bus);
    ~Core() override;

    // ---- called by code that runs on this core ----
    void charge(Op op, std::uint64_t times = 1) {
        local_ += config_.cost[static_cast<unsigned>(op)] * times;
    }
    /// Local time: now plus what was charged and not yet waited for.
    [[nodiscard]] sim::Ps local_time() const;
    /// Simulated time catches up with local time; pending hard interrupts are taken on the way.
    void sync();
    /// Keeps softirqs from starting (nests); the last `enable` runs what is pending.
    void disable_bottom_halves() { ++bh_disabled_; }
    void enable_bottom_halves();

    void mmio_write32(std::uint64_t address, std::uint32_t value);  ///< charges, syncs, posts
    std::uint32_t mmio_read32(std::uint64_t address);               ///< stalls for the round trip
    std::uint32_t config_read(pcie::Bdf function, unsigned offset, unsigned size);
    void config_write(pcie::Bdf function, unsigned offset, unsigned size, std::uint32_t value);
    /// Waits (busy, as udelay does) for `t`.
    void delay(sim::Ps t);

    // ---- called from anywhere, at simulated time ----
    void wake(Task& task);                                 ///< put a task on the run queue (once)
    void raise_softirq(std::function<void(Core&)>* work);  ///< run `work` as a softirq (once each)
    void hard_interrupt(std::function<void(Core&)>* handler);
    /// Runs `work` as a softirq at the absolute time `t` (a high-resolution timer).
    void timer_at(sim::Ps t, std::function<void(Core&)>* work);
    void cancel_timer(std::function<void(Core&)>* work);

    [[nodiscard]] sim::Ps time_in(Work kind) const;
    void register_stats(sim::StatGroup& group);

private:
    struct State;
    std::unique_ptr<State> state_;
    CoreConfig config_;
    sim::Ps local_ = 0;  ///< charged and not yet waited for
    unsigned bh_disabled_ = 0;
};

}  // namespace nicsim::host
