// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/tx_unit.h"

#include <algorithm>
#include <string>

namespace nicsim::models::i82599 {
namespace {

/// Who goes first on the bus: write-back, data, descriptors (assumed, as in the sibling I210).
constexpr unsigned writeback_priority = 0;
constexpr unsigned data_priority = 1;
constexpr unsigned descriptor_priority = 2;

constexpr std::uint32_t packet_buffer_granule = 64;  ///< assumed
/// Longest frame without FCS: 15.5 KB with it (Intel's product brief of the 82599).
constexpr std::uint32_t max_packet = 15'872 - sim::ethernet_fcs_bytes;

std::string path_of(const sc_core::sc_module& module) {
    return module.name();
}

}  // namespace

// Relaxed ordering on reads and not on write-backs (DCA_TXCTRL as ixgbe and the EEPROM leave it).
TxUnit::TxUnit(const sc_core::sc_module_name& name, const I82599Config& config, DmaEngine& dma,
               RegisterFile& registers, TxInterruptIf& interrupts)
    : sc_module(name),
      dma_(dma),
      writeback_channel_(dma.add_channel(
          {"tx_writeback", sim::DmaPurpose::tx_writeback, 1, writeback_priority, false})),
      data_channel_(dma.add_channel({"tx_data", sim::DmaPurpose::tx_data,
                                     static_cast<unsigned>(config.tx_data_reads_in_flight),
                                     data_priority, true})),
      descriptor_channel_(
          dma.add_channel({"tx_descriptor", sim::DmaPurpose::tx_descriptor,
                           static_cast<unsigned>(config.tx_descriptor_reads_in_flight),
                           descriptor_priority, true})),
      descriptor_fetcher_(dma, descriptor_channel_),
      queues_(make_queues(config, interrupts)),
      buffer_(path_of(*this) + ".buffers", traffic_classes, packet_buffer_granule),
      store_(buffer_, settings_.tcp_flags, traffic_classes),
      mac_("mac", sim::Callback<>::to<&TxUnit::on_wire_idle>(this)),
      fetch_("fetch", dma, data_channel_, settings_, buffer_, store_, queues_),
      wire_("wire", mac_, store_, traffic_classes),
      registers_(registers, static_cast<unsigned>(config.queues), settings_, *this) {
    mac_.out(ethernet_out);
    store_.on_complete(sim::Callback<unsigned, StoredFrame&>::to<&TxUnit::on_frame_stored>(this));
    for (auto& queue : queues_) {
        queue->on_change(sim::Callback<>::to<&TxUnit::evaluate>(this));
        queue->set_max_packet(max_packet);
    }
    tqsm_ = &registers.add({.name = "TQSM", .offset = reg::TQSM, .count = max_queues / 4});
    registers_.reload();
}

TxUnit::~TxUnit() = default;

TxQueues TxUnit::make_queues(const I82599Config& config, TxInterruptIf& interrupts) {
    TxQueues made;
    for (unsigned q = 0; q < config.queues; ++q) {
        DescriptorQueueConfig c;
        c.path = path_of(*this) + ".queue" + std::to_string(q) + ".ring";
        c.index = q;
        c.cache = static_cast<unsigned>(config.tx_descriptor_cache);
        c.waiting_hold_places = config.tx_waiting_hold_places;
        made.push_back(std::make_unique<TxQueue>(q, c, dma_, writeback_channel_,
                                                 descriptor_fetcher_, interrupts));
    }
    return made;
}

void TxUnit::reset() {
    settings_.enabled = false;  // nobody fetches while the parts are emptied one by one
    store_.clear();
    fetch_.reset();
    for (auto& queue : queues_) queue->reset();
    wire_.reset();
    registers_.reload();
}

void TxUnit::set_life_cycle(sim::LifeCycle* life_cycle) {
    for (auto& queue : queues_) queue->set_life_cycle(life_cycle);
    wire_.set_life_cycle(life_cycle);
}

// ---- what parts tell each other ----

void TxUnit::on_frame_stored(unsigned, StoredFrame& frame) {
    queues_[frame.frame->queue]->frame_stored(*frame.packet, frame.plan.last);
    evaluate();
}

void TxUnit::on_wire_idle() {
    const StoredFrame sent = wire_.take_sent();
    if (sent.frame) {
        count(*sent.frame);
        store_.release(wire_.sent_class(), sent.room);
    }
    evaluate();
}

void TxUnit::evaluate() {
    wire_.evaluate();
    fetch_.evaluate();
}

void TxUnit::count(const sim::Frame& frame) {
    const std::uint32_t octets = frame.length() + sim::ethernet_fcs_bytes;
    ++counts_.packets;
    counts_.octets += octets;
    ++counts_.by_size[frame_size_class(octets)];
    const unsigned counter = tqsm_->get(frame.queue / 4) >> (frame.queue % 4 * 8) & 0xFU;
    ++counts_.counter_packets[counter];
    counts_.counter_octets[counter] += octets;
    const auto address = frame.bytes().first(6);
    if (std::all_of(address.begin(), address.end(), [](std::uint8_t b) { return b == 0xff; }))
        ++counts_.broadcast;
    else if ((address[0] & 1) != 0)
        ++counts_.multicast;
}

// ---- registers ----

/// A fetch is allowed while less than TXPBTHRESH is taken: the room left is above the difference.
void TxUnit::settings_changed() {
    buffer_.configure(settings_.buffer_bytes, false);
    for (unsigned tc = 0; tc < traffic_classes; ++tc) {
        const std::uint32_t size = settings_.buffer_bytes[tc];
        const std::uint32_t threshold = settings_.threshold_bytes[tc];
        buffer_.set_fetch_threshold(tc, size > threshold ? size - threshold : 0);
    }
    evaluate();
}

void TxUnit::thresholds_changed(unsigned queue, const TxThresholds& thresholds) {
    queues_[queue]->ring().set_thresholds(thresholds.prefetch, thresholds.host,
                                          thresholds.writeback);
}

void TxUnit::queue_enabled(unsigned queue, const TxRing& ring) {
    fetch_.set_enabled(queue, true);
    queues_[queue]->ring().set_head_writeback(ring.head_writeback);
    queues_[queue]->enable(ring.base, ring.size, ring.head);
    queues_[queue]->ring().set_tail(ring.tail);
}

void TxUnit::queue_disabled(unsigned queue) {
    queues_[queue]->disable();
    fetch_.set_enabled(queue, false);
}

void TxUnit::tail_written(unsigned queue, std::uint32_t tail) {
    queues_[queue]->ring().set_tail(tail);
}

std::uint32_t TxUnit::head_of(unsigned queue) const {
    return queues_[queue]->ring().head();
}

void TxUnit::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues_.size(); ++q)
        queues_[q]->register_stats(group.group("queue" + std::to_string(q)));
    fetch_.register_stats(group);
    wire_.register_stats(group.group("wire"));
    mac_.register_stats(group.group("mac"));
}

}  // namespace nicsim::models::i82599
