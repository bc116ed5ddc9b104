// SPDX-License-Identifier: Apache-2.0
// The host's end of PCIe: serves reads and writes of host memory, turns writes into the interrupt
// window into interrupts, and carries the cores' register and configuration accesses out.
// Modelled: read latency as a distribution, for reads that the last-level cache answers and for
// those that go to memory; a time until a device's write can be seen, for which only reads of the
// same bytes, interrupts and the completions of the cores' reads wait; an IOMMU that delays what it
// has no translation for (writes keep their order, and reads and interrupts stay behind them);
// completions cut by RCB and MPS, several reads in flight whose completions may overtake each
// other; MMIO and configuration round trips with a completion timeout; routing by BARs, bus numbers
// and windows as software programs them (learnt from the configuration writes that pass). Root port
// i is function 0:(i + 1).0 with its error registers; it leads to bus i + 1 and, whatever its
// windows say, to what lies behind it. Not modelled: peer-to-peer between root ports, interrupts of
// root ports.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "pcie/address_map.h"
#include "pcie/error_reporter.h"
#include "pcie/host_cache.h"
#include "pcie/host_ports.h"
#include "pcie/iommu.h"
#include "pcie/latency_shape.h"
#include "pcie/link.h"
#include "pcie/splitting.h"
#include "sim/alarm.h"
#include "sim/param.h"
#include "sim/random.h"
#include "sim/timed_fifo.h"

namespace nicsim::pcie {

struct RootComplexConfig {
    std::uint64_t read_latency = 440'000;         ///< ps, request in to first completion out
    std::uint64_t read_latency_spread = 0;        ///< ps, standard deviation (never below half)
    double read_tail_probability = 0.0;           ///< of a read that takes the tail's time longer
    std::uint64_t read_tail_latency = 0;          ///< ps
    std::uint64_t memory_penalty = 0;             ///< ps, of a read that misses the cache
    std::vector<std::uint64_t> cache_latencies;   ///< shape of hits: seven quantiles, or none
    std::vector<std::uint64_t> memory_latencies;  ///< shape of misses
    std::uint64_t write_visibility = 0;           ///< ps, write in until it can be read
    std::uint64_t interrupt_latency = 0;          ///< ps, message in to interrupt controller
    std::uint64_t completion_interval = 0;        ///< ps between the completions of one request
    CompletionPolicy completion_policy = CompletionPolicy::largest;
    std::uint64_t mmio_latency = 250'000;               ///< ps, core to link, and link to core
    std::uint64_t completion_timeout = 50'000'000'000;  ///< ps
    std::uint64_t posted_header_credits = 32;
    std::uint64_t posted_data_credits = 160;
    std::uint64_t nonposted_header_credits = 36;
    std::uint64_t nonposted_data_credits = 4;
    bool update_fc_at_once = false;
    HostCacheConfig cache;
    IommuConfig iommu;
    static const sim::ParamTable& params();  ///< without those of `cache` and `iommu`
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
};

struct RootComplexCounters : ErrorCounters {
    std::uint64_t memory_reads = 0;
    std::uint64_t memory_read_bytes = 0;
    std::uint64_t memory_writes = 0;
    std::uint64_t memory_write_bytes = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t mmio_writes = 0;
    std::uint64_t mmio_reads = 0;
    std::uint64_t config_accesses = 0;
    std::uint64_t unsupported = 0;  ///< requests of devices to addresses that do not exist
    std::uint64_t unclaimed = 0;    ///< accesses of cores that no port or device claims
    std::uint64_t poisoned = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t unexpected = 0;  ///< completions without a request
    std::uint64_t err_cor = 0;     ///< error messages of devices and ports
    std::uint64_t err_nonfatal = 0;
    std::uint64_t err_fatal = 0;
};

class RootComplex : public sc_core::sc_module, public HostBusIf {
public:
    RootComplex(const sc_core::sc_module_name& name, const RootComplexConfig& config,
                HostMemoryIf& memory, InterruptControllerIf& interrupts, std::uint64_t seed);
    ~RootComplex() override;

    /// The downstream port `index`, to put on a Link; made on first use (ports in order, from 0).
    LinkPartner& port(unsigned index = 0);

    // HostBusIf
    void mmio_write(std::uint64_t address, unsigned size, std::uint64_t value) override;
    void mmio_read(std::uint64_t address, unsigned size, ReadDone done) override;
    void config_read(Bdf function, unsigned offset, unsigned size, ReadDone done) override;
    void config_write(Bdf function, unsigned offset, unsigned size, std::uint32_t value,
                      std::function<void()> done) override;
    void mmio_write_line(std::uint64_t address, std::span<const std::uint8_t> bytes) override;
    void cache_touched(std::uint64_t address, std::uint64_t length) override {
        cache_.touched(address, length);
    }
    void cache_thrashed() override { cache_.flush(); }

