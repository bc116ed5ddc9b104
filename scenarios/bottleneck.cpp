// SPDX-License-Identifier: Apache-2.0
#include "scenarios/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/units.h"

namespace nicsim::scenarios {
namespace {

constexpr double saturated = 0.95;   ///< busy share from which a resource is the limit
constexpr double negligible = 0.03;  ///< share of idle time that explains nothing

std::string percent(double share) {
    return fmt::format("{:.0f} %", share * 100.0);
}

/// Whether `path` fits `pattern`; `stood_for` takes what the `*` covers.
bool fits(const std::string& pattern, const std::string& path, std::string& stood_for) {
    stood_for.clear();
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos) return pattern == path;
    const std::string head = pattern.substr(0, star);
    const std::string tail = pattern.substr(star + 1);
    if (path.size() < head.size() + tail.size()) return false;
    if (path.compare(0, head.size(), head) != 0) return false;
    if (path.compare(path.size() - tail.size(), tail.size(), tail) != 0) return false;
    stood_for = path.substr(head.size(), path.size() - head.size() - tail.size());
    return stood_for.find('.') == std::string::npos;
}

std::string labelled(const std::string& label, const std::string& stood_for) {
    const std::size_t hole = label.find("{}");
    if (hole == std::string::npos) return label;
    std::string head = label.substr(0, hole);
    if (stood_for.empty() && head.ends_with(' ')) head.pop_back();  // the only one has no number
    return head + stood_for + label.substr(hole + 2);
}

std::vector<ResourceAccount> all_accounts(const sim::StatGroup& root) {
    std::vector<ResourceAccount> out;
    for (const StatView& v : flatten(root)) {
        const auto* stat = std::get_if<sim::ActivityStat>(&v.stat->value);
        if (stat == nullptr) continue;
        ResourceAccount a;
        a.path = a.label = v.path;
        a.sentence = v.stat->sentence;
        a.activity = stat->activity;
        a.busy = share_of(*stat->activity, sim::ActivityKind::busy);
        a.starved = share_of(*stat->activity, sim::ActivityKind::starved);
        a.blocked = share_of(*stat->activity, sim::ActivityKind::blocked);
        a.states = shares(*stat->activity);
        out.push_back(std::move(a));
    }
    return out;
}

const StateShare* largest(const ResourceAccount& a, sim::ActivityKind kind) {
    const StateShare* best = nullptr;
    for (const StateShare& s : a.states)
        if (s.state->kind == kind && (best == nullptr || s.share > best->share)) best = &s;
    return best;
}

/// Of resources side by side the one that had most to do.
const ResourceAccount* most_wanted(std::vector<ResourceAccount>& accounts, const ChainLink& link) {
    const ResourceAccount* best = nullptr;
    for (ResourceAccount& a : accounts) {
        std::string stood_for;
        if (!fits(link.pattern, a.path, stood_for)) continue;
        if (a.label != a.path) continue;  // an earlier step has looked at it
        a.label = labelled(link.label, stood_for);
        if (best == nullptr || a.busy + a.blocked > best->busy + best->blocked + 1e-12) best = &a;
    }
    return best;
}

std::string step_sentence(const ResourceAccount& a) {
    std::string out = fmt::format("{}: busy {}", a.label, percent(a.busy));
    for (const StateShare& s : a.states)
        if (s.state->kind != sim::ActivityKind::busy && s.share >= 0.005)
            out += fmt::format(", {} {} ({})",
                               s.state->kind == sim::ActivityKind::starved ? "starved" : "blocked",
                               percent(s.share), s.state->sentence);
    return out;
}

void conclude(Why& why, const ResourceAccount& a, const StateShare& state,
              const std::string& consequence) {
    why.limit = a.path;
    why.state = state.state->name;
    why.share = state.share;
    const char* verb = a.busy >= saturated ? "busy" : "blocked";
    why.sentence = fmt::format("{} {} {} of the time: {}{}", a.label, verb, percent(state.share),
                               state.state->sentence, consequence);
}

/// A clause on a resource that was busy, too.
std::string also(const ResourceAccount& a) {
    return fmt::format("; {} busy {}: {}", a.label, percent(a.busy),
                       largest(a, sim::ActivityKind::busy)->state->sentence);
}

/// What a resource that takes turns with the next one does longer than it is blocked.
std::string longer(const StateShare& s) {
    return fmt::format(" ({}: {})", percent(s.share), s.state->sentence);
}

/// If the sources have accounts and each of them spent time in which it did not want to send, all
/// was sent that was to be sent: concludes with the one that did so longest.
bool sources_are_content(Why& why, const std::vector<ChainLink>& chain,
                         const std::string& consequence) {
    const ResourceAccount* best = nullptr;
    const StateShare* longest = nullptr;
    for (const ChainLink& link : chain) {
        if (link.own_choice.empty()) continue;
        for (ResourceAccount& a : why.accounts) {
            std::string stood_for;
            if (!fits(link.pattern, a.path, stood_for)) continue;
            const auto own = std::find_if(
                a.states.begin(), a.states.end(),
                [&link](const StateShare& s) { return s.state->name == link.own_choice; });
            if (own == a.states.end() || own->share <= negligible) return false;
            a.label = labelled(link.label, stood_for);
            if (longest != nullptr && own->share <= longest->share) continue;
            best = &a;
            longest = &*own;
        }
    }
    if (best == nullptr) return false;
    conclude(why, *best, *longest, consequence);
    return true;
}

/// Frames that came in and found no place: below `prefix`, the receive side of a device.
std::uint64_t found_no_place(const sim::StatGroup& root, const std::string& prefix,
                             std::string& cause) {
    std::uint64_t sum = 0, most = 0;
    for (const StatView& v : flatten(root)) {
        const auto* counter = std::get_if<sim::CounterStat>(&v.stat->value);
        if (counter == nullptr || !counter->loss || !v.path.starts_with(prefix)) continue;
        if (!v.path.ends_with(".missed") && !v.path.ends_with(".dropped_no_descriptor")) continue;
        sum += counter->measured();
        if (counter->measured() <= most) continue;
        most = counter->measured();
        cause = v.stat->sentence;
    }
    return sum;
}

/// Pause frames that the device sent, below the same prefix.
std::uint64_t asked_to_wait(const sim::StatGroup& root, const std::string& prefix) {
    const sim::Stat* stat = root.find(prefix + "flow_control.xoff_sent");
    const auto* counter = stat == nullptr ? nullptr : std::get_if<sim::CounterStat>(&stat->value);
    return counter == nullptr ? 0 : counter->measured();
}

/// If frames were lost on the way in though nothing on their further way was the limit, the host
/// gives descriptors back too seldom: concludes with the receive side that lost most. The same if
/// pause frames kept frames from being lost.
bool receiving_is_the_limit(Why& why, const sim::StatGroup& root, const std::string& consequence) {
    const ResourceAccount* worst = nullptr;
    std::uint64_t most = 0;
    std::string cause, what;
    for (ResourceAccount& a : why.accounts) {
        std::string port, sentence;
        if (!fits("ports.*.nic.rx.dma", a.path, port) && a.path != "nic.rx.dma") continue;
        a.label = port.empty() ? "receive DMA" : port + ": receive DMA";
        const std::string receive = a.path.substr(0, a.path.size() - 3);
        const std::uint64_t lost = found_no_place(root, receive, sentence);
        const std::uint64_t asked = asked_to_wait(root, receive.substr(0, receive.size() - 3));
        if (std::max(lost, asked) <= most) continue;
        most = std::max(lost, asked);
        worst = &a;
        cause = lost != 0 ? sentence : "the packet buffer was filled above its threshold";
        what = lost != 0 ? fmt::format("{} frames found no place", lost)
                         : fmt::format("{} pause frames asked the sender to wait", asked);
    }
    if (worst == nullptr) return false;
    why.steps.push_back(step_sentence(*worst));
    const std::string reason = fmt::format(
        "; {} while the cores had time: the receive ring is too short for what comes between two "
        "interrupts{}",
        what, consequence);
    const StateShare* blocked = largest(*worst, sim::ActivityKind::blocked);
    if (blocked != nullptr && worst->blocked > negligible) {
        conclude(why, *worst, *blocked, reason);
    } else {
        why.limit = worst->path;
        why.sentence = worst->label + ": " + cause + reason;
    }
    return true;
}

/// Frames that found the far end's buffer full, below the prefix of its switch's account.
std::string far_end_full(const sim::StatGroup& root, const std::string& drain) {
    const std::string port = drain.substr(0, drain.size() - std::string("drain").size());
    const sim::Stat* stat = root.find(port + "dropped");
    const auto* counter = stat == nullptr ? nullptr : std::get_if<sim::CounterStat>(&stat->value);
    if (counter == nullptr || counter->measured() == 0) return {};
    const double size = std::get<sim::FormulaStat>(root.find(port + "buffer")->value).value();
    return fmt::format("; {} frames found the far end's buffer of {} full", counter->measured(),
                       sim::format_quantity(size, sim::Unit::bytes));
}

/// What pause frames and a full far end did meanwhile, whatever the limit was.
void add_flow_control(Why& why, const sim::StatGroup& root, const std::vector<ChainLink>& chain) {
    for (ResourceAccount& a : why.accounts) {
        std::string stood_for;
        if (a.path == chain.front().pattern && a.path.ends_with(".port.drain"))
            why.sentence += far_end_full(root, a.path);
        const auto paused = std::find_if(a.states.begin(), a.states.end(), [](const StateShare& s) {
            return s.state->name == "paused";
        });
        if (a.path == why.limit || paused == a.states.end() || paused->share <= negligible)
            continue;
        const auto link = std::find_if(chain.begin(), chain.end(),
                                       [&a](const ChainLink& l) { return l.pattern == a.path; });
        if (fits("generators.*.activity", a.path, stood_for))
            a.label = "generator " + stood_for;
        else if (link == chain.end())
            continue;
        else
            a.label = link->label;
        why.sentence += fmt::format("; {} {} {} of the time", a.label, paused->state->sentence,
                                    percent(paused->share));
    }
}

Why find_limit(const sim::StatGroup& root, const std::vector<ChainLink>& chain) {
    Why why;
    why.accounts = all_accounts(root);
    std::string consequence;
    double starved_below = 0.0;                 // share of the last resource, at the wire
    const ResourceAccount* pipeline = nullptr;  // busy, and perhaps the limit
    for (const ChainLink& link : chain) {
        const ResourceAccount* a = most_wanted(why.accounts, link);
        if (a == nullptr) continue;
        why.steps.push_back(step_sentence(*a));
        const StateShare* blocked = largest(*a, sim::ActivityKind::blocked);
        const StateShare* busy = largest(*a, sim::ActivityKind::busy);
        if (a->busy >= saturated && busy != nullptr) {
            if (!link.pipelined) {
                conclude(why, *a, *busy,
                         (pipeline != nullptr ? also(*pipeline) : "") + consequence);
                return why;
            }
            if (pipeline == nullptr) pipeline = a;
            continue;
        }
        if (pipeline != nullptr) continue;  // what waits further up waits for it
        // What is blocked while the last resource works does no harm; that it lacked work itself
        // explains why the last one did.
        const bool explained = a->starved >= starved_below / 2;
        if (blocked != nullptr && a->blocked > negligible && a->blocked >= a->starved &&
            !(explained && !consequence.empty())) {
            if (!sources_are_content(why, chain, consequence))
                conclude(why, *a, *blocked,
                         link.pipelined && busy != nullptr && busy->share > blocked->share
                             ? longer(*busy) + consequence
                             : consequence);
            return why;
        }
        if (!consequence.empty()) continue;
        starved_below = a->starved;
        consequence =
            fmt::format("; {} had nothing to do {} of the time", a->label, percent(a->starved));
    }
    if (pipeline != nullptr) {
        if (!sources_are_content(why, chain, consequence))
            conclude(why, *pipeline, *largest(*pipeline, sim::ActivityKind::busy), consequence);
        return why;
    }
    if (receiving_is_the_limit(why, root, consequence)) return why;
    why.sentence = "no resource was the limit: the offered load was" + consequence;
    return why;
}

}  // namespace

Why explain(const sim::StatGroup& root, const std::vector<ChainLink>& chain) {
    Why why = find_limit(root, chain);
    if (!chain.empty()) add_flow_control(why, root, chain);
    return why;
}

}  // namespace nicsim::scenarios
