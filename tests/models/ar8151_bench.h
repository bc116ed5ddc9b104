// SPDX-License-Identifier: Apache-2.0
// An AR8151 (or MikroTik card) on a fake host, and the parts of a driver that many tests need:
// set-up in the order of atl1c, transmit and receive rings, its interrupt handler, a far end that
// sends at line rate.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/ar8151/ar8151.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/bench_frames.h"
#include "tests/models/device_bus.h"

namespace nicsim::models::ar8151 {

using namespace sim::literals;

using Bytes = std::vector<std::uint8_t>;

struct Rrd {
    std::uint32_t word0 = 0;
    std::uint32_t hash = 0;
    std::uint16_t vlan = 0;
    std::uint16_t flags = 0;
    std::uint32_t word3 = 0;
    [[nodiscard]] bool updated() const { return (word3 & rrd::UPDATED) != 0; }
    [[nodiscard]] std::uint32_t size() const { return word3 & rrd::size_mask; }
    [[nodiscard]] std::uint32_t rfd() const { return word0 >> rrd::rfd_index_shift; }
    [[nodiscard]] std::uint32_t rfds() const { return word0 >> rrd::rfd_count_shift & 0xFU; }
};
static_assert(sizeof(Rrd) == rrd_bytes);

class Bench {
public:
    // What atl1c leaves in the registers.
    static constexpr std::uint32_t tpds = 1024, rfds = 512, buffer = 1522;
    static constexpr std::uint32_t atl1c_mac = 0x7420'5CEF;
    static constexpr std::uint32_t atl1c_dma = 0x0004'7C24;
    static constexpr std::uint32_t atl1c_imr = 0x0401'F71C;
    static constexpr std::uint32_t atl1c_master = 0x0000'0CE0;

    explicit Bench(const Ar8151Config& config = {}, sim::Ps read_latency = 800_ns)
        : bus("bus", 1U << 25), nic("nic", config), config_(config), wire_(config.link_speed) {
        bus.read_latency = read_latency;
        bus.registers.bind(register_checker.target);
        register_checker.initiator.bind(nic.registers);
        nic.dma.bind(dma_checker.target);
        dma_checker.initiator.bind(bus.dma);
        nic.interrupts.bind(bus);
        nic.ethernet_out.bind(bus);
        nic.set_bus_limits({.max_read_request = 512, .max_payload = 128, .bus_master = true});
        run(0);
    }

    DeviceBus bus;
    Ar8151 nic;
    sim::TlmBaseChecker register_checker{"register_checker"};
    sim::TlmBaseChecker dma_checker{"dma_checker"};

    /// For `t`, without what happens at its very end.
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    static void run_until(sim::Ps t) { run(t - sim::now()); }
    std::uint32_t rd(std::uint32_t offset) { return bus.rd(offset); }
    void wr(std::uint32_t offset, std::uint32_t value) { bus.wr(offset, value); }
    std::uint16_t rd16(std::uint32_t offset) { return bus.rd16(offset); }
    void wr16(std::uint32_t offset, std::uint16_t value) { bus.wr16(offset, value); }

