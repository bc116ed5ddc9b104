// SPDX-License-Identifier: Apache-2.0
#include "models/common/rx_path.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "models/common/hashes.h"

namespace nicsim::models {

namespace {
constexpr std::uint32_t granule = 64;  ///< packet-buffer space is counted in these (assumed)
constexpr std::uint32_t timestamp_bytes = 16;
constexpr std::uint32_t vlan_tag_bytes = 4;
constexpr std::uint64_t ns_per_second = 1'000'000'000;
}  // namespace

RxPath::RxPath(const std::string& path, DmaEngine& dma, DmaEngine::Channel data, RxRingsIf& rings,
               RxPathOwner& owner)
    : dma_(dma),
      data_(data),
      rings_(rings),
      owner_(owner),
      activity_({{"starved", sim::ActivityKind::starved, "no frame in the packet buffer"},
                 {"writing", sim::ActivityKind::busy, "a frame is written to host memory"},
                 {"no_descriptors", sim::ActivityKind::blocked,
                  "the oldest frame waits for receive descriptors of its queue"}}),
      fill_probe_(path + ".packet_buffer", 20) {}

std::uint32_t RxPath::space_of(std::uint32_t octets) {
    return (octets + granule - 1) / granule * granule;
}

void RxPath::set_fill(std::uint32_t fill) {
    fill_ = fill;
    fill_probe_.set(fill_);
    if (on_fill_) on_fill_(fill_);
}

void RxPath::store(RxStored stored) {
    const std::uint32_t fill = fill_ + stored.space;
    stored.stored = sim::now();
    fifo_.push(std::move(stored));
    set_fill(fill);
    pump();
}

void RxPath::pump() {
    if (pumping_) return;
    pumping_ = true;
    while (!busy_ && !fifo_.empty() && start_oldest()) {
    }
    pumping_ = false;
    if (busy_)
        activity_.enter(writing);
    else
        activity_.enter(fifo_.empty() ? starved : no_descriptors);
}

/// Deals with the oldest frame; false if it must wait.
bool RxPath::start_oldest() {
    const RxStored& stored = fifo_.front();
    const unsigned q = stored.verdict.queue;
    if (!rings_.enabled(q)) {
        owner_.rx_dropped_queue_disabled(stored);
        release_oldest();
        return true;
    }
    const std::uint32_t buffer = rings_.settings(q).buffer_bytes;
    const std::uint32_t length = image_length(stored);
    const unsigned needed = (length + buffer - 1) / buffer;
    if (rings_.cached(q) < needed) {
        if (!rings_.settings(q).drop || rings_.free_descriptors(q) >= needed) return false;
        owner_.rx_dropped_no_descriptor(stored);
        release_oldest();
        return true;
    }
    busy_ = true;
    length_ = length;
    started_ = sim::now();
    rings_.take(q, needed);
    const std::span<const std::uint8_t> bytes = image(stored);
    for (unsigned i = 0; i < needed; ++i) {
        const std::size_t first = std::size_t{i} * buffer;
        const auto part = bytes.subspan(first, std::min<std::size_t>(buffer, length - first));
        const bool last = i + 1 == needed;
        dma_.write(data_, rings_.taken(i), part,
                   last ? DmaEngine::Done::to<&RxPath::on_data_written>(this) : DmaEngine::Done{},
                   generation_);
    }
    rings_.fetch();
    return true;
}

std::uint32_t RxPath::image_length(const RxStored& stored) const {
    std::uint32_t length = std::as_const(*stored.frame).length();
    if (stamps(stored)) length += timestamp_bytes;
    if (stored.verdict.strip_vlan) length -= vlan_tag_bytes;
    if (!options_.strip_fcs) length += sim::ethernet_fcs_bytes;
    return length;
}

/// The bytes that go to host memory: the frame, perhaps without its VLAN tag, with its FCS or
/// behind a time stamp.
std::span<const std::uint8_t> RxPath::image(const RxStored& stored) {
    const std::span<const std::uint8_t> frame = std::as_const(*stored.frame).bytes();
    const bool stamp = stamps(stored);
    if (!stamp && !stored.verdict.strip_vlan && options_.strip_fcs) return frame;
    scratch_.clear();
    if (stamp) {
        const std::uint64_t ns = owner_.rx_timestamp_ns(stored.sfd);
        const std::array<std::uint32_t, 4> words = {0, 0,
                                                    static_cast<std::uint32_t>(ns % ns_per_second),
                                                    static_cast<std::uint32_t>(ns / ns_per_second)};
        scratch_.resize(timestamp_bytes);
        std::memcpy(scratch_.data(), words.data(), timestamp_bytes);
    }
    if (stored.verdict.strip_vlan) {
        scratch_.insert(scratch_.end(), frame.begin(), frame.begin() + 12);
        scratch_.insert(scratch_.end(), frame.begin() + 16, frame.end());
    } else {
        scratch_.insert(scratch_.end(), frame.begin(), frame.end());
    }
    if (!options_.strip_fcs) {
        const std::uint32_t fcs = ethernet_fcs(frame);
        for (unsigned i = 0; i < 4; ++i)
            scratch_.push_back(static_cast<std::uint8_t>(fcs >> (8 * i)));
    }
    return scratch_;
}

void RxPath::note_life(const RxStored& stored, unsigned descriptors) {
    if (life_cycle_ == nullptr || !life_cycle_->received().wanted()) return;
    const unsigned q = stored.verdict.queue;
    life_cycle_->received().begin(q, rings_.return_place(q, descriptors),
                                  {stored.sfd, stored.stored, started_, sim::now()});
}

void RxPath::on_data_written(std::uint64_t generation, bool ok) {
    if (generation != generation_) return;
    if (!ok) ++data_errors_;
    const RxStored& stored = fifo_.front();
    const unsigned q = stored.verdict.queue;
    const std::uint32_t buffer = rings_.settings(q).buffer_bytes;
    RxCompletion completion;
    completion.verdict = &stored.verdict;
    completion.length = length_;
    completion.timestamp = stamps(stored);
    completion.packet_checksum_disabled = options_.packet_checksum_disabled;
    owner_.rx_delivered(stored);
    const unsigned descriptors = (completion.length + buffer - 1) / buffer;
    note_life(stored, descriptors);
    rings_.complete(q, descriptors, completion);
    busy_ = false;
    release_oldest();
    pump();
}

void RxPath::release_oldest() {
    const std::uint32_t space = fifo_.front().space;
    fifo_.pop();
    set_fill(fill_ - space);
}

std::size_t RxPath::reset() {
    ++generation_;
    const std::size_t lost = fifo_.size();
    fifo_.clear();
    set_fill(0);
    busy_ = false;
    options_ = {};
    activity_.enter(starved);
    return lost;
}

void RxPath::register_stats(sim::StatGroup& group) {
    group.loss("data_errors", "packets", "Frames whose DMA the bus answered with an error.",
               data_errors_);
    group.formula("packet_buffer_fill", "B", "Packet buffer in use at the end of the run.",
                  [this] { return static_cast<double>(fill_); });
    group.activity("dma", "The write path from packet buffer to host memory.", activity_);
}

}  // namespace nicsim::models
