// SPDX-License-Identifier: Apache-2.0
// The transmit packet buffer's decisions in C++, at the edges of its clock.
// Data fetch (datasheet 7.2.7.5, 3.1.4.2): a queue takes part if it has the descriptors of a
// complete packet, if the free space of its packet buffer is above DTXMXPKTSZ and, with launch
// time, if its fetch time (launch time minus FetchTimeDelta) is reached. TXDCTL.Priority queues go
// first. Transmit: QavOrder or LegacyOrder, with a CreditShaper for each SR queue.
#pragma once

#include <memory>

#include "models/i210/clocked_tx_block.h"
#include "models/i210/tx_fetch_most_empty.h"
#include "models/i210/tx_fetch_round_robin.h"
#include "models/i210/tx_legacy_order.h"
#include "models/i210/tx_qav_order.h"

namespace nicsim::models::i210 {

class TxBlockModel : public ClockedTxBlock {
public:
    /// A given `buffer` takes the place of PacketBuffer.
    explicit TxBlockModel(const TxBlockContext& context,
                          std::unique_ptr<PacketBufferIf> buffer = nullptr);

private:
    // ---- ClockedTxBlock ----
    Decided clock(std::uint64_t edge) override;
    PacketBufferIf& account() override { return *buffer_; }
    sim::Ps credit_ready(unsigned queue) override { return shapers_[queue].ready_at(); }
    void set_shaper(unsigned queue, const TxShaperSettings& settings) override;
    void set_link(std::uint64_t rate) override;
    void take_stored(unsigned, bool) override {}
    void take_dropped(unsigned) override {}
    void take_backlogs() override;
    void take_sending(unsigned queue, const MacTx::Times& times) override;
    void take_sent() override {}
    void clear_block() override;

    int choose_queue();
    TransmitPolicy& order() {
        return context_.settings.qav ? static_cast<TransmitPolicy&>(qav_) : legacy_;
    }

    std::unique_ptr<PacketBufferIf> buffer_;
    Shapers shapers_;
    LegacyOrder legacy_;
    QavOrder qav_;
    FetchRoundRobin high_round_robin_, low_round_robin_;
    FetchMostEmpty most_empty_;
};

}  // namespace nicsim::models::i210
