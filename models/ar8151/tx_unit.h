// SPDX-License-Identifier: Apache-2.0
// The transmit side: queues from descriptors in host memory to frames on the wire. It wires the
// parts and holds what they share; each part says itself what it models:
//   TxRegisters  registers       TxQueue    descriptors to packets (with TpdDecoder)
//   TxFetch      data fetch      TxStore    frames in the transmit FIFO
//   TxWire       who may use the wire
// Nothing is written back: software reads how far the device is from the consumer index, which
// moves over a packet when all its bytes are in the FIFO (assumed: no document says whether it
// waits for the wire).
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/dma_control.h"
#include "models/ar8151/frame_counts.h"
#include "models/ar8151/interrupts.h"
#include "models/ar8151/tx_fetch.h"
#include "models/ar8151/tx_registers.h"
#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_tx.h"
#include "models/common/packet_buffer.h"
#include "models/common/register_file.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"
#include "models/common/tx_wire.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::ar8151 {

class TxUnit : public sc_core::sc_module, private TxRegisterSink {
public:
    TxUnit(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
           DmaControl& dma_control, RegisterFile& registers, Interrupts& interrupts);
    ~TxUnit() override;

    sc_core::sc_port<sim::EthernetIf> ethernet_out{"ethernet_out"};

    /// Rate of the MAC in bit/s; 0 while it does not send (no link, or MAC_CTRL.TX_EN clear).
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    /// LOAD_PTR: rings begin where the registers say, empty.
    void load_rings();
    /// Queues and FIFO empty. After DmaEngine::reset and RegisterFile::reset. A frame on the wire
    /// is finished.
    void reset();

    /// Bits of IDLE_STATUS.
    [[nodiscard]] std::uint32_t busy_bits() const;
    /// Frames that left. They only grow, also over a reset.
    [[nodiscard]] const FrameCounts& counts() const { return counts_; }
    void set_life_cycle(sim::LifeCycle* life_cycle);
    void register_stats(sim::StatGroup& group);

private:
    // TxRegisterSink
    void settings_changed() override;
    void producer_written(unsigned queue, std::uint32_t index) override;
    [[nodiscard]] std::uint32_t consumer_of(unsigned queue) const override;

    TxQueues make_queues(const Ar8151Config& config, TxInterruptIf& interrupts);
    void on_frame_stored(unsigned partition, StoredFrame& frame);
    void on_wire_idle();
    void on_spoiled() { interrupts_.cause(isr::DMAR_TO_RST); }
    void count(const sim::Frame& frame);
    void evaluate();

    // Packets live in pools of the queues, so the queues go last.
    const Ar8151Config config_;
    DmaEngine& dma_;
    DmaControl& dma_control_;
    Interrupts& interrupts_;
    FrameCounts counts_;
    DmaEngine::Channel data_channel_;
    DmaEngine::Channel descriptor_channel_;
    DescriptorFetcher descriptor_fetcher_;
    TxQueues queues_;
    std::vector<std::uint32_t> producers_;  ///< as written, also while TXQ_CTRL.EN is clear
    std::vector<std::uint64_t> doorbells_;
    PacketBuffer fifo_;
    TcpFlagMasks tcp_flags_;
    TxStore store_;
    MacTx mac_;
    TxRegisters registers_;
    TxFetch fetch_;
    TxWire wire_;
};

}  // namespace nicsim::models::ar8151
