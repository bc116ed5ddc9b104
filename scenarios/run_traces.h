// SPDX-License-Identifier: Apache-2.0
// What a run can leave behind besides its result: waves, a capture of the wire, packet lives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/decision_log.h"
#include "scenarios/machine.h"
#include "sim/time.h"
#include "waves/pcapng.h"
#include "waves/timeline.h"
#include "waves/trace_sink.h"

namespace nicsim::scenarios {

struct RunTraceOptions {
    std::string wave;        ///< .fst or .vcd; empty for none
    std::string wave_scope;  ///< pattern over signal paths
    std::string wave_from;   ///< times; empty: when the machine is up, the end of the run
    std::string wave_to;
    std::string pcapng;
    std::string timeline;
    std::string timeline_from;  ///< times; empty: the measured time
    std::string timeline_to;
    std::string decisions;
};

class RunTraces {
public:
    /// Opens the targets, before anything is simulated. `measured`: from when to when the run is
    /// measured. Throws waves::WaveError.
    struct Window {
        sim::Ps from = 0;
        sim::Ps to = sim::never;
    };
    RunTraces(const RunTraceOptions& options, const Window& measured);

    /// Where the frames of the wire go; null if nobody wants them.
    [[nodiscard]] waves::PcapngWriter* capture() const { return capture_.get(); }
    /// The machine is built. Signals are traced from here if `wave_from` is 0, without those that
    /// the driver only makes when it comes up.
    void built(Machine& machine);
    /// The driver and the workloads are up, and with them all signals there will be.
    void running();
    /// Completes the files. Sentences that the user should read.
    std::vector<std::string> close();

private:
    void open_timeline(const RunTraceOptions& options, const Window& measured);

    bool from_start_ = false;
    std::unique_ptr<waves::TraceSink> sink_;
    std::unique_ptr<waves::PcapngWriter> capture_;
    std::unique_ptr<waves::Timeline> timeline_;
    std::unique_ptr<DecisionLog> decisions_;
};

}  // namespace nicsim::scenarios
