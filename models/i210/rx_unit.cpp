// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_unit.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nicsim::models::i210 {

namespace {

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

}  // namespace

RxUnit::RxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
               const SystemTime& clock, RegisterFile& registers, Interrupts& interrupts,
               sim::Callback<bool> carrier, const DescriptorDecisionsFactory& descriptors)
    : sc_module(name),
      clock_(clock),
      interrupts_(interrupts),
      data_(dma.add_channel(channel("rx_data", sim::DmaPurpose::rx_data, 1, true))),
      fetcher_(dma,
               dma.add_channel(channel("rx_descriptor", sim::DmaPurpose::rx_descriptor, 3, true))),
      classifier_(registers),
      rings_(this->name(), queues, static_cast<unsigned>(config.rx_descriptor_cache), dma, fetcher_,
             dma.add_channel(channel("rx_writeback", sim::DmaPurpose::rx_writeback, 0, false)),
             interrupts),
      ring_registers_(registers, rings_),
      path_(this->name(), dma, data_, rings_, *this),
      mac_("mac", config.rx_phy_latency + config.rx_store_latency,
           sim::Callback<const MacRx::Arrival&>::to<&RxUnit::on_frame>(this), carrier) {
    fetcher_.decide_by(descriptors, static_cast<unsigned>(config.rx_descriptor_cache));
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
        sim::Callback<unsigned>::to<&RxUnit::on_progress>(this),
        sim::Callback<unsigned>::to<&RxUnit::on_progress>(this),
        sim::Callback<unsigned, std::uint32_t, bool>::to<&RxUnit::on_written_back>(this));
    apply_control();
}

void RxUnit::apply_control() {
    mac_.set_enabled(classifier_.enabled());
    mac_.set_max_frame(classifier_.max_frame());
    ring_registers_.set_default_buffer(classifier_.legacy_buffer_bytes());
    path_.options().strip_fcs = classifier_.strips_fcs();
    path_.options().packet_checksum_disabled = classifier_.packet_checksum_disabled();
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
    if (!counts_.arrived(arrival)) return;
    RxStored stored;
    stored.verdict = classifier_.classify(arrival.frame->bytes());
    if (!stored.verdict.accepted) {
        ++counts_.filtered;
        return;
    }
    stored.frame = arrival.frame;
    stored.sfd = arrival.sfd;
    stored.space = RxPath::space_of(stored.octets());
    counts_.passed(stored);
    if (path_.fill() + stored.space > capacity()) {
        ++counts_.missed;
        interrupts_.cause(icr::RXO);
        return;
    }
    if (rings_.free_descriptors(stored.verdict.queue) == 0) ++counts_.no_buffers;
    path_.store(std::move(stored));
}

// ---- out of it ----

void RxUnit::rx_delivered(const RxStored& stored) {
    const unsigned q = stored.verdict.queue;
    ++counts_.delivered[q];
    counts_.delivered_octets[q] += stored.octets();
    if (stored.verdict.multicast) ++counts_.delivered_multicast[q];
}

void RxUnit::rx_dropped_queue_disabled(const RxStored&) {
    ++counts_.dropped_queue_disabled;
}

void RxUnit::rx_dropped_no_descriptor(const RxStored& stored) {
    ++counts_.dropped_no_descriptor[stored.verdict.queue];
}

std::uint64_t RxUnit::rx_timestamp_ns(sim::Ps sfd) const {
    return clock_.nanoseconds_at(sfd);
}

void RxUnit::on_written_back(unsigned queue, std::uint32_t, bool) {
    interrupts_.rx_written(queue);
}

void RxUnit::flush_writebacks(unsigned queue) {
    rings_.flush(queue);
}

void RxUnit::reset() {
    counts_.dropped_by_reset += path_.reset();
    mac_.reset();
    rings_.reset();
    ring_registers_.reload();
    classifier_.reset();
}

void RxUnit::register_stats(sim::StatGroup& group) {
    counts_.register_stats(group, "RLPML or 1522 bytes");
    path_.register_stats(group);
    for (unsigned q = 0; q < queues; ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("packets", "packets", "Frames written to host memory.", counts_.delivered[q]);
        g.counter("octets", "B", "Their bytes with FCS.", counts_.delivered_octets[q]);
        g.loss("dropped_no_descriptor", "packets",
               "Dropped for want of descriptors with DROP_EN set (RQDPC).",
               counts_.dropped_no_descriptor[q]);
    }
    rings_.register_stats(group);
}

}  // namespace nicsim::models::i210
