// SPDX-License-Identifier: Apache-2.0
// The receive side: from the wire through the receive FIFO to host memory.
//   MacRx   FCS and length            RxClassifier  filters, queue, checksums
//   RxPath  FIFO to host memory       RxRings       free and return descriptors
// A frame waits in the FIFO for a free descriptor; one that finds no room there is lost and
// counted. Software hears of a ring without free descriptors (RFD_UR) once until it gives some, and
// of lost frames (HW_RXF_OV) once until the FIFO was empty again (both assumed: no document says
// how often the causes come). FCS is written to memory and counted in the length.
// Not modelled: pause frames (RXQ_RXF_PAUSE_THRESH), cut-through (RXQ_CTRL bit 30), truncation of
// oversize frames (they are dropped), loopback.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <systemc>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/frame_counts.h"
#include "models/ar8151/interrupts.h"
#include "models/ar8151/rx_classifier.h"
#include "models/ar8151/rx_rings.h"
#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_rx.h"
#include "models/common/register_file.h"
#include "models/common/rx_counts.h"
#include "models/common/rx_path.h"
#include "sim/life_cycle.h"
#include "sim/stat.h"

namespace nicsim::models::ar8151 {

struct RxCounts : RxMacCounts {
    explicit RxCounts(unsigned queues) : delivered(queues), no_descriptor(queues) {}

    FrameCounts good;  ///< frames that passed the filters, as the MIB registers count them
    std::vector<std::uint64_t> delivered;
    /// Came in while the ring had no free descriptor (they may be delivered later).
    std::vector<std::uint64_t> no_descriptor;

    /// Every frame that comes in while reception is on ends in exactly one of these.
    [[nodiscard]] std::uint64_t accounted() const {
        return std::accumulate(delivered.begin(), delivered.end(), ended_before_queue());
    }
};

class RxUnit : public sc_core::sc_module, private RxPathOwner {
public:
    /// `carrier`: the far end's carrier was lost or found.
    RxUnit(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
           RegisterFile& registers, Interrupts& interrupts, sim::Callback<bool> carrier);

    [[nodiscard]] sim::EthernetIf& ethernet() { return mac_; }
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    void set_mac_control(std::uint32_t value);
    /// LOAD_PTR: rings begin where the registers say. The producer index stays: Linux' atl1c gives
    /// the buffers before it loads the pointers.
    void load_rings();
    /// After RegisterFile::reset and DmaEngine::reset.
    void reset();

    /// Bits of IDLE_STATUS.
    [[nodiscard]] std::uint32_t busy_bits() const {
        return path_.frames_inside() != 0 ? idle::RXQ_BUSY : 0;
    }
    [[nodiscard]] const RxCounts& counts() const { return counts_; }
    /// Frames that wait in the FIFO.
    [[nodiscard]] std::uint64_t frames_inside() const { return path_.frames_inside(); }
    void set_life_cycle(sim::LifeCycle* life_cycle) {
        rings_.set_life_cycle(life_cycle);
        path_.set_life_cycle(life_cycle);
    }
    void register_stats(sim::StatGroup& group);

private:
    void map(RegisterFile& file);
    void apply();
    void on_setting(unsigned, std::uint32_t) { apply(); }
    void on_producer(unsigned queue, std::uint32_t value);
    std::uint32_t read_consumers(unsigned pair);
    void on_frame(const MacRx::Arrival& arrival);
    void count_good(const RxStored& stored);
    void note_overflow();
    void on_arrived(unsigned) { path_.pump(); }
    void on_returned(unsigned queue) { interrupts_.rx_cause(queue); }
    void on_fill(std::uint32_t bytes) {
        if (bytes == 0) overflow_told_ = false;
    }

    // RxPathOwner
    void rx_delivered(const RxStored& stored) override;
    void rx_dropped_queue_disabled(const RxStored& stored) override;
    /// Frames are never dropped for want of a descriptor.
    void rx_dropped_no_descriptor(const RxStored&) override {}
    [[nodiscard]] std::uint64_t rx_timestamp_ns(sim::Ps) const override { return 0; }

    Interrupts& interrupts_;
    std::uint32_t capacity_;
    bool receive_ = false;  ///< MAC_CTRL.RX_EN
    DmaEngine::Channel data_;
    DescriptorFetcher fetcher_;
    RxClassifier classifier_;
    RxRings rings_;
    RxPath path_;
    MacRx mac_;
    RxCounts counts_;
    std::array<bool, max_queues> underrun_told_{};
    bool overflow_told_ = false;
    Register *base_hi_ = nullptr, *rfd_lo_ = nullptr, *rfd_size_ = nullptr;
    Register *buf_size_ = nullptr, *rrd_lo_ = nullptr, *rrd_size_ = nullptr;
    Register *rxq_ctrl_ = nullptr, *rxd_dma_ = nullptr, *producers_ = nullptr;
};

}  // namespace nicsim::models::ar8151
