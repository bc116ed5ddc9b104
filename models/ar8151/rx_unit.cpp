// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/rx_unit.h"

#include <string>
#include <utility>

namespace nicsim::models::ar8151 {

namespace {

constexpr std::uint32_t fifo_entry = 8;  ///< bytes (unit of SRAM_RXF_LEN)
constexpr std::uint32_t ring_size_mask = 0xFFF;
constexpr std::uint32_t index_mask = 0xFFFF;
constexpr std::uint32_t threshold_unit = 8;  ///< bytes
constexpr sim::Ps timer_unit = 2 * sim::ps_per_us;

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

std::uint32_t space_of(std::uint32_t octets) {
    return (octets + fifo_entry - 1) / fifo_entry * fifo_entry;
}

}  // namespace

RxUnit::RxUnit(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
               RegisterFile& registers, Interrupts& interrupts, sim::Callback<bool> carrier)
    : sc_module(name),
      interrupts_(interrupts),
      capacity_(static_cast<std::uint32_t>(config.rx_fifo)),
      data_(dma.add_channel(channel("rx_data", sim::DmaPurpose::rx_data, 1, 1, true))),
      fetcher_(dma, dma.add_channel(channel("rx_descriptor", sim::DmaPurpose::rx_descriptor,
                                            config.rx_queues(), 3, true))),
      classifier_(registers, config),
      rings_(this->name(), config, dma, fetcher_,
             dma.add_channel(channel("rx_writeback", sim::DmaPurpose::rx_writeback, 1, 0, false))),
      path_(this->name(), dma, data_, rings_, *this),
      mac_("mac", config.rx_phy_latency + config.rx_store_latency,
           sim::Callback<const MacRx::Arrival&>::to<&RxUnit::on_frame>(this), carrier),
      counts_(config.rx_queues()) {
    map(registers);
    classifier_.on_max_frame(sim::Callback<>::to<&RxUnit::apply>(this));
    rings_.on_progress(sim::Callback<unsigned>::to<&RxUnit::on_arrived>(this),
                       sim::Callback<unsigned>::to<&RxUnit::on_returned>(this));
    path_.on_fill(sim::Callback<std::uint32_t>::to<&RxUnit::on_fill>(this));
    apply();
}

void RxUnit::map(RegisterFile& file) {
    const auto setting = WriteHook::to<&RxUnit::on_setting>(this);
    base_hi_ = &file.add({.name = "RX_BASE_ADDR_HI", .offset = reg::RX_BASE_ADDR_HI});
    rfd_lo_ = &file.add(
        {.name = "RFD_HEAD_ADDR_LO", .offset = reg::RFD0_HEAD_ADDR_LO, .count = max_queues});
    rfd_size_ = &file.add(
        {.name = "RFD_RING_SIZE", .offset = reg::RFD_RING_SIZE, .write_mask = ring_size_mask});
    buf_size_ = &file.add({.name = "RX_BUF_SIZE",
                           .offset = reg::RX_BUF_SIZE,
                           .write_mask = index_mask,
                           .write = setting});
    rrd_lo_ = &file.add(
        {.name = "RRD_HEAD_ADDR_LO", .offset = reg::RRD0_HEAD_ADDR_LO, .count = max_queues});
    rrd_size_ = &file.add(
        {.name = "RRD_RING_SIZE", .offset = reg::RRD_RING_SIZE, .write_mask = ring_size_mask});
    rxq_ctrl_ = &file.add({.name = "RXQ_CTRL", .offset = reg::RXQ_CTRL, .write = setting});
    rxd_dma_ = &file.add({.name = "RXD_DMA_CTRL", .offset = reg::RXD_DMA_CTRL, .write = setting});
    producers_ = &file.add({.name = "MB_RFD_PROD_IDX",
                            .offset = reg::MB_RFD0_PROD_IDX,
                            .write_mask = index_mask,
                            .count = max_queues,
                            .write = WriteHook::to<&RxUnit::on_producer>(this)});
    file.add({.name = "MB_RFD_CONS_IDX",
              .offset = reg::MB_RFD01_CONS_IDX,
              .access = Access::read_only,
              .count = max_queues / 2,
              .read = ReadHook::to<&RxUnit::read_consumers>(this),
              .pure_read = true});
}

// ---- registers ----

void RxUnit::set_mac_control(std::uint32_t value) {
    receive_ = (value & mac::RX_EN) != 0;
    classifier_.set_mac_control(value);
    apply();
}

void RxUnit::apply() {
    const std::uint32_t rxq = rxq_ctrl_->get();
    const bool enabled = (rxq & rxq::EN) != 0;
    path_.options().strip_fcs = false;
    mac_.set_enabled(receive_ && enabled);
    mac_.set_max_frame(classifier_.max_frame());
    rings_.set_buffer_bytes(buf_size_->get());
    rings_.set_rfd_burst(rxq >> rxq::rfd_burst_shift & rxq::rfd_burst_mask);
    const std::uint32_t gather = rxd_dma_->get();
    rings_.set_gathering((gather & rxd_dma::threshold_mask) * threshold_unit,
                         (gather >> rxd_dma::timer_shift) * timer_unit);
    for (unsigned q = 0; enabled && q < counts_.delivered.size(); ++q)
        rings_.set_producer(q, producers_->get(q));
}

void RxUnit::load_rings() {
    const std::uint64_t high = std::uint64_t{base_hi_->get()} << 32;
    for (unsigned q = 0; q < counts_.delivered.size(); ++q) {
        underrun_told_[q] = false;
        rings_.load(q, {high | rfd_lo_->get(q), rfd_size_->get(), high | rrd_lo_->get(q),
                        rrd_size_->get()});
    }
    apply();
}

void RxUnit::on_producer(unsigned queue, std::uint32_t value) {
    if (queue >= counts_.delivered.size()) return;
    underrun_told_[queue] = false;
    if ((rxq_ctrl_->get() & rxq::EN) != 0) rings_.set_producer(queue, value & index_mask);
}

std::uint32_t RxUnit::read_consumers(unsigned pair) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 2; ++i)
        if (2 * pair + i < counts_.delivered.size())
            value |= rings_.consumer(2 * pair + i) << (16 * i);
    return value;
}

