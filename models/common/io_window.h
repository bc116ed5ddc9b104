// SPDX-License-Identifier: Apache-2.0
// The I/O BAR through which Intel devices reach their registers before memory space is enabled:
// IOADDR selects a register of BAR 0, IODATA is its value (I210 datasheet 8.1.1.2, 82599 8.1.1).
#pragma once

#include <cstdint>

#include "models/common/register_file.h"

namespace nicsim::models {

class IoWindow {
public:
    /// `address_mask`: the bits of IOADDR that exist.
    IoWindow(RegisterFile& target, std::uint32_t address_mask);

    /// The I/O BAR itself, 32 bytes.
    [[nodiscard]] RegisterFile& file() { return file_; }

private:
    std::uint32_t read_data(unsigned);
    void write_data(unsigned, std::uint32_t value);

    RegisterFile& target_;
    RegisterFile file_{32};
    Register* address_ = nullptr;
};

}  // namespace nicsim::models
