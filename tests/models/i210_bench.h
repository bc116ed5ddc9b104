// SPDX-License-Identifier: Apache-2.0
// An I210 on a fake bus, and the parts of a driver that many tests need.
#pragma once

#include <vector>

#include "device_bus.h"
#include "models/common/clock_edges.h"
#include "models/i210/i210.h"
#include "models/i210/registers.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::models::i210 {

using namespace sim::literals;

struct RxDescriptor {
    std::uint32_t info = 0;
    std::uint32_t hash = 0;
    std::uint32_t status = 0;
    std::uint16_t length = 0;
    std::uint16_t vlan = 0;
};

class Bench {
public:
    explicit Bench(const I210Config& config = {}) : nic("nic", config) {
        bus.registers.bind(register_checker.target);
        register_checker.initiator.bind(nic.registers);
        nic.dma.bind(dma_checker.target);
        dma_checker.initiator.bind(bus.dma);
        nic.interrupts.bind(bus);
        nic.ethernet_out.bind(bus);
        nic.set_bus_limits({.max_read_request = 512, .max_payload = 256, .bus_master = true});
        run(0);
    }

    DeviceBus bus{"bus"};
    I210 nic;
    sim::TlmBaseChecker register_checker{"register_checker"};
    sim::TlmBaseChecker dma_checker{"dma_checker"};

    /// For `t`, without what happens at its very end.
    void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    /// Time for what was just told to count, and for what that brings about to count.
    static constexpr sim::Ps two_clocks = 2 * clock_period;
    void clocks() { run(two_clocks); }
    /// When the vector interrupted.
    [[nodiscard]] std::vector<sim::Ps> raised_by(unsigned vector) const {
        std::vector<sim::Ps> times;
        for (const auto& r : bus.raised)
            if (r.vector == vector) times.push_back(r.time);
        return times;
    }
    std::uint32_t rd(std::uint32_t offset) { return bus.rd(offset); }
    void wr(std::uint32_t offset, std::uint32_t value) { bus.wr(offset, value); }
    static std::uint32_t q(std::uint32_t offset, unsigned queue) {
        return offset + reg::queue_stride * queue;
    }

