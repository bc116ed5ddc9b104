// SPDX-License-Identifier: Apache-2.0
// Data fetch: grants one frame after the other to the queues and reads its bytes into the transmit
// FIFO. A queue takes part if it has the descriptors of a complete packet and if the FIFO has room
// for all of its next frame. The AR8151 serves its high-priority queue (1) first, the MikroTik card
// its queues in turn. A grant is given as soon as all reads of the frame before are issued and one
// more may be.
// Not modelled: TXF_WATER_MARK; a frame starts on the wire when it is stored completely.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/tx_registers.h"
#include "models/common/dma_engine.h"
#include "models/common/packet_buffer.h"
#include "models/common/tx_fetch.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"

namespace nicsim::models::ar8151 {

using TxQueues = std::vector<std::unique_ptr<TxQueue>>;

class TxFetch : public TxFetchBase {
public:
    TxFetch(const sc_core::sc_module_name& name, const Ar8151Config& config, DmaEngine& dma,
            DmaEngine::Channel channel, const TxRegisters& registers, PacketBufferIf& fifo,
            TxStore& store, TxQueues& queue_array);

    [[nodiscard]] bool busy() const { return reader_.outstanding() != 0; }
    /// Together with DmaEngine::reset and TxStore::clear.
    void reset();

private:
    enum class State : std::uint8_t { starved, fetching, no_space, waiting_turn, disabled };
    [[nodiscard]] State state_of(unsigned queue) const;
    [[nodiscard]] std::size_t waiting_state(unsigned queue) const override {
        return static_cast<std::size_t>(state_of(queue));
    }
    bool grant_one() override;

    bool strict_priority_;
    const TxRegisters& registers_;
    PacketBufferIf& fifo_;
    TxQueues& queues_;
    unsigned next_ = 0;  ///< that is asked first
};

}  // namespace nicsim::models::ar8151
