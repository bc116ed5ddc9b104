// SPDX-License-Identifier: Apache-2.0
// Data fetch as every device does it: grants one frame after the other to its queues, as long as
// the DMA engine takes reads, and keeps account of what each queue's fetch spends its time on.
// Which queue is next, and what blocks one, is the device's own policy.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/tx_reader.h"
#include "models/common/tx_store.h"
#include "sim/activity.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models {

class TxFetchBase : public sc_core::sc_module {
public:
    /// Grants what can be granted. Called by whatever may have changed the answer.
    void evaluate();
    void register_stats(sim::StatGroup& group);

protected:
    /// `states` of each queue's account; the one at `fetching_state` is that of a queue with reads
    /// under way.
    TxFetchBase(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
                TxStore& store, unsigned queues, const std::vector<sim::ActivityState>& states);
    static constexpr std::size_t fetching_state = 1;

    /// Reads the frame that is next, by `reader_`; false if none may be read now.
    virtual bool grant_one() = 0;
    /// What keeps `queue`, which has no reads under way.
    [[nodiscard]] virtual std::size_t waiting_state(unsigned queue) const = 0;
    /// Brings the accounts of all queues up to date; a device may leave out those that are off.
    virtual void update_activities();
    void update_activity(unsigned queue);
    void enter(unsigned queue, std::size_t state) {
        activities_[queue]->enter(state);
        state_probes_[queue]->set(state);
    }

    TxReader reader_;

private:
    DmaEngine& dma_;
    DmaEngine::Channel channel_;
    bool evaluating_ = false;
    bool again_ = false;
    std::vector<std::unique_ptr<sim::Activity>> activities_;
    std::vector<std::unique_ptr<sim::Probe>> state_probes_;  ///< number of the account's state
};

}  // namespace nicsim::models
