// SPDX-License-Identifier: Apache-2.0
#include "models/i210/interrupts.h"

#include <string>

#include "models/common/clocked_throttle.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t all_vectors = (1U << vectors) - 1;
constexpr std::uint32_t msix_vector_mask = 0x7;
}  // namespace

Interrupts::Interrupts(const sc_core::sc_module_name& name, RegisterFile& registers,
                       const ThrottleFactory& throttle)
    : sc_module(name) {
    for (unsigned v = 0; v < vectors; ++v) {
        const std::string n = "throttle" + std::to_string(v);
        const auto issue = sim::Callback<unsigned>::to<&Interrupts::on_issue>(this);
        const auto expired = sim::Callback<unsigned>::to<&Interrupts::on_expired>(this);
        throttles_[v] = (throttle ? throttle : ThrottleFactory(make_clocked_throttle))(
            n.c_str(), ThrottleStart::at_interrupt, v, issue, expired);
        const std::string path = std::string(this->name()) + ".vector" + std::to_string(v);
        throttles_[v]->offer_signals(path);
        issued_[v] = std::make_unique<sim::Decision>(path + ".issue");
        counter_probes_[v] = std::make_unique<sim::Probe>(path + ".interrupts", 32);
    }
    map_icr(registers);
    map_eicr(registers);
    ctrl_ext_ = registers.find(reg::CTRL_EXT);
}

void Interrupts::map_icr(RegisterFile& file) {
    file.add({.name = "ICR",
              .offset = reg::ICR,
              .read = ReadHook::to<&Interrupts::read_icr>(this),
              .write = WriteHook::to<&Interrupts::write_icr>(this)});
    file.add({.name = "ICS",
              .offset = reg::ICS,
              .access = Access::write_only,
              .write = WriteHook::to<&Interrupts::write_ics>(this)});
    file.add({.name = "IMS",
              .offset = reg::IMS,
              .read = ReadHook::to<&Interrupts::read_ims>(this),
              .write = WriteHook::to<&Interrupts::write_ims>(this),
              .pure_read = true});
    file.add({.name = "IMC",
              .offset = reg::IMC,
              .access = Access::write_only,
              .write = WriteHook::to<&Interrupts::write_imc>(this)});
    iam_ = &file.add({.name = "IAM", .offset = reg::IAM});
    file.alias(reg::ICR_LEGACY, reg::ICR);
    file.alias(reg::ICS_LEGACY, reg::ICS);
    file.alias(reg::IMS_LEGACY, reg::IMS);
    file.alias(reg::IMC_LEGACY, reg::IMC);
    file.alias(reg::IAM_LEGACY, reg::IAM);
}

void Interrupts::map_eicr(RegisterFile& file) {
    gpie_ = &file.add({.name = "GPIE", .offset = reg::GPIE});
    file.add({.name = "EICR",
              .offset = reg::EICR,
              .read = ReadHook::to<&Interrupts::read_eicr>(this),
              .write = WriteHook::to<&Interrupts::write_eicr>(this)});
    file.add({.name = "EICS",
              .offset = reg::EICS,
              .access = Access::write_only,
              .write = WriteHook::to<&Interrupts::write_eics>(this)});
    file.add({.name = "EIMS",
              .offset = reg::EIMS,
              .read = ReadHook::to<&Interrupts::read_eims>(this),
              .write = WriteHook::to<&Interrupts::write_eims>(this),
              .pure_read = true});
    file.add({.name = "EIMC",
              .offset = reg::EIMC,
              .access = Access::write_only,
              .write = WriteHook::to<&Interrupts::write_eimc>(this)});
    eiac_ = &file.add({.name = "EIAC", .offset = reg::EIAC});
    eiam_ = &file.add({.name = "EIAM", .offset = reg::EIAM});
    eitr_ = &file.add({.name = "EITR",
                       .offset = reg::EITR,
                       .count = vectors,
                       .read = ReadHook::to<&Interrupts::read_eitr>(this),
                       .write = WriteHook::to<&Interrupts::write_eitr>(this),
                       .pure_read = true});
    ivar_ = &file.add({.name = "IVAR", .offset = reg::IVAR0, .count = queues / 2});
    ivar_misc_ = &file.add({.name = "IVAR_MISC", .offset = reg::IVAR_MISC});
}

