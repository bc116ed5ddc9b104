// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_unit.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "models/common/hashes.h"

namespace nicsim::models::i210 {

namespace {

constexpr std::uint32_t granule = 64;  ///< packet-buffer space is counted in these (assumed)
constexpr std::uint32_t timestamp_bytes = 16;
constexpr std::uint32_t rxpbsize_reset = 0x24;  // 36 KB (datasheet 7.1.3.2)

DmaChannelConfig channel(const char* name, sim::DmaPurpose purpose, unsigned priority,
                         bool relaxed) {
    DmaChannelConfig c;
    c.name = name;
    c.purpose = purpose;
    c.max_reads_in_flight = 1;
    c.priority = priority;
    c.relaxed_ordering = relaxed;
    return c;
}

unsigned size_class(std::uint32_t bytes) {
    static constexpr std::array<std::uint32_t, 5> limits = {64, 127, 255, 511, 1023};
    unsigned i = 0;
    while (i < limits.size() && bytes > limits[i]) ++i;
    return i;
}

}  // namespace

RxUnit::RxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
               const SystemTime& clock, RegisterFile& registers, Interrupts& interrupts,
               sim::Callback<bool> carrier)
    : sc_module(name),
      clock_(clock),
      dma_(dma),
      interrupts_(interrupts),
      data_(dma.add_channel(channel("rx_data", sim::DmaPurpose::rx_data, 1, true))),
      fetcher_(dma,
               dma.add_channel(channel("rx_descriptor", sim::DmaPurpose::rx_descriptor, 3, true))),
      classifier_(registers),
      rings_(this->name(), static_cast<unsigned>(config.rx_descriptor_cache), dma, fetcher_,
             dma.add_channel(channel("rx_writeback", sim::DmaPurpose::rx_writeback, 0, false)),
             registers, interrupts),
      mac_("mac", config.rx_phy_latency + config.rx_store_latency,
           sim::Callback<const MacRx::Arrival&>::to<&RxUnit::on_frame>(this), carrier),
      activity_({{"starved", sim::ActivityKind::starved, "no frame in the packet buffer"},
                 {"writing", sim::ActivityKind::busy, "a frame is written to host memory"},
                 {"no_descriptors", sim::ActivityKind::blocked,
                  "the oldest frame waits for receive descriptors of its queue"}}),
      fill_probe_(std::string(this->name()) + ".packet_buffer", 17) {
    rxpbsize_ =
        &registers.add({.name = "RXPBSIZE", .offset = reg::RXPBSIZE, .reset = rxpbsize_reset});
    registers.add({.name = "RQDPC",
                   .offset = reg::RQDPC,
                   .count = queues,
                   .stride = reg::queue_stride,
                   .read = ReadHook::to<&RxUnit::read_rqdpc>(this),
                   .write = WriteHook::to<&RxUnit::write_rqdpc>(this),
                   .pure_read = true});
    registers.alias(reg::rx_alias + (reg::RQDPC - reg::RDBAL), reg::RQDPC, queues,
                    reg::alias_stride, reg::queue_stride);
    classifier_.on_control(sim::Callback<>::to<&RxUnit::apply_control>(this));
    rings_.on_progress(
        sim::Callback<unsigned>::to<&RxUnit::on_descriptors>(this),
        sim::Callback<unsigned>::to<&RxUnit::on_tail>(this),
        sim::Callback<unsigned, std::uint32_t, bool>::to<&RxUnit::on_written_back>(this));
    apply_control();
}

void RxUnit::apply_control() {
    mac_.set_enabled(classifier_.enabled());
    mac_.set_max_frame(classifier_.max_frame());
}

/// RQDPC of this device is cleared by a write, not by a read.
std::uint32_t RxUnit::read_rqdpc(unsigned queue) {
    const std::uint64_t value = counts_.dropped_no_descriptor[queue] - rqdpc_base_[queue];
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xFFFF'FFFF));
}

void RxUnit::write_rqdpc(unsigned queue, std::uint32_t) {
    rqdpc_base_[queue] = counts_.dropped_no_descriptor[queue];
}

// ---- into the packet buffer ----

