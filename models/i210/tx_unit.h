// SPDX-License-Identifier: Apache-2.0
// The transmit side of the I210: four queues from descriptors in host memory to frames on the wire.
// It wires the parts and holds what they share; each part says itself what it models:
//   TxRegisters  registers       TxQueue    descriptors to packets, write-back
//   TxFetch      data fetch      TxStore    frames in the packet buffer
//   TxArbiter    puts them on the wire
//   TxBlockIf    room in the packet buffer, whose data are fetched, who may use the wire
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_tx.h"
#include "models/common/register_file.h"
#include "models/common/tx_interrupt.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"
#include "models/i210/blocks.h"
#include "models/i210/config.h"
#include "models/i210/systim.h"
#include "models/i210/tx_arbiter.h"
#include "models/i210/tx_block.h"
#include "models/i210/tx_fetch.h"
#include "models/i210/tx_queues.h"
#include "models/i210/tx_registers.h"
#include "models/i210/tx_settings.h"
#include "sim/callback.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

/// Frames that left, for the statistics registers. They only grow, also over a reset.
struct TxCounts {
    std::uint64_t packets = 0;
    std::uint64_t octets = 0;  ///< from destination address through FCS (GOTC, TOT)
    std::uint64_t multicast = 0;
    std::uint64_t broadcast = 0;
    /// By size with FCS: 64, 65-127, 128-255, 256-511, 512-1023, 1024 and more.
    std::array<std::uint64_t, 6> by_size{};
    std::array<std::uint64_t, queues> queue_packets{};
    std::array<std::uint64_t, queues> queue_octets{};
    std::uint64_t tso_contexts = 0;  ///< packets that were segmented (TSCTC)
};

class TxUnit : public sc_core::sc_module, private TxRegisterSink, private TxOffersIf {
public:
    /// `clock`: SYSTIM. Maps its registers (see TxRegisters) into `registers` and makes its
    /// channels of `dma`.
    TxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
           const SystemTime& clock, RegisterFile& registers, TxInterruptIf& interrupts,
           const Blocks& blocks = {});
    ~TxUnit() override;

    sc_core::sc_port<sim::EthernetIf> ethernet_out{"ethernet_out"};

    /// Link rate in bit/s; 0 while there is no link.
    void set_link(std::uint64_t bits_per_second);
    /// The EITR of the queue's vector expired: writes back what is done and reports the cause.
    void flush_writebacks(unsigned queue);
    /// SYSTIM was set or its rate was changed (SystemTime::on_changed): waits are computed again.
    void clock_changed();
    /// CTRL.RST or DEV_RST: queues and packet buffer empty. Whoever resets the device first calls
    /// DmaEngine::reset and RegisterFile::reset. A frame on the wire is finished.
    void reset();

    [[nodiscard]] const TxCounts& counts() const { return counts_; }
    /// A frame whose descriptor asked for a time stamp (MAC.TSTAMP) starts on the wire at that
    /// time.
    void on_timestamp(sim::Callback<sim::Ps> callback) { arbiter_.on_timestamp(callback); }
    void set_life_cycle(sim::LifeCycle* life_cycle);
    void register_stats(sim::StatGroup& group);

private:
    // TxRegisterSink
    void settings_changed() override;
    void shaper_changed(unsigned queue, const TxShaperSettings& settings) override;
    void thresholds_changed(unsigned queue, const TxThresholds& thresholds) override;
    void queue_enabled(unsigned queue, const TxRing& ring) override;
    void queue_disabled(unsigned queue) override;
    void tail_written(unsigned queue, std::uint32_t tail) override;
    void flush_written(unsigned queue) override;
    [[nodiscard]] std::uint32_t head_of(unsigned queue) const override;

    // TxOffersIf
    [[nodiscard]] const TxPacket* offered(unsigned queue) override {
        return queues_[queue]->next_packet();
    }

    TxQueues make_queues(const I210Config& config);
    std::unique_ptr<TxBlockIf> make_block(const SystemTime& clock, const Blocks& blocks);
    void on_frame_stored(unsigned queue, StoredFrame& frame);
    void on_wire_idle();
    void count(const sim::Frame& frame);
    void evaluate();

    // Packets live in pools of the queues, so the queues go last.
    DmaEngine& dma_;
    TxInterruptIf& interrupts_;
    TxCounts counts_;
    TxSettings settings_;
    DmaEngine::Channel writeback_channel_;
    DmaEngine::Channel data_channel_;
    DmaEngine::Channel descriptor_channel_;
    DescriptorFetcher descriptor_fetcher_;
    TxQueues queues_;
    std::unique_ptr<TxBlockIf> block_;
    TxStore store_;
    MacTx mac_;
    TxFetch fetch_;
    TxArbiter arbiter_;
    TxRegisters registers_;
};

}  // namespace nicsim::models::i210
