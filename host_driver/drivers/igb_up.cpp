// SPDX-License-Identifier: Apache-2.0
// igb: probe, bringing the interface up and down, rings and interrupt vectors (igb_main.c).
#include <algorithm>
#include <string>

#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_regs.h"

namespace nicsim::host {

using namespace igb;
using namespace sim::literals;

namespace {

constexpr std::uint16_t intel_vendor = 0x8086;
constexpr std::uint16_t ids[] = {0x1533, 0x1536, 0x1537, 0x1538, 0x157b, 0x157c};
constexpr std::uint64_t receive_buffer_bytes = 2048;
constexpr std::uint64_t ring_alignment = 4096;

}  // namespace

IgbDriver::IgbDriver(Host& host, const IgbConfig& config, const std::string& interface)
    : host_(host),
      config_(config),
      memory_(host.memory()),
      buffers_(memory_, receive_buffer_bytes),
      link_task_(LinkTask::Check::to<&IgbDriver::watchdog>(this)),
      other_job_(Job::Action::to<&IgbDriver::other_interrupt>(this)) {
    const std::string wrong = config_.check();
    if (!wrong.empty()) throw std::invalid_argument("igb: " + wrong);
    tx_.resize(config_.queue_pairs);
    rx_.resize(config_.queue_pairs);
    for (unsigned q = 0; q < config_.queue_pairs; ++q) {
        tx_[q].set_up(interface, q, config_.tx_ring);
        IgbRxRing& rx = rx_[q];
        rx.index = q;
        rx.count = static_cast<std::uint32_t>(config_.rx_ring);
    }
    make_vectors();
    device_ = std::make_unique<NetDevice>(interface, *this, memory_);
    device_->use_bql(config_.bql);
    device_->set_carrier(false);
}

IgbDriver::~IgbDriver() = default;

/// igb_alloc_q_vectors: 0 is for other causes; those of receive queues come before those of
/// transmit queues.
void IgbDriver::make_vectors() {
    const auto pairs = static_cast<unsigned>(config_.queue_pairs);
    const bool split = config_.split_vectors();
    unsigned vector = 0;
    for (unsigned q = 0; q < pairs; ++q)
        vectors_.push_back(
            std::make_unique<IgbVector>(*this, ++vector, q, split ? IgbVector::no_queue : q));
    for (unsigned q = 0; split && q < pairs; ++q)
        vectors_.push_back(std::make_unique<IgbVector>(*this, ++vector, IgbVector::no_queue, q));
}

NetDriver::Features IgbDriver::features() const {
    return {.tso = config_.tso && config_.tx_checksum, .checksum = config_.tx_checksum};
}

void IgbDriver::probe(Core& core) {
    const PciFunction* found = host_.pci().find(intel_vendor, ids, config_.instance);
    if (found == nullptr)
        throw DriverError("igb: no I210 number " + std::to_string(config_.instance) +
                          " on the PCI bus");
    function_ = *found;
    if (function_.msix_vectors < vectors_.size() + 1)
        throw DriverError("igb: " + std::to_string(config_.queue_pairs) + " queue pairs need " +
                          std::to_string(vectors_.size() + 1) + " MSI-X vectors; the device has " +
                          std::to_string(function_.msix_vectors));
    registers_ = function_.bars[0].address;
    shared_ = {"igb", registers_ + SWSM, registers_ + SW_FW_SYNC, registers_ + EERD, 16};
    function_.enable_memory(core);
    function_.set_master(core, true);

    (void)rd(core, EECD);
    if ((rd(core, CTRL_EXT) & CTRL_EXT_LINK_MODE) != 0)
        throw DriverError("igb: CTRL_EXT.LINK_MODE is not copper, the only one supported");
    reset_hardware(core);
    check_nvm(core);
    read_mac_address(core);
    reset(core);
    wr(core, CTRL_EXT, rd(core, CTRL_EXT) | CTRL_EXT_DRV_LOAD);
}

/// igb_reset
void IgbDriver::reset(Core& core) const {
    wr(core, RXPBSIZE, RXPBSIZE_DEFAULT);
    wr(core, TXPBSIZE, TXPBSIZE_DEFAULT);
    reset_hardware(core);
    wr(core, WUC, 0);
    init_hardware(core);
    set_clock(core);
}

// ---------------------------------------------------------------- rings

void IgbDriver::configure_tx_ring(Core& core, IgbTxRing& ring) const {
    const std::uint32_t base = TX_RING(ring.index);
    wr(core, base + DCTL, 0);
    flush(core);
    core.delay(10_ms);
    wr(core, base + DLEN, ring.count * descriptor_bytes);
    wr(core, base + DBAL, static_cast<std::uint32_t>(ring.descriptors));
    wr(core, base + DBAH, static_cast<std::uint32_t>(ring.descriptors >> 32));
    wr(core, base + DHEAD, 0);
    wr(core, base + DTAIL, 0);
    wr(core, base + DCTL,
       static_cast<std::uint32_t>(config_.tx_pthresh | config_.tx_hthresh << 8 |
                                  config_.tx_wthresh << 16 | DCTL_ENABLE));
}

void IgbDriver::configure_rx_ring(Core& core, IgbRxRing& ring) {
    const std::uint32_t base = RX_RING(ring.index);
    wr(core, base + DCTL, 0);
    wr(core, base + DBAL, static_cast<std::uint32_t>(ring.descriptors));
    wr(core, base + DBAH, static_cast<std::uint32_t>(ring.descriptors >> 32));
    wr(core, base + DLEN, ring.count * descriptor_bytes);
    wr(core, base + DHEAD, 0);
    wr(core, base + DTAIL, 0);
    // With several queues one without descriptors must not hold up the others.
    wr(core, base + SRRCTL, SRRCTL_USED | (config_.queue_pairs > 1 ? SRRCTL_DROP_EN : 0U));
    wr(core, base + DCTL,
       static_cast<std::uint32_t>(config_.rx_pthresh | config_.rx_hthresh << 8 |
                                  config_.rx_wthresh << 16 | DCTL_ENABLE));
    ring.next_to_use = ring.next_to_clean = 0;
}

void IgbDriver::configure_receive_unit(Core& core) const {
    constexpr unsigned hash_key_registers = 10;
    constexpr unsigned redirection_registers = 32;
    for (unsigned i = 0; i < hash_key_registers; ++i)
        wr(core, RSSRK(i), 0x9e3779b9U * (i + 1));  // any fixed key
    for (unsigned i = 0; i < redirection_registers; ++i) {
        std::uint32_t entries = 0;
        for (unsigned b = 0; b < 4; ++b) {
            const auto queue = static_cast<std::uint32_t>((4 * i + b) * config_.queue_pairs / 128);
            entries |= queue << 8 * b;
        }
        wr(core, RETA(i), entries);
    }
    wr(core, RXCSUM, 0x2800);
    wr(core, MRQC, MRQC_RSS);
    wr(core, RFCTL, 0x10000);
    wr(core, RLPML, 0x5fe);
    wr(core, RCTL, RCTL_USED);
}

/// igb_configure_msix, igb_assign_vector: vector 0 for other causes, then those of queues.
void IgbDriver::configure_vectors(Core& core) const {
    wr(core, GPIE, GPIE_MSIX);
    std::array<std::uint32_t, 2> ivar{};  // a byte for each cause: RX0, TX0, RX1, TX1, ...
    for (const auto& v : vectors_) {
        const std::uint32_t cause = v->vector() | IVAR_VALID;
        if (v->receives()) ivar[v->rx_queue / 2] |= cause << 16 * (v->rx_queue & 1U);
        if (v->transmits()) ivar[v->tx_queue / 2] |= cause << (16 * (v->tx_queue & 1U) + 8);
    }
    for (unsigned n = 0; n < (config_.queue_pairs + 1) / 2; ++n) wr(core, IVAR(n), ivar[n]);
    wr(core, IVAR_MISC, IVAR_VALID << 8);
    flush(core);
}

void IgbDriver::request_interrupts(Core& core) {
    if (interrupts_requested_) return;
    interrupts_requested_ = true;
    function_.enable_msix(core);
    InterruptController& controller = host_.interrupts();
    function_.set_msix_entry(core, 0, controller.request(host_.core_for_interrupt(0), other_job_));
    for (const auto& v : vectors_)
        function_.set_msix_entry(
            core, v->vector(),
            controller.request(host_.core_for_interrupt(v->vector() - 1), v->job));
}

/// igb_irq_enable: acknowledge nothing by reading, mask each vector when it fires.
void IgbDriver::enable_interrupts(Core& core) const {
    const std::uint32_t all = all_vectors();
    wr(core, EIAC, rd(core, EIAC) | all);
    wr(core, EIAM, rd(core, EIAM) | all);
    wr(core, EIMS, all);
    wr(core, IMS, IMS_LSC_DOUTSYNC_DRSTA);
}

// ---------------------------------------------------------------- up and down

/// igb_configure
void IgbDriver::configure(Core& core) {
    setup_tx_mode(core);
    wr(core, TCTL, TCTL_USED);
    for (IgbTxRing& ring : tx_) configure_tx_ring(core, ring);
    for (IgbRxRing& ring : rx_) configure_rx_ring(core, ring);
    configure_receive_unit(core);
    for (IgbRxRing& ring : rx_) ring.refill(core, memory_, ring.unused());
    configure_vectors(core);
}

void IgbDriver::up(Core& core) {
    for (IgbTxRing& ring : tx_) {
        ring.restart();
        ring.look_for_hang = false;
        ring.last_sent = core.local_time();
    }
    configure(core);
    for (const auto& v : vectors_) {
        v->reset_moderation();
        v->napi.enable();
    }
    request_interrupts(core);
    (void)rd(core, ICR);
    enable_interrupts(core);
    up_ = true;
    for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->wake_queue(core, q);
}

void IgbDriver::open(Core& core) {
    // Rings and buffers are kept when the interface goes down.
    const bool first = tx_.front().descriptors == 0;
    for (IgbTxRing& ring : tx_) {
        if (!first) break;
        ring.descriptors = memory_.allocate(ring.count * descriptor_bytes, ring_alignment);
        ring.tail_register = registers_ + TX_RING(ring.index) + DTAIL;
    }
    for (IgbRxRing& ring : rx_) {
        if (!first) break;
        ring.descriptors = memory_.allocate(ring.count * descriptor_bytes, ring_alignment);
        ring.tail_register = registers_ + RX_RING(ring.index) + DTAIL;
        for (std::uint32_t i = 0; i < ring.count; ++i) ring.buffers.push_back(buffers_.take());
    }
    up(core);
    wait_for_link(core);
    if (config_.watchdog) link_task_.repeat(core, 2_s, LinkTask::When::whole_seconds);
}

void IgbDriver::down(Core& core) {
    up_ = false;
    wr(core, RCTL, rd(core, RCTL) & ~RCTL_EN);
    device_->set_carrier(false);
    for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->stop_queue(q);
    wr(core, TCTL, rd(core, TCTL) & ~TCTL_EN);
    flush(core);
    core.sleep(10_ms);
    const std::uint32_t all = all_vectors();
    wr(core, EIAM, rd(core, EIAM) & ~all);
    wr(core, EIMC, all);
    wr(core, EIAC, rd(core, EIAC) & ~all);
    wr(core, IAM, 0);
    wr(core, IMC, ~0U);
    flush(core);
    for (const auto& v : vectors_) v->napi.disable();
    reset(core);
    for (IgbTxRing& ring : tx_) ring.drop_all(*device_);
}

void IgbDriver::close(Core& core) {
    link_task_.stop();
    if (up_) down(core);
}

/// igb_reinit_locked: the link may come later.
void IgbDriver::reset_running(Core& core) {
    ++resets_;
    down(core);
    up(core);
    (void)check_link(core);
    if (config_.watchdog) link_task_.wake(core);
}

void IgbDriver::reinitialise(Core& core) {
    reset_running(core);
    wait_for_link(core);
}

// ---------------------------------------------------------------- link

bool IgbDriver::check_link(Core& core) {
    constexpr unsigned phy_status = 1;
    constexpr std::uint32_t phy_link_up = 1U << 2;
    (void)read_phy(core, phy_status);  // the bit latches low
    const bool phy_up = (read_phy(core, phy_status) & phy_link_up) != 0;
    const std::uint32_t status = rd(core, STATUS);
    const bool link = phy_up && (status & STATUS_LU) != 0;
    if (link) {
        static constexpr std::uint32_t speeds[] = {10, 100, 1000, 1000};
        link_mbit_ = speeds[(status >> 6) & 3U];
    }
    if (link && !device_->carrier())
        for (unsigned q = 0; q < config_.queue_pairs; ++q) device_->wake_queue(core, q);
    device_->set_carrier(link);
    return link;
}

void IgbDriver::wait_for_link(Core& core) {
    constexpr int attempts = 500;
    for (int i = 0; i < attempts; ++i) {
        if (check_link(core)) return;
        core.sleep(10_ms);
    }
    throw DriverError("igb: " + device_->name() + " has no link after 5 s");
}

void IgbDriver::other_interrupt(Core& core) {
    ++other_interrupts_;
    const std::uint32_t cause = rd(core, ICR);
    if ((cause & ICR_LSC) != 0) link_changed_ = true;
    if (link_changed_ && up_) link_task_.wake(core);
    wr(core, EIMS, 1U);
}

void IgbDriver::register_stats(sim::StatGroup& group) {
    device_->register_stats(group);
    group.counter("resets", "resets", "Resets of the running device.", resets_);
    group.counter("other_interrupts", "interrupts", "Interrupts for causes other than queues.",
                  other_interrupts_);
    group.counter("watchdog_runs", "runs", "Runs of the watchdog.", watchdog_runs_);
    group.counter("tx_hangs", "times", "Times that packets did not leave a queue for a second.",
                  tx_hangs_);
    group.counter("tx_timeouts", "times", "Times that this led to a reset.", tx_timeouts_);
    sim::StatGroup& hardware = group.group("hardware");
    hardware.counter("missed", "packets",
                     "Frames missed for want of packet buffer, as the device said (MPC).",
                     hardware_.missed);
    hardware.counter("no_buffer", "packets",
                     "Frames that came while their ring was empty, as it said (RNBC).",
                     hardware_.no_buffer);
    hardware.counter("dropped", "packets", "Frames dropped for that, as it said (RQDPC).",
                     hardware_.dropped);
    hardware.counter("sent", "packets", "Frames sent, as it said (GPTC).", hardware_.sent);
    for (IgbTxRing& r : tx_) r.register_stats(group.group("tx_ring" + std::to_string(r.index)));
    for (IgbRxRing& r : rx_) r.register_stats(group.group("rx_ring" + std::to_string(r.index)));
    for (const auto& v : vectors_)
        v->register_stats(group.group("vector" + std::to_string(v->vector())));
}

}  // namespace nicsim::host
