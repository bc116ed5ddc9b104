// SPDX-License-Identifier: Apache-2.0
// A bus and host memory for device tests: takes DMA requests at once or after a delay, answers
// reads after a latency at a rate, and remembers what it saw. Knows nothing of PCIe.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/alarm.h"
#include "sim/doors.h"
#include "sim/timed_fifo.h"

namespace nicsim::models {

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
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

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
};

}  // namespace nicsim::models
