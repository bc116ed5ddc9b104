// SPDX-License-Identifier: Apache-2.0
// Leaving out clocks that change nothing. If a clock with the inputs of the one before leaves every
// bit of a verilated block as it was, all further clocks with these inputs do too, and need not be
// run. That is exact, whatever the block: its state is compared, nothing is assumed of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace nicsim::models::rtl {

/// For measurements and tests: whether blocks made from now on leave out clocks at all.
inline bool leave_out_still_clocks = true;

/// What `make` makes, with every clock run.
template <class Make>
auto with_every_clock(Make make) {
    leave_out_still_clocks = false;
    auto made = make();
    leave_out_still_clocks = true;
    return made;
}

/// `Root`: the class of a verilated model in which all its state lies, without containers.
template <class Root>
class Still {
public:
    explicit Still(const Root& root)
        : state_(reinterpret_cast<const unsigned char*>(&root), sizeof(Root)),
          before_(sizeof(Root)) {}

    /// Calls `tick`, which runs one clock, up to `clocks` times, until one changed nothing. Returns
    /// how many are left to be counted but not run.
    template <class Tick>
    std::uint64_t run(std::uint64_t clocks, Tick tick) {
        std::uint64_t look = first_look;
        for (std::uint64_t n = 0; n < clocks; ++n) {
            if (n != look || !active_) {
                tick();
                continue;
            }
            std::copy(state_.begin(), state_.end(), before_.begin());
            tick();
            if (std::equal(state_.begin(), state_.end(), before_.begin())) return clocks - n - 1;
            look = 2 * look + 1;
        }
        return 0;
    }

private:
    /// What an event sets off takes a few clocks to come to rest, and a look at a large state costs
    /// as much as some clocks.
    static constexpr std::uint64_t first_look = 2 + sizeof(Root) / 256;

    const std::span<const unsigned char> state_;  ///< The bytes of the block, padding and all.
    const bool active_ = leave_out_still_clocks;
    std::vector<unsigned char> before_;
};

}  // namespace nicsim::models::rtl