    // ---- set-up, as atl1c_up does it ----
    void up(std::uint32_t tx_imt = 1000, std::uint32_t rx_imt = 200, unsigned tx_ring = tpds,
            unsigned rx_ring = rfds) {
        wr(reg::IMR, 0);
        wr(reg::ISR, 0x7FFF'FFFF);
        wr(reg::MASTER_CTRL, atl1c_master);
        wr(reg::IRQ_MODRT_TIMER_INIT, rx_imt << 16 | tx_imt);
        wr(reg::MTU, buffer);
        set_rings(tx_ring, rx_ring);
        wr(reg::TXQ_CTRL, 0x0200'00D5);
        wr(reg::RXQ_CTRL, 0x0080'0000);
        wr(reg::DMA_CTRL, atl1c_dma);
        for (unsigned q = 0; q < rx.size(); ++q) give(q, 0, rx_ring - 1);
        wr(reg::TXQ_CTRL, 0x0200'00F5);
        wr(reg::RXQ_CTRL, 0x8080'0000);
        wr(reg::MAC_CTRL, atl1c_mac);
        wr(reg::IMR, config_.mikrotik() ? 0x740F'F71C : atl1c_imr);
    }
    void set_rings(unsigned tx_ring, unsigned rx_ring) {
        constexpr std::array<std::uint32_t, 4> tpd_at = {
            reg::TPD_PRI0_ADDR_LO, reg::TPD_PRI1_ADDR_LO, reg::TPD_PRI2_ADDR_LO,
            reg::TPD_PRI3_ADDR_LO};
        wr(reg::TX_BASE_ADDR_HI, 0);
        wr(reg::TPD_RING_SIZE, tx_ring);
        tx.assign(config_.tx_queues(), {});
        for (unsigned q = 0; q < tx.size(); ++q) {
            tx[q] = {bus.allocate(std::uint64_t{tx_ring} * tpd_bytes), tx_ring, 0};
            wr(tpd_at[q], static_cast<std::uint32_t>(tx[q].base));
        }
        wr(reg::RX_BASE_ADDR_HI, 0);
        wr(reg::RFD_RING_SIZE, rx_ring);
        wr(reg::RX_BUF_SIZE, buffer);
        wr(reg::RRD_RING_SIZE, rx_ring);
        rx.assign(config_.rx_queues(), {});
        for (unsigned q = 0; q < rx.size(); ++q) {
            RxRing& r = rx[q];
            r = {bus.allocate(std::uint64_t{rx_ring} * rfd_bytes),
                 bus.allocate(std::uint64_t{rx_ring} * rrd_bytes),
                 bus.allocate(std::uint64_t{rx_ring} * 2048), rx_ring, 0};
            std::fill_n(bus.at(r.rrds), rx_ring * rrd_bytes, std::uint8_t{0});
            wr(reg::RFD0_HEAD_ADDR_LO + 4 * q, static_cast<std::uint32_t>(r.rfds));
            wr(reg::RRD0_HEAD_ADDR_LO + 4 * q, static_cast<std::uint32_t>(r.rrds));
        }
        wr(reg::LOAD_PTR, 1);
    }

    // ---- transmit ----
    struct TxRing {
        std::uint64_t base = 0;
        std::uint32_t size = 0;
        std::uint32_t next = 0;
    };
    std::vector<TxRing> tx;
    static constexpr std::array<std::uint32_t, 4> pidx = {reg::TPD_PRI0_PIDX, reg::TPD_PRI1_PIDX,
                                                          reg::TPD_PRI2_PIDX, reg::TPD_PRI3_PIDX};
    static constexpr std::array<std::uint32_t, 4> cidx = {reg::TPD_PRI0_CIDX, reg::TPD_PRI1_CIDX,
                                                          reg::TPD_PRI2_CIDX, reg::TPD_PRI3_CIDX};
    void put(unsigned queue, std::uint64_t address, std::uint32_t length, std::uint32_t word1,
             std::uint16_t vlan = 0) {
        TxRing& ring = tx[queue];
        const std::uint64_t at = ring.base + std::uint64_t{ring.next} * tpd_bytes;
        bus.store<std::uint32_t>(at, length | std::uint32_t{vlan} << 16);
        bus.store<std::uint32_t>(at + 4, word1);
        bus.store<std::uint64_t>(at + 8, address);
        ring.next = (ring.next + 1) % ring.size;
    }
    std::uint64_t copy(const Bytes& bytes) {
        const std::uint64_t address = bus.allocate(bytes.size(), 64);
        std::copy(bytes.begin(), bytes.end(), bus.at(address));
        return address;
    }
    void post(unsigned queue, const Bytes& frame, std::uint32_t flags = 0) {
        put(queue, copy(frame), static_cast<std::uint32_t>(frame.size()), flags | tpd::EOP);
    }
    /// Fills the ring from one buffer until `count` descriptors are posted.
    void post_same(unsigned queue, std::uint64_t address, std::uint32_t length, unsigned count) {
        for (unsigned i = 0; i < count; ++i) put(queue, address, length, tpd::EOP);
    }
    void kick(unsigned queue) { wr16(pidx[queue], static_cast<std::uint16_t>(tx[queue].next)); }

    // ---- receive ----
    struct RxRing {
        std::uint64_t rfds = 0;
        std::uint64_t rrds = 0;
        std::uint64_t buffers = 0;
        std::uint32_t size = 0;
        std::uint32_t next = 0;  ///< RRD to be looked at
    };
    std::vector<RxRing> rx;
    /// Gives free descriptors `first` to `producer - 1`.
    void give(unsigned queue, unsigned first, unsigned producer) {
        RxRing& r = rx[queue];
        for (unsigned i = first; i != producer; i = (i + 1) % r.size)
            bus.store<std::uint64_t>(r.rfds + i * std::uint64_t{rfd_bytes},
                                     r.buffers + i * 2048ULL);
        wr(reg::MB_RFD0_PROD_IDX + 4 * queue, producer);
    }
    Rrd rrd_at(unsigned queue, unsigned i) {
        return bus.load<Rrd>(rx[queue].rrds + i * std::uint64_t{rrd_bytes});
    }
    /// Takes the RRDs that the device has written; without giving buffers back.
    unsigned harvest(unsigned queue) {
        RxRing& r = rx[queue];
        unsigned n = 0;
        for (Rrd d = rrd_at(queue, r.next); d.updated(); d = rrd_at(queue, r.next), ++n) {
            d.word3 &= ~rrd::UPDATED;
            bus.store(r.rrds + r.next * std::uint64_t{rrd_bytes}, d);
            r.next = (r.next + 1) % r.size;
        }
        return n;
    }

    // ---- interrupts: the handler of atl1c, and the end of a poll ----
    /// What the handler found; the causes of queues are masked until unmask().
    std::uint32_t handle() {
        const std::uint32_t status = rd(reg::ISR);
        wr(reg::ISR, status | isr::DIS_INT);
        mask(status & queue_causes);
        wr(reg::ISR, 0);
        return status;
    }
    void mask(std::uint32_t bits) { wr(reg::IMR, rd(reg::IMR) & ~bits); }
    void unmask(std::uint32_t bits) { wr(reg::IMR, rd(reg::IMR) | bits); }
    static constexpr std::uint32_t queue_causes = 0x700F'8000;

    // ---- the wire ----
    /// IPv4 with UDP, or TCP if `tcp`; checksums are right.
    static Bytes ip_frame(std::uint32_t length, std::uint16_t source_port = 1000,
                          bool tcp = false) {
        return models::ip_frame(length, source_port, tcp);
    }
    static std::uint32_t pseudo(const Bytes& f) { return pseudo_header_sum(f); }
    /// Puts a frame on the device's wire as soon as the last one has passed. Returns its last bit.
    sim::Ps send(const Bytes& bytes, bool fcs_good = true) {
        return wire_.send(nic.ethernet_in, bytes, fcs_good);
    }
    std::uint64_t counter(const std::string& path) {
        sim::StatGroup stats("nic");
        nic.register_stats(stats);
        const sim::Stat* stat = stats.find(path);
        sc_assert(stat != nullptr);
        return std::get<sim::CounterStat>(stat->value).whole_run();
    }

private:
    Ar8151Config config_;
    BenchWire wire_;
};

/// Interrupts by what comes in: one good frame each.
struct RxBench : Bench {
    explicit RxBench(const Ar8151Config& config = {}) : Bench(config) {}
    sim::Ps frame() { return send(ip_frame(60)); }
    [[nodiscard]] std::size_t interrupts() const { return bus.raised.size(); }
};

}  // namespace nicsim::models::ar8151