// ---- causes ----

std::uint32_t Interrupts::ivar(unsigned queue, Direction direction) const {
    return (ivar_->get(queue / 2) >> ((queue & 1U) * 16 + direction * 8)) & 0xFFU;
}

InterruptThrottleIf* Interrupts::throttle_of(std::uint32_t ivar_byte) const {
    if (!msix()) return throttles_[0].get();
    if ((ivar_byte & ivar_valid) == 0 || (ivar_byte & msix_vector_mask) >= vectors) return nullptr;
    return throttles_[ivar_byte & msix_vector_mask].get();
}

bool Interrupts::running(unsigned queue, Direction direction) const {
    InterruptThrottleIf* throttle = throttle_of(ivar(queue, direction));
    if (throttle == nullptr || !throttle->running()) return false;
    throttle->expect_expiry();  // whoever asks holds a write-back back until then
    return true;
}

bool Interrupts::moderation_running(unsigned queue) const {
    return running(queue, tx);
}

bool Interrupts::rx_moderation_running(unsigned queue) const {
    return running(queue, rx);
}

void Interrupts::tx_cause(unsigned queue) {
    queue_cause(queue, tx, icr::TXDW);
}

void Interrupts::queue_cause(unsigned queue, Direction direction, std::uint32_t icr_bits) {
    icr_ |= icr_bits;
    const std::uint32_t byte = ivar(queue, direction);
    if ((byte & ivar_valid) != 0) set_eicr(1U << (byte & msix_vector_mask));
    if (!msix()) evaluate_single();
}

void Interrupts::cause(std::uint32_t icr_bits) {
    icr_ |= icr_bits;
    route_other();
}

/// ICR causes that IMS enables, beyond those of the queues, go to the vector of IVAR_MISC.
void Interrupts::route_other() {
    if (!msix()) {
        evaluate_single();
        return;
    }
    const std::uint32_t byte = (ivar_misc_->get() >> 8) & 0xFFU;
    if ((icr_ & ims_) != 0 && (byte & ivar_valid) != 0) set_eicr(1U << (byte & msix_vector_mask));
}

void Interrupts::set_eicr(std::uint32_t bits) {
    eicr_ |= bits;
    for (unsigned v = 0; v < vectors; ++v)
        if ((bits >> v & 1U) != 0) ++causes_[v];
    if ((bits & ~eims_) != 0) ++masked_causes_;
    if (msix())
        evaluate(bits);
    else
        evaluate_single();
}

void Interrupts::evaluate(std::uint32_t vectors_mask) {
    for (unsigned v = 0; v < vectors; ++v) {
        if ((vectors_mask >> v & 1U) == 0) continue;
        if ((eicr_ & eims_) >> v & 1U)
            throttles_[v]->request();
        else
            throttles_[v]->withdraw();
    }
}

void Interrupts::evaluate_single() {
    if ((icr_ & ims_) != 0 || (eicr_ & eims_) != 0)
        throttles_[0]->request();
    else
        throttles_[0]->withdraw();
}

// ---- issue and expiry ----

void Interrupts::on_issue(unsigned vector) {
    if (msix()) {
        const std::uint32_t bit = 1U << vector;
        eicr_ &= ~(bit & eiac_->get());
        if ((gpie_->get() & gpie::EIAME) != 0) eims_ &= ~(bit & eiam_->get());
    }
    counter_probes_[vector]->set(throttles_[vector]->issued());
    issued_[vector]->made(vector);
    out->raise(vector);
}

void Interrupts::on_expired(unsigned vector) {
    for (unsigned q = 0; q < queues; ++q) {
        if (throttle_of(ivar(q, tx)) == throttles_[vector].get() && flush_tx_) flush_tx_(q);
        if (throttle_of(ivar(q, rx)) == throttles_[vector].get() && flush_rx_) flush_rx_(q);
    }
}

// ---- ICR family ----

