// SPDX-License-Identifier: Apache-2.0
#include "scenarios/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {

Progress::Progress(sim::Ps total, bool wanted)
    : total_(total), shown_(wanted && isatty(STDERR_FILENO) != 0) {}

void Progress::update(sim::Ps done) {
    if (!shown_ || total_ == 0) return;
    const auto now = WallClock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const double wall = std::chrono::duration<double>(now - start_).count();
    const double simulated = sim::to_seconds(done);
    const double rate = wall > 0.0 ? simulated / wall : 0.0;
    const double left = rate > 0.0 ? (sim::to_seconds(total_) - simulated) / rate : 0.0;
    constexpr unsigned width = 30;
    const auto filled = static_cast<unsigned>(
        static_cast<double>(width) * static_cast<double>(done) / static_cast<double>(total_));
    const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
    say(fmt::format("\r[{}] {:.1f} of {:.1f} ms  {:.1f} ms/s  {:.0f} s left\x1b[K", bar,
                    simulated * 1e3, sim::to_seconds(total_) * 1e3, rate * 1e3, left));
    drawn_ = true;
}

void Progress::clear() {
    if (!drawn_) return;
    say("\r\x1b[K");
    drawn_ = false;
}

}  // namespace nicsim::scenarios
