// SPDX-License-Identifier: Apache-2.0
// The transmit side of the 82599: queues from descriptors in host memory to frames on the wire. It
// wires the parts and holds what they share; each part says itself what it models:
//   TxRegisters  registers       TxQueue    descriptors to packets, write-back
//   TxFetch      data fetch      TxStore    frames in the packet buffers of the traffic classes
//   TxWire       who may use the wire
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/frame_sizes.h"
#include "models/common/mac_tx.h"
#include "models/common/packet_buffer.h"
#include "models/common/register_file.h"
#include "models/common/tx_interrupt.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"
#include "models/common/tx_wire.h"
#include "models/i82599/config.h"
#include "models/i82599/tx_fetch.h"
#include "models/i82599/tx_registers.h"
#include "models/i82599/tx_settings.h"
#include "sim/callback.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i82599 {

/// Frames that left, for the statistics registers. They only grow, also over a reset. Pause frames
/// are not among them.
struct TxCounts {
    std::uint64_t packets = 0;
    std::uint64_t octets = 0;  ///< from destination address through FCS
    std::uint64_t multicast = 0;
    std::uint64_t broadcast = 0;
    std::array<std::uint64_t, frame_size_classes> by_size{};
    /// By statistics counter, to which TQSM maps queues.
    std::array<std::uint64_t, statistics_counters> counter_packets{};
    std::array<std::uint64_t, statistics_counters> counter_octets{};
};

class TxUnit : public sc_core::sc_module, private TxRegisterSink {
public:
    /// Maps its registers (see TxRegisters) into `registers` and makes its channels of `dma`.
    TxUnit(const sc_core::sc_module_name& name, const I82599Config& config, DmaEngine& dma,
           RegisterFile& registers, TxInterruptIf& interrupts);
    ~TxUnit() override;

    sc_core::sc_port<sim::EthernetIf> ethernet_out{"ethernet_out"};

    /// Link rate in bit/s; 0 while there is no link.
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    /// The EITR of the queue's vector expired: writes back what is done and reports the cause.
    void flush_writebacks(unsigned queue) { queues_[queue]->flush_writebacks(); }
    [[nodiscard]] TxWire& wire() { return wire_; }
    /// CTRL.RST: queues and packet buffers empty. Whoever resets the device first calls
    /// DmaEngine::reset and RegisterFile::reset. A frame on the wire is finished.
    void reset();

    [[nodiscard]] const TxCounts& counts() const { return counts_; }
    void set_life_cycle(sim::LifeCycle* life_cycle);
    void register_stats(sim::StatGroup& group);

private:
    // TxRegisterSink
    void settings_changed() override;
    void thresholds_changed(unsigned queue, const TxThresholds& thresholds) override;
    void queue_enabled(unsigned queue, const TxRing& ring) override;
    void queue_disabled(unsigned queue) override;
    void tail_written(unsigned queue, std::uint32_t tail) override;
    void flush_written(unsigned queue) override { flush_writebacks(queue); }
    [[nodiscard]] std::uint32_t head_of(unsigned queue) const override;

    TxQueues make_queues(const I82599Config& config, TxInterruptIf& interrupts);
    void on_frame_stored(unsigned traffic_class, StoredFrame& frame);
    void on_wire_idle();
    void count(const sim::Frame& frame);
    void evaluate();

    // Packets live in pools of the queues, so the queues go last.
    DmaEngine& dma_;
    TxCounts counts_;
    TxSettings settings_;
    DmaEngine::Channel writeback_channel_;
    DmaEngine::Channel data_channel_;
    DmaEngine::Channel descriptor_channel_;
    DescriptorFetcher descriptor_fetcher_;
    TxQueues queues_;
    PacketBuffer buffer_;
    TxStore store_;
    MacTx mac_;
    TxFetch fetch_;
    TxWire wire_;
    TxRegisters registers_;
    Register* tqsm_ = nullptr;
};

}  // namespace nicsim::models::i82599
