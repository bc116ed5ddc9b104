// SPDX-License-Identifier: Apache-2.0
// Reference driver for the AR8151 and MikroTik's 10/25G card: does what Linux' atl1c of April to
// June 2021 does, through real registers and real descriptors only. By file: atl1c_hw (bus, PHY,
// reset, address), atl1c_up (probe, open, rings, interrupts), atl1c_link (link and its events),
// atl1c_poll (transmit, interrupt handler, poll functions), atl1c_ring (descriptors),
// atl1c_statistics (the device's counters, the watchdog of stopped queues).
//
// Not modelled: VLAN (no stack above asks for it), wake-on-LAN, power management of the bus link, a
// random address for a device without one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host_driver/drivers/atl1c_config.h"
#include "host_driver/drivers/atl1c_ring.h"
#include "host_driver/drivers/driver_error.h"
#include "host_driver/drivers/link_task.h"
#include "host_driver/host.h"
#include "host_driver/net_device.h"
#include "host_driver/pci_bus.h"
#include "sim/life_cycle.h"

namespace nicsim::host {

class Atl1cDriver;

/// What a network device's flags and multicast list say.
struct Atl1cRxMode {
    bool promiscuous = false;
    bool all_multicast = false;
    std::vector<std::array<std::uint8_t, 6>> multicast = {};
};

/// A transmit queue with its poll function.
class Atl1cTxQueue {
public:
    Atl1cTxQueue(Atl1cDriver& driver, const std::string& interface, unsigned queue,
                 std::uint64_t size);
    void poll(Core& core, unsigned budget, unsigned& freed);
    void register_stats(sim::StatGroup& group);

    Atl1cDriver& driver;
    atl1c::TxRing ring;
    Napi napi;
    std::uint64_t polls = 0;
    sim::Histogram freed_per_poll;
};

/// A receive queue with its poll function.
class Atl1cRxQueue {
public:
    Atl1cRxQueue(Atl1cDriver& driver, unsigned queue, std::uint64_t size);
    void poll(Core& core, unsigned budget, unsigned& received);
    void register_stats(sim::StatGroup& group);

    Atl1cDriver& driver;
    atl1c::RxRing ring;
    Napi napi;
    std::uint64_t polls = 0;
    sim::Histogram received_per_poll;
};

class Atl1cDriver final : public NetDriver {
public:
    /// Throws std::invalid_argument if the configuration contradicts itself.
    Atl1cDriver(Host& host, const Atl1cConfig& config, const std::string& interface = "eth0");
    ~Atl1cDriver() override;

    // ---- to be called by code on a core, as a task; throw DriverError
    /// Finds the device among the functions that Host::pci() enumerated and prepares it.
    void probe(Core& core);
    /// Brings the interface up and waits for the link.
    void open(Core& core);
    void close(Core& core);
    /// Which frames for others are received, too (atl1c_set_multi); kept over resets.
    void set_rx_mode(Core& core, const Atl1cRxMode& mode);

    [[nodiscard]] NetDevice& device() { return *device_; }
    [[nodiscard]] const std::array<std::uint8_t, 6>& mac_address() const { return mac_; }
    [[nodiscard]] const Atl1cConfig& config() const { return config_; }
    /// The device said by its magic number that it is MikroTik's; known after the probe.
    [[nodiscard]] bool mikrotik() const { return mikrotik_; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    void register_stats(sim::StatGroup& group);
    [[nodiscard]] const atl1c::TxRing& tx_ring(unsigned q) const { return tx_[q]->ring; }
    [[nodiscard]] const atl1c::RxRing& rx_ring(unsigned q) const { return rx_[q]->ring; }
    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }

    // NetDriver
    bool start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) override;
    [[nodiscard]] unsigned tx_queues() const override {
        return static_cast<unsigned>(config_.queues);
    }
    [[nodiscard]] Features features() const override;
    [[nodiscard]] std::uint64_t link_bits_per_second() const override {
        return std::uint64_t{link_mbit_} * 1'000'000;
    }

private:
    friend class Atl1cTxQueue;
    friend class Atl1cRxQueue;
    class EventTask;

