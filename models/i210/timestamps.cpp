// SPDX-License-Identifier: Apache-2.0
#include "models/i210/timestamps.h"

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t valid = 1U << 0;
constexpr std::uint32_t enable = 1U << 4;
constexpr std::uint32_t rx_type_mask = 7U << 1;
constexpr std::uint32_t rx_type_all = 4U << 1;
constexpr std::uint32_t tsicr_txts = 1U << 1;
}  // namespace

Timestamps::Timestamps(RegisterFile& registers, const SystemTime& clock, Interrupts& interrupts,
                       sim::Callback<bool> rx_all)
    : clock_(clock), interrupts_(interrupts), rx_all_(rx_all) {
    tsynctxctl_ =
        &registers.add({.name = "TSYNCTXCTL", .offset = reg::TSYNCTXCTL, .write_mask = ~valid});
    txstmpl_ =
        &registers.add({.name = "TXSTMPL", .offset = reg::TXSTMPL, .access = Access::read_only});
    txstmph_ = &registers.add({.name = "TXSTMPH",
                               .offset = reg::TXSTMPH,
                               .access = Access::read_only,
                               .read = ReadHook::to<&Timestamps::read_txstmph>(this)});
    registers.add({.name = "TSYNCRXCTL",
                   .offset = reg::TSYNCRXCTL,
                   .write_mask = ~valid,
                   .write = WriteHook::to<&Timestamps::write_tsyncrxctl>(this)});
    registers.add({.name = "RXSTMPL", .offset = reg::RXSTMPL, .access = Access::read_only});
    registers.add({.name = "RXSTMPH", .offset = reg::RXSTMPH, .access = Access::read_only});
    registers.add({.name = "TSYNCRXCFG", .offset = 0x5F50});
    registers.add({.name = "TRGTTIM", .offset = 0xB644, .count = 4});
    registers.add({.name = "FREQOUT", .offset = 0xB654, .count = 2});
    registers.add({.name = "AUXSTMP", .offset = 0xB65C, .access = Access::read_only, .count = 4});
    tsicr_ = &registers.add({.name = "TSICR", .offset = reg::TSICR, .access = Access::read_clear});
    tsim_ = &registers.add({.name = "TSIM", .offset = reg::TSIM});
}

/// One stamp is held until software has read its high half.
void Timestamps::on_transmit(sim::Ps start) {
    const std::uint32_t control = tsynctxctl_->get();
    if ((control & enable) == 0 || (control & valid) != 0) return;
    const std::uint64_t ns = clock_.nanoseconds_at(start);
    txstmpl_->set(static_cast<std::uint32_t>(ns % SystemTime::ns_per_second));
    txstmph_->set(static_cast<std::uint32_t>(ns / SystemTime::ns_per_second));
    tsynctxctl_->set(control | valid);
    tsicr_->set(tsicr_->get() | tsicr_txts);
    if ((tsim_->get() & tsicr_txts) != 0) interrupts_.cause(icr::TIME_SYNC);
}

std::uint32_t Timestamps::read_txstmph(unsigned) {
    tsynctxctl_->set(tsynctxctl_->get() & ~valid);
    return txstmph_->get();
}

void Timestamps::write_tsyncrxctl(unsigned, std::uint32_t value) {
    if (rx_all_) rx_all_((value & enable) != 0 && (value & rx_type_mask) == rx_type_all);
}

void Timestamps::reset() {
    if (rx_all_) rx_all_(false);
}

}  // namespace nicsim::models::i210
