// SPDX-License-Identifier: Apache-2.0
// ixgbe: probe, bringing the interface up and down, rings and interrupt vectors (ixgbe_main.c).
#include <algorithm>
#include <string>

#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_regs.h"

namespace nicsim::host {

using namespace ixgbe;
using namespace sim::literals;

namespace {

constexpr std::uint16_t intel_vendor = 0x8086;
constexpr std::uint16_t ids[] = {0x10f7, 0x10fb};
constexpr std::uint64_t receive_buffer_bytes = 2048;
constexpr std::uint64_t ring_alignment = 4096;

}  // namespace

IxgbeDriver::IxgbeDriver(Host& host, const IxgbeConfig& config, const std::string& interface)
    : host_(host),
      config_(config),
      memory_(host.memory()),
      buffers_(memory_, receive_buffer_bytes),
      link_task_(LinkTask::Check::to<&IxgbeDriver::service>(this)),
      other_job_(Job::Action::to<&IxgbeDriver::other_interrupt>(this)) {
    const std::string wrong = config_.check();
    if (!wrong.empty()) throw std::invalid_argument("ixgbe: " + wrong);
    tx_.resize(config_.queue_pairs);
    rx_.resize(config_.queue_pairs);
    for (unsigned q = 0; q < config_.queue_pairs; ++q) {
        tx_[q].set_up(interface, q, config_.tx_ring);
        rx_[q].index = q;
        rx_[q].count = static_cast<std::uint32_t>(config_.rx_ring);
        vectors_.push_back(std::make_unique<IxgbeVector>(*this, q));
    }
    device_ = std::make_unique<NetDevice>(interface, *this, memory_);
    device_->use_bql(config_.bql);
    device_->set_carrier(false);
}

IxgbeDriver::~IxgbeDriver() = default;

NetDriver::Features IxgbeDriver::features() const {
    return {.tso = config_.tso && config_.tx_checksum, .checksum = config_.tx_checksum};
}

void IxgbeDriver::probe(Core& core) {
    const PciFunction* found = host_.pci().find(intel_vendor, ids, config_.instance);
    if (found == nullptr)
        throw DriverError("ixgbe: no 82599 number " + std::to_string(config_.instance) +
                          " on the PCI bus");
    function_ = *found;
    if (function_.msix_vectors < config_.queue_pairs + 1)
        throw DriverError("ixgbe: " + std::to_string(config_.queue_pairs) +
                          " queue pairs need one MSI-X vector more than that; the device has " +
                          std::to_string(function_.msix_vectors));
    registers_ = function_.bars[0].address;
    shared_ = {"ixgbe", registers_ + SWSM, registers_ + SW_FW_SYNC, registers_ + EERD,
               SW_FW_SYNC_FW_SHIFT};
    function_.enable_memory(core);
    function_.set_master(core, true);
    reset_hardware(core);
    check_eeprom(core);
    init_addresses(core);
}

// ---------------------------------------------------------------- rings

/// Enabling and disabling take effect when the bit reads back so.
void IxgbeDriver::wait_ring(Core& core, std::uint32_t reg, bool enabled) const {
    for (int i = 0; i < 10; ++i) {
        if (((rd(core, reg) & DCTL_ENABLE) != 0) == enabled) return;
        core.sleep(1_ms);
    }
    throw DriverError("ixgbe: a ring is not " + std::string(enabled ? "enabled" : "disabled") +
                      " (register " + intel::hex(reg) + ")");
}

void IxgbeDriver::configure_tx_ring(Core& core, const intel::TxRing& ring) const {
    const std::uint32_t base = TX_RING(ring.index);
    wr(core, base + DCTL, DCTL_SWFLSH);
    flush(core);
    wr(core, base + DBAL, static_cast<std::uint32_t>(ring.descriptors));
    wr(core, base + DBAH, static_cast<std::uint32_t>(ring.descriptors >> 32));
    wr(core, base + DLEN, ring.count * descriptor_bytes);
    wr(core, base + DHEAD, 0);
    wr(core, base + DTAIL, 0);
    const std::uint32_t wthresh = config_.wthresh_for(vectors_[ring.index]->itr);
    wr(core, base + DCTL,
       static_cast<std::uint32_t>(config_.tx_pthresh | config_.tx_hthresh << 8) | wthresh << 16 |
           DCTL_ENABLE);
    wait_ring(core, base + DCTL, true);
}

void IxgbeDriver::configure_rx_ring(Core& core, intel::RxRing& ring) {
    const std::uint32_t base = RX_RING(ring.index);
    wr(core, base + DCTL, rd(core, base + DCTL) & ~DCTL_ENABLE);
    wait_ring(core, base + DCTL, false);
    wr(core, base + DBAL, static_cast<std::uint32_t>(ring.descriptors));
    wr(core, base + DBAH, static_cast<std::uint32_t>(ring.descriptors >> 32));
    wr(core, base + DLEN, ring.count * descriptor_bytes);
    wr(core, base + DHEAD, 0);
    wr(core, base + DTAIL, 0);
    wr(core, SRRCTL(ring.index),
       SRRCTL_USED | (config_.drops_without_descriptors() ? SRRCTL_DROP_EN : 0));
    wr(core, base + DCTL, DCTL_ENABLE | RXDCTL_VME);
    wait_ring(core, base + DCTL, true);
    ring.next_to_use = ring.next_to_clean = 0;
    ring.refill(core, memory_, ring.unused());
}

/// One class: the whole transmit memory, with room kept for the longest packet.
void IxgbeDriver::configure_packet_buffers(Core& core) const {
    constexpr std::uint32_t receive_bytes = 512 << 10;
    constexpr std::uint32_t transmit_bytes = 160 << 10;
    constexpr std::uint32_t longest_packet_kb = 10;
    for (unsigned n = 0; n < packet_buffers; ++n) {
        wr(core, RXPBSIZE(n), n == 0 ? receive_bytes : 0);
        wr(core, TXPBSIZE(n), n == 0 ? transmit_bytes : 0);
        wr(core, TXPBTHRESH(n), n == 0 ? (transmit_bytes >> 10) - longest_packet_kb : 0);
    }
}

void IxgbeDriver::configure_transmit(Core& core) const {
    wr(core, RTTDCS, rd(core, RTTDCS) | RTTDCS_ARBDIS);
    wr(core, MTQC, 0);  // 64 queues, one packet buffer
    wr(core, RTTDCS, rd(core, RTTDCS) & ~RTTDCS_ARBDIS);
    wr(core, DMATXCTL, rd(core, DMATXCTL) | DMATXCTL_TE);
    for (const intel::TxRing& ring : tx_) configure_tx_ring(core, ring);
}

void IxgbeDriver::configure_rss(Core& core) const {
    constexpr unsigned hash_key_registers = 10;
    constexpr unsigned redirection_entries = 128;
    for (unsigned i = 0; i < hash_key_registers; ++i)
        wr(core, RSSRK(i), 0x9e3779b9U * (i + 1));  // any fixed key
    std::uint32_t entries = 0;
    for (unsigned i = 0; i < redirection_entries; ++i) {
        entries = entries >> 8 | static_cast<std::uint32_t>(i % config_.queue_pairs) << 24;
        if (i % 4 == 3) wr(core, RETA(i / 4), entries);
    }
    wr(core, RXCSUM, rd(core, RXCSUM) | RXCSUM_PCSD);
    wr(core, MRQC, MRQC_RSS);
}

void IxgbeDriver::configure_receive(Core& core) {
    // The security block's path is stopped while receive is set up.
    wr(core, SECRXCTRL, rd(core, SECRXCTRL) | SECRXCTRL_RX_DIS);
    for (int i = 0; i < 40 && (rd(core, SECRXSTAT) & SECRXSTAT_RDY) == 0; ++i) core.delay(1_ms);
    wr(core, RXCTRL, rd(core, RXCTRL) & ~RXCTRL_RXEN);
    wr(core, FCTRL, FCTRL_USED);
    wr(core, RDRXCTL, rd(core, RDRXCTL) | RDRXCTL_CRCSTRIP | RDRXCTL_USED);
    configure_rss(core);
    wr(core, HLREG0, HLREG0_USED);
    wr(core, MAXFRS, MAXFRS_1518);
    for (intel::RxRing& ring : rx_) configure_rx_ring(core, ring);
    wr(core, RXCTRL, rd(core, RXCTRL) | RXCTRL_RXEN);
    wr(core, SECRXCTRL, rd(core, SECRXCTRL) & ~SECRXCTRL_RX_DIS);
    flush(core);
}

/// ixgbe_setup_gpie, ixgbe_configure_msix: a vector for each pair, the last one for other causes.
void IxgbeDriver::configure_vectors(Core& core) {
    wr(core, EIAC, EIAC_USED);
    wr(core, EIAM_EX, ~0U);
    wr(core, EIAM_EX + 4, ~0U);
    wr(core, GPIE, GPIE_USED);
    for (unsigned n = 0; n < (config_.queue_pairs + 1) / 2; ++n) {
        std::uint32_t ivar = 0;
        for (unsigned q = 2 * n; q < std::min<std::uint64_t>(2 * n + 2, config_.queue_pairs); ++q) {
            const std::uint32_t cause = q | IVAR_VALID;
            ivar |= (cause | cause << 8) << 16 * (q & 1U);
        }
        wr(core, IVAR(n), ivar);
    }
    for (const auto& v : vectors_) v->write_itr(core);
    const auto other = static_cast<std::uint32_t>(config_.queue_pairs);
    wr(core, IVAR_MISC, (other | IVAR_VALID) << 8);
    wr(core, EITR(other), EITR_OTHER);
}

void IxgbeDriver::request_interrupts(Core& core) {
    if (interrupts_requested_) return;
    interrupts_requested_ = true;
    function_.enable_msix(core);
    InterruptController& controller = host_.interrupts();
    for (const auto& v : vectors_)
        function_.set_msix_entry(core, v->queue,
                                 controller.request(host_.core_for_interrupt(v->queue), v->job));
    function_.set_msix_entry(core, static_cast<unsigned>(config_.queue_pairs),
                             controller.request(host_.core_for_interrupt(0), other_job_));
}

/// ixgbe_irq_enable
void IxgbeDriver::enable_interrupts(Core& core) const {
    wr(core, EIMS, EIMS_USED);
    wr(core, EIMS_EX, ~0U);
    wr(core, EIMS_EX + 4, ~0U);
    flush(core);
}

// ---------------------------------------------------------------- up and down

void IxgbeDriver::configure(Core& core) {
    configure_packet_buffers(core);
    configure_transmit(core);
    configure_receive(core);
    configure_vectors(core);
}

void IxgbeDriver::up(Core& core) {
    for (intel::TxRing& ring : tx_) ring.restart();
    for (const auto& v : vectors_) v->reset_moderation();
    configure(core);
    wr(core, CTRL_EXT, rd(core, CTRL_EXT) | CTRL_EXT_DRV_LOAD);
    for (const auto& v : vectors_) v->napi.enable();
    if (has_module()) wr(core, ESDP, rd(core, ESDP) & ~ESDP_LASER_OFF);
    request_interrupts(core);
    (void)rd(core, EICR);
    enable_interrupts(core);
    up_ = true;
    for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->wake_queue(core, q);
    wait_for_link(core);
}

void IxgbeDriver::open(Core& core) {
    // Rings and buffers are kept when the interface goes down.
    const bool first = tx_.front().descriptors == 0;
    for (intel::TxRing& ring : tx_) {
        if (!first) break;
        ring.descriptors = memory_.allocate(ring.count * descriptor_bytes, ring_alignment);
        ring.tail_register = registers_ + TX_RING(ring.index) + DTAIL;
    }
    for (intel::RxRing& ring : rx_) {
        if (!first) break;
        ring.descriptors = memory_.allocate(ring.count * descriptor_bytes, ring_alignment);
        ring.tail_register = registers_ + RX_RING(ring.index) + DTAIL;
        for (std::uint32_t i = 0; i < ring.count; ++i) ring.buffers.push_back(buffers_.take());
    }
    up(core);
    if (config_.service_task) link_task_.repeat(core, 2_s, LinkTask::When::exact);
}

/// ixgbe_down
void IxgbeDriver::down(Core& core) {
    up_ = false;
    wr(core, RXCTRL, rd(core, RXCTRL) & ~RXCTRL_RXEN);
    for (const intel::RxRing& ring : rx_) {
        const std::uint32_t reg = RX_RING(ring.index) + DCTL;
        wr(core, reg, rd(core, reg) & ~DCTL_ENABLE);
        wait_ring(core, reg, false);
    }
    device_->set_carrier(false);
    for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->stop_queue(q);
    core.sleep(10_ms);
    wr(core, EIMC, 0xffff0000);
    wr(core, EIMC_EX, ~0U);
    wr(core, EIMC_EX + 4, ~0U);
    flush(core);
    for (const auto& v : vectors_) v->napi.disable();
    for (const intel::TxRing& ring : tx_) wr(core, TX_RING(ring.index) + DCTL, DCTL_SWFLSH);
    wr(core, DMATXCTL, rd(core, DMATXCTL) & ~DMATXCTL_TE);
    reset_hardware(core);
    init_addresses(core);
    for (intel::TxRing& ring : tx_) ring.drop_all(*device_);
}

void IxgbeDriver::close(Core& core) {
    link_task_.stop();
    if (up_) down(core);
}

// ---------------------------------------------------------------- link

bool IxgbeDriver::check_link(Core& core) {
    (void)rd(core, LINKS);  // a lost link is latched
    const std::uint32_t links = rd(core, LINKS);
    const bool link = (links & LINKS_UP) != 0;
    if (link)
        link_bits_per_second_ =
            (links >> LINKS_SPEED_SHIFT & 3U) == 3 ? 10'000'000'000 : 1'000'000'000;
    if (link && !device_->carrier())
        for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->wake_queue(core, q);
    device_->set_carrier(link);
    return link;
}

void IxgbeDriver::wait_for_link(Core& core) {
    constexpr int attempts = 500;
    for (int i = 0; i < attempts; ++i) {
        if (check_link(core)) return;
        core.sleep(10_ms);
    }
    throw DriverError("ixgbe: " + device_->name() + " has no link after 5 s");
}

/// ixgbe_msix_other: causes are read without clearing them (an erratum), then the rest is cleared.
void IxgbeDriver::other_interrupt(Core& core) {
    ++other_interrupts_;
    const std::uint32_t causes = rd(core, EICS) & ~EICR_QUEUES;
    wr(core, EICR, causes);
    if ((causes & EICR_LSC) != 0) link_changed_ = true;
    if (link_changed_ && up_) link_task_.wake(core);
    if (up_) wr(core, EIMS, EIMS_USED);
}

void IxgbeDriver::register_stats(sim::StatGroup& group) {
    device_->register_stats(group);
    group.counter("other_interrupts", "interrupts", "Interrupts for causes other than queues.",
                  other_interrupts_);
    group.counter("service_runs", "runs", "Runs of the service task.", service_runs_);
    for (intel::TxRing& r : tx_) r.register_stats(group.group("tx_ring" + std::to_string(r.index)));
    for (intel::RxRing& r : rx_) r.register_stats(group.group("rx_ring" + std::to_string(r.index)));
    for (const auto& v : vectors_)
        v->register_stats(group.group("vector" + std::to_string(v->queue)));
}

}  // namespace nicsim::host
