// SPDX-License-Identifier: Apache-2.0
// An 82599 on a fake host, and the parts of a driver that many tests need: set-up in the order of
// ixgbe, transmit and receive rings, a far end that sends at line rate.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/i82599/i82599.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/bench_frames.h"
#include "tests/models/device_bus.h"

namespace nicsim::models::i82599 {

using namespace sim::literals;

using Bytes = std::vector<std::uint8_t>;

struct RxDescriptor {
    std::uint32_t info = 0;
    std::uint32_t hash = 0;
    std::uint32_t status = 0;
    std::uint16_t length = 0;
    std::uint16_t vlan = 0;
};

/// Context of a TCP packet over IPv4.
struct TxOffload {
    bool tso = false;
    std::uint32_t mss = 0;
    std::uint32_t header = 54;
};

class Bench {
public:
    static constexpr std::uint32_t ixgbe_txdctl = 0x0208'0120;  // P 32, H 1, W 8
    static constexpr std::uint32_t eitr_124us = 488;            // field 61

    explicit Bench(const I82599Config& config = {}, sim::Ps read_latency = 500_ns)
        : bus("bus", 1U << 24), nic("nic", config), wire_(config.link_speed) {
        bus.read_latency = read_latency;
        bus.registers.bind(register_checker.target);
        register_checker.initiator.bind(nic.registers);
        nic.dma.bind(dma_checker.target);
        dma_checker.initiator.bind(bus.dma);
        nic.interrupts.bind(bus);
        nic.ethernet_out.bind(bus);
        nic.set_bus_limits({.max_read_request = 512, .max_payload = 256, .bus_master = true});
        run(0);
    }

    DeviceBus bus;
    I82599 nic;
    sim::TlmBaseChecker register_checker{"register_checker"};
    sim::TlmBaseChecker dma_checker{"dma_checker"};

    /// For `t`, without what happens at its very end.
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    static void run_until(sim::Ps t) { run(t - sim::now()); }
    std::uint32_t rd(std::uint32_t offset) { return bus.rd(offset); }
    void wr(std::uint32_t offset, std::uint32_t value) { bus.wr(offset, value); }
    static std::uint32_t q(std::uint32_t offset, unsigned queue) {
        return offset + reg::queue_stride * queue;
    }

