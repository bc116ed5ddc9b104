// SPDX-License-Identifier: Apache-2.0
// Memories as anybody would write them, with nothing of this project in them: one behind
// tlm_utils::simple_target_socket by the utility's own conversion of blocking to non-blocking
// calls, and one with hand-written phases.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <deque>
#include <vector>

namespace nicsim::models::test {

constexpr std::uint64_t foreign_base = 0x1'2000'0000;

/// Bytes with a fixed latency.
struct Store {
    std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 20);
    sc_core::sc_time latency{80, sc_core::SC_NS};

    Store() {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<unsigned char>(i * 37 + 5);
    }
    void serve(tlm::tlm_generic_payload& p) {
        const std::uint64_t at = p.get_address() - foreign_base;
        if (p.get_address() < foreign_base || at + p.get_data_length() > bytes.size()) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (p.is_read())
            std::memcpy(p.get_data_ptr(), &bytes[at], p.get_data_length());
        else
            std::memcpy(&bytes[at], p.get_data_ptr(), p.get_data_length());
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// A memory as anybody would write it.
struct BlockingMemory : sc_core::sc_module, Store {
    tlm_utils::simple_target_socket<BlockingMemory> socket{"socket"};

    explicit BlockingMemory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &BlockingMemory::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        delay += latency;
        serve(p);
    }
};

/// The same with phases of its own: takes a request late, answers with BEGIN_RESP, and waits for
/// END_RESP or TLM_COMPLETED before the next response.
struct PhasedMemory : sc_core::sc_module, Store {
    SC_HAS_PROCESS(PhasedMemory);
    tlm_utils::simple_target_socket<PhasedMemory> socket{"socket"};
    sc_core::sc_event begun;
    std::deque<tlm::tlm_generic_payload*> waiting;

    explicit PhasedMemory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_fw(this, &PhasedMemory::nb_transport_fw);
        SC_THREAD(run);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) {
        if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
        p.acquire();
        waiting.push_back(&p);
        begun.notify(sc_core::SC_ZERO_TIME);
        return tlm::TLM_ACCEPTED;
    }
    void run() {
        for (;;) {
            while (waiting.empty()) wait(begun);
            tlm::tlm_generic_payload* p = waiting.front();
            waiting.pop_front();
            sc_core::sc_time delay;
            wait(10, sc_core::SC_NS);
            tlm::tlm_phase phase = tlm::END_REQ;
            socket->nb_transport_bw(*p, phase, delay);
            wait(latency);
            serve(*p);
            phase = tlm::BEGIN_RESP;
            EXPECT_NE(socket->nb_transport_bw(*p, phase, delay), tlm::TLM_ACCEPTED)
                << "this device always completes at once";
            p->release();
        }
    }
};

}  // namespace nicsim::models::test