    [[nodiscard]] const RootComplexCounters& counters() const { return counters_; }
    /// The error registers of a downstream port.
    [[nodiscard]] const Aer& errors(unsigned port = 0) const;
    /// Reads of devices, or parts of them, that have arrived and are not answered in full.
    [[nodiscard]] std::size_t reads_in_flight() const { return reads_.size(); }
    /// Accesses of cores that wait for their completion.
    [[nodiscard]] std::size_t host_reads_in_flight() const { return host_reads_in_flight_; }
    void register_stats(sim::StatGroup& group);

private:
    class Port;
    friend class Port;
    /// A read of a device, due at `time`.
    struct MemoryRead {
        sim::Ps time = 0;
        std::uint64_t order = 0;
        Port* port = nullptr;
        TlpPtr request;
        std::uint32_t served = 0;  ///< bytes of it
        std::uint32_t end = 0;     ///< where this part of it ends
    };
    static constexpr std::uint16_t not_config = 0xffff;
    /// An access of a core that waits for its completion.
    struct HostAccess {
        bool in_use = false;
        bool timed_out = false;
        std::uint8_t size = 0;
        std::uint8_t shift = 0;                    ///< first byte within its DW
        std::uint16_t config_offset = not_config;  ///< of a configuration read
        sim::Ps deadline = 0;  ///< when it times out, and later: when the tag is safe again
        Port* port = nullptr;
        ReadDone done;
    };
    struct Outgoing {
        Port* port = nullptr;
        TlpPtr tlp;
    };
    /// An access that waits for a tag.
    struct WaitingAccess {
        Outgoing outgoing;
        HostAccess access;
    };
    struct Result {
        ReadDone done;
        std::uint64_t value = 0;
    };
    /// A write that cannot be seen yet.
    struct PendingWrite {
        Port* port = nullptr;
        TlpPtr tlp;
        bool holds_buffer = false;  ///< it waited for its translation, or behind one that did
    };
    struct Unseen {
        std::uint64_t address = 0;
        std::uint64_t end = 0;
        sim::Ps seen = 0;
    };
    struct Message {
        std::uint64_t address = 0;
        std::uint32_t data = 0;
    };
    struct Later {
        bool operator()(const MemoryRead& a, const MemoryRead& b) const {
            return a.time != b.time ? a.time > b.time : a.order > b.order;
        }
    };

    // Requests of devices (root_complex_memory.cpp).
    /// False if its buffer stays in use.
    bool on_memory_write(Port& port, const TlpPtr& tlp);
    [[nodiscard]] bool has_effect(Port& port, const Tlp& tlp);
    void finish_write(const PendingWrite& write);
    void write_memory(const Tlp& tlp);
    void deliver_interrupt(Message message) { interrupts_.msi(message.address, message.data); }
    void on_memory_read(Port& port, const TlpPtr& tlp);
    void schedule_read(MemoryRead read);
    void schedule_parts(const MemoryRead& read, sim::Ps latency);
    [[nodiscard]] sim::Ps seen(std::uint64_t address, std::uint64_t length) const;
    void serve_reads();
    void serve(MemoryRead&& read);
    [[nodiscard]] TlpPtr completion_of(const Tlp& request, std::uint64_t address,
                                       std::uint32_t length, std::uint32_t left);
    void answer_unsupported(const MemoryRead& read);
    [[nodiscard]] std::uint32_t piece(const MemoryRead& read, std::uint64_t address,
                                      std::uint32_t left) const;
    [[nodiscard]] sim::Ps draw_latency(bool hit);
    // Accesses of cores (root_complex_host.cpp).
    void start_access(Outgoing outgoing, HostAccess access);
    void leave(Outgoing outgoing);
    void on_completion(Port& port, const Tlp& tlp);
    void finish_access(HostAccess& access, std::uint64_t value);
    void release_tag(std::uint16_t tag);
    void give_result(const Result& result) { result.done(result.value); }
    void answer(std::uint64_t value, ReadDone done);
    void answer_all_ones(unsigned size, ReadDone done);
    [[nodiscard]] Port* root_port(Bdf function) const;
    void check_timeouts();
    // Errors (root_complex_errors.cpp).
    void port_lost(Port& port);
    [[nodiscard]] Port* route(std::uint64_t address);
    [[nodiscard]] Port* route(Bdf function);

    const RootComplexConfig config_;
    HostMemoryIf& memory_;
    InterruptControllerIf& interrupts_;
    sim::RandomStream random_;
    HostCache cache_;
    Iommu iommu_;
    const LatencyShape cache_shape_;
    const LatencyShape memory_shape_;
    std::vector<std::unique_ptr<Port>> ports_;

    sim::TimedFifo<PendingWrite> writes_;
    sim::Ps last_taken_ = 0;  ///< when the last write that has come is translated
    sim::Ps last_write_ = 0;  ///< when it is in memory for all to see
    sim::RingQueue<Unseen> unseen_;
    sim::TimedFifo<Message> messages_;
    std::vector<MemoryRead> reads_;  ///< heap, the earliest first
    std::uint64_t read_order_ = 0;
    sim::Alarm read_alarm_;

    std::vector<HostAccess> accesses_;  ///< by tag
    sim::RingQueue<std::uint16_t> free_tags_;
    sim::RingQueue<WaitingAccess> waiting_;  ///< for a tag
    std::size_t host_reads_in_flight_ = 0;
    sim::TimedFifo<Outgoing> outgoing_;
    sim::TimedFifo<Result> results_;
    sim::Ps last_result_ = 0;
    sim::Alarm timeout_;

    RootComplexCounters counters_;
    sim::Probe probe_reads_;
};

}  // namespace nicsim::pcie
