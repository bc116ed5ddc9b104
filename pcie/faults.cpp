// SPDX-License-Identifier: Apache-2.0
#include "pcie/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nicsim::pcie {
namespace {

bool matches(FaultTarget target, TlpType type) {
    return target == FaultTarget::any ||
           static_cast<unsigned>(target) == static_cast<unsigned>(type);
}

/// Kinds that count TLPs when a sender hands them over.
bool counts_tlps(FaultKind kind) {
    return kind != FaultKind::stall_credits && kind != FaultKind::link_down;
}

const char* ordinal(std::uint64_t n) {
    if (n % 100 >= 11 && n % 100 <= 13) return "th";
    static constexpr std::array<const char*, 4> ends = {"th", "st", "nd", "rd"};
    return n % 10 < 4 ? ends[n % 10] : "th";
}

std::string in_us(sim::Ps t) {
    return fmt::format("{:g} us", static_cast<double>(t) * 1e-6);
}

}  // namespace

std::string Fault::text() const {
    const std::string label =
        name.empty() ? name_of(kind) : fmt::format("{} '{}'", name_of(kind), name);
    if (kind == FaultKind::link_down) return fmt::format("{} at {}", label, in_us(at));
    if (kind == FaultKind::stall_credits)
        return fmt::format("{} ({} {} from {} for {})", label, name_of(credits), name_of(direction),
                           in_us(at), in_us(duration));
    return fmt::format("{} ({}{} {} {}{})", label, nth, ordinal(nth), name_of(tlp),
                       name_of(direction),
                       after == 0 ? std::string() : fmt::format(" after {}", in_us(after)));
}

FaultPlan::FaultPlan(std::vector<Fault> faults) {
    for (Fault& f : faults) {
        Entry e;
        e.fault = std::move(f);
        entries_.push_back(std::move(e));
    }
}

FaultPlan::Fate FaultPlan::handed_over(Heading direction, Tlp& tlp, std::uint64_t order) {
    Fate fate;
    for (Entry& e : entries_) {
        const Fault& f = e.fault;
        if (!counts_tlps(f.kind) || f.direction != direction || !matches(f.tlp, tlp.type) ||
            sim::now() < f.after)
            continue;
        ++e.seen;
        const bool repeated = f.kind == FaultKind::drop || f.kind == FaultKind::corrupt;
        if (e.seen < f.nth || e.seen >= f.nth + (repeated ? 1 : f.count)) continue;
        if (!repeated) ++e.fired;
        switch (f.kind) {
            case FaultKind::poison:
                tlp.poisoned = true;
                break;
            case FaultKind::corrupt_payload:
                if (tlp.has_data()) tlp.data()[0] ^= 1U;
                tlp.ecrc_error = true;
                break;
            case FaultKind::delay:
                fate.delay = std::max(fate.delay, f.duration);
                break;
            case FaultKind::lose:
                fate.lost = true;
                break;
            default:
                e.order = order;
                e.left = f.count;
                break;
        }
    }
    return fate;
}

Damage FaultPlan::transmitted(Heading direction, const Tlp& tlp) {
    Damage damage = Damage::none;
    for (Entry& e : entries_) {
        if (e.left == 0 || e.order != tlp.order || e.fault.direction != direction) continue;
        --e.left;
        ++e.fired;
        damage = std::max(damage, e.fault.kind == FaultKind::drop ? Damage::lost : Damage::corrupt);
    }
    return damage;
}

sim::Ps FaultPlan::credits_held_until(Heading direction, FlowClass flow, sim::Ps t) {
    sim::Ps until = t;
    for (Entry& e : entries_) {
        const Fault& f = e.fault;
        if (f.kind != FaultKind::stall_credits || f.direction != direction || f.credits != flow ||
            t < f.at || t >= f.at + f.duration)
            continue;
        ++e.fired;
        until = std::max(until, f.at + f.duration);
    }
    return until;
}

FaultPlan::Outage FaultPlan::next_outage(sim::Ps t) const {
    Outage next;
    for (const Entry& e : entries_) {
        const Fault& f = e.fault;
        if (f.kind == FaultKind::link_down && f.at >= t && e.fired == 0 && f.at < next.at)
            next = {f.at, f.duration};
    }
    return next;
}

void FaultPlan::outage_came(sim::Ps t) {
    for (Entry& e : entries_)
        if (e.fault.kind == FaultKind::link_down && e.fired == 0 && e.fault.at <= t) {
            ++e.fired;
            return;
        }
}

std::vector<std::string> FaultPlan::came() const {
    std::vector<std::string> out;
    for (const Entry& e : entries_)
        if (e.fired > 0) out.push_back(e.fault.text());
    return out;
}

std::vector<std::string> FaultPlan::never_came() const {
    std::vector<std::string> out;
    for (const Entry& e : entries_) {
        const Fault& f = e.fault;
        const std::uint64_t wanted = counts_tlps(f.kind) ? f.count : 1;
        if (e.fired >= wanted) continue;
        std::string why;
        if (f.kind == FaultKind::stall_credits)
            why = "no credit of the class was freed in that time";
        else if (f.kind == FaultKind::link_down)
            why = "the run ended before";
        else if (e.fired > 0)
            why = fmt::format("it came to pass {} times of {}", e.fired, f.count);
        else
            why = fmt::format("only {} such TLPs were sent", e.seen);
        out.push_back(fmt::format("fault {}: never came to pass{}: {}", f.text(),
                                  e.fired > 0 ? " in full" : "", why));
    }
    return out;
}

}  // namespace nicsim::pcie