    // ---- receive ----
    struct Ring {
        std::uint64_t base = 0;
        unsigned size = 0;
        std::uint64_t buffers = 0;
        std::uint32_t buffer_bytes = 0;
    };
    Ring make_ring(unsigned queue, unsigned size, std::uint32_t srrctl, std::uint32_t rxdctl,
                   std::uint32_t buffer_bytes = 2048) {
        Ring ring{bus.allocate(std::uint64_t{size} * 16), size,
                  bus.allocate(std::uint64_t{size} * buffer_bytes), buffer_bytes};
        wr(q(reg::RXDCTL, queue), 0);
        wr(q(reg::RDBAL, queue), static_cast<std::uint32_t>(ring.base));
        wr(q(reg::RDBAH, queue), static_cast<std::uint32_t>(ring.base >> 32));
        wr(q(reg::RDLEN, queue), size * 16);
        wr(q(reg::RDH, queue), 0);
        wr(q(reg::RDT, queue), 0);
        wr(q(reg::SRRCTL, queue), srrctl);
        wr(q(reg::RXDCTL, queue), rxdctl | dctl::ENABLE);
        return ring;
    }
    /// Gives descriptors `first` to `tail - 1`.
    void give(unsigned queue, const Ring& ring, unsigned first, unsigned tail) {
        for (unsigned i = first; i != tail; i = (i + 1) % ring.size) {
            bus.store<std::uint64_t>(ring.base + i * 16U, buffer(ring, i));
            bus.store<std::uint64_t>(ring.base + i * 16U + 8, 0);
        }
        wr(q(reg::RDT, queue), tail);
    }
    static std::uint64_t buffer(const Ring& ring, unsigned i) {
        return ring.buffers + std::uint64_t{i} * ring.buffer_bytes;
    }
    RxDescriptor descriptor(const Ring& ring, unsigned i) {
        return bus.load<RxDescriptor>(ring.base + i * 16U);
    }
    /// MSI-X with receive queue 0 on vector 1, everything else of it on vector 0.
    void enable_msix(std::uint32_t eitr_value = 0) {
        wr(reg::GPIE, gpie::MSIX_MODE | gpie::PBA | gpie::EIAME | gpie::NSICR);
        wr(reg::EIAC, 0x1F);
        wr(reg::EIAM, 0x1F);
        wr(reg::IVAR0, 0x8282'8181);
        wr(reg::IVAR0 + 4, 0x8484'8383);
        wr(reg::IVAR_MISC, 0x8000);
        for (unsigned v = 0; v < vectors; ++v) wr(reg::EITR + 4 * v, eitr_value);
        wr(reg::EIMS, 0x1F);
    }
    void enable_receive(std::uint32_t extra = 0) {
        wr(reg::RCTL, rctl::EN | rctl::BAM | rctl::SECRC | extra);
    }

    // ---- the wire ----
    static std::vector<std::uint8_t> udp_frame(std::uint32_t length,
                                               std::uint16_t source_port = 1000) {
        std::vector<std::uint8_t> f(length, 0);
        const std::uint8_t head[] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 9, 0x08, 0x00, 0x45, 0};
        std::copy(std::begin(head), std::end(head), f.begin());
        put16(f, 16, static_cast<std::uint16_t>(length - 14));
        put16(f, 18, 0x1234);
        f[22] = 64;
        f[23] = 17;
        const std::uint8_t addresses[] = {10, 0, 0, 9, 10, 0, 0, 1};
        std::copy(std::begin(addresses), std::end(addresses), f.begin() + 26);
        put16(f, 34, source_port);
        put16(f, 36, 5001);
        put16(f, 38, static_cast<std::uint16_t>(length - 34));
        for (std::uint32_t i = 42; i < length; ++i) f[i] = static_cast<std::uint8_t>(i * 7);
        put16(f, 24, static_cast<std::uint16_t>(~sum(f, 14, 34, 0)));
        put16(f, 40,
              static_cast<std::uint16_t>(~sum(f, 34, length, sum(f, 26, 34, 17 + (length - 34)))));
        return f;
    }
    static void put16(std::vector<std::uint8_t>& f, std::size_t at, std::uint16_t v) {
        f[at] = static_cast<std::uint8_t>(v >> 8);
        f[at + 1] = static_cast<std::uint8_t>(v);
    }
    static std::uint16_t sum(const std::vector<std::uint8_t>& f, std::size_t from, std::size_t to,
                             std::uint32_t start) {
        std::uint32_t s = start;
        for (std::size_t i = from; i < to; ++i) s += (i - from) % 2 == 0 ? f[i] << 8 : f[i];
        while (s >> 16 != 0) s = (s & 0xFFFF) + (s >> 16);
        return static_cast<std::uint16_t>(s);
    }
    /// Puts a frame on the device's wire as soon as the last one has passed. Returns its last bit.
    sim::Ps send(const std::vector<std::uint8_t>& bytes, bool fcs_good = true) {
        const sim::FramePtr frame = sim::frame_pool().make();
        frame->resize(static_cast<std::uint32_t>(bytes.size()));
        std::copy(bytes.begin(), bytes.end(), frame->bytes().begin());
        frame->fcs_good = fcs_good;
        const sim::Ps start = std::max(wire_free_, sim::now());
        const sim::Ps end = start + sim::serialisation_time(bytes.size() + 12, 1'000'000'000);
        wire_free_ = end + 96_ns;
        nic.ethernet_in->deliver(frame, start, end);
        return end;
    }
    /// All 1 Gbit/s.
    sim::Ps wire_free_ = 0;
};

}  // namespace nicsim::models::i210