void RxUnit::on_frame(const MacRx::Arrival& arrival) {
    if (!classifier_.enabled()) return;
    const std::uint32_t octets = arrival.frame->length() + sim::ethernet_fcs_bytes;
    ++counts_.total_packets;
    counts_.total_octets += octets;
    switch (arrival.verdict) {
        case MacRx::Verdict::crc_error:
            ++counts_.crc_errors;
            return;
        case MacRx::Verdict::undersize:
            ++counts_.undersize;
            return;
        case MacRx::Verdict::oversize:
            ++counts_.oversize;
            return;
        case MacRx::Verdict::good:
            break;
    }
    Stored stored;
    stored.verdict = classifier_.classify(arrival.frame->bytes());
    if (!stored.verdict.accepted) {
        ++counts_.filtered;
        return;
    }
    stored.frame = arrival.frame;
    stored.sfd = arrival.sfd;
    stored.space = (octets + granule - 1) / granule * granule;
    count_good(stored);
    if (fill_ + stored.space > capacity()) {
        ++counts_.missed;
        interrupts_.cause(icr::RXO);
        return;
    }
    if (rings_.free_descriptors(stored.verdict.queue) == 0) ++counts_.no_buffers;
    fill_ += stored.space;
    fill_probe_.set(fill_);
    fifo_.push(std::move(stored));
    pump();
}

void RxUnit::count_good(const Stored& stored) {
    const std::uint32_t octets = stored.frame->length() + sim::ethernet_fcs_bytes;
    ++counts_.good_packets;
    counts_.good_octets += octets;
    ++counts_.by_size[size_class(octets)];
    if (stored.verdict.broadcast) ++counts_.broadcast;
    if (stored.verdict.multicast) ++counts_.multicast;
}

// ---- out of it ----

