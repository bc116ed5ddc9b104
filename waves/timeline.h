// SPDX-License-Identifier: Apache-2.0
// The lives of packets as a trace of Chrome's format, which ui.perfetto.dev and chrome://tracing
// read: a process per transmit queue and in it a track per stage. A slice is the time from the
// previous known stage to the one that names the track, as in the latency table of a run. Packets
// overlap within a stage, so slices are asynchronous events, which the viewers stack. The stage is
// also their category: events of one category and id share a track, which has the name of the
// first. Receive lives are not shown: `sim::LifeCycle` knows those of transmitted packets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/life_cycle.h"
#include "waves/output_file.h"

namespace nicsim::waves {

struct TimelineOptions {
    std::string file;
    sim::Ps from = 0;  ///< packets that are freed before, or that begin after `to`, are left out
    sim::Ps to = sim::never;
};

class Timeline {
public:
    /// Throws WaveError when the target cannot be written. The file appears with `close`.
    explicit Timeline(TimelineOptions options);

    /// Becomes the listener of `lives`, as long as both live.
    void listen(sim::LifeCycle& lives);
    void packet(unsigned queue, std::uint64_t n, const std::array<sim::Ps, sim::tx_stages>& at);
    void close();

    [[nodiscard]] std::uint64_t packets() const { return packets_; }

private:
    /// What the events of a stage of a queue repeat, between their time and the packet's number.
    using StageTexts = std::array<std::string, sim::tx_stages>;

    const StageTexts& texts_of(unsigned queue);
    void open_queue(unsigned queue);
    void event(std::string_view text);
    void event(char phase, std::string_view time, std::string_view stage, std::string_view packet);

    TimelineOptions options_;
    OutputFile out_;
    std::map<unsigned, StageTexts> queues_;
    std::uint64_t packets_ = 0;
    bool first_ = true;
};

}  // namespace nicsim::waves
