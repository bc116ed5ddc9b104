// SPDX-License-Identifier: Apache-2.0
// What Intel's drivers share with firmware and other functions: the software and firmware
// semaphores and the EEPROM behind them (igb: e1000_i210.c; ixgbe: ixgbe_x540.c, ixgbe_common.c).
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/core.h"

namespace nicsim::host::intel {

struct SharedResources {
    std::string driver;      ///< for messages
    std::uint64_t swsm = 0;  ///< addresses of the registers
    std::uint64_t sw_fw_sync = 0;
    std::uint64_t eerd = 0;
    unsigned firmware_shift = 0;  ///< of SW_FW_SYNC

    /// Take and give bits of SW_FW_SYNC; throw DriverError if that never succeeds.
    void acquire(Core& core, std::uint32_t what) const;
    void release(Core& core, std::uint32_t what) const;
    [[nodiscard]] std::uint16_t read_nvm_word(Core& core, unsigned word) const;

private:
    void take_semaphore(Core& core) const;
    void give_semaphore(Core& core) const;
};

/// "0x" and eight digits.
std::string hex(std::uint32_t value);

}  // namespace nicsim::host::intel
