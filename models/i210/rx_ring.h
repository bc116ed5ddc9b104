// SPDX-License-Identifier: Apache-2.0
// The four receive rings: their registers, descriptors on the die, and what is written back
// (datasheet 7.1.3-7.1.6, 8.10). One-buffer advanced and legacy descriptors; a frame that is longer
// than SRRCTL.BSIZEPACKET takes several.
// Not modelled: header split and header buffers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "models/common/descriptor_queue.h"
#include "models/common/register_file.h"
#include "models/i210/interrupts.h"
#include "models/i210/registers.h"
#include "models/i210/rx_classifier.h"

namespace nicsim::models::i210 {

/// What the write-back of a frame says.
struct RxCompletion {
    const RxVerdict* verdict = nullptr;
    std::uint32_t length = 0;  ///< bytes written to host memory
    bool timestamp = false;    ///< a time stamp stands before the frame
    bool packet_checksum_disabled = true;
};

class RxRings {
public:
    RxRings(const std::string& path, unsigned cache, DmaEngine& dma, DescriptorFetcher& fetcher,
            DmaEngine::Channel writeback, RegisterFile& registers, Interrupts& interrupts);

    /// Called after descriptors came or the tail moved; after a write-back was taken.
    void on_progress(sim::Callback<unsigned> arrived, sim::Callback<unsigned> tail,
                     sim::Callback<unsigned, std::uint32_t, bool> written);

    [[nodiscard]] DescriptorQueue& ring(unsigned q) { return *rings_[q]; }
    [[nodiscard]] bool enabled(unsigned q) const { return rings_[q]->enabled(); }
    [[nodiscard]] bool drops(unsigned q) const { return (srrctl_->get(q) & srrctl::DROP_EN) != 0; }
    [[nodiscard]] bool timestamps(unsigned q) const {
        return (srrctl_->get(q) & srrctl::TIMESTAMP) != 0;
    }
    [[nodiscard]] std::uint32_t buffer_bytes(unsigned q, std::uint32_t legacy) const;
    /// Descriptors that software has given and that no frame has taken.
    [[nodiscard]] std::uint32_t free_descriptors(unsigned q) const;

    /// Takes the descriptors of a frame from the die; one frame is worked on at a time.
    void take(unsigned q, unsigned count);
    /// Host address of the i-th buffer taken.
    [[nodiscard]] std::uint64_t taken(unsigned i) const { return taken_[i]; }
    /// Their buffers are filled: write them back now or when the moderation timer says so.
    void complete(unsigned q, unsigned count, std::uint32_t buffer, const RxCompletion& completion);
    void flush(unsigned q) { rings_[q]->flush(); }
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    [[nodiscard]] bool legacy(unsigned q) const {
        return (srrctl_->get(q) >> srrctl::desctype_shift & 7U) == 0;
    }
    [[nodiscard]] static Descriptor advanced_image(const RxCompletion& c, std::uint32_t length,
                                                   bool last);
    [[nodiscard]] Descriptor legacy_image(unsigned q, unsigned i, const RxCompletion& c,
                                          std::uint32_t length, bool last) const;
    void map(RegisterFile& file);
    void write_rxdctl(unsigned q, std::uint32_t value);
    void write_rdt(unsigned q, std::uint32_t value);
    std::uint32_t read_rdh(unsigned q);
    void arrived(unsigned q);

    std::array<std::unique_ptr<DescriptorQueue>, queues> rings_;
    /// Buffer addresses of the descriptors taken; the legacy format keeps them in the write-back.
    std::array<std::uint64_t, 16> taken_{};
    Interrupts& interrupts_;
    sim::Callback<unsigned> arrived_;
    sim::Callback<unsigned> tail_;
    Register* rdbal_ = nullptr;
    Register* rdbah_ = nullptr;
    Register* rdlen_ = nullptr;
    Register* srrctl_ = nullptr;
    Register* rdh_ = nullptr;
    Register* rdt_ = nullptr;
    Register* rxdctl_ = nullptr;
};

}  // namespace nicsim::models::i210
