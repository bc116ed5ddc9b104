// SPDX-License-Identifier: Apache-2.0
// A checker of the TLM-2.0 base protocol, put between an initiator and a target socket:
//
//   device.dma.bind(checker.target);
//   checker.initiator.bind(bus.dma);
//
// It passes everything through and keeps its own account. Rules of IEEE 1666-2011 that it checks:
//  - 14.7, 14.8: command, data pointer and length, streaming width, byte enables; response status
//    TLM_INCOMPLETE_RESPONSE and DMI not allowed at the start; a status at the response; what the
//    target must leave alone
//  - 14.5: a memory manager and a reference for everything that goes through nb_transport
//  - 15.2.3, 15.2.4: phase transitions, TLM_ACCEPTED leaves phase and time alone, TLM_UPDATED and
//    TLM_COMPLETED only where they may be
//  - 15.2.6: one request and one response at a time on a socket (exclusion rules)
//  - 15.2.7: times of a transaction and of requests on a socket do not run backwards; no delay is
//    negative
//  - 11.1.1, 11.1.2: b_transport leaves a status; a payload is not used twice at once
// Not checked: extensions, DMI contents, temporal decoupling quanta.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace nicsim::sim {

struct TlmProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class TlmBaseChecker : public sc_core::sc_module,
                       private tlm::tlm_fw_transport_if<>,
                       private tlm::tlm_bw_transport_if<> {
public:
    enum class Reaction { throw_error, record };

    explicit TlmBaseChecker(const sc_core::sc_module_name& name,
                            Reaction reaction = Reaction::throw_error);

    tlm::tlm_target_socket<32> target{"target"};           ///< the initiator binds to it
    tlm::tlm_initiator_socket<32> initiator{"initiator"};  ///< bound to the target

    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    /// Transactions begun and not ended.
    [[nodiscard]] std::size_t in_flight() const { return open_.size(); }
    [[nodiscard]] std::uint64_t transactions() const { return transactions_; }

private:
    /// What a target may not change.
    struct Attributes {
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        const unsigned char* data = nullptr;
        unsigned length = 0;
        unsigned streaming_width = 0;
        const unsigned char* byte_enables = nullptr;
        unsigned byte_enable_length = 0;
    };
    struct Open {
        Attributes attributes;
        tlm::tlm_phase_enum phase = tlm::UNINITIALIZED_PHASE;
        sc_core::sc_time last;
    };

    // tlm_fw_transport_if
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
    // tlm_bw_transport_if
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    static Attributes attributes_of(const tlm::tlm_generic_payload& payload);
    void check_start(const tlm::tlm_generic_payload& payload);
    void check_unchanged(const tlm::tlm_generic_payload& payload, const Attributes& before);
    void check_response(const tlm::tlm_generic_payload& payload);
    void check_time(Open& open, const tlm::tlm_generic_payload& payload,
                    const sc_core::sc_time& delay);
    /// A phase passes on `payload`, in a call or as its return value.
    void enter(tlm::tlm_generic_payload& payload, tlm::tlm_phase_enum phase,
               const sc_core::sc_time& delay);
    void begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
    void end_request(const tlm::tlm_generic_payload& payload);
    void finish(tlm::tlm_generic_payload& payload, bool at_request);
    void returned(tlm::tlm_generic_payload& payload, tlm::tlm_sync_enum answer,
                  tlm::tlm_phase_enum called, const tlm::tlm_phase& phase,
                  const sc_core::sc_time& given, const sc_core::sc_time& delay, bool forward);
    void violation(const tlm::tlm_generic_payload& payload, const std::string& what);

    Reaction reaction_;
    std::map<const tlm::tlm_generic_payload*, Open> open_;
    const tlm::tlm_generic_payload* request_ = nullptr;   ///< between BEGIN_REQ and END_REQ
    const tlm::tlm_generic_payload* response_ = nullptr;  ///< between BEGIN_RESP and END_RESP
    sc_core::sc_time last_request_;
    std::uint64_t transactions_ = 0;
    std::vector<std::string> violations_;
};

}  // namespace nicsim::sim