std::uint32_t Interrupts::read_icr(unsigned) {
    const bool asserted = (icr_ & ims_) != 0;
    const std::uint32_t value = icr_ | (asserted ? icr::INT_ASSERTED : 0);
    if ((gpie_->get() & gpie::NSICR) != 0 || ims_ == 0 || asserted) icr_ = 0;
    if ((ctrl_ext_->get() & ctrl_ext::IAME) != 0) ims_ &= ~iam_->get();
    if (!msix()) evaluate_single();
    return value;
}

void Interrupts::write_icr(unsigned, std::uint32_t value) {
    icr_ &= ~value;
    if ((ctrl_ext_->get() & ctrl_ext::IAME) != 0) ims_ &= ~iam_->get();
    if (!msix()) evaluate_single();
}

void Interrupts::write_ics(unsigned, std::uint32_t value) {
    cause(value & ~icr::INT_ASSERTED);
}

std::uint32_t Interrupts::read_ims(unsigned) {
    return ims_;
}

void Interrupts::write_ims(unsigned, std::uint32_t value) {
    ims_ |= value;
    route_other();
}

void Interrupts::write_imc(unsigned, std::uint32_t value) {
    ims_ &= ~value;
    if (!msix()) evaluate_single();
}

// ---- EICR family ----

std::uint32_t Interrupts::read_eicr(unsigned) {
    const std::uint32_t value = eicr_;
    eicr_ &= msix() ? eiac_->get() : 0U;
    if ((gpie_->get() & gpie::EIAME) == 0) eims_ &= ~(value & eiam_->get());
    if (msix()) evaluate(all_vectors);
    return value;
}

void Interrupts::write_eicr(unsigned, std::uint32_t value) {
    eicr_ &= ~value;
    if (msix())
        evaluate(value);
    else
        evaluate_single();
}

void Interrupts::write_eics(unsigned, std::uint32_t value) {
    set_eicr(value & all_vectors);
}

std::uint32_t Interrupts::read_eims(unsigned) {
    return eims_;
}

void Interrupts::write_eims(unsigned, std::uint32_t value) {
    eims_ |= value;
    if (msix())
        evaluate(value);
    else
        evaluate_single();
}

void Interrupts::write_eimc(unsigned, std::uint32_t value) {
    eims_ &= ~value;
    if (msix())
        evaluate(value);
    else
        evaluate_single();
}

// ---- EITR ----

std::uint32_t Interrupts::read_eitr(unsigned vector) {
    const auto left = static_cast<std::uint32_t>(
        (throttles_[vector]->remaining() + sim::ps_per_us - 1) / sim::ps_per_us);
    return (eitr_->get(vector) & eitr::interval_mask) |
           ((left >> 3) << eitr::counter_shift & eitr::counter_mask);
}

void Interrupts::write_eitr(unsigned vector, std::uint32_t value) {
    const std::uint64_t us = (value & eitr::interval_mask) >> eitr::interval_shift;
    throttles_[vector]->set_interval(us * sim::ps_per_us);
    if ((value & eitr::CNT_IGNR) != 0) return;
    const std::uint64_t left = (value & eitr::counter_mask) >> eitr::counter_shift << 3;
    throttles_[vector]->set_counter(left * sim::ps_per_us);
}

void Interrupts::reset() {
    icr_ = ims_ = eicr_ = eims_ = 0;
    for (auto& throttle : throttles_) throttle->reset();
}

void Interrupts::register_stats(sim::StatGroup& group) {
    for (unsigned v = 0; v < vectors; ++v) {
        sim::StatGroup& g = group.group("vector" + std::to_string(v));
        g.counter("interrupts", "interrupts", "Interrupts issued.", throttles_[v]->issued());
        g.counter("delayed", "interrupts", "Of them, held back by EITR.", throttles_[v]->delayed());
        g.counter("causes", "events", "Causes that arrived for the vector.", causes_[v]);
        g.formula("interval", "ps", "EITR interval at the end of the run.",
                  [t = throttles_[v].get()] { return static_cast<double>(t->interval()); });
    }
    group.counter("masked_causes", "events", "Causes that found their EIMS bit clear.",
                  masked_causes_);
}

}  // namespace nicsim::models::i210
