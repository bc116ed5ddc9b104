// SPDX-License-Identifier: Apache-2.0
// Data fetch: grants one frame after the other to the queues and reads its bytes into the packet
// buffer (datasheet 7.2.7.5, 3.1.4.2). A queue takes part if it has the descriptors of a complete
// packet, if the free space of its packet buffer is above DTXMXPKTSZ and, with launch time, if its
// fetch time (launch time minus FetchTimeDelta) is reached. TXDCTL.Priority queues go first.
// A grant is given as soon as all reads of the frame before are issued and one more may be.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/packet_buffer.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_reader.h"
#include "models/common/tx_store.h"
#include "models/i210/systim.h"
#include "models/i210/tx_fetch_most_empty.h"
#include "models/i210/tx_fetch_round_robin.h"
#include "models/i210/tx_settings.h"
#include "sim/activity.h"
#include "sim/alarm.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

using TxQueues = std::array<std::unique_ptr<TxQueue>, queues>;

class TxFetch : public sc_core::sc_module {
public:
    TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
            const SystemTime& clock, const TxSettings& settings, PacketBufferIf& buffer,
            TxStore& store, TxQueues& queue_array);

    /// Grants what can be granted. Called by whatever may have changed the answer.
    void evaluate();
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    enum class State : std::uint8_t {
        starved,
        fetching,
        no_space,
        waiting_turn,
        waiting_time,
        disabled,
    };
    [[nodiscard]] State state_of(unsigned queue);
    [[nodiscard]] bool fetch_time_reached(unsigned queue, const TxPacket& packet);
    bool grant_one();
    void update_activities();

    DmaEngine& dma_;
    DmaEngine::Channel channel_;
    const SystemTime& clock_;
    const TxSettings& settings_;
    PacketBufferIf& buffer_;
    TxReader reader_;
    TxQueues& queues_;
    sim::Alarm fetch_time_alarm_;
    FetchRoundRobin high_round_robin_, low_round_robin_;
    FetchMostEmpty most_empty_;
    bool evaluating_ = false;
    bool again_ = false;
    std::vector<std::unique_ptr<sim::Activity>> activities_;
};

}  // namespace nicsim::models::i210
