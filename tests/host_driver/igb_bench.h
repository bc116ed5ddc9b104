// SPDX-License-Identifier: Apache-2.0
// The igb driver on a host in front of the register-level device.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "host_driver/drivers/igb.h"
#include "host_driver/host.h"
#include "tests/host_driver/fake_i210.h"
#include "tests/host_driver/host_bench.h"

namespace nicsim::host::testing {

inline HostConfig one_core() {
    HostConfig c;
    c.cores = 1;
    c.memory = 64 << 20;
    return c;
}

struct IgbBench {
    explicit IgbBench(const IgbConfig& config = {}, const HostConfig& host_config = one_core())
        : host("host", host_config),
          device("device", host.memory(), host.interrupts()),
          driver(host, config) {
        host.attach(device);
    }
    /// Enumerates, probes and opens. What went wrong is returned.
    std::string start() {
        host.script()
            .then([this](Core& c) { host.pci().enumerate(c); })
            .then([this](Core& c) { driver.probe(c); })
            .then([this](Core& c) { driver.open(c); });
        run(2 * sim::ps_per_s + sim::ps_per_ms);  // the watchdog has run at 2 s
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
    [[nodiscard]] std::size_t doorbells(unsigned q = 0) const {
        return device.written_to(igb::TX_RING(q) + igb::DTAIL).size();
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

    Host host;
    FakeI210 device;
    IgbDriver driver;
    Steps steps;
};

}  // namespace nicsim::host::testing
