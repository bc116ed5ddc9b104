// SPDX-License-Identifier: Apache-2.0
// The lives of packets as a trace of Chrome's format, which ui.perfetto.dev and chrome://tracing
// read: a process per queue and direction, and in it a track per stage. A slice is the time from
// the moment before to the one that names the track, as in the latency table of a run. Packets
// overlap within a stage, so slices are asynchronous events, which the viewers stack. The stage is
// also their category: events of one category and id share a track, which has the name of the
// first. Readers of before 2017 know no ids that belong to a process (`id2`), so an id names the
// process, too. Nothing is kept of a packet that is written, so memory does not grow with the run.
// Not shown: frames that are lost before a queue takes them; TCP segments of one large packet.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/life_cycle.h"
#include "waves/output_file.h"

namespace nicsim::waves {

struct TimelineOptions {
    std::string file;
    sim::Ps from = 0;  ///< packets whose lives end before, or begin after `to`, are left out
    sim::Ps to = sim::never;
};

class Timeline {
public:
    /// Throws WaveError when the target cannot be written or the window is empty. The file appears
    /// with `close`.
    explicit Timeline(TimelineOptions options);

    /// Becomes the listener of `lives`, as long as both live. `port`: its name, if there are
    /// several.
    void listen(sim::LifeCycle& lives, const std::string& port = {});
    /// Packets that are still alive are shown as far as they got.
    void close();

    /// Lives written.
    [[nodiscard]] std::uint64_t packets() const { return packets_; }
    /// Empty, or a sentence that says why nothing was written.
    [[nodiscard]] std::string warning() const;

private:
    /// What the events of each stage of a queue repeat, between their time and the packet's number.
    using StageTexts = std::vector<std::string>;
    struct Moment {
        sim::Ps at = 0;
        unsigned stage = 0;
    };
    /// One direction of a port.
    struct Source {
        Timeline& timeline;
        sim::LifeCycle& lives;
        bool received = false;
        std::string name;  ///< `TX queue`
        unsigned sort = 0;
        std::vector<const char*> stages;
        std::map<unsigned, StageTexts> queues;
    };

    template <class Stage>
    Source& add_source(sim::LifeCycle& lives, bool received, std::string name, unsigned stages);
    void life(Source& source, unsigned queue, std::uint64_t n, std::span<const sim::Ps> at);
    void put_slices(std::span<const Moment> moments, const StageTexts& texts, std::uint64_t n);
    const StageTexts& texts_of(Source& source, unsigned queue);
    void open_queue(const Source& source, unsigned queue, unsigned process);
    void event(std::string_view text);
    void event(char phase, std::string_view time, std::string_view stage, std::string_view packet);

    TimelineOptions options_;
    OutputFile out_;
    std::deque<Source> sources_;  ///< lives keep their addresses
    unsigned processes_ = 0;
    std::uint64_t packets_ = 0, before_ = 0, after_ = 0;
    bool first_ = true;
};

}  // namespace nicsim::waves
