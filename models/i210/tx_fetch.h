// SPDX-License-Identifier: Apache-2.0
// Data fetch: grants one frame after the other to the queues, as the packet buffer decides
// (TxBlockIf), and reads its bytes into it (datasheet 7.2.7.5, 3.1.4.2). A grant is given as soon
// as all reads of the frame before are issued and one more may be.
#pragma once

#include "models/common/dma_engine.h"
#include "models/common/tx_fetch.h"
#include "models/common/tx_store.h"
#include "models/i210/tx_block.h"
#include "models/i210/tx_queues.h"
#include "sim/decision.h"

namespace nicsim::models::i210 {

class TxFetch : public TxFetchBase {
public:
    TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
            TxBlockIf& block, TxStore& store, TxQueues& queue_array);

    void reset();

private:
    bool grant_one() override;
    [[nodiscard]] std::size_t waiting_state(unsigned queue) const override;

    TxBlockIf& block_;
    TxQueues& queues_;
    sim::Decision granted_;  ///< queue
};

}  // namespace nicsim::models::i210
