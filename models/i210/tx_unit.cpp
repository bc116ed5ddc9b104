// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_unit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/common/frame_sizes.h"
#include "models/i210/tx_block_model.h"

namespace nicsim::models::i210 {
namespace {

/// Who goes first on the bus (datasheet 7.2.2.5): write-back, data, descriptors.
constexpr unsigned writeback_priority = 0;
constexpr unsigned data_priority = 1;
constexpr unsigned descriptor_priority = 2;

std::string path_of(const sc_core::sc_module& module) {
    return module.name();
}

}  // namespace

// Relaxed ordering on reads and not on write-backs (datasheet 3.1.4.5.2).
TxUnit::TxUnit(const sc_core::sc_module_name& name, const I210Config& config, DmaEngine& dma,
               const SystemTime& clock, RegisterFile& registers, TxInterruptIf& interrupts,
               const Blocks& blocks)
    : sc_module(name),
      dma_(dma),
      interrupts_(interrupts),
      writeback_channel_(dma.add_channel(
          {"tx_writeback", sim::DmaPurpose::tx_writeback, 1, writeback_priority, false})),
      data_channel_(dma.add_channel({"tx_data", sim::DmaPurpose::tx_data,
                                     static_cast<unsigned>(config.tx_data_reads_in_flight),
                                     data_priority, true})),
      descriptor_channel_(dma.add_channel(
          {"tx_descriptor", sim::DmaPurpose::tx_descriptor, 1, descriptor_priority, true})),
      descriptor_fetcher_(dma, descriptor_channel_),
      queues_(make_queues(config)),
      block_(make_block(clock, blocks)),
      store_(block_->buffer(), settings_.tcp_flags, queues),
      mac_("mac", sim::Callback<>::to<&TxUnit::on_wire_idle>(this)),
      fetch_("fetch", dma, data_channel_, *block_, store_, queues_),
      arbiter_("arbiter", mac_, store_, *block_, settings_),
      registers_(registers, settings_, *this) {
    descriptor_fetcher_.decide_by(blocks.tx_descriptors,
                                  static_cast<unsigned>(config.tx_descriptor_cache));
    mac_.out(ethernet_out);
    store_.on_complete(sim::Callback<unsigned, StoredFrame&>::to<&TxUnit::on_frame_stored>(this));
    for (auto& queue : queues_) queue->on_change(sim::Callback<>::to<&TxUnit::evaluate>(this));
    registers_.reload();
}

TxUnit::~TxUnit() = default;

TxQueues TxUnit::make_queues(const I210Config& config) {
    TxQueues made;
    for (unsigned q = 0; q < queues; ++q) {
        DescriptorQueueConfig c;
        c.path = path_of(*this) + ".queue" + std::to_string(q) + ".ring";
        c.index = q;
        c.cache = static_cast<unsigned>(config.tx_descriptor_cache);
        made[q] = std::make_unique<TxQueue>(q, c, dma_, writeback_channel_, descriptor_fetcher_,
                                            interrupts_);
    }
    return made;
}

std::unique_ptr<TxBlockIf> TxUnit::make_block(const SystemTime& clock, const Blocks& blocks) {
    const TxBlockContext context{
        path_of(*this),
        *this,
        store_,
        settings_,
        clock,
        mac_,
        sim::Callback<>::to<&TxUnit::evaluate>(this),
        [this] { return dma_.ready(data_channel_); },
    };
    if (blocks.tx_block) return blocks.tx_block(context);
    return std::make_unique<TxBlockModel>(context);
}

// ---- the outside ----

void TxUnit::set_link(std::uint64_t bits_per_second) {
    block_->link_changed(bits_per_second);
    mac_.set_link(bits_per_second);
    evaluate();
}

void TxUnit::flush_writebacks(unsigned queue) {
    queues_[queue]->flush_writebacks();
}

void TxUnit::clock_changed() {
    evaluate();
}

void TxUnit::reset() {
    settings_.enabled = false;  // nobody fetches while the parts are emptied one by one
    store_.clear();
    for (auto& queue : queues_) queue->reset();
    fetch_.reset();
    arbiter_.reset();
    block_->reset();
    registers_.reload();
}

void TxUnit::set_life_cycle(sim::LifeCycle* life_cycle) {
    for (auto& queue : queues_) queue->set_life_cycle(life_cycle);
    arbiter_.set_life_cycle(life_cycle);
}

// ---- what parts tell each other ----

void TxUnit::on_frame_stored(unsigned queue, StoredFrame& frame) {
    block_->stored(queue, !frame.spoiled);
    queues_[queue]->frame_stored(*frame.packet, frame.plan.last);
    evaluate();
}

void TxUnit::on_wire_idle() {
    const StoredFrame sent = arbiter_.take_sent();
    if (sent.frame) {
        count(*sent.frame);
        if (sent.packet->first.tso && sent.plan.last) ++counts_.tso_contexts;
        block_->sent();
        store_.release(sent.frame->queue, sent.room);
    }
    evaluate();
}

void TxUnit::evaluate() {
    arbiter_.evaluate();
    fetch_.evaluate();
}

void TxUnit::count(const sim::Frame& frame) {
    const std::uint32_t octets = frame.length() + sim::ethernet_fcs_bytes;
    ++counts_.packets;
    counts_.octets += octets;
    ++counts_.by_size[frame_size_class(octets)];
    ++counts_.queue_packets[frame.queue];
    counts_.queue_octets[frame.queue] += octets;
    const auto address = frame.bytes().first(6);
    if (std::all_of(address.begin(), address.end(), [](std::uint8_t b) { return b == 0xff; }))
        ++counts_.broadcast;
    else if ((address[0] & 1) != 0)
        ++counts_.multicast;
}

// ---- registers ----

void TxUnit::settings_changed() {
    PacketBufferIf& buffer = block_->buffer();
    buffer.configure(registers_.packet_buffer_bytes(), !settings_.qav);
    buffer.set_fetch_threshold(settings_.max_packet);
    for (auto& queue : queues_) queue->set_max_packet(settings_.max_packet);
    evaluate();
}

void TxUnit::shaper_changed(unsigned queue, const TxShaperSettings& settings) {
    block_->shaper_changed(queue, settings);
    evaluate();
}

void TxUnit::thresholds_changed(unsigned queue, const TxThresholds& thresholds) {
    queues_[queue]->ring().set_thresholds(thresholds.prefetch, thresholds.host,
                                          thresholds.writeback);
}

void TxUnit::queue_enabled(unsigned queue, const TxRing& ring) {
    queues_[queue]->enable(ring.base, ring.size, ring.head);
    queues_[queue]->ring().set_tail(ring.tail);
}

void TxUnit::queue_disabled(unsigned queue) {
    queues_[queue]->disable();
}

void TxUnit::tail_written(unsigned queue, std::uint32_t tail) {
    queues_[queue]->ring().set_tail(tail);
}

void TxUnit::flush_written(unsigned queue) {
    queues_[queue]->flush_writebacks();
}

std::uint32_t TxUnit::head_of(unsigned queue) const {
    return queues_[queue]->ring().head();
}

void TxUnit::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues; ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("sent", "packets", "Frames of the queue that left.", counts_.queue_packets[q]);
        g.counter("sent_octets", "B", "Their bytes, from destination address through FCS.",
                  counts_.queue_octets[q]);
        queues_[q]->register_stats(g);
    }
    fetch_.register_stats(group);
    arbiter_.register_stats(group.group("wire"));
    mac_.register_stats(group.group("mac"));
}

}  // namespace nicsim::models::i210
