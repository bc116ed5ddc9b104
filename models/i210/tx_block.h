// SPDX-License-Identifier: Apache-2.0
// The transmit packet buffer of the I210 as the rest of the transmit side sees it: the room in it,
// the gate and the order of the data fetch, and the order on the wire. TxBlockModel implements it
// in C++; an RTL block can stand in its place.
//
// A block is asked, and told of everything that may change its answers. One that needs time for a
// decision answers "nobody" at first, and calls `evaluate` when it has decided.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "models/common/mac_tx.h"
#include "models/common/packet_buffer.h"
#include "models/common/tx_store.h"
#include "models/i210/systim.h"
#include "models/i210/tx_queues.h"
#include "models/i210/tx_registers.h"
#include "models/i210/tx_settings.h"
#include "models/i210/tx_transmit_policy.h"
#include "sim/callback.h"

namespace nicsim::models::i210 {

/// What the data fetch of a queue is doing.
enum class FetchState : std::uint8_t {
    starved,
    fetching,
    no_space,
    waiting_turn,
    waiting_time,
    disabled,
};

class TxBlockIf {
public:
    virtual ~TxBlockIf() = default;

    /// Room in the partitions, and its account.
    virtual PacketBufferIf& buffer() = 0;

    // ---- decisions ----
    /// What the queue waits for, if none of its frames is being read.
    [[nodiscard]] virtual FetchState fetch_state(unsigned queue) = 0;
    /// The queue whose next frame is to be read now, or -1. Only asked while a read can be issued;
    /// whoever asks begins that read, and so reserves the frame's room, before he asks again.
    virtual int choose_fetch() = 0;
    /// Whose oldest frame goes on the wire now. Only asked while the wire takes one and transmit is
    /// enabled; whoever asks sends it (`sending`).
    virtual TransmitChoice choose_send() = 0;

    // ---- what it is told ----
    virtual void shaper_changed(unsigned queue, const TxShaperSettings& settings) = 0;
    /// bit/s; 0 without a link
    virtual void link_changed(std::uint64_t rate) = 0;
    /// The next frame of the queue, in order, is complete; `ok`: without errors of the bus.
    virtual void stored(unsigned queue, bool ok) = 0;
    /// The oldest frame of the queue came with errors and was taken out.
    virtual void dropped(unsigned queue) = 0;
    /// Which queues have complete frames may have changed.
    virtual void update_backlogs() = 0;
    /// The frame that was chosen was taken out and is on the wire.
    virtual void sending(unsigned queue, const MacTx::Times& times) = 0;
    /// The gap after it is over.
    virtual void sent() = 0;
    /// A frame that is on the wire is finished; everything else is gone.
    virtual void reset() = 0;
};

/// What a block sees of the transmit side, and whom it calls. The parts are alive when the block is
/// made but not all of them complete: nothing of them may be used before the simulation starts.
struct TxBlockContext {
    std::string path;    ///< of the transmit unit, for signals
    TxOffersIf& offers;  ///< what can be fetched
    TxStore& store;      ///< what was fetched
    const TxSettings& settings;
    const SystemTime& clock;
    const MacTx& mac;
    sim::Callback<> evaluate;              ///< choose_fetch() or choose_send() may have an answer
    std::function<bool()> bus_takes_read;  ///< a frame's reads can be issued
};
using TxBlockFactory = std::function<std::unique_ptr<TxBlockIf>(const TxBlockContext&)>;

}  // namespace nicsim::models::i210
