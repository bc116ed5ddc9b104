// SPDX-License-Identifier: Apache-2.0
// The registers of the four receive rings (datasheet 8.10), decoded into the settings of RxRings.
#pragma once

#include <cstdint>

#include "models/common/register_file.h"
#include "models/common/rx_rings.h"
#include "models/i210/registers.h"

namespace nicsim::models::i210 {

class RxRegisters {
public:
    RxRegisters(RegisterFile& registers, RxRings& rings);

    /// Buffer size of queues whose SRRCTL gives none.
    void set_default_buffer(std::uint32_t bytes);
    /// Decodes everything anew (after RegisterFile::reset).
    void reload();

private:
    void map(RegisterFile& file);
    void write_srrctl(unsigned q, std::uint32_t value);
    void write_rxdctl(unsigned q, std::uint32_t value);
    void write_rdt(unsigned q, std::uint32_t value);
    std::uint32_t read_rdh(unsigned q);

    RxRings& rings_;
    std::uint32_t default_buffer_ = 2048;
    Register* rdbal_ = nullptr;
    Register* rdbah_ = nullptr;
    Register* rdlen_ = nullptr;
    Register* srrctl_ = nullptr;
    Register* rdh_ = nullptr;
    Register* rdt_ = nullptr;
    Register* rxdctl_ = nullptr;
};

}  // namespace nicsim::models::i210