    // ---- atl1c_hw.cpp
    std::uint32_t rd(Core& core, std::uint32_t reg) const {
        return core.mmio_read32(registers_ + reg);
    }
    void wr(Core& core, std::uint32_t reg, std::uint32_t value) const {
        core.mmio_write32(registers_ + reg, value);
    }
    void flush(Core& core) const;
    bool wait_mdio(Core& core) const;
    std::uint16_t mdio(Core& core, std::uint32_t command) const;
    std::uint16_t read_phy(Core& core, unsigned reg) const;
    void write_phy(Core& core, unsigned reg, std::uint16_t value) const;
    void write_phy_debug(Core& core, unsigned reg, std::uint16_t value) const;
    std::uint16_t access_phy_extension(Core& core, unsigned device, unsigned reg,
                                       std::uint32_t command) const;
    void reset_phy(Core& core) const;
    void init_phy(Core& core) const;
    void reset_bus(Core& core) const;
    void stop_mac(Core& core) const;
    void wait_idle(Core& core, std::uint32_t which) const;
    void reset_mac(Core& core) const;
    void read_address(Core& core);
    void set_power_management(Core& core, bool link) const;

    // ---- atl1c_up.cpp
    void find_device();
    void set_frame_limit();
    void allocate_rings();
    void configure(Core& core);
    void configure_rings(Core& core) const;
    void configure_queues(Core& core);
    void request_interrupt(Core& core);
    void enable_interrupts(Core& core) const;
    void disable_interrupts(Core& core) const;
    void drop_rings();
    void up(Core& core);
    void down(Core& core);

    // ---- atl1c_link.cpp
    std::uint32_t read_link(Core& core) const;
    void link_interrupt(Core& core);
    void check_link(Core& core);
    void start_mac(Core& core) const;
    void write_multicast_hash(Core& core) const;
    [[nodiscard]] std::uint32_t rx_mode_bits() const;
    void handle_events(Core& core);
    void wait_for_link(Core& core);

    // ---- atl1c_statistics.cpp
    void start_watching();
    void stop_watching();
    void watchdog(Core& core);
    void read_statistics(Core& core);
    void register_hardware_stats(sim::StatGroup& group);

    // ---- atl1c_poll.cpp
    void interrupt(Core& core);
    void schedule_causes(Core& core, std::uint32_t status);
    void mask(Core& core, std::uint32_t causes);
    void unmask(Core& core, std::uint32_t causes);

    Host& host_;
    Atl1cConfig config_;
    HostMemory& memory_;
    std::optional<ReceiveBuffers> buffers_;  ///< since the first opening
    std::uint32_t frame_limit_ = 0;          ///< with tag and FCS
    std::uint32_t buffer_length_ = 0;        ///< that the device may write into each
    Atl1cRxMode rx_mode_;
    std::vector<std::unique_ptr<Atl1cTxQueue>> tx_;
    std::vector<std::unique_ptr<Atl1cRxQueue>> rx_;
    std::unique_ptr<NetDevice> device_;
    std::unique_ptr<EventTask> events_;
    Job job_;
    PciFunction function_;
    std::uint64_t registers_ = 0;  ///< address of BAR 0
    std::array<std::uint8_t, 6> mac_{};
    std::uint64_t unused_ring_ = 0;  ///< of high priority: its address is programmed
    bool mikrotik_ = false;
    bool up_ = false;
    bool interrupt_requested_ = false;
    bool link_event_ = false;
    bool reset_event_ = false;
    std::uint32_t link_mbit_ = 0;       ///< 0: no link
    std::uint32_t interrupt_mask_ = 0;  ///< what stands in IMR
    sim::Ps last_interrupt_ = 0;
    std::uint64_t interrupts_ = 0;
    std::uint64_t interrupt_rounds_ = 0;
    std::uint64_t tx_causes_ = 0;
    std::uint64_t rx_causes_ = 0;
    std::uint64_t overruns_ = 0;
    std::uint64_t device_errors_ = 0;
    std::uint64_t link_events_ = 0;
    std::uint64_t tx_timeouts_ = 0;
    struct Hardware {
        std::array<std::uint64_t, 24> rx{};
        std::array<std::uint64_t, 25> tx{};
    };
    Hardware hardware_;
    std::uint64_t statistics_reads_ = 0;
    std::optional<Timer> watchdog_timer_;
    LinkTask statistics_task_{LinkTask::Check::to<&Atl1cDriver::read_statistics>(this)};
    sim::LifeCycle* life_cycle_ = nullptr;
};

}  // namespace nicsim::host
