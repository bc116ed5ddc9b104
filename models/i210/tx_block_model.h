// SPDX-License-Identifier: Apache-2.0
// The transmit packet buffer's decisions in C++, taken at the instant they are possible.
// Data fetch (datasheet 7.2.7.5, 3.1.4.2): a queue takes part if it has the descriptors of a
// complete packet, if the free space of its packet buffer is above DTXMXPKTSZ and, with launch
// time, if its fetch time (launch time minus FetchTimeDelta) is reached. TXDCTL.Priority queues go
// first. Transmit: QavOrder or LegacyOrder, with a CreditShaper for each SR queue.
#pragma once

#include <memory>

#include "models/i210/tx_block.h"
#include "models/i210/tx_fetch_most_empty.h"
#include "models/i210/tx_fetch_round_robin.h"
#include "models/i210/tx_legacy_order.h"
#include "models/i210/tx_qav_order.h"
#include "sim/alarm.h"

namespace nicsim::models::i210 {

class TxBlockModel : public TxBlockIf {
public:
    /// A given `buffer` takes the place of PacketBuffer.
    explicit TxBlockModel(const TxBlockContext& context,
                          std::unique_ptr<PacketBufferIf> buffer = nullptr);

    PacketBufferIf& buffer() override { return *buffer_; }
    [[nodiscard]] FetchState fetch_state(unsigned queue) override;
    int choose_fetch() override;
    TransmitChoice choose_send() override;

    void shaper_changed(unsigned queue, const TxShaperSettings& settings) override;
    void link_changed(std::uint64_t rate) override;
    void stored(unsigned, bool) override {}
    void dropped(unsigned) override {}
    void update_backlogs() override;
    void sending(unsigned queue, const MacTx::Times& times) override;
    void sent() override {}
    void reset() override;

private:
    [[nodiscard]] bool fetch_time_reached(unsigned queue, const TxPacket& packet);

    TxOffersIf& offers_;
    TxStore& store_;
    const TxSettings& settings_;
    const SystemTime& clock_;
    const MacTx& mac_;
    std::unique_ptr<PacketBufferIf> buffer_;
    Shapers shapers_;
    LegacyOrder legacy_;
    QavOrder qav_;
    FetchRoundRobin high_round_robin_, low_round_robin_;
    FetchMostEmpty most_empty_;
    sim::Alarm fetch_time_alarm_;
};

}  // namespace nicsim::models::i210
