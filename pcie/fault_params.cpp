// SPDX-License-Identifier: Apache-2.0
// Names, keys and rules of faults.
#include <fmt/format.h>

#include <array>

#include "pcie/faults.h"

namespace nicsim::pcie {
namespace {

using Builder = sim::ParamTableBuilder<Fault>;

sim::Source own() {
    return sim::assumed("a choice of the experiment");
}

sim::ChoiceNames<FaultTarget> targets(std::initializer_list<FaultTarget> all) {
    sim::ChoiceNames<FaultTarget> names;
    for (const FaultTarget t : all) names.emplace_back(t, name_of(t));
    return names;
}

void add_name(Builder& b) {
    b.add("name", &Fault::name, {.sentence = "Name in messages and for --set.", .source = own()});
    b.add("link", &Fault::link,
          {.sentence = "The link that it is on: `link`, with several exercisers `link0`, `link1`, "
                       "..., with named ports `link_NAME`, with a switch also `link_to_switch`. "
                       "Empty is the link of the first device.",
           .source = own()});
}
void add_direction(Builder& b) {
    b.add_choice(
        "direction", &Fault::direction,
        sim::ChoiceNames<Heading>{{Heading::up, "up"}, {Heading::down, "down"}},
        {.sentence = "`up` is from the device to the host, `down` from the host to the device.",
         .source = own()});
}
void add_match(Builder& b, sim::ChoiceNames<FaultTarget> names) {
    add_direction(b);
    b.add_choice("tlp", &Fault::tlp, std::move(names),
                 {.sentence = "Type of the TLPs that are counted.", .source = own()});
    b.add("nth", &Fault::nth,
          {.min = 1,
           .max = 1e15,
           .sentence = "Which of the TLPs counted is hit; 1 is the first.",
           .source = own()});
    b.add("after", &Fault::after,
          {.unit = sim::Unit::time,
           .max = 3660e12,
           .sentence = "TLPs before this time are not counted.",
           .source = own()});
}
void add_count(Builder& b, const char* sentence) {
    b.add("count", &Fault::count, {.min = 1, .max = 1e15, .sentence = sentence, .source = own()});
}
void add_at(Builder& b, const char* sentence) {
    b.add("at", &Fault::at,
          {.unit = sim::Unit::time, .max = 3660e12, .sentence = sentence, .source = own()});
}
void add_duration(Builder& b, const char* sentence) {
    b.add("duration", &Fault::duration,
          {.unit = sim::Unit::time, .max = 3660e12, .sentence = sentence, .source = own()});
}

sim::ParamTable table_of(FaultKind kind) {
    using T = FaultTarget;
    Builder b;
    add_name(b);
    constexpr const char* many = "How many TLPs are hit, one after the other.";
    switch (kind) {
        case FaultKind::drop:
        case FaultKind::corrupt:
            add_match(b, targets({T::any, T::MRd, T::MWr, T::CfgRd0, T::CfgWr0, T::Cpl, T::CplD,
                                  T::Msg}));
            add_count(b,
                      "How many transmissions of the TLP fail; the fourth failure in a row "
                      "makes the link retrain.");
            break;
        case FaultKind::corrupt_payload:
        case FaultKind::poison:
            add_match(b, targets({T::any, T::MWr, T::CplD, T::CfgWr0}));
            add_count(b, many);
            break;
        case FaultKind::delay:
            add_match(b, targets({T::any, T::Cpl, T::CplD}));
            add_count(b, many);
            add_duration(b, "How much later the completion comes.");
            break;
        case FaultKind::lose:
            add_match(b, targets({T::any, T::MRd, T::CfgRd0, T::CfgWr0, T::Cpl, T::CplD}));
            add_count(b, many);
            break;
        case FaultKind::stall_credits:
            add_direction(b);
            b.add_choice("credits", &Fault::credits,
                         sim::ChoiceNames<FlowClass>{{FlowClass::posted, "posted"},
                                                     {FlowClass::nonposted, "nonposted"},
                                                     {FlowClass::completion, "completion"}},
                         {.sentence = "Class of the credits that do not return to the sender.",
                          .source = own()});
            add_at(b, "When the stall begins.");
            add_duration(b, "How long credits are held back.");
            break;
        case FaultKind::link_down:
            add_at(b, "When the link goes down.");
            add_duration(b,
                         "How long it takes to train again, before flow control is set up; "
                         "0 is never.");
            break;
    }
    return b.build();
}

}  // namespace

const char* name_of(FaultKind kind) {
    static constexpr std::array<const char*, fault_kinds> names = {
        "drop",  "corrupt", "corrupt_payload", "poison",
        "delay", "lose",    "stall_credits",   "link_down"};
    return names[static_cast<unsigned>(kind)];
}

const char* sentence_of(FaultKind kind) {
    static constexpr std::array<const char*, fault_kinds> sentences = {
        "A TLP vanishes on the wire.",
        "A TLP arrives with a wrong LCRC.",
        "A TLP's contents change where no LCRC looks, as in a switch; an ECRC finds it.",
        "A TLP is sent with its poison bit set.",
        "A completion comes later.",
        "A request or a completion never leaves its sender.",
        "A receiver returns no credits of one class for a time.",
        "The link goes down without notice."};
    return sentences[static_cast<unsigned>(kind)];
}

const char* name_of(Heading heading) {
    return heading == Heading::up ? "up" : "down";
}

const char* name_of(FaultTarget target) {
    return target == FaultTarget::any ? "any" : name_of(static_cast<TlpType>(target));
}

const sim::ParamTable& Fault::params(FaultKind kind) {
    static const std::array<sim::ParamTable, fault_kinds> tables = [] {
        std::array<sim::ParamTable, fault_kinds> out;
        for (unsigned k = 0; k < fault_kinds; ++k) out[k] = table_of(static_cast<FaultKind>(k));
        return out;
    }();
    return tables[static_cast<unsigned>(kind)];
}

std::string Fault::check() const {
    const bool with_data_only = kind == FaultKind::poison || kind == FaultKind::corrupt_payload;
    if (with_data_only && tlp == FaultTarget::any)
        return "tlp: is needed; only TLPs with data can be hit: MWr, CplD, CfgWr0";
    if (kind == FaultKind::lose && tlp == FaultTarget::any)
        return "tlp: is needed: MRd, CfgRd0, CfgWr0, Cpl or CplD (a posted write that never leaves "
               "is noticed by nobody; use `drop` for the wire)";
    if (kind == FaultKind::delay && tlp == FaultTarget::any) return "tlp: is needed: Cpl or CplD";
    if ((tlp == FaultTarget::CfgRd0 || tlp == FaultTarget::CfgWr0) && direction == Heading::up)
        return fmt::format("direction: {} only goes down", name_of(tlp));
    if (kind == FaultKind::delay && duration == 0) return "duration: must be more than 0";
    if (kind == FaultKind::stall_credits && duration == 0) return "duration: must be more than 0";
    return {};
}

}  // namespace nicsim::pcie
