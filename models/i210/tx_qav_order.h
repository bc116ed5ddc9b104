// SPDX-License-Identifier: Apache-2.0
// The transmit arbitration of Qav mode (datasheet 7.2.7.5, figure 7-12): from queue 0 to queue 3,
// each time the wire is free,
//  - a queue without a complete frame is skipped;
//  - an SR queue sends if its launch time is reached (DataTranTIM) and its credit is not negative
//    (DataTranARB), otherwise the next queue is looked at;
//  - an SP queue sends unless SP_WAIT_SR holds it: the guard is on while an SR queue's next known
//    launch time, minus the time that DTXMXPKTSZ bytes take, has been reached.
// Launch test and guard test are taken at the same instant, so time between arbiter and wire would
// be common to both. The guard looks at the oldest packet of an SR queue that the device knows, in
// the packet buffer or in the descriptor cache.
// Not modelled: TQAVARBCTRL (it can be written and read); the order is 0 to 3.
#pragma once

#include <array>

#include "models/common/credit_shaper.h"
#include "models/common/mac_tx.h"
#include "models/common/tx_store.h"
#include "models/i210/systim.h"
#include "models/i210/tx_queues.h"
#include "models/i210/tx_settings.h"
#include "models/i210/tx_transmit_policy.h"

namespace nicsim::models::i210 {

using Shapers = std::array<CreditShaper, sr_queues>;

class QavOrder : public TransmitPolicy {
public:
    QavOrder(TxStore& store, TxOffersIf& offers, const TxSettings& settings,
             const SystemTime& clock, Shapers& shapers, const MacTx& mac)
        : store_(store),
          offers_(offers),
          settings_(settings),
          clock_(clock),
          shapers_(shapers),
          mac_(mac) {}
    TransmitChoice choose() override;

private:
    /// Whether the SR queue may send; if not, adds the reason to `choice`.
    bool sr_may_send(unsigned queue, TransmitChoice& choice);
    [[nodiscard]] bool guard_holds();
    [[nodiscard]] const TxPacket* oldest_known(unsigned queue);

    TxStore& store_;
    TxOffersIf& offers_;
    const TxSettings& settings_;
    const SystemTime& clock_;
    Shapers& shapers_;
    const MacTx& mac_;
};

}  // namespace nicsim::models::i210
