// SPDX-License-Identifier: Apache-2.0
// DMA_CTRL: how long requests may be (128 << n bytes to read and to write) and whether reads must
// be answered in order, and LOAD_PTR, which makes the rings' registers count.
// In-order means here: one read of each kind in flight at a time (assumed).
// Stored without effect: read completion boundary (the host's completions are what they are), read
// and write delays, priority of data before descriptors (the model always has it, as atl1c sets
// it), flushing of pending requests.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/dma_engine.h"
#include "models/common/register_file.h"
#include "sim/callback.h"

namespace nicsim::models::ar8151 {

class DmaControl {
public:
    /// `load`: LOAD_PTR was written.
    DmaControl(RegisterFile& registers, DmaEngine& dma, sim::Callback<> load);

    /// A channel whose reads in flight are limited to `reads`, in order to 1.
    void add_channel(DmaEngine::Channel channel, unsigned reads);
    /// TXQ_CTRL's burst: longest data read; 0 for no limit.
    void set_tx_burst(std::uint32_t bytes);
    void apply();

private:
    struct Limited {
        DmaEngine::Channel channel = 0;
        unsigned reads = 0;
    };
    void on_written(unsigned, std::uint32_t) { apply(); }
    void on_load(unsigned, std::uint32_t value);

    DmaEngine& dma_;
    sim::Callback<> load_;
    Register* dma_ctrl_ = nullptr;
    std::vector<Limited> channels_;
    std::uint32_t tx_burst_ = 0;
};

}  // namespace nicsim::models::ar8151
