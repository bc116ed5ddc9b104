// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/intel_shared.h"

#include "host_driver/drivers/driver_error.h"
#include "sim/time.h"

namespace nicsim::host::intel {

using namespace sim::literals;

namespace {

constexpr std::uint32_t SWSM_SMBI = 1U << 0;
constexpr std::uint32_t SWSM_SWESMBI = 1U << 1;
constexpr std::uint32_t EERD_START = 1U << 0;
constexpr std::uint32_t EERD_DONE = 1U << 1;

}  // namespace

std::string hex(std::uint32_t v) {
    static constexpr const char* digits = "0123456789abcdef";
    std::string s = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) s += digits[(v >> shift) & 15U];
    return s;
}

/// The read itself takes the software semaphore; the firmware's bit has to stick.
void SharedResources::take_semaphore(Core& core) const {
    constexpr int attempts = 2000;
    int i = 0;
    for (; i < attempts; ++i) {
        if ((core.mmio_read32(swsm) & SWSM_SMBI) == 0) break;
        core.delay(50_us);
    }
    if (i == attempts) throw DriverError(driver + ": SWSM.SMBI is never free");
    for (i = 0; i < attempts; ++i) {
        const std::uint32_t value = core.mmio_read32(swsm);
        core.mmio_write32(swsm, value | SWSM_SWESMBI);
        if ((core.mmio_read32(swsm) & SWSM_SWESMBI) != 0) return;
        core.delay(50_us);
    }
    throw DriverError(driver + ": SWSM.SWESMBI does not latch");
}

void SharedResources::give_semaphore(Core& core) const {
    core.mmio_write32(swsm, core.mmio_read32(swsm) & ~(SWSM_SMBI | SWSM_SWESMBI));
}

void SharedResources::acquire(Core& core, std::uint32_t what) const {
    for (int i = 0; i < 200; ++i) {
        take_semaphore(core);
        const std::uint32_t sync = core.mmio_read32(sw_fw_sync);
        const bool available = (sync & (what | what << firmware_shift)) == 0;
        if (available) core.mmio_write32(sw_fw_sync, sync | what);
        give_semaphore(core);
        if (available) return;
        core.delay(5_ms);
    }
    throw DriverError(driver + ": firmware never gives up SW_FW_SYNC");
}

void SharedResources::release(Core& core, std::uint32_t what) const {
    take_semaphore(core);
    core.mmio_write32(sw_fw_sync, core.mmio_read32(sw_fw_sync) & ~what);
    give_semaphore(core);
}

std::uint16_t SharedResources::read_nvm_word(Core& core, unsigned word) const {
    core.mmio_write32(eerd, word << 2 | EERD_START);
    for (int i = 0; i < 100000; ++i) {
        const std::uint32_t value = core.mmio_read32(eerd);
        if ((value & EERD_DONE) != 0) return static_cast<std::uint16_t>(value >> 16);
        core.delay(5_us);
    }
    throw DriverError(driver + ": NVM word " + std::to_string(word) + " is never read");
}

}  // namespace nicsim::host::intel
