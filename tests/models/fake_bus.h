// SPDX-License-Identifier: Apache-2.0
<<<<<<< HEAD
// A bus and host memory for device tests: takes DMA requests at once or after a delay, answers
// reads after a latency at a rate, and remembers what it saw. Knows nothing of PCIe.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
=======
// A host without a bus for tests of devices: memory behind the DMA socket with one read latency,
// register accesses without time, interrupts and frames written down.
#pragma once

#include <cstring>
>>>>>>> 4ef55fe (tests: cover the I210's probe, interrupts, receive, statistics and clock)
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

<<<<<<< HEAD
#include "sim/alarm.h"
=======
>>>>>>> 4ef55fe (tests: cover the I210's probe, interrupts, receive, statistics and clock)
#include "sim/doors.h"
#include "sim/timed_fifo.h"

namespace nicsim::models {

<<<<<<< HEAD
class FakeBus : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    static constexpr std::uint64_t memory_base = 0x1'0000'0000;
    static constexpr std::uint64_t memory_bytes = 8 << 20;

    explicit FakeBus(const sc_core::sc_module_name& name) : sc_module(name), memory(memory_bytes) {
        socket.bind(*this);
    }

    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<std::uint8_t> memory;

    // How it behaves.
    sim::Ps latency = 0;             ///< request to first byte of the answer
    sim::Ps ps_per_byte = 0;         ///< answers follow each other at this rate
    std::uint32_t answer_bytes = 0;  ///< an answer is cut into pieces of this size ...
    std::uint32_t overhead = 0;      ///< ... which cost so many bytes more each
    sim::Ps accept_delay = 0;        ///< 0: a request is taken at once
    bool answer_backwards = false;   ///< the newest request known is answered first

    // What it saw.
    struct Seen {
        sim::Ps time = 0;
        bool is_write = false;
        std::uint64_t address = 0;
        std::uint32_t length = 0;
        sim::DmaPurpose purpose = sim::DmaPurpose::other;
        bool relaxed = false;
    };
    std::vector<Seen> seen;
    bool record = true;
    unsigned reads_in_flight = 0;
    unsigned most_reads_in_flight = 0;
    std::uint64_t wakeups = 0;

    [[nodiscard]] std::vector<Seen> seen_for(sim::DmaPurpose purpose) const {
        std::vector<Seen> result;
        for (const Seen& s : seen)
            if (s.purpose == purpose) result.push_back(s);
        return result;
    }
    std::uint8_t* at(std::uint64_t address) { return memory.data() + (address - memory_base); }
    void store(std::uint64_t address, std::span<const std::uint8_t> bytes) {
        std::memcpy(at(address), bytes.data(), bytes.size());
    }
    /// Time that an answer of `length` bytes occupies the bus.
    [[nodiscard]] sim::Ps answer_time(std::uint32_t length) const {
        const std::uint32_t pieces =
            answer_bytes == 0 ? 1 : (length + answer_bytes - 1) / answer_bytes;
        return (length + pieces * overhead) * ps_per_byte;
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        note(payload);
        if (accept_delay != 0) {
            accepting_ = &payload;
            payload.acquire();
            accept_alarm_.after(accept_delay);
            return tlm::TLM_ACCEPTED;
        }
        if (payload.is_write()) {
            take_write(payload);
            return tlm::TLM_COMPLETED;
        }
        take_read(payload);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
=======
class FakeBus : public sc_core::sc_module,
                public tlm::tlm_fw_transport_if<>,
                public tlm::tlm_bw_transport_if<>,
                public sim::InterruptIf,
                public sim::EthernetIf {
public:
    static constexpr std::uint64_t memory_base = 0x1000'0000;

    explicit FakeBus(const sc_core::sc_module_name& name, std::size_t bytes = 1U << 22)
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
>>>>>>> 4ef55fe (tests: cover the I210's probe, interrupts, receive, statistics and clock)
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

<<<<<<< HEAD
private:
    void note(const tlm::tlm_generic_payload& payload) {
        if (!record) return;
        Seen s;
        s.time = sim::now();
        s.is_write = payload.is_write();
        s.address = payload.get_address();
        s.length = payload.get_data_length();
        if (const auto* a = payload.get_extension<sim::DmaAttributes>()) {
            s.purpose = a->purpose;
            s.relaxed = a->relaxed_ordering;
        }
        seen.push_back(s);
    }
    bool inside(const tlm::tlm_generic_payload& p) const {
        return p.get_address() >= memory_base &&
               p.get_address() + p.get_data_length() <= memory_base + memory_bytes;
    }
    void take_write(tlm::tlm_generic_payload& p) {
        p.set_response_status(inside(p) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (inside(p)) std::memcpy(at(p.get_address()), p.get_data_ptr(), p.get_data_length());
    }
    void take_read(tlm::tlm_generic_payload& p) {
        p.acquire();
        ++reads_in_flight;
        most_reads_in_flight = std::max(most_reads_in_flight, reads_in_flight);
        const sim::Ps begin = std::max(sim::now() + latency, free_at_);
        free_at_ = begin + answer_time(p.get_data_length());
        waiting_.push_back(&p);
        slots_.push(free_at_, 0);
    }
    void on_slot(int) {
        ++wakeups;
        const std::size_t which = answer_backwards ? waiting_.size() - 1 : 0;
        tlm::tlm_generic_payload& p = *waiting_[which];
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
        p.set_response_status(inside(p) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (inside(p)) std::memcpy(p.get_data_ptr(), at(p.get_address()), p.get_data_length());
        --reads_in_flight;
        respond(p);
    }
    void on_accept() {
        ++wakeups;
        tlm::tlm_generic_payload& p = *accepting_;
        accepting_ = nullptr;
        if (p.is_write()) {
            take_write(p);
            respond(p);
            return;
        }
        take_read(p);
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(p, phase, delay);
        p.release();
    }
    void respond(tlm::tlm_generic_payload& p) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(p, phase, delay);
        p.release();
    }

    sim::Ps free_at_ = 0;
    std::vector<tlm::tlm_generic_payload*> waiting_;
    sim::TimedFifo<int> slots_{"slots", sim::TimedFifo<int>::Action::to<&FakeBus::on_slot>(this)};
    tlm::tlm_generic_payload* accepting_ = nullptr;
    sim::Alarm accept_alarm_{"accept", sim::Alarm::Action::to<&FakeBus::on_accept>(this)};
=======
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
    void access(tlm::tlm_command command, std::uint32_t offset, unsigned bar,
                std::uint32_t& value) {
        tlm::tlm_generic_payload p;
        sim::RegisterBar extension;
        extension.bar = bar;
        p.set_extension(&extension);
        p.set_command(command);
        p.set_address(offset);
        p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.set_data_length(4);
        p.set_streaming_width(4);
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
        sim::TimedFifo<tlm::tlm_generic_payload*>::Action::to<&FakeBus::respond>(this)};
>>>>>>> 4ef55fe (tests: cover the I210's probe, interrupts, receive, statistics and clock)
};

}  // namespace nicsim::models
