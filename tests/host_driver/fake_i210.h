// SPDX-License-Identifier: Apache-2.0
// A device and its bus at the level of registers: what igb needs to probe, with memory for the
// rest. It moves nothing by itself; a test looks at the rings and completes descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <systemc>
#include <vector>

#include "host_driver/drivers/igb_regs.h"
#include "host_driver/host_memory.h"
#include "host_driver/interrupt_controller.h"
#include "tests/host_driver/fake_pci_device.h"

namespace nicsim::host::testing {

class FakeI210 : public FakePciDevice {
public:
    FakeI210(const sc_core::sc_module_name& name, HostMemory& memory,
             InterruptController& interrupts)
        : FakePciDevice(name), memory_(memory), interrupts_(interrupts) {
        reset_config();
        reset_registers();
    }

    bool nvm_good = true;
    bool semaphore_stuck = false;
    bool link_up = true;
    bool paused = false;  ///< by the link partner
    std::uint32_t phy_id = 0x01410c00;

    [[nodiscard]] std::uint32_t reg(std::uint32_t offset) { return registers_[offset]; }

    /// Fires a vector if its entry is unmasked.
    void interrupt(unsigned vector) {
        const std::uint32_t* entry = &msix_[std::size_t{vector} * 4];
        if ((config32(0x70) & 1U << 31) == 0 || (entry[3] & 1U) != 0) return;
        interrupts_.msi(std::uint64_t{entry[1]} << 32 | entry[0], entry[2]);
    }
    void change_link(bool up) {
        link_up = up;
        registers_[igb::ICR] |= igb::ICR_LSC;
        interrupt(0);
    }
    /// One descriptor of a transmit ring as four words.
    [[nodiscard]] std::array<std::uint32_t, 4> tx_descriptor(unsigned q, std::uint32_t i) {
        return memory_.load<std::array<std::uint32_t, 4>>(ring(igb::TX_RING(q)) + 16 * i);
    }
    /// Reports every packet posted so far as sent. Returns how many.
    unsigned complete_tx(unsigned q) {
        const std::uint32_t base = igb::TX_RING(q);
        const std::uint32_t count = registers_[base + igb::DLEN] / 16;
        unsigned packets = 0;
        for (std::uint32_t& head = tx_head_[q]; head != registers_[base + igb::DTAIL];
             head = (head + 1) % count) {
            const auto d = tx_descriptor(q, head);
            if ((d[2] & igb::ADVTXD_RS) == 0) continue;
            memory_.store(ring(base) + 16 * head + 12, d[3] | 1U);
            ++packets;
        }
        return packets;
    }
    /// Writes a frame to the next receive buffer.
    void receive(unsigned q, std::uint32_t length) {
        const std::uint32_t base = igb::RX_RING(q);
        const std::uint64_t at = ring(base) + 16 * rx_head_[q];
        const auto buffer = memory_.load<std::uint64_t>(at);
        for (std::uint32_t i = 0; i < length; ++i)
            memory_.store(buffer + i, static_cast<std::uint8_t>(i));
        memory_.store(at + 8, std::array<std::uint32_t, 2>{3U, length});  // DD, EOP
        rx_head_[q] = (rx_head_[q] + 1) % (registers_[base + igb::DLEN] / 16);
    }

private:
    bool wrote_elsewhere(std::uint64_t address, std::uint32_t value) override {
        if (address < bar(3) || address >= bar(3) + 0x4000) return false;
        msix_.at((address - bar(3)) / 4) = value;
        return true;
    }
    [[nodiscard]] std::uint64_t ring(std::uint32_t base) {
        return std::uint64_t{registers_[base + igb::DBAH]} << 32 | registers_[base + igb::DBAL];
    }
    void reset_config() {
        put32(0x00, 0x15338086);
        put32(0x04, 0x00100000);  // capability list
        put32(0x08, 0x02000003);
        put32(0x2c, 0x00018086);
        put32(0x34, 0x40);
        put32(0x40, 0x00037001);            // power management, next 0x70
        put32(0x70, 0x0004a011);            // MSI-X with 5 entries, next 0xa0
        put32(0x74, 3);                     // table in BAR 3
        put32(0xa0, 0x00020010);            // PCI Express
        put32(0xa4, 0x00000002 | 1U << 5);  // 512 bytes of payload, extended tags
        put32(0xa8, 0x2810);                // Device Control
        put32(0xb0, 0x10110000);            // link status: 2.5 GT/s x1
        mask_bars();
    }
    void mask_bars() override {
        put32(0x10, config32(0x10) & ~0x1ffffU);
        put32(0x14, 0);
        put32(0x18, (config32(0x18) & ~0x1fU) | 1U);
        put32(0x1c, config32(0x1c) & ~0x3fffU);
        put32(0x20, 0);
        put32(0x24, 0);
    }
    void reset_registers() {
        registers_.clear();
        tx_head_.fill(0);
        rx_head_.fill(0);
        registers_[igb::STATUS] = 0x00280081;
        registers_[igb::EECD] = 0x04082b00;
        registers_[igb::EEMNGCTL] = igb::EEMNGCTL_CFG_DONE_0;
        registers_[igb::RAL(0)] = 0x21'1b'02'00;
        registers_[igb::RAH(0)] = 0x8000'0433;
        registers_[igb::TXPBSIZE] = igb::TXPBSIZE_DEFAULT;
    }
    std::uint32_t read_register(std::uint32_t offset) override {
        switch (offset) {
            case igb::STATUS: {
                std::uint32_t v = registers_[offset];
                if (link_up) v |= igb::STATUS_LU;
                if (paused) v |= igb::STATUS_TXOFF;
                if ((registers_[igb::CTRL] & igb::CTRL_MASTER_DISABLE) != 0)
                    v &= ~igb::STATUS_MASTER_ENABLE;
                return v;
            }
            case igb::SWSM: {
                const std::uint32_t v = registers_[offset] | (semaphore_stuck ? 1U : 0U);
                registers_[offset] |= igb::SWSM_SMBI;
                return v;
            }
            case igb::ICR: {
                const std::uint32_t v = registers_[offset];
                registers_[offset] = 0;
                return v;
            }
            default:
                return registers_[offset];
        }
    }
    void write_register(std::uint32_t offset, std::uint32_t value) override {
        if (offset == igb::STATUS) return;
        registers_[offset] = value;
        if (offset == igb::CTRL && (value & igb::CTRL_RST) != 0) reset_registers();
        if (offset == igb::CTRL && (value & igb::CTRL_PHY_RST) != 0)
            registers_[offset] &= ~igb::CTRL_PHY_RST;
        if (offset == igb::EERD) {
            const std::uint32_t word = value >> 2;
            const std::uint32_t data = word == 0x3f ? (nvm_good ? 0xbabaU : 0x1234U) : 0;
            registers_[offset] = data << 16 | 2U;
        }
        if (offset == igb::MDIC) registers_[offset] = igb::MDIC_READY | phy(value);
    }
    [[nodiscard]] std::uint32_t phy(std::uint32_t command) const {
        if ((command & igb::MDIC_READ) == 0) return 0;
        switch (command >> 16 & 31U) {
            case 1:
                return link_up ? 0x796dU : 0x7969U;
            case 2:
                return phy_id >> 16;
            case 3:
                return phy_id & 0xffffU;
            default:
                return 0;
        }
    }

    HostMemory& memory_;
    InterruptController& interrupts_;
    std::map<std::uint32_t, std::uint32_t> registers_;
    std::vector<std::uint32_t> msix_ = std::vector<std::uint32_t>(0x1000, 1);
    std::array<std::uint32_t, 4> tx_head_{};
    std::array<std::uint32_t, 4> rx_head_{};
};

}  // namespace nicsim::host::testing
