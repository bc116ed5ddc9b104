// SPDX-License-Identifier: Apache-2.0
// The statistics registers (datasheet 8.18): views of the units' counters that software sees grow
// from its last read. A read clears; 32-bit counters stick at all ones; an octet pair is cleared by
// the read of its high half. Counters of things that cannot happen here (collisions, flow control,
// management, wired errors) read 0.
#pragma once

#include <cstdint>
#include <deque>

#include "models/common/register_file.h"
#include "models/i210/rx_counts.h"
#include "models/i210/tx_unit.h"

namespace nicsim::models::i210 {

class Statistics {
public:
    /// The counters are those of the units and must outlive this.
    Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx);

    /// Everything reads 0 from here.
    void reset();

private:
    enum class Part : std::uint8_t { whole, low, high };
    struct View {
        const std::uint64_t* source = nullptr;
        Part part = Part::whole;
        std::uint64_t base = 0;  ///< of the source at the last clear
        View* low = nullptr;     ///< of a high half
        std::uint32_t read(unsigned);
    };
    View& add(RegisterFile& file, const char* name, std::uint32_t offset,
              const std::uint64_t& source, Part part = Part::whole);
    void add_pair(RegisterFile& file, const char* low_name, const char* high_name,
                  std::uint32_t offset, const std::uint64_t& source);
    void map_rx(RegisterFile& file, const RxCounts& rx);
    void map_tx(RegisterFile& file, const TxCounts& tx);
    void map_zero(RegisterFile& file);

    std::deque<View> views_;
};

}  // namespace nicsim::models::i210
