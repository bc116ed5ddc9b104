// SPDX-License-Identifier: Apache-2.0
// An AR8151, or MikroTik's card, at the level of registers: what atl1c needs to probe, with memory
// for the rest. It moves nothing by itself; a test looks at the rings, completes descriptors and
// raises causes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <systemc>
#include <vector>

#include "host_driver/drivers/atl1c_regs.h"
#include "host_driver/host_memory.h"
#include "host_driver/interrupt_controller.h"
#include "tests/host_driver/fake_pci_device.h"

namespace nicsim::host::testing {

class FakeAr8151 : public FakePciDevice {
public:
    FakeAr8151(const sc_core::sc_module_name& name, HostMemory& memory,
               InterruptController& interrupts)
        : FakePciDevice(name), memory_(memory), interrupts_(interrupts) {
        reset_config();
        registers_[atl1c::MAC_STA_ADDR] = 0x6af60001;
        registers_[atl1c::MAC_STA_ADDR + 4] = 0x0000000b;
    }

    bool link_up = true;
    bool mdio_stuck = false;
    bool mikrotik = false;
    std::uint32_t mikrotik_mode = atl1c::MT_MODE_4Q;
    std::uint32_t mikrotik_speed = 10'000;
    unsigned insist = 0;  ///< times that causes come again when they are acknowledged
    std::map<unsigned, std::uint16_t> phy_written;
    std::map<std::uint16_t, std::uint16_t> phy_debug;  ///< index, value

    [[nodiscard]] std::uint32_t reg(std::uint32_t offset) { return registers_[offset]; }
    void set_reg(std::uint32_t offset, std::uint32_t value) { registers_[offset] = value; }

    /// Raises causes; the message goes out if one of them is enabled.
    void raise(std::uint32_t causes) {
        isr_ |= causes;
        send();
    }
    [[nodiscard]] std::uint32_t pending() const { return isr_; }
    [[nodiscard]] std::uint64_t messages() const { return messages_; }

    /// One transmit descriptor as four words.
    [[nodiscard]] std::array<std::uint32_t, 4> tpd(std::uint32_t i, unsigned q = 0) {
        return memory_.load<std::array<std::uint32_t, 4>>(registers_[atl1c::TPD_ADDR_LO[q]] +
                                                          16 * i);
    }
    /// Everything announced so far counts as sent.
    void complete_tx(unsigned q = 0) {
        registers_[atl1c::TPD_CIDX[q]] = registers_[atl1c::TPD_PIDX[q]];
    }
    /// Writes a frame to the next free buffer and returns it.
    void receive(std::uint32_t length, std::uint32_t errors = 0) {
        const std::uint64_t at = registers_[atl1c::RFD_HEAD_ADDR_LO(0)] + 8 * rfd_;
        const auto buffer = memory_.load<std::uint64_t>(at);
        for (std::uint32_t i = 0; i < length; ++i)
            memory_.store(buffer + i, static_cast<std::uint8_t>(i + rfd_));
        const std::uint64_t rrd = registers_[atl1c::RRD_HEAD_ADDR_LO(0)] + 16 * rrd_;
        memory_.store(rrd, 1U << 16 | rfd_ << 20);
        memory_.store(rrd + 12, (length + 4) | errors | 1U << 31);
        rfd_ = (rfd_ + 1) % registers_[atl1c::RFD_RING_SIZE];
        rrd_ = (rrd_ + 1) % registers_[atl1c::RRD_RING_SIZE];
    }
    /// Buffers that the device may still fill.
    [[nodiscard]] std::uint32_t free_buffers() {
        const std::uint32_t size = registers_[atl1c::RFD_RING_SIZE];
        return (registers_[atl1c::MB_RFD_PROD_IDX(0)] + size - rfd_) % size;
    }

private:
    void send() {
        if (disabled_ || (isr_ & registers_[atl1c::IMR]) == 0) return;
        if ((config32(0x50) & 1U << 16) == 0) return;
        ++messages_;
        interrupts_.msi(config32(0x54), config32(0x5c));
    }
    void reset_config() {
        put32(0x00, 0x10831969);
        put32(0x04, 0x00100000);  // capability list
        put32(0x08, 0x020000c0);
        put32(0x34, 0x50);
        put32(0x50, 0x0080a005);  // MSI with a 64-bit address, next 0xa0
        put32(0xa0, 0x00020010);  // PCI Express
        put32(0xa4, 0x00000001);  // 256 bytes of payload
        put32(0xa8, 0x2810);      // Device Control
        put32(0xb0, 0x10110000);  // link status: 2.5 GT/s x1
        mask_bars();
    }
    void mask_bars() override {
        put32(0x10, (config32(0x10) & ~0x3ffffU) | 4U);
        put32(0x18, (config32(0x18) & ~0x7fU) | 1U);
        for (const unsigned unused : {0x1cU, 0x20U, 0x24U}) put32(unused, 0);
    }
    std::uint32_t read_register(std::uint32_t offset) override {
        using namespace atl1c;
        if (offset == ISR) return isr_ | (disabled_ ? ISR_DIS_INT : 0);
        if (offset == MT_MAGIC) return mikrotik ? MT_MAGIC_VALUE : 0;
        if (offset == MT_MODE) return mikrotik ? mikrotik_mode : 0;
        if (offset == MT_SPEED) return mikrotik && link_up ? mikrotik_speed : 0;
        if (offset == MDIO_CTRL && mdio_stuck) return MDIO_CTRL_BUSY;
        return registers_[offset];
    }
    void write_register(std::uint32_t offset, std::uint32_t value) override {
        using namespace atl1c;
        if (offset == ISR) {
            if ((isr_ & value) == 0 || insist == 0)
                isr_ &= ~value;
            else
                --insist;
            disabled_ = (value & ISR_DIS_INT) != 0;
            send();
            return;
        }
        registers_[offset] = value;
        if (offset == MASTER_CTRL && (value & MASTER_CTRL_SOFT_RST) != 0) {
            registers_[offset] &= ~MASTER_CTRL_SOFT_RST;
            for (const std::uint32_t index : TPD_CIDX) registers_[index] = 0;
            rfd_ = rrd_ = 0;
        }
        if (offset == MDIO_CTRL) access_phy(value);
        if (offset == IMR) send();
    }
    void access_phy(std::uint32_t command) {
        using namespace atl1c;
        const unsigned number = command >> MDIO_CTRL_REG_SHIFT & 31U;
        if ((command & MDIO_CTRL_MODE_EXT) == 0 && (command & MDIO_CTRL_OP_READ) == 0) {
            const auto value = static_cast<std::uint16_t>(command);
            phy_written[number] = value;
            if (number == DBG_DATA) phy_debug[phy_written[DBG_ADDR]] = value;
        }
        std::uint32_t value = 0;
        if (number == BMSR) value = link_up ? 0x796dU : 0x7969U;
        if (number == GIGA_PSSR) value = link_up ? 0xac00U : 0;
        registers_[MDIO_CTRL] = (command & ~(MDIO_CTRL_START | 0xffffU)) | value;
    }

    HostMemory& memory_;
    InterruptController& interrupts_;
    std::map<std::uint32_t, std::uint32_t> registers_;
    std::uint32_t isr_ = 0;
    bool disabled_ = false;
    std::uint32_t rfd_ = 0;
    std::uint32_t rrd_ = 0;
    std::uint64_t messages_ = 0;
};

}  // namespace nicsim::host::testing
