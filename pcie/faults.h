// SPDX-License-Identifier: Apache-2.0
// Faults that a link is told to have: which TLP they hit, what happens to it, and whether they ever
// came to pass. A link without faults knows nothing of this.
//
//   drop             the TLP vanishes on the wire: sequence gap or replay timer, replay
//   corrupt          it arrives with a wrong LCRC: NAK, replay
//   corrupt_payload  its contents change where no LCRC looks: found by the ECRC if there is one
//   poison           the sender marks it as bad (EP)
//   delay            the completer takes longer for a completion
//   lose             the TLP never leaves its sender: completion timeout
//   stall_credits    the receiver returns no credits of one class for a time
//   link_down        the link goes down without notice, and trains again later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pcie/tlp.h"
#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::pcie {

enum class FaultKind : std::uint8_t {
    drop,
    corrupt,
    corrupt_payload,
    poison,
    delay,
    lose,
    stall_credits,
    link_down,
};
constexpr unsigned fault_kinds = 8;
const char* name_of(FaultKind kind);
/// One sentence for the documentation.
const char* sentence_of(FaultKind kind);

enum class Heading : std::uint8_t { up, down };  ///< to the host, from the host
const char* name_of(Heading heading);

/// Which TLPs a fault counts. The order of the first values is that of TlpType.
enum class FaultTarget : std::uint8_t { MRd, MWr, CfgRd0, CfgWr0, Cpl, CplD, Msg, any };
const char* name_of(FaultTarget target);

struct Fault {
    FaultKind kind = FaultKind::drop;
    std::string name;
    std::string link;  ///< as the one who builds the bus names it
    Heading direction = Heading::up;
    FaultTarget tlp = FaultTarget::any;
    std::uint64_t nth = 1;    ///< of those that match, from 1
    std::uint64_t count = 1;  ///< drop and corrupt: transmissions of it that fail; else TLPs
    sim::Ps after = 0;        ///< TLPs before are not counted
    FlowClass credits = FlowClass::posted;
    sim::Ps at = 0;
    sim::Ps duration = 0;

    /// The keys that a fault of this kind has.
    static const sim::ParamTable& params(FaultKind kind);
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
    /// For messages: `drop 'x' (MWr up, the 3rd)`.
    [[nodiscard]] std::string text() const;
};

/// What the wire does to one transmission of a TLP.
enum class Damage : std::uint8_t { none, corrupt, lost };

/// The faults of one link, and how often each came to pass.
class FaultPlan {
public:
    FaultPlan() = default;
    explicit FaultPlan(std::vector<Fault> faults);

    [[nodiscard]] bool empty() const { return entries_.empty(); }

    struct Fate {
        bool lost = false;
        sim::Ps delay = 0;
    };
    /// A sender hands over a TLP that will get the number `order`: changes it or says that it is
    /// lost or late, and notes transmissions to be damaged.
    Fate handed_over(Heading direction, Tlp& tlp, std::uint64_t order);
    /// A transmission, the first or a repeated one.
    Damage transmitted(Heading direction, const Tlp& tlp);
    /// Credits of a class in this direction of TLPs, freed at `t`, may return from then on.
    sim::Ps credits_held_until(Heading direction, FlowClass flow, sim::Ps t);
    /// The earliest `link_down` at or after `t`.
    struct Outage {
        sim::Ps at = sim::never;
        sim::Ps duration = 0;
    };
    [[nodiscard]] Outage next_outage(sim::Ps t) const;
    void outage_came(sim::Ps t);

    /// Those that have come to pass, for messages.
    [[nodiscard]] std::vector<std::string> came() const;
    /// A sentence for every fault that has not come to pass.
    [[nodiscard]] std::vector<std::string> never_came() const;
    [[nodiscard]] std::uint64_t came_to_pass(std::size_t index) const {
        return entries_[index].fired;
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        Fault fault;
        std::uint64_t seen = 0;
        std::uint64_t fired = 0;
        std::uint64_t order = 0;  ///< of the TLP whose transmissions fail
        std::uint64_t left = 0;   ///< of these
    };
    std::vector<Entry> entries_;
};

}  // namespace nicsim::pcie
