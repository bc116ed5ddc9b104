// SPDX-License-Identifier: Apache-2.0
// The receive side of the 82599: from the wire through the packet buffer to host memory.
//   MacRx        FCS and length            RxClassifier  filters, queue, checksums
//   RxPath       packet buffer to host     RxRings, RxRegisters  descriptors, write-back
// A frame that finds no room in the packet buffer is lost and counted (RXMPC); one whose queue has
// no descriptors waits and holds up the others, unless its queue may drop (SRRCTL.DROP_EN, PFQDE),
// which is counted for the queue (QPRDC).
// Not modelled: packet buffers of traffic classes 1-7, receive-side coalescing, header split, time
// stamps, the share of the packet buffer that flow director takes.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_rx.h"
#include "models/common/register_file.h"
#include "models/common/rx_path.h"
#include "models/common/rx_rings.h"
#include "models/i82599/config.h"
#include "models/i82599/flow_control.h"
#include "models/i82599/interrupts.h"
#include "models/i82599/rx_classifier.h"
#include "models/i82599/rx_counts.h"
#include "models/i82599/rx_registers.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::i82599 {

class RxUnit : public sc_core::sc_module, private RxPathOwner {
public:
    /// `carrier`: the far end's carrier was lost or found.
    RxUnit(const sc_core::sc_module_name& name, const I82599Config& config, DmaEngine& dma,
           RegisterFile& registers, Interrupts& interrupts, FlowControl& flow_control,
           sim::Callback<bool> carrier);

    [[nodiscard]] sim::EthernetIf& ethernet() { return mac_; }
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    /// The EITR of the queue's vector expired.
    void flush_writebacks(unsigned queue) { rings_.flush(queue); }
    /// After RegisterFile::reset and DmaEngine::reset.
    void reset();
    void load_address(const MacAddress& address) { classifier_.load_address(address); }

    [[nodiscard]] const RxCounts& counts() const { return counts_; }
    /// Frames that wait in the packet buffer.
    [[nodiscard]] std::uint64_t frames_inside() const { return path_.frames_inside(); }
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
    [[nodiscard]] std::uint32_t capacity() const { return rxpbsize_->get(0) & 0x000F'FC00; }
    [[nodiscard]] unsigned counter_of(unsigned queue) const;

    // RxPathOwner
    void rx_delivered(const RxStored& stored) override;
    void rx_dropped_queue_disabled(const RxStored& stored) override;
    void rx_dropped_no_descriptor(const RxStored& stored) override;
    [[nodiscard]] std::uint64_t rx_timestamp_ns(sim::Ps) const override { return 0; }

    Interrupts& interrupts_;
    FlowControl& flow_control_;
    DmaEngine::Channel data_;
    DescriptorFetcher fetcher_;
    RxClassifier classifier_;
    RxRings rings_;
    RxRegisters ring_registers_;
    RxPath path_;
    MacRx mac_;
    Register* rxpbsize_ = nullptr;
    Register* rqsmr_ = nullptr;
    RxCounts counts_;
};

}  // namespace nicsim::models::i82599
