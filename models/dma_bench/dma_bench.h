// SPDX-License-Identifier: Apache-2.0
// A device that does nothing but DMA, the counterpart of the pcie-bench firmware: reads, writes or
// both of a size, at an offset, over a window, in sequential or random order, with a number of
// transactions in flight. It measures bandwidth, transaction rate and the time of each transaction.
//
// Modelled: an engine that starts transactions at a least interval, its set-up time, the move of a
// transaction's data inside of the device, real bytes. Not modelled: descriptors; the engine makes
// up its addresses.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/register_file.h"
#include "models/common/register_target.h"
#include "models/dma_bench/config.h"
#include "models/dma_bench/registers.h"
#include "sim/alarm.h"
#include "sim/doors.h"
#include "sim/histogram.h"
#include "sim/random.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/timed_fifo.h"

namespace nicsim::models::dma_bench {

class DmaBench : public sc_core::sc_module {
public:
    DmaBench(const sc_core::sc_module_name& name, const DmaBenchConfig& config);

    [[nodiscard]] tlm::tlm_target_socket<32>& registers() { return target_.socket; }
    [[nodiscard]] tlm::tlm_initiator_socket<>& dma() { return engine_.socket; }
    sc_core::sc_port<sim::InterruptIf> interrupts{"interrupts"};

    [[nodiscard]] const sim::DeviceIdentity& identity() const { return identity_; }
    void set_bus_limits(const sim::BusLimits& limits);
    void register_stats(sim::StatGroup& group);
    /// Rates are counted from here.
    void begin_measurement();

    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] std::uint64_t transactions() const { return reads_ + writes_; }
    [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
    [[nodiscard]] std::uint64_t write_bytes() const { return write_bytes_; }
    [[nodiscard]] std::uint64_t errors() const { return errors_; }
    [[nodiscard]] sim::Histogram& read_latency() { return read_latency_; }
    [[nodiscard]] sim::Histogram& write_latency() { return write_latency_; }
    [[nodiscard]] const RegisterFile& file() const { return file_; }
    [[nodiscard]] const RegisterFile& scratch() const { return scratch_; }
    /// Byte `i` of the n-th write, as a function that a test can check memory by.
    static std::uint8_t pattern(std::uint64_t n, std::uint32_t i) {
        return static_cast<std::uint8_t>(n * 13U + i * 7U + 1U);
    }

private:
    /// One transaction with its buffer.
    struct Slot {
        std::uint64_t address = 0;
        sim::Ps started = 0;
        bool write = false;
        bool then_read = false;  ///< a write that its read follows
        bool ok = true;
        std::vector<std::uint8_t> buffer;
    };

    void declare_registers();
    void on_ctrl(unsigned, std::uint32_t value);
    std::uint32_t on_status(unsigned);
    std::uint32_t on_result(unsigned index);
    void reset();
    [[nodiscard]] bool check_program();
    void begin();
    void start_transactions();
    void start(std::uint32_t slot);
    void to_bus(std::uint32_t slot);
    void feed_engine();
    void from_bus(std::uint64_t slot, bool ok);
    void finish(std::uint32_t slot);
    void end();
    [[nodiscard]] std::uint64_t next_address();
    [[nodiscard]] sim::Ps copy_time() const;
    [[nodiscard]] double rate_of(std::uint64_t now, std::uint64_t before) const;

    const DmaBenchConfig config_;
    const sim::DeviceIdentity identity_;
    RegisterFile file_;
    RegisterFile scratch_;
    RegisterTarget target_;
    DmaEngine engine_;
    DmaEngine::Channel read_channel_;
    DmaEngine::Channel write_channel_;

    // The program, latched at the start.
    std::uint64_t base_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t offset_ = 0;
    std::uint32_t unit_ = unit_bytes;
    std::uint64_t units_ = 1;
    std::uint32_t count_ = 0;
    sim::Ps interval_ = 0;
    Mode mode_ = Mode::read;
    bool random_pattern_ = false;
    sim::RandomStream random_{0, "dma_bench"};

    bool running_ = false;
    bool done_ = false;
    bool starting_ = false;
    std::uint64_t begun_ = 0;
    std::uint64_t ended_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t next_unit_ = 0;
    sim::Ps next_start_ = 0;
    sim::Ps next_to_bus_ = 0;
    sim::Ps began_ = 0;
    sim::Ps ended_at_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::array<std::uint32_t, 2> latched_{};
    sim::RingQueue<std::uint32_t> for_bus_;  ///< slots in the order in which they may use the bus
    bool feeding_ = false;

    sim::Alarm pace_;
    /// A slot on its way, and the program that it belongs to.
    struct Moving {
        std::uint32_t slot = 0;
        std::uint32_t program = 0;
    };
    void set_up(const Moving& m) {
        if (m.program == program_) to_bus(m.slot);
    }
    void copied(const Moving& m) {
        if (m.program == program_) finish(m.slot);
    }
    std::uint32_t program_ = 0;  ///< grows with every reset
    sim::TimedFifo<Moving> setup_;
    sim::TimedFifo<Moving> copy_;

    std::uint64_t reads_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t write_bytes_ = 0;
    std::uint64_t errors_ = 0;
    sim::Ps measured_from_ = 0;
    std::uint64_t reads_before_ = 0;
    std::uint64_t writes_before_ = 0;
    std::uint64_t read_bytes_before_ = 0;
    std::uint64_t write_bytes_before_ = 0;
    sim::Histogram read_latency_;
    sim::Histogram write_latency_;
    sim::Activity activity_;
};

}  // namespace nicsim::models::dma_bench
