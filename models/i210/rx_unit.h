// SPDX-License-Identifier: Apache-2.0
// The receive side of the I210: from the wire through the packet buffer to host memory.
//   MacRx        FCS and length            RxClassifier  filters, queue, checksums
//   RxPath       packet buffer to host     RxRings, RxRegisters  descriptors, write-back
// Not modelled: header split, time stamps of selected packets (all or none), jumbo-specific rules,
// flow control, wake-up, the management controller's share of the packet buffer.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_rx.h"
#include "models/common/register_file.h"
#include "models/common/rx_path.h"
#include "models/common/rx_rings.h"
#include "models/i210/config.h"
#include "models/i210/interrupts.h"
#include "models/i210/rx_classifier.h"
#include "models/i210/rx_counts.h"
#include "models/i210/rx_registers.h"
#include "models/i210/systim.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class RxUnit : public sc_core::sc_module, private RxPathOwner {
public:
    /// `carrier`: the far end's carrier was lost or found.
    RxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
           const SystemTime& clock, RegisterFile& registers, Interrupts& interrupts,
           sim::Callback<bool> carrier, const DescriptorDecisionsFactory& descriptors = {});

    [[nodiscard]] sim::EthernetIf& ethernet() { return mac_; }
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    /// The EITR of the queue's vector expired.
    void flush_writebacks(unsigned queue);
    /// After RegisterFile::reset and DmaEngine::reset.
    void reset();
    void load_address(const MacAddress& address) { classifier_.load_address(address); }
    /// Receive time stamps in the packet are on for all packets (TSYNCRXCTL).
    void set_timestamp_all(bool on) { path_.options().timestamp = on; }

    [[nodiscard]] const RxCounts& counts() const { return counts_; }
    /// Frames that wait in the packet buffer or are on their way in.
    [[nodiscard]] std::uint64_t frames_inside() const { return path_.frames_inside(); }
    [[nodiscard]] std::uint32_t buffered_bytes() const { return path_.fill(); }
    void set_life_cycle(sim::LifeCycle* life_cycle) {
        rings_.set_life_cycle(life_cycle);
        path_.set_life_cycle(life_cycle);
    }
    void register_stats(sim::StatGroup& group);

private:
    void apply_control();
    void on_frame(const MacRx::Arrival& arrival);
    void on_progress(unsigned) { path_.pump(); }
    void on_written_back(unsigned queue, std::uint32_t count, bool report);

    // RxPathOwner
    void rx_delivered(const RxStored& stored) override;
    void rx_dropped_queue_disabled(const RxStored& stored) override;
    void rx_dropped_no_descriptor(const RxStored& stored) override;
    [[nodiscard]] std::uint64_t rx_timestamp_ns(sim::Ps sfd) const override;

    [[nodiscard]] std::uint32_t capacity() const { return (rxpbsize_->get() & 0x3F) * 1024; }
    std::uint32_t read_rqdpc(unsigned queue);
    void write_rqdpc(unsigned queue, std::uint32_t value);

    const SystemTime& clock_;
    Interrupts& interrupts_;
    DmaEngine::Channel data_;
    DescriptorFetcher fetcher_;
    RxClassifier classifier_;
    RxRings rings_;
    RxRegisters ring_registers_;
    RxPath path_;
    MacRx mac_;
    Register* rxpbsize_ = nullptr;

    std::array<std::uint64_t, queues> rqdpc_base_{};

    RxCounts counts_;
};

}  // namespace nicsim::models::i210
