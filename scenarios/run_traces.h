// SPDX-License-Identifier: Apache-2.0
// What a run can leave behind besides its result: waves, a capture of the wire, packet lives.
#pragma once

#include <memory>
#include <string>

#include "scenarios/decision_log.h"
#include "sim/life_cycle.h"
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
    std::string decisions;
};

class RunTraces {
public:
    /// Opens the targets, before anything is simulated. Throws waves::WaveError.
    explicit RunTraces(const RunTraceOptions& options);

    /// Where the frames of the wire go; null if nobody wants them.
    [[nodiscard]] waves::PcapngWriter* capture() const { return capture_.get(); }
    /// The machine is built. Signals are traced from here if `wave_from` is 0, without those that
    /// the driver only makes when it comes up.
    void built(sim::LifeCycle& lives);
    /// The driver and the workloads are up, and with them all signals there will be.
    void running();
    /// Completes the files.
    void close();

private:
    bool from_start_ = false;
    std::unique_ptr<waves::TraceSink> sink_;
    std::unique_ptr<waves::PcapngWriter> capture_;
    std::unique_ptr<waves::Timeline> timeline_;
    std::unique_ptr<DecisionLog> decisions_;
};

}  // namespace nicsim::scenarios
