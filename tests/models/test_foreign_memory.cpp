// SPDX-License-Identifier: Apache-2.0
// A device without PCIe and without this project's bus: a plain memory (foreign_memory.h), and
// software as a loosely timed initiator that only knows b_transport. A base-protocol checker stands
// on both sockets. test_foreign_nics.cpp does the same with network cards.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/dma_bench/dma_bench.h"
#include "sim/tlm_base_checker.h"
#include "tests/models/foreign_memory.h"

namespace nicsim::models::test {
namespace {

using namespace sim::literals;
namespace reg = dma_bench::reg;
using dma_bench::DmaBench;
using dma_bench::Mode;

constexpr std::uint64_t base = foreign_base;

/// Software that keeps local time and catches up with the simulation now and then.
struct LooselyTimed : sc_core::sc_module {
    SC_HAS_PROCESS(LooselyTimed);
    tlm_utils::simple_initiator_socket<LooselyTimed> socket{"socket"};
    Mode mode;
    std::uint32_t size;
    std::uint32_t status = 0;
    std::uint32_t done = 0;
    std::uint32_t wrong_length_status = 0;

    LooselyTimed(const sc_core::sc_module_name& name, Mode m, std::uint32_t s)
        : sc_module(name), mode(m), size(s) {
        SC_THREAD(run);
    }
    std::uint32_t access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t value,
                         sc_core::sc_time& local, unsigned length = 4) {
        tlm::tlm_generic_payload p;
        p.set_command(command);
        p.set_address(offset);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(length);
        p.set_streaming_width(length);
        socket->b_transport(p, local);
        if (length != 4) wrong_length_status = static_cast<std::uint32_t>(p.get_response_status());
        return value;
    }
    void run() {
        sc_core::sc_time local;
        const auto wr = [&](std::uint32_t r, std::uint32_t v) {
            access(tlm::TLM_WRITE_COMMAND, r, v, local);
            local += sc_core::sc_time(20, sc_core::SC_NS);
        };
        wr(reg::BASE_LOW, static_cast<std::uint32_t>(base));
        wr(reg::BASE_HIGH, static_cast<std::uint32_t>(base >> 32U));
        wr(reg::WINDOW, 64 * 1024);
        wr(reg::SIZE, size);
        wr(reg::MODE, static_cast<std::uint32_t>(mode));
        wr(reg::IN_FLIGHT, 8);
        wr(reg::COUNT, 100);
        access(tlm::TLM_WRITE_COMMAND, reg::SIZE, 0, local, 2);
        wait(local);
        local = sc_core::SC_ZERO_TIME;
        wr(reg::CTRL, dma_bench::ctrl_start);
        do {
            wait(local + sc_core::sc_time(1, sc_core::SC_US));
            local = sc_core::SC_ZERO_TIME;
            status = access(tlm::TLM_READ_COMMAND, reg::STATUS, 0, local);
        } while ((status & dma_bench::status_running) != 0);
        done = access(tlm::TLM_READ_COMMAND, reg::DONE, 0, local);
    }
};

struct Wire : sim::InterruptIf, sc_core::sc_module {
    explicit Wire(const sc_core::sc_module_name& name) : sc_module(name) {}
    void raise(unsigned) override { ++raised; }
    unsigned raised = 0;
};

template <class Memory>
struct Bench {
    Bench(Mode mode, std::uint32_t size)
        : memory("memory"),
          software("software", mode, size),
          device("device", {}),
          register_checker("register_checker"),
          dma_checker("dma_checker"),
          wire("wire") {
        software.socket.bind(register_checker.target);
        register_checker.initiator.bind(device.registers());
        device.dma().bind(dma_checker.target);
        dma_checker.initiator.bind(memory.socket);
        device.interrupts.bind(wire);
        device.set_bus_limits(
            {.max_read_request = 512, .max_payload = 256, .boundary = 4096, .bus_master = true});
    }
    void run() { sc_core::sc_start(sim::to_sc_time(10_ms)); }

    Memory memory;
    LooselyTimed software;
    DmaBench device;
    sim::TlmBaseChecker register_checker;
    sim::TlmBaseChecker dma_checker;
    Wire wire;
};

template <class Memory>
void expect_done(Bench<Memory>& b) {
    EXPECT_EQ(b.software.status, dma_bench::status_done);
    EXPECT_EQ(b.software.done, 100U);
    EXPECT_EQ(b.wire.raised, 1U);
    EXPECT_EQ(b.dma_checker.in_flight(), 0U);
    EXPECT_GT(b.register_checker.transactions(), 10U);
    EXPECT_EQ(b.software.wrong_length_status,
              static_cast<std::uint32_t>(tlm::TLM_BURST_ERROR_RESPONSE));
}

TEST(ForeignMemory, ADeviceReadsFromASimpleTargetSocketUnderALooselyTimedInitiator) {
    Bench<BlockingMemory> b(Mode::read, 1000);
    b.run();
    expect_done(b);
    EXPECT_EQ(b.dma_checker.transactions(), 100U * 2)
        << "1000 bytes in two requests of at most 512";
    EXPECT_EQ(b.device.read_bytes(), 100'000U);
    EXPECT_EQ(b.device.errors(), 0U);
    EXPECT_GE(b.device.read_latency().min(), 80'000U) << "the memory's annotated time has passed";
}

TEST(ForeignMemory, ADeviceWritesItsBytesThere) {
    Bench<BlockingMemory> b(Mode::write, 300);
    b.run();
    expect_done(b);
    for (std::uint32_t n = 0; n < 100; ++n)
        for (std::uint32_t i = 0; i < 300; ++i)
            ASSERT_EQ(b.memory.bytes[n * 320U + i], DmaBench::pattern(n, i)) << n << " " << i;
}

TEST(ForeignMemory, AMemoryWithPhasesOfItsOwnWorksTheSame) {
    Bench<PhasedMemory> b(Mode::write_read, 200);
    b.run();
    expect_done(b);
    EXPECT_EQ(b.device.write_bytes(), 20'000U);
    EXPECT_EQ(b.device.read_bytes(), 20'000U);
    EXPECT_EQ(b.memory.bytes[7], DmaBench::pattern(0, 7));
}

TEST(ForeignMemory, AnAddressErrorIsCountedAndEndsNothing) {
    Bench<BlockingMemory> b(Mode::read, 64);
    b.memory.bytes.resize(4096);  // 64 of the first hundred units
    b.run();
    EXPECT_EQ(b.software.done, 100U);
    EXPECT_EQ(b.device.errors(), 36U);
    EXPECT_EQ(b.software.status, dma_bench::status_done | dma_bench::status_error);
}

}  // namespace
}  // namespace nicsim::models::test
