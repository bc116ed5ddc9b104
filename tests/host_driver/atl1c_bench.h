// SPDX-License-Identifier: Apache-2.0
// The atl1c driver on a host in front of the register-level device.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host_driver/drivers/atl1c.h"
#include "host_driver/host.h"
#include "tests/host_driver/fake_ar8151.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host::testing {

struct Atl1cBench {
    explicit Atl1cBench(const Atl1cConfig& config = {}, const HostConfig& host_config = one_core())
        : host("host", host_config),
          device("device", host.memory(), host.interrupts()),
          driver(host, config) {
        host.attach(device);
    }
    static HostConfig one_core() {
        HostConfig c;
        c.cores = 1;
        c.memory = 64 << 20;
        return c;
    }
    /// Enumerates, probes and opens. What went wrong is returned.
    std::string start() {
        host.script()
            .then([this](Core& c) { host.pci().enumerate(c); })
            .then([this](Core& c) { driver.probe(c); })
            .then([this](Core& c) { driver.open(c); });
        run(11 * sim::ps_per_s);
        if (host.script().error() != nullptr) {
            try {
                std::rethrow_exception(host.script().error());
            } catch (const std::exception& e) {
                return e.what();
            }
        }
        return host.script().done() ? "" : "not done";
    }
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    void on_core(std::function<void(Core&)> f, sim::Ps t = 100 * sim::ps_per_us) {
        steps.run(host.core(), std::move(f));
        run(t);
    }
    /// Sends plain packets; how many were taken.
    unsigned send(unsigned packets, bool hint = false) {
        unsigned taken = 0;
        on_core(
            [&](Core& c) {
                for (unsigned i = 0; i < packets; ++i)
                    taken += driver.start_xmit(c, packet(60), 0, hint && i + 1 < packets) ? 1U : 0U;
            },
            10 * sim::ps_per_ms);
        return taken;
    }
    SkbPtr packet(std::uint32_t length, unsigned fragments = 0) {
        SkbPtr skb = skb_pool().make();
        skb->linear = {host.memory().allocate(length), length};
        skb->length = length;
        for (unsigned i = 0; i < fragments; ++i) {
            skb->frags[i] = {host.memory().allocate(256), 256};
            skb->length += 256;
        }
        skb->frag_count = fragments;
        return skb;
    }
    [[nodiscard]] std::vector<std::uint32_t> doorbells() const {
        return device.written_to(atl1c::TPD_PIDX[0]);
    }
    void forget() {
        device.writes.clear();
        device.reads.clear();
    }

    Host host;
    FakeAr8151 device;
    Atl1cDriver driver;
    Steps steps;
};

}  // namespace nicsim::host::testing
