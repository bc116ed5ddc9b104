// SPDX-License-Identifier: Apache-2.0
// Network cards on a plain memory (foreign_memory.h) under a loosely timed driver that only knows
// b_transport: it sets up a ring each way, posts frames, and polls descriptors. The cable is a
// loop, so every frame comes back. A base-protocol checker stands on both sockets.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/ar8151/ar8151.h"
#include "models/i210/i210.h"
#include "models/i210/registers.h"
#include "models/i82599/i82599.h"
#include "models/i82599/registers.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/foreign_memory.h"

namespace nicsim::models::test {
namespace {

using namespace sim::literals;

constexpr std::uint32_t ring_size = 64;
constexpr std::uint32_t frames = 40;
constexpr std::uint64_t tx_ring = 0x0, rx_ring = 0x1000, tx_buffers = 0x1'0000,
                        rx_buffers = 0x4'0000, buffer_bytes = 2048, free_ring = 0x2000;

struct Write {
    std::uint32_t offset;
    std::uint32_t value;
};

std::uint64_t tx_buffer(std::uint32_t n) {
    return tx_buffers + n * buffer_bytes;
}
std::uint64_t rx_buffer(std::uint32_t n) {
    return rx_buffers + n * buffer_bytes;
}

/// Rings as Intel's cards have them: one each way, with the state of a frame in its descriptor.
template <class Card>
struct IntelRings {
    template <class Driver>
    static void ring(Driver& d, std::uint32_t at, std::uint64_t place) {
        d.wr(at, static_cast<std::uint32_t>(foreign_base + place));
        d.wr(at + 4, static_cast<std::uint32_t>((foreign_base + place) >> 32U));
        d.wr(at + 8, ring_size * 16);
    }
    template <class Driver>
    static void start(Driver& d) {
        for (const Write& w : Card::set_up()) d.wr(w.offset, w.value);
        ring(d, Card::tdbal, tx_ring);
        d.wr(Card::tdbal + 0x28, Card::txdctl);
        ring(d, Card::rdbal, rx_ring);
        d.wr(Card::srrctl_at, Card::srrctl);
        d.wr(Card::rdbal + 0x28, Card::rxdctl);
        for (std::uint32_t i = 0; i < ring_size; ++i)
            d.put(rx_ring + 16 * i, foreign_base + rx_buffer(i), 0);
        for (const Write& w : Card::go()) d.wr(w.offset, w.value);
        d.wr(Card::rdbal + 0x18, ring_size - 1);
    }
    template <class Driver>
    static void post(Driver& d, std::uint32_t n, std::uint64_t length) {
        // Data descriptor with EOP, IFCS, RS and DEXT.
        d.put(tx_ring + 16 * n, foreign_base + tx_buffer(n), length | 0x2B30'0000U | length << 46U);
    }
    template <class Driver>
    static void kick(Driver& d) {
        d.wr(Card::tdbal + 0x18, frames);
    }
    template <class Driver>
    static bool done(Driver& d) {
        bool all = true;
        for (std::uint32_t i = 0; i < frames; ++i)
            all = all && (d.word(tx_ring + 16 * i + 12) & 1U) != 0 &&
                  (d.word(rx_ring + 16 * i + 8) & 3U) == 3U;
        return all;
    }
    template <class Driver>
    static std::uint32_t received_length(const Driver& d, std::uint32_t n) {
        return d.word(rx_ring + 16 * n + 12) & 0xffffU;
    }
};

/// What a driver of the card writes before its rings and after them.
struct OnI210 : IntelRings<OnI210> {
    using Nic = i210::I210;
    using Config = i210::I210Config;
    static constexpr std::uint32_t tdbal = i210::reg::TDBAL, rdbal = i210::reg::RDBAL,
                                   txdctl = 0x0201'0108, rxdctl = i210::dctl::ENABLE,
                                   srrctl = 0x0200'0002, srrctl_at = i210::reg::SRRCTL;
    static std::vector<Write> set_up() {
        return {{0x0000, 0x40},  // CTRL: SLU
                {i210::reg::GPIE, i210::gpie::MSIX_MODE | i210::gpie::EIAME},
                {i210::reg::EIAC, 0x1F},
                {i210::reg::IVAR0, 0x8080'8080},
                {i210::reg::EIMS, 0x1F},
                {i210::reg::TCTL, 0x2}};  // EN
    }
    static std::vector<Write> go() {
        return {{i210::reg::RCTL, i210::rctl::EN | i210::rctl::BAM | i210::rctl::SECRC}};
    }
};

struct OnI82599 : IntelRings<OnI82599> {
    using Nic = i82599::I82599;
    using Config = i82599::I82599Config;
    static constexpr std::uint32_t tdbal = i82599::reg::TDBAL, rdbal = i82599::reg::RDBAL,
                                   txdctl = 0x0208'0120, rxdctl = i82599::dctl::ENABLE,
                                   srrctl = 0x0200'0402, srrctl_at = i82599::reg::SRRCTL;
    static std::vector<Write> set_up() {
        return {{i82599::reg::GPIE, 0xC000'0036},
                {i82599::reg::EIAC, 0x4000'FFFF},
                {i82599::reg::IVAR, 0x8080'8080},
                {i82599::reg::EIMS_EX, 0xFFFF'FFFF},
                {i82599::reg::DMATXCTL, 1}};
    }
    static std::vector<Write> go() {
        return {{i82599::reg::RDRXCTL, 0x0600'000A},
                {i82599::reg::HLREG0, 0x0001'040F},
                {i82599::reg::FCTRL, i82599::fctrl::BAM},
                {i82599::reg::RXCTRL, 1}};
    }
};

/// Free buffers in a ring of their own, and a register that counts what has been sent.
struct OnAr8151 {
    using Nic = ar8151::Ar8151;
    using Config = ar8151::Ar8151Config;
    static constexpr auto low = static_cast<std::uint32_t>(foreign_base);
    static constexpr auto high = static_cast<std::uint32_t>(foreign_base >> 32U);
    static constexpr std::uint64_t fcs_bytes = 4;

    template <class Driver>
    static void start(Driver& d) {
        namespace reg = ar8151::reg;
        for (std::uint32_t i = 0; i < ring_size; ++i) {
            d.put(rx_ring + 16 * i, 0, 0);
            d.put8(free_ring + 8 * i, foreign_base + rx_buffer(i));
        }
        const Write writes[] = {{reg::ISR, 0x7FFF'FFFF},
                                {reg::MASTER_CTRL, 0xCE0},
                                {reg::IRQ_MODRT_TIMER_INIT, 200U << 16 | 1000U},
                                {reg::MTU, 1522},
                                {reg::TX_BASE_ADDR_HI, high},
                                {reg::TPD_PRI0_ADDR_LO, low + tx_ring},
                                {reg::TPD_RING_SIZE, ring_size},
                                {reg::RX_BASE_ADDR_HI, high},
                                {reg::RFD0_HEAD_ADDR_LO, low + free_ring},
                                {reg::RFD_RING_SIZE, ring_size},
                                {reg::RX_BUF_SIZE, 1522},
                                {reg::RRD0_HEAD_ADDR_LO, low + rx_ring},
                                {reg::RRD_RING_SIZE, ring_size},
                                {reg::LOAD_PTR, 1},
                                {reg::DMA_CTRL, 0x4'7C24},
                                {reg::MB_RFD0_PROD_IDX, ring_size - 1},
                                {reg::TXQ_CTRL, 0x0200'00F5},
                                {reg::RXQ_CTRL, 0x8080'0000},
                                {reg::MAC_CTRL, 0x7420'5CEF},
                                {reg::IMR, 0x0401'F71C}};
        for (const Write& w : writes) d.wr(w.offset, w.value);
    }
    template <class Driver>
    static void post(Driver& d, std::uint32_t n, std::uint64_t length) {
        d.put(tx_ring + 16 * n, length | std::uint64_t{ar8151::tpd::EOP} << 32U,
              foreign_base + tx_buffer(n));
    }
    template <class Driver>
    static void kick(Driver& d) {
        d.wr(ar8151::reg::TPD_PRI0_PIDX, frames, 2);
    }
    template <class Driver>
    static bool done(Driver& d) {
        bool all = d.rd(ar8151::reg::TPD_PRI0_CIDX, 2) == frames;
        for (std::uint32_t i = 0; i < frames; ++i)
            all = all && (d.word(rx_ring + 16 * i + 12) & ar8151::rrd::UPDATED) != 0;
        return all;
    }
    template <class Driver>
    static std::uint32_t received_length(const Driver& d, std::uint32_t n) {
        return (d.word(rx_ring + 16 * n + 12) & ar8151::rrd::size_mask) - fcs_bytes;
    }
};

/// Frame `n`: to everybody, with bytes of its own.
std::vector<std::uint8_t> frame_bytes(std::uint32_t n) {
    std::vector<std::uint8_t> f(60 + n * 37 % 1400);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<std::uint8_t>(i * 11 + n);
    std::fill(f.begin(), f.begin() + 6, 0xff);
    const std::uint8_t rest[] = {2, 0, 0, 0, 0, 1, 0x88, 0xb5};  // an experimental EtherType
    std::copy(std::begin(rest), std::end(rest), f.begin() + 6);
    return f;
}

template <class Card>
struct LooselyTimedDriver : sc_core::sc_module {
    SC_HAS_PROCESS(LooselyTimedDriver);
    tlm_utils::simple_initiator_socket<LooselyTimedDriver> socket{"socket"};
    Store& memory;
    bool finished = false;
    unsigned refused = 0;

    LooselyTimedDriver(const sc_core::sc_module_name& name, Store& m) : sc_module(name), memory(m) {
        SC_THREAD(run);
    }
    void access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value,
                unsigned bytes) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(offset);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(bytes);
        p.set_streaming_width(bytes);
        socket->b_transport(p, local_);
        if (!p.is_response_ok()) ++refused;
        local_ += sc_core::sc_time(20, sc_core::SC_NS);
    }
    void wr(std::uint32_t offset, std::uint32_t value, unsigned bytes = 4) {
        access(tlm::TLM_WRITE_COMMAND, offset, value, bytes);
    }
    std::uint32_t rd(std::uint32_t offset, unsigned bytes) {
        std::uint32_t value = 0;
        access(tlm::TLM_READ_COMMAND, offset, value, bytes);
        return value;
    }
    void put(std::uint64_t place, std::uint64_t low, std::uint64_t high) {
        std::memcpy(&memory.bytes[place], &low, 8);
        std::memcpy(&memory.bytes[place + 8], &high, 8);
    }
    void put8(std::uint64_t place, std::uint64_t value) {
        std::memcpy(&memory.bytes[place], &value, 8);
    }
    [[nodiscard]] std::uint32_t word(std::uint64_t place) const {
        std::uint32_t value = 0;
        std::memcpy(&value, &memory.bytes[place], 4);
        return value;
    }
    void catch_up() {
        wait(local_);
        local_ = sc_core::SC_ZERO_TIME;
    }
    void run() {
        Card::start(*this);
        for (std::uint32_t i = 0; i < frames; ++i) {
            const auto f = frame_bytes(i);
            std::copy(f.begin(), f.end(), &memory.bytes[tx_buffer(i)]);
            Card::post(*this, i, f.size());
        }
        catch_up();
        Card::kick(*this);
        for (unsigned polls = 0; polls < 1000 && !finished; ++polls) {
            local_ += sc_core::sc_time(5, sc_core::SC_US);
            catch_up();
            finished = Card::done(*this);
        }
    }

private:
    sc_core::sc_time local_;
};

template <class Card>
struct Wire : sc_core::sc_module, sim::InterruptIf, sim::EthernetIf {
    explicit Wire(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned) override { ++raised; }
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override {
        ++sent;
        nic->ethernet_in->deliver(frame, start + 5_ns, end + 5_ns);
    }
    typename Card::Nic* nic = nullptr;
    unsigned raised = 0;
    unsigned sent = 0;
};

template <class Card, class Memory>
void expect_every_frame_to_come_back() {
    Memory memory("memory");
    LooselyTimedDriver<Card> driver("driver", memory);
    typename Card::Nic nic("nic", typename Card::Config{});
    sim::TlmBaseChecker register_checker("register_checker");
    sim::TlmBaseChecker dma_checker("dma_checker");
    Wire<Card> wire("wire");
    driver.socket.bind(register_checker.target);
    register_checker.initiator.bind(nic.registers);
    nic.dma.bind(dma_checker.target);
    dma_checker.initiator.bind(memory.socket);
    nic.interrupts.bind(wire);
    nic.ethernet_out.bind(wire);
    wire.nic = &nic;
    nic.set_bus_limits({.max_read_request = 512, .max_payload = 256, .bus_master = true});
    sc_core::sc_start(sim::to_sc_time(6_ms));

    EXPECT_TRUE(driver.finished);
    EXPECT_EQ(driver.refused, 0U);
    EXPECT_EQ(wire.sent, frames);
    EXPECT_GT(wire.raised, 0U);
    EXPECT_EQ(dma_checker.in_flight(), 0U);
    EXPECT_GT(dma_checker.transactions(), 3U * frames) << "data out, data in, descriptors";
    EXPECT_GT(register_checker.transactions(), 15U);
    for (std::uint32_t n = 0; n < frames; ++n) {
        const auto f = frame_bytes(n);
        EXPECT_EQ(Card::received_length(driver, n), f.size()) << "frame " << n;
        EXPECT_EQ(std::memcmp(f.data(), &memory.bytes[rx_buffers + n * buffer_bytes], f.size()), 0)
            << "frame " << n;
    }
}

TEST(ForeignNics, AnI210WorksOnASimpleTargetSocketUnderALooselyTimedDriver) {
    expect_every_frame_to_come_back<OnI210, BlockingMemory>();
}
TEST(ForeignNics, AnI210WorksOnAMemoryWithPhasesOfItsOwn) {
    expect_every_frame_to_come_back<OnI210, PhasedMemory>();
}
TEST(ForeignNics, An82599WorksOnASimpleTargetSocketUnderALooselyTimedDriver) {
    expect_every_frame_to_come_back<OnI82599, BlockingMemory>();
}
TEST(ForeignNics, An82599WorksOnAMemoryWithPhasesOfItsOwn) {
    expect_every_frame_to_come_back<OnI82599, PhasedMemory>();
}
TEST(ForeignNics, AnAr8151WorksOnASimpleTargetSocketUnderALooselyTimedDriver) {
    expect_every_frame_to_come_back<OnAr8151, BlockingMemory>();
}
TEST(ForeignNics, AnAr8151WorksOnAMemoryWithPhasesOfItsOwn) {
    expect_every_frame_to_come_back<OnAr8151, PhasedMemory>();
}

}  // namespace
}  // namespace nicsim::models::test
