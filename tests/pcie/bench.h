// SPDX-License-Identifier: Apache-2.0
// A host and a small DMA device on a link, for the tests of pcie/: real bytes at both ends, a
// protocol checker on the link, and helpers that wait for the answers.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "beside.h"
#include "pcie/endpoint.h"
#include "pcie/link.h"
#include "pcie/root_complex.h"
#include "pcie/tlp_checker.h"
#include "sim/tlm_base_checker.h"

namespace nicsim::pcie::test {

using namespace sim::literals;

class Memory : public HostMemoryIf {
public:
    Memory(std::uint64_t base, std::uint64_t size) : base_(base), bytes_(size) {
        for (std::uint64_t i = 0; i < size; ++i) bytes_[i] = pattern(base + i);
    }
    static std::uint8_t pattern(std::uint64_t address) {
        return static_cast<std::uint8_t>(address * 151U + (address >> 8U) * 7U + 3U);
    }
    [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length) const override {
        return address >= base_ && length <= bytes_.size() &&
               address - base_ <= bytes_.size() - length;
    }
    void read(std::uint64_t address, std::span<std::uint8_t> out) override {
        std::memcpy(out.data(), bytes_.data() + (address - base_), out.size());
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override {
        std::memcpy(bytes_.data() + (address - base_), data.data(), data.size());
        writes.push_back({sim::now(), address, data.size()});
    }
    [[nodiscard]] std::uint8_t at(std::uint64_t address) const { return bytes_[address - base_]; }
    void set(std::uint64_t address, std::uint8_t value) { bytes_[address - base_] = value; }

    struct Write {
        sim::Ps time;
        std::uint64_t address;
        std::size_t length;
    };
    std::vector<Write> writes;

private:
    std::uint64_t base_;
    std::vector<std::uint8_t> bytes_;
};

class Interrupts : public InterruptControllerIf {
public:
    explicit Interrupts(Memory& memory) : memory_(memory) {}
    void msi(std::uint64_t address, std::uint32_t data) override {
        all.push_back({sim::now(), address, data, memory_.writes.size()});
    }
    struct Msi {
        sim::Ps time;
        std::uint64_t address;
        std::uint32_t data;
        std::size_t writes_before;
    };
    std::vector<Msi> all;

private:
    Memory& memory_;
};

/// Registers that hold what is written, and DMA requests issued one after the other.
class Device : public sc_core::sc_module,
               private tlm::tlm_fw_transport_if<>,
               private tlm::tlm_bw_transport_if<>,
               private tlm::tlm_mm_interface {
public:
    tlm::tlm_target_socket<> registers{"registers"};
    tlm::tlm_initiator_socket<> dma{"dma"};
    sc_core::sc_port<sim::InterruptIf> interrupts{"interrupts"};

    explicit Device(const sc_core::sc_module_name& name) : sc_module(name), file(65536, 0) {
        registers.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
        dma.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
    ~Device() override {
        for (const auto& [payload, index] : payloads_) {  // of a run that ended before they did
            payload->clear_extension(&jobs[index].attributes);
            delete payload;
        }
    }

    struct Job {
        bool write = false;
        std::uint64_t address = 0;
        std::vector<std::uint8_t> data;
        std::vector<unsigned char> enables;  ///< a pattern; empty: all bytes
        sim::DmaAttributes attributes;
        sim::Ps issued = 0;
        sim::Ps taken = sim::never;
        sim::Ps done = sim::never;
        bool ok = false;
    };
    std::size_t read(std::uint64_t address, std::uint32_t length,
                     sim::DmaPurpose purpose = sim::DmaPurpose::other) {
        return add(false, address, std::vector<std::uint8_t>(length, 0), purpose);
    }
    std::size_t write(std::uint64_t address, std::vector<std::uint8_t> data,
                      sim::DmaPurpose purpose = sim::DmaPurpose::other) {
        return add(true, address, std::move(data), purpose);
    }
    std::size_t write(std::uint64_t address, std::vector<std::uint8_t> data,
                      std::vector<unsigned char> enables) {
        return add(true, address, std::move(data), sim::DmaPurpose::other, std::move(enables));
    }
    std::deque<Job> jobs;
    std::size_t done = 0;
    sim::Callback<std::size_t> on_done;
    std::vector<std::uint8_t> file;
    sim::Ps access_time = 0;
    tlm::tlm_response_status answer_with = tlm::TLM_OK_RESPONSE;
    struct Access {
        bool write;
        unsigned bar;
        std::uint64_t offset;
        unsigned length;
        sim::Ps time;
    };
    std::vector<Access> accesses;

private:
    std::size_t add(bool write, std::uint64_t address, std::vector<std::uint8_t> data,
                    sim::DmaPurpose purpose, std::vector<unsigned char> enables = {}) {
        Job j;
        j.enables = std::move(enables);
        j.write = write;
        j.address = address;
        j.data = std::move(data);
        j.attributes.purpose = purpose;
        jobs.push_back(std::move(j));
        if (!issuing_) issue();
        return jobs.size() - 1;
    }
    void issue() {
        issuing_ = true;
        while (!waiting_ && next_ < jobs.size()) {
            const std::size_t index = next_++;
            Job& j = jobs[index];
            auto* p = new tlm::tlm_generic_payload(this);
            p->acquire();
            p->set_command(j.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
            p->set_address(j.address);
            p->set_data_ptr(j.data.data());
            p->set_data_length(static_cast<unsigned>(j.data.size()));
            p->set_streaming_width(static_cast<unsigned>(j.data.size()));
            if (!j.enables.empty()) {
                p->set_byte_enable_ptr(j.enables.data());
                p->set_byte_enable_length(static_cast<unsigned>(j.enables.size()));
            }
            p->set_extension(&j.attributes);
            payloads_[p] = index;
            j.issued = sim::now();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            const auto answer = dma->nb_transport_fw(*p, phase, delay);
            if (answer == tlm::TLM_COMPLETED) {
                j.taken = sim::now();
                finish(*p);
            } else if (answer == tlm::TLM_UPDATED) {
                EXPECT_EQ(phase, tlm::END_REQ);
                j.taken = sim::now();
            } else {
                waiting_ = true;
            }
        }
        issuing_ = false;
    }
    void finish(tlm::tlm_generic_payload& p) {
        const std::size_t index = payloads_.at(&p);
        payloads_.erase(&p);
        Job& j = jobs[index];
        j.done = sim::now();
        j.ok = p.is_response_ok();
        ++done;
        p.clear_extension(&j.attributes);
        p.release();
        if (on_done) on_done(index);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        Job& j = jobs[payloads_.at(&p)];
        if (j.taken == sim::never) {
            j.taken = sim::now();
            waiting_ = false;
        }
        const bool response = phase == tlm::BEGIN_RESP;
        if (response) finish(p);
        if (!issuing_) issue();
        return response ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) override {
        auto* bar = p.get_extension<sim::RegisterBar>();
        accesses.push_back({p.is_write(), bar != nullptr ? bar->bar : 0, p.get_address(),
                            p.get_data_length(), sim::now()});
        std::uint8_t* at = file.data() + p.get_address();
        if (p.is_write())
            std::memcpy(at, p.get_data_ptr(), p.get_data_length());
        else
            std::memcpy(p.get_data_ptr(), at, p.get_data_length());
        p.set_response_status(answer_with);
        delay += sim::to_sc_time(access_time);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    void free(tlm::tlm_generic_payload* p) override { delete p; }

    std::map<tlm::tlm_generic_payload*, std::size_t> payloads_;
    std::size_t next_ = 0;
    bool waiting_ = false;
    bool issuing_ = false;
};

constexpr std::uint64_t memory_base = 0x1000'0000;
constexpr std::uint64_t bar0_base = 0xf000'0000;
constexpr std::uint64_t bar3_base = 0xf002'0000;
constexpr Bdf device_at{1, 0, 0};

/// As an I210: gen 1 x1, two memory BARs, five vectors, four posted and non-posted headers.
inline sim::DeviceIdentity identity() {
    sim::DeviceIdentity d;
    d.name = "bench";
    d.vendor_id = 0x8086;
    d.device_id = 0x1533;
    d.subsystem_vendor_id = 0x8086;
    d.subsystem_id = 0x0001;
    d.revision = 3;
    d.bars = {{.index = 0, .size = 0x20000}, {.index = 3, .size = 0x4000}};
    d.msix_vectors = 5;
    d.msix_bar = 3;
    d.msix_table_offset = 0;
    d.msix_pba_offset = 0x2000;
    d.max_payload_supported = 512;
    d.posted_header_credits = 4;
    d.nonposted_header_credits = 4;
    d.nonposted_data_credits = 4;
    d.serial_number = 0x0011'22ff'ff33'4455;
    return d;
}
/// As good as any: the limits are the link's.
inline sim::DeviceIdentity fast_identity() {
    sim::DeviceIdentity d = identity();
    d.max_link_generation = 5;
    d.max_link_width = 16;
    d.max_payload_supported = 4096;
    d.tags = 256;
    return d;
}

/// Slower than the declared default, so that what waits for memory shows beside the link's times.
inline RootComplexConfig slow_root_complex() {
    RootComplexConfig c;
    c.read_latency = 700'000;
    return c;
}

struct Options {
    LinkConfig link;
    RootComplexConfig root = slow_root_complex();
    EndpointConfig endpoint;
    sim::DeviceIdentity device = identity();
    std::uint64_t memory = memory_base;
    std::uint64_t memory_size = std::uint64_t{1} << 20;
    std::uint64_t seed = 1;
    std::vector<Fault> faults;
};

struct System {
    explicit System(const Options& o = {})
        : memory(o.memory, o.memory_size),
          interrupts(memory),
          rc("rc", o.root, memory, interrupts, o.seed),
          ep("ep", o.device, o.endpoint),
          link("link", o.link, rc.port(), ep, o.seed, o.faults),
          device("device"),
          dma_checker("dma_checker"),
          register_checker("register_checker") {
        device.dma.bind(dma_checker.target);
        dma_checker.initiator.bind(ep.dma);
        ep.registers.bind(register_checker.target);
        register_checker.initiator.bind(device.registers);
        device.interrupts.bind(ep.interrupts);
        beside.watch(link);
    }
    // A link that is at rest owes nothing.
    ~System() {
        if (beside.strict()) {
            EXPECT_EQ(beside.checker().unfinished(), "");
        }
    }

    static void run(sim::Ps time) { sc_core::sc_start(sim::to_sc_time(time)); }

    std::uint64_t mmio_read(std::uint64_t address, unsigned size) {
        return wait([&](auto done) { rc.mmio_read(address, size, done); });
    }
    std::uint64_t config_read(unsigned offset, unsigned size, Bdf at = device_at) {
        return wait([&](auto done) { rc.config_read(at, offset, size, done); });
    }
    void config_write(unsigned offset, unsigned size, std::uint32_t value) {
        wait([&](auto done) {
            rc.config_write(device_at, offset, size, value, [done] { done(0); });
        });
    }
    /// What an operating system does before it gives the function to its driver.
    void enumerate() {
        for (const auto& [bar, base] : {std::pair{0U, bar0_base}, std::pair{3U, bar3_base}}) {
            config_write(config::bar0 + 4 * bar, 4, 0xffff'ffff);
            config_read(config::bar0 + 4 * bar, 4);
            config_write(config::bar0 + 4 * bar, 4, static_cast<std::uint32_t>(base));
        }
        config_write(config::command, 2, config::command_memory | config::command_bus_master);
        for (unsigned v = 0; v < 5; ++v) {
            const std::uint64_t entry = bar3_base + 16U * v;
            rc.mmio_write(entry, 4, msi_base);
            rc.mmio_write(entry + 4, 4, 0);
            rc.mmio_write(entry + 8, 4, 0x40 + v);
            rc.mmio_write(entry + 12, 4, 0);
        }
        config_write(config::msix_at + 2, 2, config::msix_enable);
        mmio_read(bar0_base, 4);
    }

    Memory memory;
    Interrupts interrupts;
    Beside beside;
    RootComplex rc;
    Endpoint ep;
    Link link;
    Device device;
    sim::TlmBaseChecker dma_checker;
    sim::TlmBaseChecker register_checker;

private:
    template <class Start>
    std::uint64_t wait(Start start) {
        std::optional<std::uint64_t> value;
        start([&value](std::uint64_t v) { value = v; });
        while (!value) run(10_ns);
        return *value;
    }
};

inline std::vector<std::uint8_t> bytes(std::size_t length, unsigned seed = 0) {
    std::vector<std::uint8_t> v(length);
    for (std::size_t i = 0; i < length; ++i) v[i] = static_cast<std::uint8_t>(i * 31 + seed);
    return v;
}

}  // namespace nicsim::pcie::test
