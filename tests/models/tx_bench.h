// SPDX-License-Identifier: Apache-2.0
// A tiny driver around the I210's transmit unit: rings in the memory of a fake bus, registers
// written at their real offsets, and a wire that keeps every frame.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/i210/tx_unit.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/fake_bus.h"

namespace nicsim::models::i210 {

using Bytes = std::vector<std::uint8_t>;

/// A frame of `length` bytes with a recognisable, pseudo-random content.
Bytes make_frame(std::uint32_t length, std::uint32_t seed);

class Wire : public sim::EthernetIf {
public:
    struct Sent {
        Bytes bytes;
        unsigned queue = 0;
        std::uint64_t sequence = 0;
        sim::Ps start = 0;
        sim::Ps end = 0;
    };
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override {
        ++frames;
        octets += frame->length();
        if (!record) return;
        const auto bytes = frame->bytes();
        sent.push_back(
            {Bytes(bytes.begin(), bytes.end()), frame->queue, frame->sequence, start, end});
    }
    [[nodiscard]] std::vector<Sent> of(unsigned queue) const {
        std::vector<Sent> result;
        for (const Sent& s : sent)
            if (s.queue == queue) result.push_back(s);
        return result;
    }
    bool record = true;
    std::vector<Sent> sent;
    std::uint64_t frames = 0;
    std::uint64_t octets = 0;
};

class FakeTxInterrupts : public TxInterruptIf {
public:
    void tx_cause(unsigned queue) override { ++causes[queue]; }
    [[nodiscard]] bool moderation_running(unsigned) const override { return running; }
    bool running = true;
    std::array<unsigned, queues> causes{};
};

/// Context descriptor of the tiny driver.
struct ContextSpec {
    std::uint32_t launch = 0;
    std::uint32_t mac_length = 14, ip_length = 20, l4_length = 20, mss = 0, vlan = 0;
    bool ipv4 = true;
    unsigned l4_type = 1;
};
/// What a packet asks for.
struct PacketSpec {
    std::vector<std::uint32_t> pieces;  ///< bytes of each buffer; empty: all in one
    std::optional<ContextSpec> context;
    bool report = true;  ///< RS on the last descriptor
    bool tso = false, ip_checksum = false, l4_checksum = false, vlan = false;
    std::uint32_t header_length = 0;  ///< TSO: PAYLEN leaves it out
};

class TxBench : public sc_core::sc_module {
public:
    /// `blocks`: in place of models.
    explicit TxBench(const sc_core::sc_module_name& name, const Blocks& blocks = {});

    FakeBus bus{"bus"};
    RegisterFile file{register_bar_bytes};
    SystemTime clock;
    FakeTxInterrupts interrupts;
    Wire wire;
    DmaEngine dma{"dma", DmaEngineConfig{}};
    sim::TlmBaseChecker dma_checker{"dma_checker"};
    I210Config config;
    TxUnit tx;

    /// What the driver does at probe and open. PCIe gen1 x1 with 128-byte answers by default.
    void start(std::uint64_t link_rate = 1'000'000'000);
    void use_pcie_like_bus(sim::Ps latency);
    void qav(std::array<unsigned, queues> kib, unsigned max_packet_units,
             std::uint32_t tqavctrl = tqavctrl::TRANSMIT_MODE);
    void make_sr(unsigned queue, std::uint32_t idle_slope = 0, std::uint32_t hi_credit = 0);
    void enable_queue(unsigned queue, std::uint32_t ring_size = 256, unsigned pthresh = 8,
                      unsigned hthresh = 1, unsigned wthresh = 0, bool priority = false);
    /// Writes descriptors and data, not the tail.
    void post(unsigned queue, const Bytes& frame, const PacketSpec& spec = {});
    /// A frame with launch time `ns` (inside the second).
    void post_timed(unsigned queue, const Bytes& frame, std::uint64_t ns);
    /// Tail write.
    void kick(unsigned queue);
    [[nodiscard]] unsigned unused(unsigned queue) const;
    /// Takes back packets whose last descriptor has DD, oldest first; gives how many packets.
    unsigned clean(unsigned queue);
    void write(std::uint32_t offset, std::uint32_t value) { file.write(offset, value); }
    static void run_until(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t - sim::now())); }
    static void run_for(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }

private:
    struct Ring {
        std::uint64_t base = 0;
        std::uint32_t size = 0;
        std::uint32_t next = 0;                  ///< to use
        std::uint32_t clean = 0;                 ///< to clean
        sim::RingQueue<std::uint32_t> ends{16};  ///< last descriptors of packets
    };
    void put_descriptor(unsigned queue, std::uint64_t low, std::uint64_t high);
    std::uint64_t allocate(std::uint32_t length);

    std::array<Ring, queues> rings_{};
    std::uint64_t next_data_ = FakeBus::memory_base + (1 << 20);
};

}  // namespace nicsim::models::i210
