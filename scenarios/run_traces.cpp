// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run_traces.h"

#include <fmt/format.h>

#include "waves/wave.h"

namespace nicsim::scenarios {

RunTraces::RunTraces(const RunTraceOptions& options, const Window& measured) {
    waves::TraceOptions wave;
    wave.file = options.wave;
    wave.scope = options.wave_scope;
    if (!options.wave_from.empty()) {
        wave.from = waves::parse_time(options.wave_from, -12);
        from_start_ = wave.from == 0;
    }
    if (!options.wave_to.empty()) wave.to = waves::parse_time(options.wave_to, -12);
    if (options.wave.empty()) {
        if (!options.wave_scope.empty() || !options.wave_from.empty() || !options.wave_to.empty())
            throw waves::WaveError("--wave-scope, --wave-from and --wave-to need --wave FILE");
    } else {
        sink_ = std::make_unique<waves::TraceSink>(std::move(wave));
    }
    if (!options.pcapng.empty()) capture_ = std::make_unique<waves::PcapngWriter>(options.pcapng);
    if (!options.decisions.empty()) decisions_ = std::make_unique<DecisionLog>(options.decisions);
    open_timeline(options, measured);
}

void RunTraces::open_timeline(const RunTraceOptions& options, const Window& measured) {
    if (options.timeline.empty()) {
        if (!options.timeline_from.empty() || !options.timeline_to.empty())
            throw waves::WaveError("--timeline-from and --timeline-to need --timeline FILE");
        return;
    }
    waves::TimelineOptions timeline;
    timeline.file = options.timeline;
    timeline.from = measured.from;
    timeline.to = measured.to;
    if (!options.timeline_from.empty())
        timeline.from = waves::parse_time(options.timeline_from, -12);
    if (!options.timeline_to.empty()) timeline.to = waves::parse_time(options.timeline_to, -12);
    if (timeline.from >= measured.to)
        throw waves::WaveError(fmt::format(
            "the timeline would begin at {}, after the end of the run at {}",
            waves::format_time(timeline.from, -12), waves::format_time(measured.to, -12)));
    timeline_ = std::make_unique<waves::Timeline>(std::move(timeline));
}

void RunTraces::built(Machine& machine) {
    if (timeline_)
        for (const Machine::PortLives& p : machine.lives()) timeline_->listen(*p.lives, p.port);
    if (decisions_) decisions_->attach();
    if (sink_ && from_start_) sink_->attach_probes();
}

void RunTraces::running() {
    if (sink_ && !from_start_) sink_->attach_probes();
}

std::vector<std::string> RunTraces::close() {
    std::vector<std::string> warnings;
    if (sink_) sink_->close(sim::now());
    if (capture_) capture_->close();
    if (timeline_) {
        timeline_->close();
        if (std::string text = timeline_->warning(); !text.empty())
            warnings.push_back(std::move(text));
    }
    if (decisions_) decisions_->close();
    sink_.reset();
    return warnings;
}

}  // namespace nicsim::scenarios
