// SPDX-License-Identifier: Apache-2.0
// Reference driver for the 82599: does what Linux' ixgbe of spring 2014 does (and by its settings
// what later ones do), through real registers and real descriptors only. By file: ixgbe_hw (EEPROM,
// reset, module, link set-up), ixgbe_up (probe, open, rings, interrupts), ixgbe_poll (transmit,
// poll, moderation), ixgbe_fc (pause frames), ixgbe_service (what it looks after every two
// seconds). The rings are those of intel_ring.
//
// Not modelled: VLAN, jumbo frames, data centre bridging, virtual functions, flow director, RSC,
// PTP, priority flow control, wake-on-LAN, reading the module's identification over I2C, hang
// detection.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/drivers/driver_error.h"
#include "host_driver/drivers/intel_ring.h"
#include "host_driver/drivers/intel_shared.h"
#include "host_driver/drivers/ixgbe_config.h"
#include "host_driver/drivers/ixgbe_itr.h"
#include "host_driver/drivers/link_task.h"
#include "host_driver/host.h"
#include "host_driver/net_device.h"
#include "host_driver/pci_bus.h"
#include "sim/life_cycle.h"

namespace nicsim::host {

class IxgbeDriver;

/// One MSI-X vector with its queue pair (ixgbe_q_vector).
class IxgbeVector {
public:
    IxgbeVector(IxgbeDriver& driver, unsigned queue);

    void interrupt(Core& core);
    void poll(Core& core, unsigned budget, unsigned& received);
    void reset_moderation();
    void write_itr(Core& core);
    void register_stats(sim::StatGroup& group);

    IxgbeDriver& driver;
    unsigned queue;  ///< and MSI-X entry
    Job job;
    Napi napi;
    intel::Work rx_work;
    intel::Work tx_work;
    std::uint32_t itr = 0;  ///< quarter microseconds
    ixgbe::LatencyClass rx_class = ixgbe::LatencyClass::lowest;
    ixgbe::LatencyClass tx_class = ixgbe::LatencyClass::lowest;
    ixgbe::AdaptiveSide rx_side;
    ixgbe::AdaptiveSide tx_side;
    sim::Ps last_interrupt = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t itr_writes = 0;
    std::uint64_t polls = 0;
    std::uint64_t repolls = 0;
    sim::Histogram freed_per_interrupt;
    sim::Histogram received_per_poll;
    sim::Histogram itr_interval;  ///< ps, at each interrupt

private:
    void update_moderation(Core& core);
    [[nodiscard]] std::uint32_t itr_by_class();
    [[nodiscard]] std::uint32_t itr_by_packets(Core& core);
    std::uint32_t freed_ = 0;  ///< since the interrupt
};

class IxgbeDriver final : public NetDriver {
public:
    /// Throws std::invalid_argument if the configuration contradicts itself.
    IxgbeDriver(Host& host, const IxgbeConfig& config, const std::string& interface = "eth0");
    ~IxgbeDriver() override;

    // ---- to be called by code on a core, as a task; throw DriverError
    /// Finds the device among the functions that Host::pci() enumerated and prepares it.
    void probe(Core& core);
    /// Brings the interface up and waits for the link.
    void open(Core& core);
    void close(Core& core);

    [[nodiscard]] NetDevice& device() { return *device_; }
    [[nodiscard]] const std::array<std::uint8_t, 6>& mac_address() const { return mac_; }
    [[nodiscard]] const IxgbeConfig& config() const { return config_; }
    void set_life_cycle(sim::LifeCycle* life_cycle) { life_cycle_ = life_cycle; }
    void register_stats(sim::StatGroup& group);
    [[nodiscard]] const intel::TxRing& tx_ring(unsigned q) const { return tx_[q]; }
    [[nodiscard]] const intel::RxRing& rx_ring(unsigned q) const { return rx_[q]; }
    [[nodiscard]] const IxgbeVector& vector(unsigned q) const { return *vectors_[q]; }

    // NetDriver
    bool start_xmit(Core& core, const SkbPtr& skb, unsigned queue, bool more) override;
    [[nodiscard]] unsigned tx_queues() const override {
        return static_cast<unsigned>(config_.queue_pairs);
    }
    [[nodiscard]] Features features() const override;
    [[nodiscard]] std::uint64_t link_bits_per_second() const override {
        return link_bits_per_second_;
    }

private:
    friend class IxgbeVector;
    // ---- ixgbe_hw.cpp
    std::uint32_t rd(Core& core, std::uint32_t reg) const {
        return core.mmio_read32(registers_ + reg);
    }
    void wr(Core& core, std::uint32_t reg, std::uint32_t value) const {
        core.mmio_write32(registers_ + reg, value);
    }
    void flush(Core& core) const;
    void check_eeprom(Core& core) const;
    void stop_hardware(Core& core) const;
    void reset_hardware(Core& core) const;
    void set_up_module(Core& core) const;
    void init_addresses(Core& core);
    [[nodiscard]] bool has_module() const;

    // ---- ixgbe_up.cpp
    void configure(Core& core);
    void configure_packet_buffers(Core& core) const;
    void configure_transmit(Core& core) const;
    void configure_receive(Core& core);
    void configure_rss(Core& core) const;
    void configure_tx_ring(Core& core, const intel::TxRing& ring) const;
    void configure_rx_ring(Core& core, intel::RxRing& ring);
    void wait_ring(Core& core, std::uint32_t reg, bool enabled) const;
    void configure_vectors(Core& core);
    void request_interrupts(Core& core);
    void enable_interrupts(Core& core) const;
    void up(Core& core);
    void down(Core& core);
    bool check_link(Core& core);
    void wait_for_link(Core& core);
    void other_interrupt(Core& core);

    // ---- ixgbe_fc.cpp
    void enable_flow_control(Core& core) const;

    // ---- ixgbe_service.cpp
    void service(Core& core);
    void update_statistics(Core& core) const;

    // ---- ixgbe_poll.cpp
    intel::TxRing::Cleaned clean_tx(Core& core, IxgbeVector& vector);

    Host& host_;
    IxgbeConfig config_;
    HostMemory& memory_;
    ReceiveBuffers buffers_;
    std::vector<intel::TxRing> tx_;
    std::vector<intel::RxRing> rx_;
    std::vector<std::unique_ptr<IxgbeVector>> vectors_;
    std::unique_ptr<NetDevice> device_;
    LinkTask link_task_;
    Job other_job_;
    PciFunction function_;
    std::uint64_t registers_ = 0;  ///< address of BAR 0
    intel::SharedResources shared_;
    std::array<std::uint8_t, 6> mac_{};
    std::uint64_t link_bits_per_second_ = 10'000'000'000;
    bool up_ = false;
    bool interrupts_requested_ = false;
    bool link_changed_ = false;  ///< an interrupt said so
    std::uint64_t service_runs_ = 0;
    std::uint64_t other_interrupts_ = 0;
    sim::LifeCycle* life_cycle_ = nullptr;
};

}  // namespace nicsim::host