// ---- frames ----

void RxUnit::on_frame(const MacRx::Arrival& arrival) {
    if (!counts_.arrived(arrival)) return;
    RxStored stored;
    stored.verdict = classifier_.classify(std::as_const(*arrival.frame).bytes());
    if (!stored.verdict.accepted) {
        ++counts_.filtered;
        return;
    }
    stored.frame = arrival.frame;
    stored.sfd = arrival.sfd;
    stored.space = space_of(stored.octets());
    count_good(stored);
    const unsigned q = stored.verdict.queue;
    if (rings_.free_descriptors(q) == 0) {
        ++counts_.no_buffers;
        ++counts_.no_descriptor[q];
        if (!std::exchange(underrun_told_[q], true)) interrupts_.cause(isr::RFD0_UR << q);
    }
    if (path_.fill() + stored.space > capacity_) {
        note_overflow();
        return;
    }
    path_.store(std::move(stored));
}

void RxUnit::note_overflow() {
    ++counts_.missed;
    if (!std::exchange(overflow_told_, true)) interrupts_.cause(isr::HW_RXF_OV);
}

void RxUnit::count_good(const RxStored& stored) {
    counts_.passed(stored);
    FrameCounts& good = counts_.good;
    const std::uint32_t octets = std::as_const(*stored.frame).length();
    ++good.packets;
    good.octets += octets;
    ++good.by_size[size_class(stored.octets())];
    if (stored.verdict.broadcast) {
        ++good.broadcast;
        good.broadcast_octets += octets;
    } else if (stored.verdict.multicast) {
        ++good.multicast;
        good.multicast_octets += octets;
    }
}

void RxUnit::rx_delivered(const RxStored& stored) {
    ++counts_.delivered[stored.verdict.queue];
}

void RxUnit::rx_dropped_queue_disabled(const RxStored&) {
    ++counts_.dropped_queue_disabled;
}

void RxUnit::reset() {
    counts_.dropped_by_reset += path_.reset();
    mac_.reset();
    rings_.reset();
    underrun_told_ = {};
    overflow_told_ = false;
    receive_ = false;
    classifier_.set_mac_control(0);
    apply();
}

void RxUnit::register_stats(sim::StatGroup& group) {
    counts_.register_stats(group, "the MTU register allows");
    path_.register_stats(group);
    for (unsigned q = 0; q < counts_.delivered.size(); ++q) {
        sim::StatGroup& g = group.group("queue" + std::to_string(q));
        g.counter("packets", "packets", "Frames written to host memory.", counts_.delivered[q]);
        g.counter("no_descriptor", "packets",
                  "Came in while the ring had no free descriptor; they waited in the FIFO.",
                  counts_.no_descriptor[q]);
    }
    rings_.register_stats(group);
}

}  // namespace nicsim::models::ar8151
