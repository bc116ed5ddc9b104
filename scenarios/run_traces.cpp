// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run_traces.h"

namespace nicsim::scenarios {

RunTraces::RunTraces(const RunTraceOptions& options) {
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
    if (!options.timeline.empty()) {
        waves::TimelineOptions timeline;
        timeline.file = options.timeline;
        timeline_ = std::make_unique<waves::Timeline>(std::move(timeline));
    }
}

void RunTraces::built(sim::LifeCycle& lives) {
    if (timeline_) timeline_->listen(lives);
    if (decisions_) decisions_->attach();
    if (sink_ && from_start_) sink_->attach_probes();
}

void RunTraces::running() {
    if (sink_ && !from_start_) sink_->attach_probes();
}

void RunTraces::close() {
    if (sink_) sink_->close(sim::now());
    if (capture_) capture_->close();
    if (timeline_) timeline_->close();
    if (decisions_) decisions_->close();
    sink_.reset();
}

}  // namespace nicsim::scenarios