    // ---- interrupts, as ixgbe sets them up: queue 0 on vector 0, other causes on vector 1 ----
    void enable_msix(std::uint32_t eitr_value = eitr_124us) {
        wr(reg::GPIE, 0xC000'0036);
        wr(reg::EIAC, 0x4000'FFFF);
        wr(reg::EIAM_EX, 0xFFFF'FFFF);
        wr(reg::EIAM_EX + 4, 0xFFFF'FFFF);
        wr(reg::IVAR, 0x0000'8080);
        wr(reg::IVAR_MISC, 0x8100);
        for (unsigned v = 0; v < 2; ++v) wr(reg::EITR_LOW + 4 * v, eitr_value | eitr::CNT_WDIS);
        wr(reg::EIMS, 0x0018'0000);
        wr(reg::EIMS_EX, 0xFFFF'FFFF);
    }
    void unmask(unsigned vector) { wr(reg::EIMS_EX + vector / 32 * 4, 1U << vector % 32); }
    void cause(unsigned vector) { wr(reg::EICS_EX + vector / 32 * 4, 1U << vector % 32); }

    // ---- transmit ----
    struct TxRing {
        std::uint64_t base = 0;
        std::uint32_t size = 0;
        std::uint32_t next = 0;
    };
    TxRing& enable_tx(unsigned queue, std::uint32_t size = 512,
                      std::uint32_t txdctl = ixgbe_txdctl) {
        wr(reg::DMATXCTL, 1);
        if (tx_rings.size() <= queue) tx_rings.resize(queue + 1);
        TxRing& ring = tx_rings[queue];
        ring = {bus.allocate(std::uint64_t{size} * 16), size, 0};
        wr(q(reg::TXDCTL, queue), 0);
        wr(q(reg::TDBAL, queue), static_cast<std::uint32_t>(ring.base));
        wr(q(reg::TDBAH, queue), static_cast<std::uint32_t>(ring.base >> 32));
        wr(q(reg::TDLEN, queue), size * 16);
        wr(q(reg::TDH, queue), 0);
        wr(q(reg::TDT, queue), 0);
        wr(q(reg::TXDCTL, queue), txdctl);
        return ring;
    }
    void put(unsigned queue, std::uint64_t low, std::uint64_t high) {
        TxRing& ring = tx_rings[queue];
        bus.store<std::uint64_t>(ring.base + ring.next * 16U, low);
        bus.store<std::uint64_t>(ring.base + ring.next * 16U + 8, high);
        ring.next = (ring.next + 1) % ring.size;
    }
    /// One descriptor with EOP, IFCS, RS and DEXT; with `offload` a context before it.
    void post(unsigned queue, const Bytes& frame, const std::optional<TxOffload>& offload = {}) {
        constexpr std::uint64_t dext = 1U << 29, context = 2U << 20, data = 3U << 20;
        std::uint64_t payload = frame.size();
        std::uint64_t options = 0, command = 0;
        if (offload) {
            payload = offload->tso ? frame.size() - offload->header : frame.size();
            if (offload->tso) command = std::uint64_t{1} << 31;
            options = 3U << 8;  // IXSM, TXSM
            put(queue, 20U | 14U << 9,
                context | dext | 1U << 11 | 1U << 10 |
                    (std::uint64_t{20} << 8 | std::uint64_t{offload->mss} << 16) << 32);
        }
        const std::uint64_t address = bus.allocate(frame.size(), 2048);
        std::copy(frame.begin(), frame.end(), bus.at(address));
        command |= frame.size() % 65536 | data | dext | 0x0B00'0000;
        put(queue, address, command | (options | payload << 14) << 32);
    }
    void kick(unsigned queue) { wr(q(reg::TDT, queue), tx_rings[queue].next); }
    bool done(unsigned queue, unsigned i) {
        return (bus.load<std::uint32_t>(tx_rings[queue].base + i * 16U + 12) & 1U) != 0;
    }
    unsigned count_done(unsigned queue) {
        unsigned n = 0;
        for (unsigned i = 0; i < tx_rings[queue].size; ++i) n += done(queue, i) ? 1 : 0;
        return n;
    }
    std::vector<TxRing> tx_rings;

    // ---- receive ----
    struct RxRing {
        std::uint64_t base = 0;
        std::uint32_t size = 0;
        std::uint64_t buffers = 0;
    };
    RxRing enable_rx(unsigned queue, std::uint32_t size = 512, std::uint32_t srrctl = 0x0200'0402) {
        RxRing ring{bus.allocate(std::uint64_t{size} * 16), size,
                    bus.allocate(std::uint64_t{size} * 2048)};
        wr(q(reg::RXDCTL, queue), 0);
        wr(q(reg::RDBAL, queue), static_cast<std::uint32_t>(ring.base));
        wr(q(reg::RDBAH, queue), static_cast<std::uint32_t>(ring.base >> 32));
        wr(q(reg::RDLEN, queue), size * 16);
        wr(q(reg::RDH, queue), 0);
        wr(q(reg::RDT, queue), 0);
        wr(q(reg::SRRCTL, queue), srrctl);
        wr(q(reg::RXDCTL, queue), dctl::ENABLE);
        return ring;
    }
    /// Gives descriptors `first` to `tail - 1`.
    void give(unsigned queue, const RxRing& ring, unsigned first, unsigned tail) {
        for (unsigned i = first; i != tail; i = (i + 1) % ring.size) {
            bus.store<std::uint64_t>(ring.base + i * 16U, ring.buffers + i * 2048ULL);
            bus.store<std::uint64_t>(ring.base + i * 16U + 8, 0);
        }
        wr(q(reg::RDT, queue), tail);
    }
    RxDescriptor rx_descriptor(const RxRing& ring, unsigned i) {
        return bus.load<RxDescriptor>(ring.base + i * 16U);
    }
    void enable_receive() {
        wr(reg::RDRXCTL, 0x0600'000A);
        wr(reg::HLREG0, 0x0001'040F);
        wr(reg::FCTRL, fctrl::BAM);
        wr(reg::RXCTRL, 1);
    }

    // ---- the wire ----
    /// IPv4 with UDP, or TCP if `header` is 54; checksums are right.
    static Bytes ip_frame(std::uint32_t length, std::uint16_t source_port = 1000,
                          bool tcp = false) {
        return models::ip_frame(length, source_port, tcp);
    }
    /// Puts a frame on the device's wire as soon as the last one has passed. Returns its last bit.
    sim::Ps send(const Bytes& bytes, bool fcs_good = true) {
        return wire_.send(nic.ethernet_in, bytes, fcs_good);
    }

private:
    BenchWire wire_;
};

inline std::uint64_t counter(Bench& b, const std::string& path) {
    sim::StatGroup stats("nic");
    b.nic.register_stats(stats);
    const sim::Stat* stat = stats.find(path);
    EXPECT_NE(stat, nullptr) << path;
    return stat == nullptr ? 0 : std::get<sim::CounterStat>(stat->value).whole_run();
}

inline void post_many(Bench& b, unsigned queue, unsigned count, std::uint32_t length) {
    for (unsigned i = 0; i < count; ++i)
        b.post(queue, Bench::ip_frame(length, static_cast<std::uint16_t>(i)));
    b.kick(queue);
}

}  // namespace nicsim::models::i82599
