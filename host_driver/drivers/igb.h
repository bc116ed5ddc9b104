// SPDX-License-Identifier: Apache-2.0
// Reference driver for the I210: does what Linux' igb of 2021 does, through real registers and real
// descriptors only. By file: igb_hw (semaphores, NVM, PHY, reset), igb_up (probe, open, rings,
// interrupts, reset of a running device), igb_qav (offloads of etf and cbs), igb_tx, igb_clean
// (poll and moderation), igb_watchdog; the rings are those of intel_ring.
//
// Not modelled: VLAN, jumbo frames, UDP segmentation, PTP time stamps, flow control, flow steering,
// wake-on-LAN, EEE.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/drivers/driver_error.h"
#include "host_driver/drivers/igb_config.h"
#include "host_driver/drivers/igb_ring.h"
#include "host_driver/drivers/intel_shared.h"
#include "host_driver/drivers/link_task.h"
#include "host_driver/host.h"
#include "host_driver/net_device.h"
#include "host_driver/pci_bus.h"
#include "sim/life_cycle.h"

namespace nicsim::host {

class IgbDriver final : public NetDriver {
public:
    /// Throws std::invalid_argument if the configuration contradicts itself.
    IgbDriver(Host& host, const IgbConfig& config, const std::string& interface = "eth0");
    ~IgbDriver() override;

    // ---- to be called by code on a core, as a task; throw DriverError
    /// Finds the device among the functions that Host::pci() enumerated and prepares it.
    void probe(Core& core);
    /// Brings the interface up and waits for the link.
    void open(Core& core);
    void close(Core& core);

    [[nodiscard]] NetDevice& device() { return *device_; }
    [[nodiscard]] const std::array<std::uint8_t, 6>& mac_address() const { return mac_; }
    [[nodiscard]] const IgbConfig& config() const { return config_; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    void register_stats(sim::StatGroup& group);
    [[nodiscard]] const IgbTxRing& tx_ring(unsigned q) const { return tx_[q]; }
    [[nodiscard]] const IgbRxRing& rx_ring(unsigned q) const { return rx_[q]; }
    /// Those of queues; the first is entry 1 of MSI-X.
    [[nodiscard]] const IgbVector& vector(unsigned i) const { return *vectors_[i]; }
    [[nodiscard]] bool qav() const { return qav_; }

    // NetDriver
    bool start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) override;
    [[nodiscard]] unsigned tx_queues() const override {
        return static_cast<unsigned>(config_.queue_pairs);
    }
    [[nodiscard]] Features features() const override;
    [[nodiscard]] std::uint64_t link_bits_per_second() const override {
        return std::uint64_t{link_mbit_} * 1'000'000;
    }
    std::string setup_etf(Core& core, unsigned queue, bool enable) override;
    std::string setup_cbs(Core& core, unsigned queue, const CbsSettings* settings) override;

private:
    friend class IgbVector;

    // ---- igb_hw.cpp
    std::uint32_t rd(Core& core, std::uint32_t reg) const {
        return core.mmio_read32(registers_ + reg);
    }
    void wr(Core& core, std::uint32_t reg, std::uint32_t value) const {
        core.mmio_write32(registers_ + reg, value);
    }
    void flush(Core& core) const;
    void check_nvm(Core& core) const;
    [[nodiscard]] std::uint16_t read_phy(Core& core, unsigned reg) const;
    void write_phy(Core& core, unsigned reg, std::uint16_t value) const;
    [[nodiscard]] std::uint32_t wait_mdic(Core& core) const;
    void reset_hardware(Core& core) const;
    void reset_phy(Core& core) const;
    void init_hardware(Core& core) const;
    void read_mac_address(Core& core);
    void set_clock(Core& core) const;

    // ---- igb_up.cpp
    void make_vectors();
    [[nodiscard]] std::uint32_t all_vectors() const { return (1U << (vectors_.size() + 1)) - 1; }
    void reset(Core& core) const;
    void configure(Core& core);
    void configure_tx_ring(Core& core, IgbTxRing& ring) const;
    void configure_rx_ring(Core& core, IgbRxRing& ring);
    void configure_receive_unit(Core& core) const;
    void configure_vectors(Core& core) const;
    void request_interrupts(Core& core);
    void enable_interrupts(Core& core) const;
    void up(Core& core);
    void down(Core& core);
    void reset_running(Core& core);
    void reinitialise(Core& core);
    bool check_link(Core& core);
    void wait_for_link(Core& core);
    void other_interrupt(Core& core);

    // ---- igb_watchdog.cpp
    void watchdog(Core& core);
    void update_statistics(Core& core);
    [[nodiscard]] bool hung(Core& core, IgbTxRing& ring);

    // ---- igb_qav.cpp
    void setup_tx_mode(Core& core) const;
    void configure_tx_mode(Core& core, unsigned queue) const;
    void configure_credits(Core& core, unsigned queue) const;
    void apply_offload(Core& core, unsigned queue);
    void modify(Core& core, std::uint32_t reg, std::uint32_t clear, std::uint32_t set) const;
    [[nodiscard]] bool any_cbs() const;
    [[nodiscard]] bool any_launch_time() const;

    // ---- igb_clean.cpp
    bool clean_tx(Core& core, IgbVector& vector, IgbTxRing& ring);

    Host& host_;
    IgbConfig config_;
    HostMemory& memory_;
    ReceiveBuffers buffers_;
    std::vector<IgbTxRing> tx_;
    std::vector<IgbRxRing> rx_;
    std::vector<std::unique_ptr<IgbVector>> vectors_;
    std::unique_ptr<NetDevice> device_;
    LinkTask link_task_;
    Job other_job_;
    PciFunction function_;
    std::uint64_t registers_ = 0;  ///< address of BAR 0
    intel::SharedResources shared_;
    std::array<std::uint8_t, 6> mac_{};
    std::uint32_t link_mbit_ = 1000;
    bool qav_ = false;
    bool up_ = false;
    bool interrupts_requested_ = false;
    bool link_changed_ = false;  ///< an interrupt said so
    struct {
        std::uint64_t missed = 0, no_buffer = 0, dropped = 0, sent = 0;
    } hardware_;  ///< what the statistics registers had said when they were last read
    std::uint64_t watchdog_runs_ = 0;
    std::uint64_t tx_hangs_ = 0;
    std::uint64_t tx_timeouts_ = 0;
    std::uint64_t resets_ = 0;
    std::uint64_t other_interrupts_ = 0;
    sim::LifeCycle* life_cycle_ = nullptr;
};

}  // namespace nicsim::host
