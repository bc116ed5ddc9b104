// SPDX-License-Identifier: Apache-2.0
// Carries out the grants of a device's data fetch: takes the next frame of a queue, makes its room
// in the store and reads its bytes there. Whose turn it is, and whether there is room, is the
// device's to decide. Counts frames and bytes, and what is under way, by queue.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/tx_queue.h"
#include "models/common/tx_store.h"
#include "sim/callback.h"
#include "sim/stat.h"

namespace nicsim::models {

class TxReader {
public:
    TxReader(DmaEngine& dma, DmaEngine::Channel channel, TxStore& store, unsigned queues);

    /// The bytes under way have changed (their number).
    void on_outstanding(sim::Callback<std::uint32_t> callback) { on_outstanding_ = callback; }
    /// Reads the next frame of `source`, the queue `queue`, into `partition` of the store.
    void read(TxQueue& source, unsigned queue, unsigned partition);
    /// Frames of the queue under way.
    [[nodiscard]] unsigned fetching(unsigned queue) const { return fetching_[queue]; }
    /// Bytes requested and not yet read.
    [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
    /// Together with DmaEngine::reset and TxStore::clear.
    void reset();
    /// Counters of one queue.
    void register_stats(unsigned queue, sim::StatGroup& group);

private:
    struct Read {
        std::uint64_t number = 0;  ///< in its partition
        unsigned partition = 0;
        unsigned queue = 0;
        std::uint32_t bytes = 0;
    };
    std::uint64_t remember(const Read& read);
    void set_outstanding(std::uint32_t bytes);
    void on_data(std::uint64_t cookie, bool ok);

    DmaEngine& dma_;
    DmaEngine::Channel channel_;
    TxStore& store_;
    sim::Callback<std::uint32_t> on_outstanding_;
    std::vector<Read> reads_;
    std::vector<std::uint32_t> free_reads_;
    std::uint32_t outstanding_ = 0;
    std::vector<DmaSegment> pieces_;
    std::vector<unsigned> fetching_;
    std::vector<std::uint64_t> frames_, octets_;
};

}  // namespace nicsim::models
