// SPDX-License-Identifier: Apache-2.0
// What the host's tests share: code that runs on a core, and a driver that only takes notes.
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net_device.h"
#include "sim/alarm.h"
#include "sim/time.h"

namespace nicsim::host::testing {

/// Runs functions one after the other, each as one step of a task.
struct Steps : Task {
    bool step(Core& core) override {
        if (next == todo.size()) return false;
        core.charge(Op::syscall);
        todo[next++](core);
        return next < todo.size();
    }
    void run(Core& core, std::function<void(Core&)> f) {
        todo.push_back(std::move(f));
        core.wake(*this);
    }
    std::vector<std::function<void(Core&)>> todo;
    std::size_t next = 0;
};

/// Something that happens outside of the core at a given time.
struct At : sc_core::sc_module {
    At(const sc_core::sc_module_name& name, sim::Ps t, std::function<void()> what)
        : sc_module(name), what_(std::move(what)) {
        alarm.at(t);
    }
    void fire() { what_(); }
    sim::Alarm alarm{"alarm", sim::Alarm::Action::to<&At::fire>(this)};
    std::function<void()> what_;
};

inline CoreConfig free_core() {
    CoreConfig c;
    c.cost.fill(0);
    c.cost[static_cast<unsigned>(Op::syscall)] = 1;
    c.interrupt_latency = 0;
    return c;
}

/// Takes packets until it is told to be full; completes them on demand.
struct NotingDriver : NetDriver {
    explicit NotingDriver(unsigned q = 1) : queues(q) {}
    bool start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) override {
        if (room == 0) {
            device->stop_queue(queue);
            return false;
        }
        --room;
        sent.push_back({core.local_time(), queue, skb->length, more, skb->cookie, skb});
        if (!keep) sent.back().skb = {};
        if (use_bql) device->bql_sent(queue, skb->length);
        if (stop_when_full && room == 0) device->stop_queue(queue);
        return true;
    }
    [[nodiscard]] unsigned tx_queues() const override { return queues; }
    [[nodiscard]] Features features() const override { return {.tso = tso, .checksum = true}; }
    [[nodiscard]] std::uint64_t link_bits_per_second() const override { return 1'000'000'000; }
    std::string setup_etf(Core&, unsigned queue, bool enable) override {
        etf_calls.emplace_back(queue, enable);
        return {};
    }

    struct Sent {
        sim::Ps time;
        unsigned queue;
        std::uint32_t length;
        bool more;
        std::uint64_t cookie;
        SkbPtr skb;
    };
    unsigned queues;
    unsigned room = 1'000'000;
    bool tso = true;
    bool keep = false;
    bool use_bql = false;
    bool stop_when_full = false;
    NetDevice* device = nullptr;
    std::vector<Sent> sent;
    std::vector<std::pair<unsigned, bool>> etf_calls;
};

inline SkbPtr packet(std::uint32_t length, std::uint64_t cookie = 0, std::uint32_t priority = 0,
                     sim::Ps launch = 0) {
    SkbPtr skb = skb_pool().make();
    skb->length = length;
    skb->linear = {0x1000'0000, length};
    skb->cookie = cookie;
    skb->priority = priority;
    skb->transmit_time = launch;
    return skb;
}

/// A core with a device over the noting driver.
struct DeviceBench {
    explicit DeviceBench(unsigned queues = 1, const CoreConfig& config = free_core())
        : core("core", config), driver(queues), device("eth0", driver, memory) {
        driver.device = &device;
        device.use_bql(false);
    }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    /// Up to `t` and including what happens at that instant (sc_start alone stops before it).
    void run_through(sim::Ps t) { run(t + 1 - sim::now()); }
    /// Runs `f` on the core at once.
    void on_core(std::function<void(Core&)> f) {
        steps.run(core, std::move(f));
        run(sim::ps_per_ns);
    }
    [[nodiscard]] std::vector<std::uint64_t> cookies() const {
        std::vector<std::uint64_t> result;
        for (const auto& s : driver.sent) result.push_back(s.cookie);
        return result;
    }

    HostMemory memory{1 << 20};
    Core core;
    Steps steps;
    NotingDriver driver;
    NetDevice device;
};

}  // namespace nicsim::host::testing
