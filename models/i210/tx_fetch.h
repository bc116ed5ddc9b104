// SPDX-License-Identifier: Apache-2.0
// Data fetch: grants one frame after the other to the queues, as the packet buffer decides
// (TxBlockIf), and reads its bytes into it (datasheet 7.2.7.5, 3.1.4.2). A grant is given as soon
// as all reads of the frame before are issued and one more may be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/tx_reader.h"
#include "models/common/tx_store.h"
#include "models/i210/tx_block.h"
#include "models/i210/tx_queues.h"
#include "sim/activity.h"
#include "sim/decision.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class TxFetch : public sc_core::sc_module {
public:
    TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
            TxBlockIf& block, TxStore& store, TxQueues& queue_array);

    /// Grants what can be granted. Called by whatever may have changed the answer.
    void evaluate();
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    bool grant_one();
    void update_activities();

    DmaEngine& dma_;
    DmaEngine::Channel channel_;
    TxBlockIf& block_;
    TxReader reader_;
    TxQueues& queues_;
    sim::Decision granted_;  ///< queue
    bool evaluating_ = false;
    bool again_ = false;
    std::vector<std::unique_ptr<sim::Activity>> activities_;
};

}  // namespace nicsim::models::i210
