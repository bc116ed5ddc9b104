// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/interrupts.h"

#include <algorithm>
#include <bit>
#include <string>

namespace nicsim::models::i82599 {

namespace {

/// Unit of EITR at 10 and 1 Gbit/s.
constexpr sim::Ps eitr_unit = 2'048 * sim::ps_per_ns;
constexpr unsigned single_vectors = 16;  ///< EICR bits of queues without MSI-X

constexpr std::uint64_t bit(unsigned vector) {
    return std::uint64_t{1} << (vector & 63U);
}

}  // namespace

Interrupts::Interrupts(const sc_core::sc_module_name& name, unsigned queues,
                       RegisterFile& registers)
    : sc_module(name), queues_(queues) {
    for (unsigned v = 0; v < vectors; ++v) {
        const std::string n = "throttle" + std::to_string(v);
        throttles_[v] = std::make_unique<InterruptThrottle>(
            n.c_str(), ThrottleStart::at_interrupt, v,
            sim::Callback<unsigned>::to<&Interrupts::on_issue>(this),
            sim::Callback<unsigned>::to<&Interrupts::on_expired>(this));
        if (v > queues) continue;  // a driver uses one vector for a queue, and one for the rest
        const std::string path = std::string(this->name()) + ".vector" + std::to_string(v);
        throttles_[v]->offer_signals(path);
        counter_probes_[v] = std::make_unique<sim::Probe>(path + ".interrupts", 32);
    }
    map(registers);
    map_extended(registers);
}

void Interrupts::map(RegisterFile& file) {
    file.add({.name = "EICR",
              .offset = reg::EICR,
              .read = ReadHook::to<&Interrupts::read_eicr>(this),
              .write = WriteHook::to<&Interrupts::write_eicr>(this)});
    // A read of EICS gives EICR without clearing it (ixgbe, ixgbe_msix_other).
    file.add({.name = "EICS",
              .offset = reg::EICS,
              .read = ReadHook::to<&Interrupts::peek_eicr>(this),
              .write = WriteHook::to<&Interrupts::write_eics>(this),
              .pure_read = true});
    file.add({.name = "EIMS",
              .offset = reg::EIMS,
              .read = ReadHook::to<&Interrupts::read_eims>(this),
              .write = WriteHook::to<&Interrupts::write_eims>(this),
              .pure_read = true});
    file.add({.name = "EIMC",
              .offset = reg::EIMC,
              .access = Access::write_only,
              .write = WriteHook::to<&Interrupts::write_eimc>(this)});
    eiac_ = &file.add({.name = "EIAC", .offset = reg::EIAC, .write_mask = 0x4000'FFFF});
    file.add({.name = "EIAM",
              .offset = reg::EIAM,
              .read = ReadHook::to<&Interrupts::read_eiam>(this),
              .write = WriteHook::to<&Interrupts::write_eiam>(this),
              .pure_read = true});
    file.add({.name = "EITRSEL", .offset = reg::EITRSEL});
    gpie_ = &file.add({.name = "GPIE", .offset = reg::GPIE});
    ivar_ = &file.add({.name = "IVAR", .offset = reg::IVAR, .count = max_queues / 2});
    ivar_misc_ = &file.add({.name = "IVAR_MISC", .offset = reg::IVAR_MISC});
    file.add({.name = "EITR",
              .offset = reg::EITR_LOW,
              .count = reg::eitr_low_count,
              .read = ReadHook::to<&Interrupts::read_eitr>(this),
              .write = WriteHook::to<&Interrupts::write_eitr>(this),
              .pure_read = true});
    file.add({.name = "EITR",
              .offset = reg::EITR_HIGH,
              .count = vectors - reg::eitr_low_count,
              .read = ReadHook::to<&Interrupts::read_eitr_high>(this),
              .write = WriteHook::to<&Interrupts::write_eitr_high>(this),
              .pure_read = true});
}

void Interrupts::map_extended(RegisterFile& file) {
    file.add({.name = "EICS_EX",
              .offset = reg::EICS_EX,
              .access = Access::write_only,
              .count = 2,
              .write = WriteHook::to<&Interrupts::write_eics_ex>(this)});
    file.add({.name = "EIMS_EX",
              .offset = reg::EIMS_EX,
              .count = 2,
              .read = ReadHook::to<&Interrupts::read_eims_ex>(this),
              .write = WriteHook::to<&Interrupts::write_eims_ex>(this),
              .pure_read = true});
    file.add({.name = "EIMC_EX",
              .offset = reg::EIMC_EX,
              .access = Access::write_only,
              .count = 2,
              .write = WriteHook::to<&Interrupts::write_eimc_ex>(this)});
    file.add({.name = "EIAM_EX",
              .offset = reg::EIAM_EX,
              .count = 2,
              .read = ReadHook::to<&Interrupts::read_eiam_ex>(this),
              .write = WriteHook::to<&Interrupts::write_eiam_ex>(this),
              .pure_read = true});
}

// ---- causes ----

int Interrupts::vector_of(unsigned queue, Direction direction) const {
    const std::uint32_t byte = ivar_->get(queue / 2) >> ((queue & 1U) * 16 + direction * 8) & 0xFFU;
    return (byte & ivar::valid) == 0 ? -1 : static_cast<int>(byte & ivar::vector_mask);
}

int Interrupts::other_vector() const {
    const std::uint32_t byte = ivar_misc_->get() >> 8 & 0xFFU;
    return (byte & ivar::valid) == 0 ? -1 : static_cast<int>(byte & ivar::vector_mask);
}

bool Interrupts::running(unsigned queue, Direction direction) const {
    const int vector = vector_of(queue, direction);
    if (vector < 0) return false;
    InterruptThrottle& throttle = *throttles_[msix() ? static_cast<unsigned>(vector) : 0];
    if (!throttle.running()) return false;
    throttle.expect_expiry();  // whoever asks holds a write-back back until then
    return true;
}

bool Interrupts::moderation_running(unsigned queue) const {
    return running(queue, tx);
}

bool Interrupts::rx_moderation_running(unsigned queue) const {
    return running(queue, rx);
}

void Interrupts::queue_cause(unsigned queue, Direction direction) {
    const int vector = vector_of(queue, direction);
    if (vector >= 0) set_vectors(bit(static_cast<unsigned>(vector)));
}

void Interrupts::set_vectors(Vectors bits) {
    pending_ |= bits;
    for (Vectors left = bits; left != 0; left &= left - 1)
        ++causes_[static_cast<unsigned>(std::countr_zero(left))];
    if ((bits & ~enabled_) != 0) ++masked_causes_;
    if (msix())
        evaluate(bits);
    else
        evaluate_single();
}

void Interrupts::cause(std::uint32_t eicr_bits) {
    others_ |= eicr_bits & eicr::others;
    evaluate_others();
}

bool Interrupts::wanted(unsigned vector) const {
    if ((pending_ & enabled_ & bit(vector)) != 0) return true;
    return other_vector() == static_cast<int>(vector) && (others_ & others_enabled_) != 0;
}

void Interrupts::evaluate(Vectors bits) {
    for (Vectors left = bits; left != 0; left &= left - 1) {
        const auto v = static_cast<unsigned>(std::countr_zero(left));
        if (wanted(v))
            throttles_[v]->request();
        else
            throttles_[v]->withdraw();
    }
}

void Interrupts::evaluate_others() {
    if (!msix()) {
        evaluate_single();
        return;
    }
    const int vector = other_vector();
    if (vector >= 0) evaluate(bit(static_cast<unsigned>(vector)));
}

void Interrupts::evaluate_single() {
    const Vectors seen = pending_ & enabled_ & eicr::queues;
    if (seen != 0 || (others_ & others_enabled_) != 0)
        throttles_[0]->request();
    else
        throttles_[0]->withdraw();
}

// ---- issue and expiry ----

/// Auto-mask of the causes that are reported.
void Interrupts::mask_by(std::uint32_t causes) {
    enabled_ &= ~(causes & auto_masked_ & eicr::queues);
    others_enabled_ &= ~(causes & others_am_);
}

void Interrupts::on_issue(unsigned vector) {
    if (msix()) {
        if (auto_mask()) {
            enabled_ &= ~(bit(vector) & auto_masked_);
            if (other_vector() == static_cast<int>(vector))
                others_enabled_ &= ~(others_ & others_am_);
        }
        if (vector >= single_vectors || (eiac_->get() >> vector & 1U) != 0)
            pending_ &= ~bit(vector);
    } else if (auto_mask()) {
        mask_by(eicr());
    }
    if (counter_probes_[vector]) counter_probes_[vector]->set(throttles_[vector]->issued());
    out->raise(vector);
}

void Interrupts::on_expired(unsigned vector) {
    for (unsigned q = 0; q < queues_; ++q) {
        const auto mine = [this, vector, q](Direction d) {
            const int v = vector_of(q, d);
            return v >= 0 && (!msix() || v == static_cast<int>(vector));
        };
        if (mine(tx) && flush_tx_) flush_tx_(q);
        if (mine(rx) && flush_rx_) flush_rx_(q);
    }
}

// ---- EICR, EICS ----

std::uint32_t Interrupts::eicr() const {
    return static_cast<std::uint32_t>(pending_ & eicr::queues) | others_;
}

std::uint32_t Interrupts::peek_eicr(unsigned) {
    return eicr();
}

/// A read clears all, or with GPIE.OCD only the causes of no queue.
std::uint32_t Interrupts::read_eicr(unsigned) {
    const std::uint32_t value = eicr();
    others_ = 0;
    if ((gpie_->get() & gpie::OCD) == 0) pending_ &= ~Vectors{eicr::queues};
    if (!auto_mask()) mask_by(value);
    if (msix()) evaluate(value & eicr::queues);
    evaluate_others();
    return value;
}

void Interrupts::write_eicr(unsigned, std::uint32_t value) {
    pending_ &= ~Vectors{value & eicr::queues};
    others_ &= ~value;
    if (!auto_mask()) mask_by(value);
    if (msix()) evaluate(value & eicr::queues);
    evaluate_others();
}

void Interrupts::write_eics(unsigned, std::uint32_t value) {
    if ((value & eicr::queues) != 0) set_vectors(value & eicr::queues);
    if ((value & eicr::others) != 0) cause(value);
}

void Interrupts::write_eics_ex(unsigned i, std::uint32_t value) {
    if (value != 0) set_vectors(Vectors{value} << (32 * i));
}

// ---- masks ----

std::uint32_t Interrupts::read_eims(unsigned) {
    return static_cast<std::uint32_t>(enabled_ & eicr::queues) | others_enabled_;
}

void Interrupts::write_eims(unsigned, std::uint32_t value) {
    enabled_ |= value & eicr::queues;
    others_enabled_ |= value & eicr::others;
    if (msix()) evaluate(value & eicr::queues);
    if ((value & eicr::others) != 0 || !msix()) evaluate_others();
}

void Interrupts::write_eimc(unsigned, std::uint32_t value) {
    enabled_ &= ~Vectors{value & eicr::queues};
    others_enabled_ &= ~value;
    if (msix()) evaluate(value & eicr::queues);
    evaluate_others();
}

std::uint32_t Interrupts::read_eims_ex(unsigned i) {
    return static_cast<std::uint32_t>(enabled_ >> (32 * i));
}

void Interrupts::write_eims_ex(unsigned i, std::uint32_t value) {
    enabled_ |= Vectors{value} << (32 * i);
    if (msix())
        evaluate((Vectors{value} << (32 * i)) & pending_);
    else
        evaluate_single();
}

void Interrupts::write_eimc_ex(unsigned i, std::uint32_t value) {
    enabled_ &= ~(Vectors{value} << (32 * i));
    if (msix())
        evaluate(Vectors{value} << (32 * i));
    else
        evaluate_single();
}

std::uint32_t Interrupts::read_eiam(unsigned) {
    return static_cast<std::uint32_t>(auto_masked_ & eicr::queues) | others_am_;
}

void Interrupts::write_eiam(unsigned, std::uint32_t value) {
    auto_masked_ = (auto_masked_ & ~Vectors{eicr::queues}) | (value & eicr::queues);
    others_am_ = value & eicr::others;
}

std::uint32_t Interrupts::read_eiam_ex(unsigned i) {
    return static_cast<std::uint32_t>(auto_masked_ >> (32 * i));
}

void Interrupts::write_eiam_ex(unsigned i, std::uint32_t value) {
    const Vectors half = Vectors{0xFFFF'FFFF} << (32 * i);
    auto_masked_ = (auto_masked_ & ~half) | Vectors{value} << (32 * i);
}

// ---- EITR ----

std::uint32_t Interrupts::read_eitr(unsigned vector) {
    const auto left =
        static_cast<std::uint32_t>((throttles_[vector]->remaining() + eitr_unit - 1) / eitr_unit);
    return intervals_[vector] | (left >> 2 << eitr::counter_shift & eitr::counter_mask);
}

/// With CNT_WDIS the counter is not touched; otherwise it is written along, and 0 lets a waiting
/// cause interrupt at once.
void Interrupts::write_eitr(unsigned vector, std::uint32_t value) {
    intervals_[vector] = value & eitr::interval_mask;
    throttles_[vector]->set_interval((intervals_[vector] >> eitr::interval_shift) * eitr_unit);
    if ((value & eitr::CNT_WDIS) != 0) return;
    const std::uint64_t left = (value & eitr::counter_mask) >> eitr::counter_shift << 2;
    throttles_[vector]->set_counter(left * eitr_unit);
}

void Interrupts::reset() {
    pending_ = enabled_ = auto_masked_ = 0;
    others_ = others_enabled_ = others_am_ = 0;
    intervals_ = {};
    for (auto& throttle : throttles_) throttle->reset();
}

void Interrupts::register_stats(sim::StatGroup& group) {
    for (unsigned v = 0; v < std::min(vectors, queues_ + 1); ++v) {
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

}  // namespace nicsim::models::i82599
