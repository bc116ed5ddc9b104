// SPDX-License-Identifier: Apache-2.0
// Data fetch: grants one frame after the other to the queues and reads its bytes into the packet
// buffer of the queue's traffic class. A queue takes part if it has the descriptors of a complete
// packet, if the packet buffer is filled less than TXPBTHRESH, and while the bytes requested and
// not yet read are not above DTXMXSZRQ. Queues are served in turn, frame by frame.
// Assumed where documents are silent: DTXMXSZRQ counts the bytes of requests in units of 256; a
// grant is given as soon as all reads of the frame before are issued and one more may be.
// Not modelled: the descriptor plane's bandwidth groups and rate limits (RTTDT*, RTTBCN*).
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/packet_buffer.h"
#include "models/common/tx_fetch.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"
#include "models/i82599/tx_settings.h"
#include "sim/probe.h"

namespace nicsim::models::i82599 {

using TxQueues = std::vector<std::unique_ptr<TxQueue>>;

class TxFetch : public TxFetchBase {
public:
    TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
            const TxSettings& settings, PacketBufferIf& buffer, TxStore& store,
            TxQueues& queue_array);

    /// A queue was enabled or disabled.
    void set_enabled(unsigned queue, bool enabled);
    /// Together with DmaEngine::reset and TxStore::clear.
    void reset();

private:
    enum class State : std::uint8_t {
        starved,
        fetching,
        no_space,
        waiting_turn,
        outstanding,
        disabled
    };
    [[nodiscard]] State state_of(unsigned queue) const;
    [[nodiscard]] std::size_t waiting_state(unsigned queue) const override {
        return static_cast<std::size_t>(state_of(queue));
    }
    bool grant_one() override;
    void on_outstanding(std::uint32_t bytes) { outstanding_probe_.set(bytes); }
    void update_activities() override;

    const TxSettings& settings_;
    PacketBufferIf& buffer_;
    TxQueues& queues_;
    std::vector<unsigned> active_;  ///< enabled queues, ascending
    std::size_t next_ = 0;          ///< in active_: who is asked first
    sim::Probe outstanding_probe_;
};

}  // namespace nicsim::models::i82599
