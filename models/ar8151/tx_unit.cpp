// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/tx_unit.h"

#include <array>
#include <string>

#include "models/ar8151/tpd_decoder.h"
#include "models/common/address_filter.h"

namespace nicsim::models::ar8151 {
namespace {

/// Who goes first on the bus: data before descriptors (DMA_CTRL bit 10 as atl1c sets it).
constexpr unsigned data_priority = 1;
constexpr unsigned descriptor_priority = 2;

constexpr std::uint32_t fifo_entry = 8;  ///< bytes (unit of SRAM_TXF_LEN)
constexpr unsigned default_tpd_burst = 1;

std::string path_of(const sc_core::sc_module& module) {
    return module.name();
}

}  // namespace

TxUnit::TxUnit(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
               DmaControl& dma_control, RegisterFile& registers, Interrupts& interrupts)
    : sc_module(name),
      config_(config),
      dma_(dma),
      dma_control_(dma_control),
      interrupts_(interrupts),
      data_channel_(dma.add_channel({"tx_data", sim::DmaPurpose::tx_data,
                                     static_cast<unsigned>(config.tx_data_reads_in_flight),
                                     data_priority, true})),
      descriptor_channel_(dma.add_channel({"tx_descriptor", sim::DmaPurpose::tx_descriptor,
                                           config.tx_queues(), descriptor_priority, true})),
      descriptor_fetcher_(dma, descriptor_channel_),
      queues_(make_queues(config, interrupts)),
      producers_(queues_.size(), 0),
      doorbells_(queues_.size(), 0),
      fifo_(path_of(*this) + ".fifo", 1, fifo_entry),
      store_(fifo_, tcp_flags_, 1),
      mac_("mac", sim::Callback<>::to<&TxUnit::on_wire_idle>(this)),
      registers_(registers, config, *this),
      fetch_("fetch", config, dma, data_channel_, registers_, fifo_, store_, queues_),
      wire_("wire", mac_, store_, 1) {
    mac_.out(ethernet_out);
    const std::array<std::uint32_t, 1> size = {static_cast<std::uint32_t>(config.tx_fifo)};
    fifo_.configure(size, false);
    store_.on_complete(sim::Callback<unsigned, StoredFrame&>::to<&TxUnit::on_frame_stored>(this));
    wire_.on_spoiled(sim::Callback<>::to<&TxUnit::on_spoiled>(this));
    for (auto& queue : queues_) {
        queue->on_change(sim::Callback<>::to<&TxUnit::evaluate>(this));
        queue->set_max_packet(static_cast<std::uint32_t>(config.tx_fifo));
    }
    dma_control.add_channel(data_channel_, static_cast<unsigned>(config.tx_data_reads_in_flight));
    dma_control.add_channel(descriptor_channel_, config.tx_queues());
    registers_.reload();
}

TxUnit::~TxUnit() = default;

TxQueues TxUnit::make_queues(const Ar8151Config& config, TxInterruptIf& interrupts) {
    TxQueues made;
    for (unsigned q = 0; q < config.tx_queues(); ++q) {
        DescriptorQueueConfig c;
        c.path = path_of(*this) + ".queue" + std::to_string(q) + ".ring";
        c.index = q;
        c.cache = static_cast<unsigned>(config.tpd_cache);
        c.line_bytes = tpd_bytes;
        c.stride = tpd_bytes;
        c.write_back = false;
        // The channel of write-backs is not used.
        made.push_back(std::make_unique<TxQueue>(q, c, dma_, data_channel_, descriptor_fetcher_,
                                                 interrupts, std::make_unique<TpdDecoder>()));
    }
    return made;
}

void TxUnit::load_rings() {
    registers_.clear_producers();
    for (unsigned q = 0; q < queues_.size(); ++q) {
        producers_[q] = 0;
        queues_[q]->disable();
        const TxRing ring = registers_.ring(q);
        queues_[q]->enable(ring.base, ring.size, 0);
    }
}

void TxUnit::reset() {
    store_.clear();
    fetch_.reset();
    for (auto& queue : queues_) queue->reset();
    producers_.assign(producers_.size(), 0);
    wire_.reset();
    registers_.reload();
}

void TxUnit::set_life_cycle(sim::LifeCycle* life_cycle) {
    for (auto& queue : queues_) queue->set_life_cycle(life_cycle);
    wire_.set_life_cycle(life_cycle);
}

std::uint32_t TxUnit::busy_bits() const {
    return (fetch_.busy() ? idle::TXQ_BUSY : 0) | (wire_.idle() ? 0 : idle::TXMAC_BUSY);
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
    const std::uint32_t octets = frame.length();
    ++counts_.packets;
    counts_.octets += octets;
    ++counts_.by_size[size_class(octets + sim::ethernet_fcs_bytes)];
    const auto destination = frame.bytes().first<6>();
    if (AddressFilter::is_broadcast(destination)) {
        ++counts_.broadcast;
        counts_.broadcast_octets += octets;
    } else if (AddressFilter::is_multicast(destination)) {
        ++counts_.multicast;
        counts_.multicast_octets += octets;
    }
}

// ---- registers ----

/// Descriptors are read as soon as a whole burst has room on the die.
void TxUnit::settings_changed() {
    const TxSettings& s = registers_.settings();
    const unsigned burst = s.tpd_burst == 0 ? default_tpd_burst : s.tpd_burst;
    const auto cache = static_cast<unsigned>(config_.tpd_cache);
    dma_control_.set_tx_burst(s.data_burst);
    for (unsigned q = 0; q < queues_.size(); ++q) {
        queues_[q]->ring().set_burst(burst);
        queues_[q]->ring().set_thresholds(cache - burst + 1, 1, 0);
        if (s.enabled) queues_[q]->ring().set_tail(producers_[q]);
    }
    evaluate();
}

void TxUnit::producer_written(unsigned queue, std::uint32_t index) {
    ++doorbells_[queue];
    producers_[queue] = index;
    if (registers_.settings().enabled) queues_[queue]->ring().set_tail(index);
}

std::uint32_t TxUnit::consumer_of(unsigned queue) const {
    const DescriptorQueue& ring = queues_[queue]->ring();
    return ring.enabled() ? ring.head() : 0;
}

void TxUnit::register_stats(sim::StatGroup& group) {
    for (unsigned q = 0; q < queues_.size(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("doorbells", "writes", "Writes of the producer index.", doorbells_[q]);
        queues_[q]->register_stats(g);
    }
    fetch_.register_stats(group);
    wire_.register_stats(group.group("wire"));
    mac_.register_stats(group.group("mac"));
}

}  // namespace nicsim::models::ar8151
