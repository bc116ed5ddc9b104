// SPDX-License-Identifier: Apache-2.0
// The receive side of the I210: from the wire through the packet buffer to host memory.
// A frame is stored whole, then written into the buffers of its queue, then its descriptors are
// written back (datasheet 1.8.2, 7.1). Frames leave the packet buffer in the order they came, so a
// queue without descriptors holds up the others unless its SRRCTL.DROP_EN is set.
//   MacRx  FCS and length        RxClassifier  filters, queue, checksums
//   RxRing one queue's registers, descriptors and write-back format
// Not modelled: header split, time stamps of selected packets (all or none), jumbo-specific rules,
// flow control, wake-up, the management controller's share of the packet buffer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/descriptor_queue.h"
#include "models/common/dma_engine.h"
#include "models/common/mac_rx.h"
#include "models/common/register_file.h"
#include "models/i210/config.h"
#include "models/i210/interrupts.h"
#include "models/i210/rx_classifier.h"
#include "models/i210/rx_counts.h"
#include "models/i210/rx_ring.h"
#include "models/i210/systim.h"
#include "sim/activity.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class RxUnit : public sc_core::sc_module {
public:
    /// `carrier`: the far end's carrier was lost or found.
    RxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
           const SystemTime& clock, RegisterFile& registers, Interrupts& interrupts,
           sim::Callback<bool> carrier);

    [[nodiscard]] sim::EthernetIf& ethernet() { return mac_; }
    void set_link(std::uint64_t bits_per_second) { mac_.set_link(bits_per_second); }
    /// The EITR of the queue's vector expired.
    void flush_writebacks(unsigned queue);
    /// After RegisterFile::reset and DmaEngine::reset.
    void reset();
    void load_address(const MacAddress& address) { classifier_.load_address(address); }
    /// Receive time stamps in the packet are on for all packets (TSYNCRXCTL).
    void set_timestamp_all(bool on) { timestamp_all_ = on; }

    [[nodiscard]] const RxCounts& counts() const { return counts_; }
    /// Frames that wait in the packet buffer or are on their way in.
    [[nodiscard]] std::uint64_t frames_inside() const { return fifo_.size(); }
    [[nodiscard]] std::uint32_t buffered_bytes() const { return fill_; }
    void register_stats(sim::StatGroup& group);

private:
    struct Stored {
        sim::FramePtr frame;
        RxVerdict verdict;
        sim::Ps sfd = 0;
        std::uint32_t space = 0;  ///< in the packet buffer
    };
    enum State : std::size_t { starved, writing, no_descriptors };

    void apply_control();
    void on_frame(const MacRx::Arrival& arrival);
    void count_good(const Stored& stored);
    void pump();
    /// Deals with the oldest frame; false if it must wait.
    bool start_oldest();
    void release_oldest();
    [[nodiscard]] std::span<const std::uint8_t> image(const Stored& stored);
    void on_data_written(std::uint64_t generation, bool ok);
    void on_descriptors(unsigned) { pump(); }
    void on_tail(unsigned) { pump(); }
    void on_written_back(unsigned queue, std::uint32_t count, bool report);
    [[nodiscard]] std::uint32_t capacity() const { return (rxpbsize_->get() & 0x3F) * 1024; }
    std::uint32_t read_rqdpc(unsigned queue);
    void write_rqdpc(unsigned queue, std::uint32_t value);

    const SystemTime& clock_;
    DmaEngine& dma_;
    Interrupts& interrupts_;
    DmaEngine::Channel data_;
    DescriptorFetcher fetcher_;
    RxClassifier classifier_;
    RxRings rings_;
    MacRx mac_;
    Register* rxpbsize_ = nullptr;

    sim::RingQueue<Stored> fifo_;
    std::uint32_t fill_ = 0;
    bool busy_ = false;  ///< the oldest frame is being written
    bool pumping_ = false;
    bool timestamp_all_ = false;
    std::uint64_t generation_ = 0;
    std::vector<std::uint8_t> scratch_;
    std::array<std::uint64_t, queues> rqdpc_base_{};

    RxCounts counts_;
    std::uint64_t data_errors_ = 0;
    sim::Activity activity_;
    sim::Probe fill_probe_;
};

}  // namespace nicsim::models::i210
