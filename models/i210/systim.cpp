// SPDX-License-Identifier: Apache-2.0
#include "models/i210/systim.h"

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t sign_bit = 0x8000'0000;
}

SystemTime::SystemTime(std::uint64_t start_ns) : base_value_(Fixed{start_ns} << 32) {}

SystemTime::Fixed SystemTime::value_at(sim::Ps t) const {
    const std::uint64_t ticks = t <= base_time_ ? 0 : (t - base_time_) / tick;
    return base_value_ + Fixed{ticks} * step_;
}

std::uint64_t SystemTime::nanoseconds_at(sim::Ps t) const {
    return static_cast<std::uint64_t>(value_at(t) >> 32);
}

sim::Ps SystemTime::time_of(std::uint64_t nanoseconds) const {
    const Fixed wanted = Fixed{nanoseconds} << 32;
    if (wanted <= base_value_) {
        if (step_ == 0) return base_time_;
        const Fixed back = (base_value_ - wanted) / step_;
        const auto earlier = back * tick;
        return earlier >= base_time_ ? 0 : base_time_ - static_cast<sim::Ps>(earlier);
    }
    if (step_ == 0) return sim::never;
    const Fixed ticks = (wanted - base_value_ + step_ - 1) / step_;
    const Fixed t = base_time_ + ticks * tick;
    return t >= sim::never ? sim::never : static_cast<sim::Ps>(t);
}

bool SystemTime::reached(std::uint32_t launch_ns, sim::Ps t) const {
    const std::uint64_t launch = launch_ns % ns_per_second / 32 * 32;
    const std::uint64_t passed = (systiml_at(t) + ns_per_second - launch) % ns_per_second;
    return passed < ns_per_second / 2;
}

sim::Ps SystemTime::launch_time(std::uint32_t launch_ns, sim::Ps t) const {
    const std::uint64_t launch = launch_ns % ns_per_second / 32 * 32;
    const std::uint64_t here = nanoseconds_at(t);
    const std::uint64_t passed = (here % ns_per_second + ns_per_second - launch) % ns_per_second;
    if (passed < ns_per_second / 2) {
        const sim::Ps then = here < passed ? 0 : time_of(here - passed);
        return then < t ? then : t;
    }
    return time_of(here + ns_per_second - passed);
}

void SystemTime::rebase(Fixed value) {
    base_value_ = value;
    base_time_ = sim::now() / tick * tick;
    ++changes_;
    if (changed_) changed_();
}

void SystemTime::set(std::uint64_t nanoseconds) {
    rebase(Fixed{nanoseconds} << 32);
}

void SystemTime::set_rate(std::uint32_t timinca, bool stopped) {
    const Fixed value = value_at(sim::now());
    const std::uint64_t change = timinca & ~sign_bit;
    const std::uint64_t nominal = std::uint64_t{8} << 32;
    step_ = (timinca & sign_bit) != 0 ? nominal - change : nominal + change;
    if (stopped) step_ = 0;
    rebase(value);
}

void SystemTime::map(RegisterFile& file) {
    file.add({.name = "SYSTIMR",
              .offset = reg::SYSTIMR,
              .access = Access::read_only,
              .read = ReadHook::to<&SystemTime::read_systimr>(this)});
    systiml_ = &file.add({.name = "SYSTIML",
                          .offset = reg::SYSTIML,
                          .read = ReadHook::to<&SystemTime::read_systiml>(this),
                          .sticky = true});
    file.add({.name = "SYSTIMH",
              .offset = reg::SYSTIMH,
              .read = ReadHook::to<&SystemTime::read_systimh>(this),
              .write = WriteHook::to<&SystemTime::write_systimh>(this),
              .sticky = true});
    timinca_ = &file.add({.name = "TIMINCA",
                          .offset = reg::TIMINCA,
                          .write = WriteHook::to<&SystemTime::write_timinca>(this),
                          .sticky = true});
    file.add({.name = "TIMADJ",
              .offset = reg::TIMADJ,
              .write = WriteHook::to<&SystemTime::write_timadj>(this),
              .sticky = true});
    tsauxc_ = &file.add({.name = "TSAUXC",
                         .offset = reg::TSAUXC,
                         .write = WriteHook::to<&SystemTime::write_tsauxc>(this),
                         .sticky = true});
}

std::uint32_t SystemTime::read_systimr(unsigned) {
    const Fixed value = value_at(sim::now());
    latched_ns_ = static_cast<std::uint64_t>(value >> 32);
    latched_low_ = latched_high_ = true;
    return static_cast<std::uint32_t>(value);  // the fraction of the nanosecond
}

// After a read of SYSTIMR the next read of each half gives the latched moment.
std::uint32_t SystemTime::read_systiml(unsigned) {
    const std::uint64_t ns = latched_low_ ? latched_ns_ : nanoseconds_at(sim::now());
    latched_low_ = false;
    return static_cast<std::uint32_t>(ns % ns_per_second);
}

std::uint32_t SystemTime::read_systimh(unsigned) {
    const std::uint64_t ns = latched_high_ ? latched_ns_ : nanoseconds_at(sim::now());
    latched_high_ = false;
    return static_cast<std::uint32_t>(ns / ns_per_second);
}

void SystemTime::write_systimh(unsigned, std::uint32_t seconds) {
    set(seconds * ns_per_second + systiml_->get());
}

void SystemTime::write_timinca(unsigned, std::uint32_t value) {
    set_rate(value, (tsauxc_->get() & tsauxc::disable_systime) != 0);
}

void SystemTime::write_timadj(unsigned, std::uint32_t value) {
    const Fixed offset = Fixed{value & 0x3fff'ffff} << 32;
    const Fixed here = value_at(sim::now());
    const bool back = (value & sign_bit) != 0;
    rebase(!back ? here + offset : here < offset ? 0 : here - offset);
}

void SystemTime::write_tsauxc(unsigned, std::uint32_t value) {
    const bool stop = (value & tsauxc::disable_systime) != 0;
    if (stop != (step_ == 0)) set_rate(timinca_->get(), stop);
}

}  // namespace nicsim::models::i210
