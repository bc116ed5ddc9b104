// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/rx_unit.h"

#include <string>
#include <utility>

namespace nicsim::models::i82599 {

namespace {

constexpr std::uint32_t rxpbsize_reset = 512 * 1024;

DmaChannelConfig channel(const char* name, sim::DmaPurpose purpose, unsigned reads,
                         unsigned priority, bool relaxed) {
    DmaChannelConfig c;
    c.name = name;
    c.purpose = purpose;
    c.max_reads_in_flight = reads;
    c.priority = priority;
    c.relaxed_ordering = relaxed;
    return c;
}

}  // namespace

RxUnit::RxUnit(const sc_core::sc_module_name& name, const I82599Config& config, DmaEngine& dma,
               RegisterFile& registers, Interrupts& interrupts, FlowControl& flow_control,
               sim::Callback<bool> carrier)
    : sc_module(name),
      interrupts_(interrupts),
      flow_control_(flow_control),
      data_(dma.add_channel(channel("rx_data", sim::DmaPurpose::rx_data, 1, 1, true))),
      fetcher_(dma, dma.add_channel(channel(
                        "rx_descriptor", sim::DmaPurpose::rx_descriptor,
                        static_cast<unsigned>(config.rx_descriptor_reads_in_flight), 3, true))),
      classifier_(registers, static_cast<unsigned>(config.queues)),
      rings_(this->name(), static_cast<unsigned>(config.queues),
             static_cast<unsigned>(config.rx_descriptor_cache), dma, fetcher_,
             dma.add_channel(channel("rx_writeback", sim::DmaPurpose::rx_writeback, 1, 0, false)),
             interrupts),
      ring_registers_(config, registers, rings_, classifier_),
      path_(this->name(), dma, data_, rings_, *this),
      mac_("mac", config.rx_phy_latency + config.rx_store_latency,
           sim::Callback<const MacRx::Arrival&>::to<&RxUnit::on_frame>(this), carrier),
      counts_(static_cast<unsigned>(config.queues)) {
    rxpbsize_ =
        &registers.add({.name = "RXPBSIZE", .offset = reg::RXPBSIZE, .count = traffic_classes});
    rxpbsize_->set(0, rxpbsize_reset);
    rqsmr_ = &registers.add({.name = "RQSMR", .offset = reg::RQSMR, .count = max_queues / 4});
    classifier_.on_control(sim::Callback<>::to<&RxUnit::apply_control>(this));
    rings_.on_progress(
        sim::Callback<unsigned>::to<&RxUnit::on_progress>(this),
        sim::Callback<unsigned>::to<&RxUnit::on_progress>(this),
        sim::Callback<unsigned, std::uint32_t, bool>::to<&RxUnit::on_written_back>(this));
    path_.on_fill(sim::Callback<std::uint32_t>::to<&FlowControl::rx_fill>(&flow_control_));
    apply_control();
}

void RxUnit::apply_control() {
    mac_.set_enabled(classifier_.enabled());
    mac_.set_max_frame(classifier_.max_frame());
    path_.options().strip_fcs = classifier_.strips_fcs();
    path_.options().packet_checksum_disabled = classifier_.packet_checksum_disabled();
}

unsigned RxUnit::counter_of(unsigned queue) const {
    return rqsmr_->get(queue / 4) >> (queue % 4 * 8) & 0xFU;
}

void RxUnit::on_frame(const MacRx::Arrival& arrival) {
    if (!classifier_.enabled()) return;
    if (!counts_.arrived(arrival)) return;
    if (flow_control_.receive(*arrival.frame)) {
        ++counts_.control;
        return;
    }
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
        interrupts_.cause(eicr::RX_MISS);
        return;
    }
    if (rings_.free_descriptors(stored.verdict.queue) == 0) ++counts_.no_buffers;
    path_.store(std::move(stored));
}

void RxUnit::rx_delivered(const RxStored& stored) {
    const unsigned q = stored.verdict.queue;
    ++counts_.delivered[q];
    counts_.delivered_octets[q] += stored.octets();
    ++counts_.dma_packets;
    ++counts_.counter_packets[counter_of(q)];
    counts_.counter_octets[counter_of(q)] += stored.octets();
}

void RxUnit::rx_dropped_queue_disabled(const RxStored&) {
    ++counts_.dropped_queue_disabled;
}

void RxUnit::rx_dropped_no_descriptor(const RxStored& stored) {
    ++counts_.dropped_no_descriptor[stored.verdict.queue];
    ++counts_.counter_drops[counter_of(stored.verdict.queue)];
}

void RxUnit::on_written_back(unsigned queue, std::uint32_t, bool) {
    interrupts_.rx_written(queue);
}

void RxUnit::reset() {
    counts_.dropped_by_reset += path_.reset();
    mac_.reset();
    rings_.reset();
    rxpbsize_->set(0, rxpbsize_reset);
    ring_registers_.reload();
    classifier_.reset();
}

void RxUnit::register_stats(sim::StatGroup& group) {
    counts_.register_stats(group, "MAXFRS allows");
    group.counter("control", "packets", "Pause and other MAC control frames.", counts_.control);
    path_.register_stats(group);
    for (unsigned q = 0; q < rings_.count(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("packets", "packets", "Frames written to host memory.", counts_.delivered[q]);
        g.counter("octets", "B", "Their bytes with FCS.", counts_.delivered_octets[q]);
        g.loss("dropped_no_descriptor", "packets",
               "Dropped for want of descriptors with DROP_EN set (QPRDC).",
               counts_.dropped_no_descriptor[q]);
    }
    rings_.register_stats(group);
}

}  // namespace nicsim::models::i82599
