// SPDX-License-Identifier: Apache-2.0
// A function that lost its link: that resets it, and no driver here sets it up again. The time
// accounts know nothing of it (everything waits for work), so that a result has to say it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/bottleneck.h"
#include "sim/time.h"

namespace nicsim::scenarios {

struct DeadFunction {
    std::string link;  ///< as `pcie.faults` names it
    std::string port;  ///< empty if the machine names none
    sim::Ps since = 0;
    bool with_switch = false;  ///< the link is that of a switch, and took all behind it along
    /// What a user should know of it.
    [[nodiscard]] std::string text() const;
};

/// Puts what became of the functions in front of what the accounts say.
void put_dead_functions_first(Why& why, const std::vector<DeadFunction>& dead);
/// A sentence for each loss.
std::vector<std::string> texts_of(const std::vector<DeadFunction>& dead);
/// Those of one port.
std::vector<DeadFunction> of_port(const std::vector<DeadFunction>& dead, const std::string& port);

}  // namespace nicsim::scenarios
