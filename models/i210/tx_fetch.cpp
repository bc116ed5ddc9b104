// SPDX-License-Identifier: Apache-2.0
#include "models/i210/tx_fetch.h"

#include <string>
#include <vector>

namespace nicsim::models::i210 {
namespace {

using sim::ActivityKind;

/// In the order of FetchState. The sentences complete "... of the time: ".
std::vector<sim::ActivityState> states() {
    return {
        {"starved", ActivityKind::starved, "no complete packet on the device"},
        {"fetching", ActivityKind::busy, "reading a frame from host memory"},
        {"free_space", ActivityKind::blocked, "free packet-buffer space not above DTXMXPKTSZ"},
        {"turn", ActivityKind::blocked, "reads of other queues' frames or the bus go first"},
        {"fetch_time", ActivityKind::blocked,
         "fetch time (launch time - FetchTimeDelta) not reached"},
        {"disabled", ActivityKind::blocked, "transmit disabled (TCTL.EN)"},
    };
}

}  // namespace

TxFetch::TxFetch(const sc_core::sc_module_name& name, DmaEngine& dma, DmaEngine::Channel channel,
                 TxBlockIf& block, TxStore& store, TxQueues& queue_array)
    : TxFetchBase(name, dma, channel, store, queues, states()),
      block_(block),
      queues_(queue_array),
      granted_(std::string(sc_module::name()) + ".grant") {}

bool TxFetch::grant_one() {
    const int chosen = block_.choose_fetch();
    if (chosen < 0) return false;
    const auto queue = static_cast<unsigned>(chosen);
    granted_.made(queue);
    reader_.read(*queues_[queue], queue, queue);
    return true;
}

std::size_t TxFetch::waiting_state(unsigned queue) const {
    return static_cast<std::size_t>(block_.fetch_state(queue));
}

void TxFetch::reset() {
    reader_.reset();
    update_activities();
}

}  // namespace nicsim::models::i210