void RxUnit::pump() {
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

bool RxUnit::start_oldest() {
    const Stored& stored = fifo_.front();
    const unsigned q = stored.verdict.queue;
    if (!rings_.enabled(q)) {
        ++counts_.dropped_queue_disabled;
        release_oldest();
        return true;
    }
    const std::uint32_t buffer = rings_.buffer_bytes(q, classifier_.legacy_buffer_bytes());
    const std::span<const std::uint8_t> bytes = image(stored);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    const unsigned needed = (length + buffer - 1) / buffer;
    if (rings_.ring(q).cached() < needed) {
        if (!rings_.drops(q) || rings_.free_descriptors(q) >= needed) return false;
        ++counts_.dropped_no_descriptor[q];
        release_oldest();
        return true;
    }
    busy_ = true;
    rings_.take(q, needed);
    for (unsigned i = 0; i < needed; ++i) {
        const std::size_t first = std::size_t{i} * buffer;
        const auto part = bytes.subspan(first, std::min<std::size_t>(buffer, length - first));
        const bool last = i + 1 == needed;
        dma_.write(data_, rings_.taken(i), part,
                   last ? DmaEngine::Done::to<&RxUnit::on_data_written>(this) : DmaEngine::Done{},
                   generation_);
    }
    fetcher_.evaluate();
    return true;
}

/// The bytes that go to host memory: the frame, perhaps without its VLAN tag, with its FCS or
/// behind a time stamp.
std::span<const std::uint8_t> RxUnit::image(const Stored& stored) {
    const std::span<const std::uint8_t> frame = std::as_const(*stored.frame).bytes();
    const bool stamp = timestamp_all_ && rings_.timestamps(stored.verdict.queue);
    if (!stamp && !stored.verdict.strip_vlan && classifier_.strips_fcs()) return frame;
    scratch_.clear();
    if (stamp) {
        const std::uint64_t ns = clock_.nanoseconds_at(stored.sfd);
        const std::array<std::uint32_t, 4> words = {
            0, 0, static_cast<std::uint32_t>(ns % SystemTime::ns_per_second),
            static_cast<std::uint32_t>(ns / SystemTime::ns_per_second)};
        scratch_.resize(timestamp_bytes);
        std::memcpy(scratch_.data(), words.data(), timestamp_bytes);
    }
    if (stored.verdict.strip_vlan) {
        scratch_.insert(scratch_.end(), frame.begin(), frame.begin() + 12);
        scratch_.insert(scratch_.end(), frame.begin() + 16, frame.end());
    } else {
        scratch_.insert(scratch_.end(), frame.begin(), frame.end());
    }
    if (!classifier_.strips_fcs()) {
        const std::uint32_t fcs = ethernet_fcs(frame);
        for (unsigned i = 0; i < 4; ++i)
            scratch_.push_back(static_cast<std::uint8_t>(fcs >> (8 * i)));
    }
    return scratch_;
}

void RxUnit::on_data_written(std::uint64_t generation, bool ok) {
    if (generation != generation_) return;
    if (!ok) ++data_errors_;
    const Stored& stored = fifo_.front();
    const unsigned q = stored.verdict.queue;
    const std::uint32_t buffer = rings_.buffer_bytes(q, classifier_.legacy_buffer_bytes());
    RxCompletion completion;
    completion.verdict = &stored.verdict;
    completion.length = static_cast<std::uint32_t>(image(stored).size());
    completion.timestamp = timestamp_all_ && rings_.timestamps(q);
    completion.packet_checksum_disabled = classifier_.packet_checksum_disabled();
    ++counts_.delivered[q];
    counts_.delivered_octets[q] += stored.frame->length() + sim::ethernet_fcs_bytes;
    if (stored.verdict.multicast) ++counts_.delivered_multicast[q];
    rings_.complete(q, (completion.length + buffer - 1) / buffer, buffer, completion);
    busy_ = false;
    release_oldest();
    pump();
}

void RxUnit::release_oldest() {
    fill_ -= fifo_.front().space;
    fill_probe_.set(fill_);
    fifo_.pop();
}

void RxUnit::on_written_back(unsigned queue, std::uint32_t, bool) {
    interrupts_.rx_cause(queue);
}

void RxUnit::flush_writebacks(unsigned queue) {
    rings_.flush(queue);
}

void RxUnit::reset() {
    ++generation_;
    counts_.dropped_by_reset += fifo_.size();
    mac_.reset();
    fifo_.clear();
    fill_ = 0;
    fill_probe_.set(0);
    busy_ = false;
    timestamp_all_ = false;
    rings_.reset();
    classifier_.reset();
    activity_.enter(starved);
}

void RxUnit::register_stats(sim::StatGroup& group) {
    group.counter("packets", "packets", "Frames that came in while receive was enabled.",
                  counts_.total_packets);
    group.counter("octets", "B", "Their bytes with FCS.", counts_.total_octets);
    group.counter("good_packets", "packets", "Good frames that passed the filters.",
                  counts_.good_packets);
    group.counter("crc_errors", "packets", "Dropped: wrong FCS.", counts_.crc_errors);
    group.counter("undersize", "packets", "Dropped: shorter than 64 bytes.", counts_.undersize);
    group.counter("oversize", "packets", "Dropped: longer than RLPML or 1522 bytes.",
                  counts_.oversize);
    group.counter("filtered", "packets", "Not wanted by any address or VLAN filter.",
                  counts_.filtered);
    group.counter("missed", "packets", "Dropped: no room in the packet buffer (MPC).",
                  counts_.missed);
    group.counter("no_buffers", "packets", "Came in while the ring had no descriptor (RNBC).",
                  counts_.no_buffers);
    group.counter("dropped_queue_disabled", "packets", "Dropped: their queue was disabled.",
                  counts_.dropped_queue_disabled);
    group.counter("dropped_by_reset", "packets", "Lost in a device reset.",
                  counts_.dropped_by_reset);
    group.counter("data_errors", "packets", "Frames whose DMA the bus answered with an error.",
                  data_errors_);
    for (unsigned q = 0; q < queues; ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("packets", "packets", "Frames written to host memory.", counts_.delivered[q]);
        g.counter("octets", "B", "Their bytes with FCS.", counts_.delivered_octets[q]);
        g.counter("dropped_no_descriptor", "packets",
                  "Dropped for want of descriptors with DROP_EN set (RQDPC).",
                  counts_.dropped_no_descriptor[q]);
    }
    group.formula("packet_buffer_fill", "B", "Packet buffer in use at the end of the run.",
                  [this] { return static_cast<double>(fill_); });
    group.activity("dma", "The write path from packet buffer to host memory.", activity_);
    rings_.register_stats(group);
}

}  // namespace nicsim::models::i210
