// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm_base_checker.h"

#include <sstream>

namespace nicsim::sim {
namespace {

const char* name_of(tlm::tlm_phase_enum phase) {
    switch (phase) {
        case tlm::BEGIN_REQ:
            return "BEGIN_REQ";
        case tlm::END_REQ:
            return "END_REQ";
        case tlm::BEGIN_RESP:
            return "BEGIN_RESP";
        case tlm::END_RESP:
            return "END_RESP";
        default:
            return "a phase that is none of the base protocol";
    }
}

tlm::tlm_phase_enum phase_of(const tlm::tlm_phase& phase) {
    return static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase));
}

}  // namespace

TlmBaseChecker::TlmBaseChecker(const sc_core::sc_module_name& name, Reaction reaction)
    : sc_module(name), reaction_(reaction) {
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void TlmBaseChecker::violation(const tlm::tlm_generic_payload& payload, const std::string& what) {
    std::ostringstream text;
    text << name() << ": " << what << " ("
         << (payload.is_read()    ? "read"
             : payload.is_write() ? "write"
                                  : "ignore")
         << " of " << payload.get_data_length() << " B at 0x" << std::hex << payload.get_address()
         << ")";
    violations_.push_back(text.str());
    if (reaction_ == Reaction::throw_error) throw TlmProtocolError(text.str());
}

// ---- the generic payload ----

TlmBaseChecker::Attributes TlmBaseChecker::attributes_of(const tlm::tlm_generic_payload& p) {
    return {p.get_command(),         p.get_data_ptr(),        p.get_data_length(),
            p.get_streaming_width(), p.get_byte_enable_ptr(), p.get_byte_enable_length()};
}

void TlmBaseChecker::check_start(const tlm::tlm_generic_payload& p) {
    if (p.get_data_length() == 0) violation(p, "the data length is 0 (14.12)");
    if (p.get_data_ptr() == nullptr && p.get_command() != tlm::TLM_IGNORE_COMMAND)
        violation(p, "there is no data pointer (14.11)");
    if (p.get_streaming_width() == 0) violation(p, "the streaming width is 0 (14.15)");
    if (p.get_byte_enable_ptr() != nullptr) {
        if (p.get_byte_enable_length() == 0) violation(p, "byte enables have no length (14.14)");
        for (unsigned i = 0; i < p.get_byte_enable_length(); ++i)
            if (p.get_byte_enable_ptr()[i] != 0 && p.get_byte_enable_ptr()[i] != 0xff)
                violation(p, "a byte enable is neither 0 nor 0xff (14.13)");
    }
    if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
        violation(p, "the response status is not TLM_INCOMPLETE_RESPONSE at the start (14.17)");
    if (p.is_dmi_allowed()) violation(p, "DMI is allowed at the start (14.16)");
}

void TlmBaseChecker::check_unchanged(const tlm::tlm_generic_payload& p, const Attributes& before) {
    const Attributes now = attributes_of(p);
    if (now.command != before.command || now.data != before.data || now.length != before.length ||
        now.streaming_width != before.streaming_width || now.byte_enables != before.byte_enables ||
        now.byte_enable_length != before.byte_enable_length)
        violation(p, "the target has changed an attribute that is not its own (14.7)");
}

void TlmBaseChecker::check_response(const tlm::tlm_generic_payload& p) {
    if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
        violation(p, "the response has no status (14.17)");
}

// ---- blocking, direct and debug ----

void TlmBaseChecker::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    ++transactions_;
    check_start(p);
    if (open_.count(&p) != 0) violation(p, "the payload is in flight already");
    const Attributes before = attributes_of(p);
    const sc_core::sc_time start = sc_core::sc_time_stamp() + delay;
    initiator->b_transport(p, delay);
    if (sc_core::sc_time_stamp() + delay < start) violation(p, "time ran backwards (11.1.3)");
    check_unchanged(p, before);
    check_response(p);
}

bool TlmBaseChecker::get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    const bool granted = initiator->get_direct_mem_ptr(p, dmi);
    if (dmi.get_start_address() > dmi.get_end_address())
        violation(p, "a DMI region ends before it starts (11.2.5)");
    return granted;
}

unsigned TlmBaseChecker::transport_dbg(tlm::tlm_generic_payload& p) {
    const unsigned n = initiator->transport_dbg(p);
    if (n > p.get_data_length()) violation(p, "debug access of more bytes than asked for (11.3.4)");
    return n;
}

void TlmBaseChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
    target->invalidate_direct_mem_ptr(start, end);
}

// ---- non-blocking ----

void TlmBaseChecker::check_time(Open& open, const tlm::tlm_generic_payload& p,
                                const sc_core::sc_time& delay) {
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (at < open.last) violation(p, "the transaction's time ran backwards (15.2.7)");
    open.last = at;
}

void TlmBaseChecker::begin_request(tlm::tlm_generic_payload& p, const sc_core::sc_time& delay) {
    ++transactions_;
    check_start(p);
    if (!p.has_mm()) violation(p, "there is no memory manager (14.5)");
    if (p.has_mm() && p.get_ref_count() < 1) violation(p, "nobody holds the payload (14.5)");
    if (open_.count(&p) != 0) violation(p, "BEGIN_REQ of a payload that is in flight");
    if (request_ != nullptr)
        violation(p, "BEGIN_REQ before the END_REQ of the request before it (15.2.6)");
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (at < last_request_) violation(p, "requests run backwards in time (15.2.7)");
    last_request_ = at;
    request_ = &p;
    open_[&p] = {attributes_of(p), tlm::BEGIN_REQ, at};
}

