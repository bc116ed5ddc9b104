// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/interrupts.h"

#include <string>

namespace nicsim::models::ar8151 {

namespace {
/// Of all timers here.
constexpr sim::Ps timer_unit = 2 * sim::ps_per_us;
constexpr std::uint32_t timer_mask = 0xFFFF;
constexpr unsigned rx_timer_shift = 16;
constexpr std::uint32_t manual_interrupt = 1U << 9;  ///< of MASTER_CTRL
}  // namespace

Interrupts::Interrupts(const sc_core::sc_module_name& name, const Ar8151Config& config,
                       RegisterFile& registers)
    : sc_module(name),
      config_(config),
      first_rx_(config.mikrotik() ? config.tx_queues() : 1),
      retrigger_alarm_("retrigger", sim::Alarm::Action::to<&Interrupts::on_retrigger>(this)),
      status_probe_(std::string(this->name()) + ".status", 32),
      interrupts_probe_(std::string(this->name()) + ".interrupts", 32) {
    for (unsigned q = 0; q < first_rx_; ++q) add_source(isr::tx[q], true, q);
    for (unsigned q = 0; q < config.rx_queues(); ++q) add_source(isr::rx[q], false, q);
    map(registers);
    apply_intervals();
}

void Interrupts::add_source(std::uint32_t bit, bool transmit, unsigned number) {
    const std::string n = (transmit ? "tx" : "rx") + std::to_string(number);
    Source source;
    source.bit = bit;
    source.transmit = transmit;
    source.throttle = std::make_unique<InterruptThrottle>(
        n.c_str(), ThrottleStart::at_rearm, static_cast<unsigned>(sources_.size()),
        sim::Callback<unsigned>::to<&Interrupts::on_issue>(this),
        sim::Callback<unsigned>::to<&Interrupts::on_expired>(this));
    source.throttle->offer_signals(std::string(name()) + "." + n);
    sources_.push_back(std::move(source));
}

void Interrupts::map(RegisterFile& file) {
    file.add({.name = "ISR",
              .offset = reg::ISR,
              .read = ReadHook::to<&Interrupts::read_isr>(this),
              .write = WriteHook::to<&Interrupts::write_isr>(this)});
    file.add({.name = "IMR",
              .offset = reg::IMR,
              .write = WriteHook::to<&Interrupts::write_imr>(this),
              .sticky = true});
    timers_ = &file.add({.name = "IRQ_MODRT_TIMER_INIT",
                         .offset = reg::IRQ_MODRT_TIMER_INIT,
                         .write = WriteHook::to<&Interrupts::write_timers>(this)});
    retrigger_ = &file.add(
        {.name = "INT_RETRIG_TIMER", .offset = reg::INT_RETRIG_TIMER, .write_mask = timer_mask});
}

// ---- moderation ----

bool Interrupts::moderated(const Source& source) const {
    if (source.throttle->interval() == 0) return false;
    if (config_.mikrotik()) return true;
    return (master_ & (source.transmit ? master::TX_ITIMER_EN : master::RX_ITIMER_EN)) != 0;
}

/// A running timer is not touched; causes that nothing holds back any more show now.
void Interrupts::apply_intervals() {
    const std::uint32_t fields = timers_->get();
    for (Source& source : sources_) {
        const sim::Ps host =
            (source.transmit ? fields & timer_mask : fields >> rx_timer_shift) * timer_unit;
        const sim::Ps own = source.transmit ? config_.own_tx_interval : config_.own_rx_interval;
        source.throttle->set_interval(config_.mikrotik() ? own : host);
        if (moderated(source) || !source.throttle->requested()) continue;
        source.throttle->withdraw();
        status_ |= source.bit;
    }
    rearm();
    evaluate();
}

void Interrupts::master_written(std::uint32_t value) {
    master_ = value;
    apply_intervals();
    if ((value & manual_interrupt) != 0) cause(isr::MANUAL);
}

void Interrupts::event(unsigned index) {
    Source& source = sources_[index];
    ++source.events;
    if (moderated(source))
        source.throttle->request();
    else
        show(source.bit);
}

/// Timers begin to run of causes that are acknowledged and, if the interval begins with that,
/// enabled. With one that begins with the message this is left to those that were acknowledged
/// without a message of their own.
void Interrupts::rearm() {
    if (disabled_) return;
    const bool unmasked = config_.moderation_start == ModerationStart::unmask;
    start_timers(unmasked ? mask_ & ~status_ : ~status_);
}

void Interrupts::start_timers(std::uint32_t causes) {
    for (Source& source : sources_)
        if (source.throttle->held() && (source.bit & causes) != 0) source.throttle->rearm();
}

// ---- causes and messages ----

void Interrupts::cause(std::uint32_t isr_bits) {
    ++other_causes_;
    show(isr_bits);
}

void Interrupts::show(std::uint32_t bits) {
    status_ |= bits;
    evaluate();
}

void Interrupts::evaluate() {
    status_probe_.set(status_);
    const bool up = !disabled_ && (status_ & mask_) != 0;
    if (up == line_) return;
    line_ = up;
    if (up)
        raise();
    else
        retrigger_due_ = sim::never;
}

void Interrupts::raise() {
    ++interrupts_;
    interrupts_probe_.set(interrupts_);
    arm_retrigger();
    if (config_.moderation_start == ModerationStart::interrupt) start_timers(status_ & mask_);
    out->raise(0);
}

/// A cancelled notification stays in the kernel's queue until its time, a tenth of a second with
/// what atl1c sets. So the alarm of an earlier message is left standing and moved when it is due.
void Interrupts::arm_retrigger() {
    const std::uint32_t units = retrigger_->get();
    retrigger_due_ = units == 0 ? sim::never : sim::now() + units * timer_unit;
    if (units != 0) retrigger_alarm_.at_latest(retrigger_due_);
}

void Interrupts::on_retrigger() {
    if (sim::now() < retrigger_due_) {
        if (retrigger_due_ != sim::never) retrigger_alarm_.at(retrigger_due_);
        return;
    }
    ++retriggered_;
    raise();
}

// ---- registers ----

std::uint32_t Interrupts::read_isr(unsigned) {
    const std::uint32_t value = peek_isr();
    if ((master_ & master::INT_RDCLR) != 0) {
        status_ = 0;
        rearm();
        evaluate();
    }
    return value;
}

/// Ones clear causes; the disable bit is taken as written.
void Interrupts::write_isr(unsigned, std::uint32_t value) {
    status_ &= ~value;
    disabled_ = (value & isr::DIS_INT) != 0;
    rearm();
    evaluate();
}

void Interrupts::write_imr(unsigned, std::uint32_t value) {
    mask_ = value;
    rearm();
    evaluate();
}

void Interrupts::reset() {
    for (Source& source : sources_) source.throttle->reset();
    master_ = status_ = 0;
    apply_intervals();
}

void Interrupts::register_stats(sim::StatGroup& group) {
    group.counter("interrupts", "interrupts", "Messages sent.", interrupts_);
    group.counter("retriggered", "interrupts",
                  "Of them, sent again since causes were pending for INT_RETRIG_TIMER.",
                  retriggered_);
    group.counter("other_causes", "events", "Causes that are not moderated.", other_causes_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const Source& source = sources_[i];
        const std::size_t queue = source.transmit ? i : i - first_rx_;
        sim::StatGroup& g = group.group((source.transmit ? "tx" : "rx") + std::to_string(queue));
        g.counter("events", "events", "Packets that finished, or frames that were returned.",
                  source.events);
        g.counter("causes", "events", "Times that the timer let the cause show in ISR.",
                  source.throttle->issued());
        g.counter("delayed", "events", "Of them, held back by moderation.",
                  source.throttle->delayed());
        g.formula("interval", "ps", "Moderation interval at the end of the run.",
                  [t = source.throttle.get()] { return static_cast<double>(t->interval()); });
    }
}

}  // namespace nicsim::models::ar8151
