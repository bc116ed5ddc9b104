// SPDX-License-Identifier: Apache-2.0
// A host without a bus for tests of devices: memory behind the DMA socket with one read latency,
// register accesses without time, interrupts and frames written down.
#pragma once

#include <cstring>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/doors.h"
#include "sim/timed_fifo.h"

namespace nicsim::models {

class DeviceBus : public sc_core::sc_module,
                  public tlm::tlm_fw_transport_if<>,
                  public tlm::tlm_bw_transport_if<>,
                  public sim::InterruptIf,
                  public sim::EthernetIf {
public:
    static constexpr std::uint64_t memory_base = 0x1000'0000;

    explicit DeviceBus(const sc_core::sc_module_name& name, std::size_t bytes = 1U << 22)
        : sc_module(name), memory_(bytes, 0xEE) {
        dma.bind(*this);
        registers.bind(*this);
    }

    tlm::tlm_target_socket<> dma{"dma"};
    tlm::tlm_initiator_socket<> registers{"registers"};
    sim::Ps read_latency = 500 * sim::ps_per_ns;
    /// While true, writes are not taken (back-pressure).
    bool hold_writes = false;

    struct Raised {
        sim::Ps time = 0;
        unsigned vector = 0;
        bool operator==(const Raised&) const = default;
    };
    struct Sent {
        sim::FramePtr frame;
        sim::Ps start = 0;
        sim::Ps end = 0;
    };
    std::vector<Raised> raised;
    std::vector<Sent> sent;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;

    // ---- host memory ----
    std::uint8_t* at(std::uint64_t address) { return memory_.data() + (address - memory_base); }
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 128) {
        next_ = (next_ + alignment - 1) / alignment * alignment;
        const std::uint64_t address = next_;
        next_ += bytes;
        return address;
    }
    template <class T>
    T load(std::uint64_t address) {
        T value;
        std::memcpy(&value, at(address), sizeof value);
        return value;
    }
    template <class T>
    void store(std::uint64_t address, T value) {
        std::memcpy(at(address), &value, sizeof value);
    }

    // ---- registers ----
    std::uint32_t rd(std::uint32_t offset, unsigned bar = 0) {
        std::uint32_t value = 0;
        access(tlm::TLM_READ_COMMAND, offset, bar, value);
        return value;
    }
    void wr(std::uint32_t offset, std::uint32_t value, unsigned bar = 0) {
        access(tlm::TLM_WRITE_COMMAND, offset, bar, value);
    }
    /// Of a device with narrow accesses.
    std::uint16_t rd16(std::uint32_t offset, unsigned bar = 0) {
        std::uint32_t value = 0;
        access(tlm::TLM_READ_COMMAND, offset, bar, value, 2);
        return static_cast<std::uint16_t>(value);
    }
    void wr16(std::uint32_t offset, std::uint16_t value, unsigned bar = 0) {
        std::uint32_t wide = value;
        access(tlm::TLM_WRITE_COMMAND, offset, bar, wide, 2);
    }

    // ---- tlm_fw_transport_if (DMA) ----
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        (void)delay;
        if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
        const std::uint64_t address = p.get_address();
        const std::size_t length = p.get_data_length();
        const bool inside =
            address >= memory_base && address + length <= memory_base + memory_.size();
        p.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (p.is_write()) {
            ++writes;
            if (inside) std::memcpy(at(address), p.get_data_ptr(), length);
            if (!hold_writes) return tlm::TLM_COMPLETED;
            p.acquire();
            held_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        ++reads;
        p.acquire();
        if (inside) responses_.push(sim::now() + read_latency, &p);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void release_writes() {
        hold_writes = false;
        if (held_ != nullptr) respond(std::exchange(held_, nullptr));
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    // ---- tlm_bw_transport_if (registers) ----
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    // ---- what the device does ----
    void raise(unsigned vector) override { raised.push_back({sim::now(), vector}); }
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override {
        sent.push_back({frame, start, end});
    }

private:
    void access(tlm::tlm_command command, std::uint32_t offset, unsigned bar, std::uint32_t& value,
                unsigned bytes = 4) {
        tlm::tlm_generic_payload p;
        sim::RegisterBar extension;
        extension.bar = bar;
        p.set_extension(&extension);
        p.set_command(command);
        p.set_address(offset);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(bytes);
        p.set_streaming_width(bytes);
        sc_core::sc_time delay;
        registers->b_transport(p, delay);
        p.clear_extension(&extension);
        sc_assert(p.is_response_ok());
    }
    void respond(tlm::tlm_generic_payload* p) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (p->is_read())
            std::memcpy(p->get_data_ptr(), at(p->get_address()), p->get_data_length());
        dma->nb_transport_bw(*p, phase, delay);
        p->release();
    }

    std::vector<std::uint8_t> memory_;
    std::uint64_t next_ = memory_base;
    tlm::tlm_generic_payload* held_ = nullptr;
    sim::TimedFifo<tlm::tlm_generic_payload*> responses_{
        "responses",
        sim::TimedFifo<tlm::tlm_generic_payload*>::Action::to<&DeviceBus::respond>(this)};
};

}  // namespace nicsim::models