void TlmBaseChecker::end_request(const tlm::tlm_generic_payload& p) {
    if (request_ == &p) request_ = nullptr;
}

void TlmBaseChecker::enter(tlm::tlm_generic_payload& p, tlm::tlm_phase_enum phase,
                           const sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        begin_request(p, delay);
        return;
    }
    const auto found = open_.find(&p);
    if (found == open_.end()) {
        violation(p, std::string(name_of(phase)) + " of a payload that is not in flight");
        return;
    }
    Open& open = found->second;
    check_time(open, p, delay);
    check_unchanged(p, open.attributes);
    if (p.has_mm() && p.get_ref_count() < 1) violation(p, "nobody holds the payload (14.5)");
    const tlm::tlm_phase_enum from = open.phase;
    const bool legal =
        (phase == tlm::END_REQ && from == tlm::BEGIN_REQ) ||
        (phase == tlm::BEGIN_RESP && (from == tlm::BEGIN_REQ || from == tlm::END_REQ)) ||
        (phase == tlm::END_RESP && from == tlm::BEGIN_RESP);
    if (!legal) violation(p, std::string(name_of(phase)) + " after " + name_of(from) + " (15.2.4)");
    open.phase = phase;
    if (phase == tlm::END_REQ) end_request(p);
    if (phase == tlm::BEGIN_RESP) {
        end_request(p);
        if (response_ != nullptr)
            violation(p, "BEGIN_RESP before the END_RESP of the response before it (15.2.6)");
        response_ = &p;
        check_response(p);
    }
    if (phase == tlm::END_RESP) finish(p, false);
}

void TlmBaseChecker::finish(tlm::tlm_generic_payload& p, bool at_request) {
    if (at_request) check_response(p);
    end_request(p);
    if (response_ == &p) response_ = nullptr;
    open_.erase(&p);
}

/// `called` is the phase that was passed, `phase` and `delay` are what came back.
void TlmBaseChecker::returned(tlm::tlm_generic_payload& p, tlm::tlm_sync_enum answer,
                              tlm::tlm_phase_enum called, const tlm::tlm_phase& phase,
                              const sc_core::sc_time& given, const sc_core::sc_time& delay,
                              bool forward) {
    const tlm::tlm_phase_enum now = phase_of(phase);
    switch (answer) {
        case tlm::TLM_ACCEPTED:
            if (now != called || delay != given)
                violation(p, "TLM_ACCEPTED with another phase or time (15.2.3)");
            return;
        case tlm::TLM_UPDATED: {
            const bool legal = forward ? called == tlm::BEGIN_REQ &&
                                             (now == tlm::END_REQ || now == tlm::BEGIN_RESP)
                                       : called == tlm::BEGIN_RESP && now == tlm::END_RESP;
            if (!legal)
                violation(p, std::string("TLM_UPDATED from ") + name_of(called) + " to " +
                                 name_of(now) + " (15.2.3)");
            else
                enter(p, now, delay);
            return;
        }
        case tlm::TLM_COMPLETED:
            if (called == tlm::END_RESP) return;  // it has ended already
            if (!forward && called == tlm::END_REQ)
                violation(p, "TLM_COMPLETED in answer to END_REQ (15.2.3)");
            if (delay < given) violation(p, "the answer takes less than no time (15.2.7)");
            if (open_.count(&p) == 0)
                violation(p, "TLM_COMPLETED of a transaction that has ended");
            else
                finish(p, called == tlm::BEGIN_REQ);
            return;
    }
}

tlm::tlm_sync_enum TlmBaseChecker::nb_transport_fw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const tlm::tlm_phase_enum called = phase_of(phase);
    if (called != tlm::BEGIN_REQ && called != tlm::END_RESP)
        violation(p, std::string(name_of(called)) + " on the forward path (15.2.4)");
    else
        enter(p, called, delay);
    const sc_core::sc_time given = delay;
    const tlm::tlm_sync_enum answer = initiator->nb_transport_fw(p, phase, delay);
    returned(p, answer, called, phase, given, delay, true);
    return answer;
}

tlm::tlm_sync_enum TlmBaseChecker::nb_transport_bw(tlm::tlm_generic_payload& p,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const tlm::tlm_phase_enum called = phase_of(phase);
    if (called != tlm::END_REQ && called != tlm::BEGIN_RESP)
        violation(p, std::string(name_of(called)) + " on the backward path (15.2.4)");
    else
        enter(p, called, delay);
    const sc_core::sc_time given = delay;
    // The initiator may let the payload go inside of this call; it is looked at before that only,
    // unless it is kept.
    const bool keep = p.has_mm();
    if (keep) p.acquire();
    const tlm::tlm_sync_enum answer = target->nb_transport_bw(p, phase, delay);
    returned(p, answer, called, phase, given, delay, false);
    if (keep) p.release();
    return answer;
}

}  // namespace nicsim::sim
