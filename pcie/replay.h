// SPDX-License-Identifier: Apache-2.0
// What both ends of one direction keep for acknowledgement and replay. Inside of the link only.
#pragma once

#include "pcie/link.h"
#include "sim/random.h"

namespace nicsim::pcie {

struct Replay {
    /// A TLP that is sent and not acknowledged.
    struct Kept {
        TlpPtr tlp;
        std::uint16_t sequence = 0;
    };
    /// A DLLP of the other direction on its way to this sender.
    struct Notice {
        sim::Ps time = 0;
        std::uint16_t sequence = 0;
        bool nak = false;
        bool damaged = false;
    };
    using Held = sim::TimedFifo<LinkDirection::Late>;

    Replay(Link& owner, FaultPlan* plan, std::uint64_t seed, const char* prefix,
           sim::Alarm::Action wake, Held::Action release)
        : link(owner),
          faults(plan),
          random(seed, std::string("pcie_bit_errors.") + prefix),
          alarm((std::string(prefix) + "_replay_timer").c_str(), wake),
          held((std::string(prefix) + "_held").c_str(), release) {}

    Link& link;
    FaultPlan* faults;
    sim::RandomStream random;
    double bits_to_error = 0.0;  ///< good bits before the next wrong one

    // The sender.
    sim::RingQueue<Kept> kept;
    std::uint64_t kept_bytes = 0;
    std::uint16_t next_sequence = 0;
    std::size_t resend_next = 0;
    bool resending = false;
    unsigned number = 0;  ///< REPLAY_NUM
    sim::Ps timer_since = sim::never;
    sim::RingQueue<Notice> notices;
    sim::Alarm alarm;
    Held held;  ///< completions that come late
    sim::Ps last_release = 0;
    TlpPtr last_held;

    // The receiver.
    std::uint16_t expected = 0;
    bool nak_scheduled = false;
    std::array<std::uint64_t, flow_classes> undrained{};  ///< accepted, buffer not yet free
    std::array<std::uint64_t, flow_classes> stale{};  ///< of them, from before the link was lost
};

}  // namespace nicsim::pcie
