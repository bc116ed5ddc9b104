// SPDX-License-Identifier: Apache-2.0
// atl1c: probe, bringing the interface up and down, rings and the interrupt (atl1c_main.c).
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_events.h"
#include "host_driver/drivers/atl1c_regs.h"

namespace nicsim::host {

using namespace atl1c;
using namespace sim::literals;

namespace {

constexpr std::uint16_t attansic_vendor = 0x1969;
constexpr std::uint16_t ids[] = {0x1073, 0x1083};
/// Beside a frame in its buffer: head room, alignment and what the kernel keeps at its end.
constexpr std::uint32_t buffer_overhead = 64 + 320;
constexpr std::uint64_t ring_alignment = 4096;
constexpr std::uint32_t frame_overhead = 22;          ///< header, tag, FCS
constexpr std::uint32_t least_buffer_length = 1522;   ///< AT_RX_BUF_SIZE
constexpr std::uint32_t largest_mtu = 6122;           ///< MAX_JUMBO_FRAME_SIZE without the above
constexpr std::uint32_t largest_mtu_mikrotik = 9500;  ///< atl1c_set_max_mtu

}  // namespace

Atl1cDriver::Atl1cDriver(Host& host, const Atl1cConfig& config, const std::string& interface)
    : host_(host),
      config_(config),
      memory_(host.memory()),
      rx_mode_{config.promiscuous, config.all_multicast, {}},
      job_(Job::Action::to<&Atl1cDriver::interrupt>(this)) {
    const std::string wrong = config_.check();
    if (!wrong.empty()) throw std::invalid_argument("atl1c: " + wrong);
    for (unsigned q = 0; q < config_.queues; ++q) {
        tx_.push_back(std::make_unique<Atl1cTxQueue>(*this, interface, q, config_.tx_ring));
        rx_.push_back(std::make_unique<Atl1cRxQueue>(*this, q, config_.rx_ring));
    }
    device_ = std::make_unique<NetDevice>(interface, *this, memory_);
    device_->use_bql(config_.bql);
    device_->set_carrier(false);
    events_ = std::make_unique<EventTask>(*this);
}

Atl1cDriver::~Atl1cDriver() = default;

NetDriver::Features Atl1cDriver::features() const {
    return {.tso = config_.tso, .checksum = config_.tx_checksum};
}

// ---------------------------------------------------------------- probe

void Atl1cDriver::find_device() {
    const PciFunction* found = host_.pci().find(attansic_vendor, ids, config_.instance);
    if (found == nullptr)
        throw DriverError("atl1c: no AR8151 number " + std::to_string(config_.instance) +
                          " on the PCI bus");
    function_ = *found;
    if (!function_.has_msi()) throw DriverError("atl1c: the device has no MSI");
}

void Atl1cDriver::probe(Core& core) {
    find_device();
    registers_ = function_.bars[0].address;
    function_.enable_memory(core);
    function_.set_master(core, true);
    mikrotik_ = rd(core, MT_MAGIC) == MT_MAGIC_VALUE;
    if (config_.queues > 1) {
        if (!mikrotik_)
            throw DriverError("atl1c: " + std::to_string(config_.queues) +
                              " queues need MikroTik's card; this one has 1");
        if ((rd(core, MT_MODE) & MT_MODE_4Q) == 0)
            throw DriverError("atl1c: MT_MODE does not offer four queues");
    }
    (void)rd(core, LINK_CTRL);
    reset_bus(core);
    reset_phy(core);
    reset_mac(core);
    init_phy(core);
    read_address(core);
    wr(core, MAC_STA_ADDR,
       std::uint32_t{mac_[2]} << 24 | std::uint32_t{mac_[3]} << 16 | std::uint32_t{mac_[4]} << 8 |
           mac_[5]);
    wr(core, MAC_STA_ADDR + 4, std::uint32_t{mac_[0]} << 8 | mac_[1]);
}

// ---------------------------------------------------------------- rings

/// atl1c_set_max_mtu, atl1c_set_rxbufsize: every receive buffer holds the longest frame.
void Atl1cDriver::set_frame_limit() {
    const std::uint32_t mtu = device_->mtu();
    const std::uint32_t largest = mikrotik_ ? largest_mtu_mikrotik : largest_mtu;
    if (mtu > largest)
        throw DriverError("atl1c: an MTU of " + std::to_string(mtu) + " is more than the " +
                          std::to_string(largest) + " that this device takes");
    frame_limit_ = mtu + frame_overhead;
    buffer_length_ = mtu > least_buffer_length ? (frame_limit_ + 7U) & ~7U : least_buffer_length;
    if (!buffers_) buffers_.emplace(memory_, std::bit_ceil(buffer_length_ + buffer_overhead));
}

/// Rings and buffers are kept when the interface goes down. All TPD rings share the upper half of
/// their address, and so do the other rings: host memory lies below 4 GiB.
void Atl1cDriver::allocate_rings() {
    if (tx_.front()->ring.descriptors != 0) return;
    for (const auto& q : tx_) {
        TxRing& ring = q->ring;
        ring.descriptors = memory_.allocate(std::uint64_t{ring.count} * tpd_bytes, ring_alignment);
        ring.tail_register = registers_ + TPD_PIDX[ring.index];
    }
    for (const auto& q : rx_) {
        RxRing& ring = q->ring;
        ring.descriptors = memory_.allocate(std::uint64_t{ring.count} * rfd_bytes, ring_alignment);
        ring.returns = memory_.allocate(std::uint64_t{ring.count} * rrd_bytes, ring_alignment);
        ring.tail_register = registers_ + MB_RFD_PROD_IDX(ring.index);
    }
    if (tx_.size() == 1)
        unused_ring_ = memory_.allocate(config_.tx_ring * tpd_bytes, ring_alignment);
}

void Atl1cDriver::drop_rings() {
    for (const auto& q : tx_) q->ring.drop_all(*device_);
    for (const auto& q : rx_) q->ring.drop_all(memory_, *buffers_);
}

/// atl1c_configure_des_ring
void Atl1cDriver::configure_rings(Core& core) const {
    const auto upper = [](std::uint64_t address) {
        return static_cast<std::uint32_t>(address >> 32);
    };
    wr(core, TX_BASE_ADDR_HI, upper(tx_.front()->ring.descriptors));
    for (const auto& q : tx_)
        wr(core, TPD_ADDR_LO[q->ring.index], static_cast<std::uint32_t>(q->ring.descriptors));
    if (tx_.size() == 1) wr(core, TPD_ADDR_LO[1], static_cast<std::uint32_t>(unused_ring_));
    wr(core, TPD_RING_SIZE, tx_.front()->ring.count);
    wr(core, RX_BASE_ADDR_HI, upper(rx_.front()->ring.descriptors));
    for (const auto& q : rx_)
        wr(core, RFD_HEAD_ADDR_LO(q->ring.index), static_cast<std::uint32_t>(q->ring.descriptors));
    wr(core, RFD_RING_SIZE, rx_.front()->ring.count);
    wr(core, RX_BUF_SIZE, buffer_length_);
    for (const auto& q : rx_)
        wr(core, RRD_HEAD_ADDR_LO(q->ring.index), static_cast<std::uint32_t>(q->ring.returns));
    wr(core, RRD_RING_SIZE, rx_.front()->ring.count);
    wr(core, LOAD_PTR, 1);
}

/// atl1c_configure_tx, _rx and _dma: one read fetches at most 1024 bytes, less if the bus allows
/// less; a bus that allows less than 512 is made to allow that.
void Atl1cDriver::configure_queues(Core& core) {
    constexpr std::uint64_t largest_block = 3;  // 128 << n bytes
    constexpr std::uint64_t smallest_block = 2;
    std::uint64_t block = std::min(largest_block, function_.max_read_request >> 8);
    if (block < smallest_block) {
        block = smallest_block;
        function_.set_max_read_request(core, 128U << smallest_block);
    }
    wr(core, TSO_OFFLOAD_THRESH, TSO_OFFLOAD_THRESH_USED);
    wr(core, TXQ_CTRL, TXQ_CTRL_USED | static_cast<std::uint32_t>(config_.tpd_burst));
    wr(core, RXQ_CTRL, static_cast<std::uint32_t>(config_.rfd_burst << RXQ_RFD_BURST_SHIFT));
    wr(core, DMA_CTRL,
       DMA_CTRL_USED | static_cast<std::uint32_t>(block << DMA_CTRL_RREQ_BLEN_SHIFT));
}

/// atl1c_configure
void Atl1cDriver::configure(Core& core) {
    for (const auto& q : rx_) q->ring.refill(core, memory_, *buffers_);
    write_multicast_hash(core);
    wr(core, ISR, ISR_CLEAR_ALL);
    wr(core, WOL_CTRL, 0);
    wr(core, CLK_GATING_CTRL, CLK_GATING_ALL);
    wr(core, INT_RETRIG_TIMER, static_cast<std::uint32_t>(config_.interrupt_clear_timer));
    if (config_.queues > 1) wr(core, MT_MODE, MT_MODE_4Q);
    configure_rings(core);
    wr(core, IRQ_MODRT_TIMER_INIT,
       static_cast<std::uint32_t>(config_.tx_imt | config_.rx_imt << IRQ_MODRT_RX_TIMER_SHIFT));
    wr(core, MASTER_CTRL,
       rd(core, MASTER_CTRL) | MASTER_CTRL_TX_ITIMER_EN | MASTER_CTRL_RX_ITIMER_EN |
           MASTER_CTRL_SA_TIMER_EN);
    wr(core, SMB_STAT_TIMER, SMB_STAT_TIMER_USED);
    wr(core, MTU, frame_limit_);
    configure_queues(core);
}

// ---------------------------------------------------------------- interrupt

void Atl1cDriver::request_interrupt(Core& core) {
    if (interrupt_requested_) return;
    interrupt_requested_ = true;
    function_.enable_msi(core, host_.interrupts().request(host_.core_for_interrupt(0), job_));
}

void Atl1cDriver::enable_interrupts(Core& core) const {
    wr(core, ISR, ISR_CLEAR_ALL);
    wr(core, IMR, interrupt_mask_);
    flush(core);
}

void Atl1cDriver::disable_interrupts(Core& core) const {
    wr(core, IMR, 0);
    wr(core, ISR, ISR_DIS_INT);
    flush(core);
}

// ---------------------------------------------------------------- up and down

void Atl1cDriver::up(Core& core) {
    configure(core);
    request_interrupt(core);
    check_link(core);
    up_ = true;
    interrupt_mask_ = IMR_OTHER;
    for (unsigned q = 0; q < config_.queues; ++q) {
        interrupt_mask_ |= ISR_TX[q] | ISR_RX(q);
        tx_[q]->napi.enable();
        rx_[q]->napi.enable();
    }
    enable_interrupts(core);
    for (unsigned q = 0; q < config_.queues; ++q) device_->wake_queue(core, q);
}

void Atl1cDriver::open(Core& core) {
    set_frame_limit();
    allocate_rings();
    up(core);
    start_watching();
    wait_for_link(core);
}

void Atl1cDriver::down(Core& core) {
    up_ = false;
    link_event_ = false;
    device_->set_carrier(false);
    for (unsigned q = 0; q < config_.queues; ++q) {
        device_->stop_queue(q);
        tx_[q]->napi.disable();
        rx_[q]->napi.disable();
    }
    disable_interrupts(core);
    set_power_management(core, false);
    reset_mac(core);
    core.sleep(1_ms);
    link_mbit_ = 0;
    drop_rings();
}

void Atl1cDriver::close(Core& core) {
    stop_watching();
    if (up_) down(core);
}

void Atl1cDriver::register_stats(sim::StatGroup& group) {
    device_->register_stats(group);
    group.counter("interrupts", "interrupts", "Interrupts of the device.", interrupts_);
    group.counter("interrupt_rounds", "rounds", "Times that the handler found a cause.",
                  interrupt_rounds_);
    group.counter("tx_causes", "causes", "Transmit causes that the handler found.", tx_causes_);
    group.counter("rx_causes", "causes", "Receive causes that the handler found.", rx_causes_);
    group.counter("overruns", "causes", "Causes that say that a FIFO or a ring had no room.",
                  overruns_);
    group.counter("device_errors", "causes", "Causes that made the driver reset the device.",
                  device_errors_);
    group.counter("link_events", "causes", "Changes of the link.", link_events_);
    group.counter("tx_timeouts", "times",
                  "Times that a queue stood still for so long that the device was reset.",
                  tx_timeouts_);
    if (config_.statistics_interval != 0) register_hardware_stats(group.group("hardware"));
    for (const auto& q : tx_)
        q->register_stats(group.group("tx_ring" + std::to_string(q->ring.index)));
    for (const auto& q : rx_)
        q->register_stats(group.group("rx_ring" + std::to_string(q->ring.index)));
}

}  // namespace nicsim::host
