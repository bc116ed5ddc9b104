// SPDX-License-Identifier: Apache-2.0
// Every rule is broken once, and the sequences that the standard allows pass.
#include "sim/tlm_base_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>

namespace nicsim::sim::test {
namespace {

using testing::HasSubstr;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

struct Payload : tlm::tlm_generic_payload, tlm::tlm_mm_interface {
    Payload() {
        set_mm(this);
        acquire();
        fresh();
    }
    void fresh() {
        set_command(tlm::TLM_READ_COMMAND);
        set_address(0x40);
        set_data_ptr(bytes.data());
        set_data_length(8);
        set_streaming_width(8);
        set_byte_enable_ptr(nullptr);
        set_dmi_allowed(false);
        set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    void free(tlm::tlm_generic_payload*) override {}
    std::array<unsigned char, 8> bytes{};
};

/// Both ends, told by the test what to do.
struct Ends : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
    explicit Ends(const sc_core::sc_module_name& name,
                  TlmBaseChecker::Reaction reaction = TlmBaseChecker::Reaction::record)
        : sc_module(name), checker("checker", reaction) {
        from.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        to.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
        from.bind(checker.target);
        checker.initiator.bind(to);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    tlm::tlm_initiator_socket<> from{"from"};
    tlm::tlm_target_socket<> to{"to"};
    TlmBaseChecker checker;
    std::function<tlm_sync_enum(tlm::tlm_generic_payload&, tlm_phase&, sc_core::sc_time&)> on_fw =
        [](auto& p, auto&, auto&) {
            p.set_response_status(tlm::TLM_OK_RESPONSE);
            return tlm::TLM_COMPLETED;
        };
    std::function<tlm_sync_enum(tlm::tlm_generic_payload&, tlm_phase&, sc_core::sc_time&)> on_bw =
        [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> on_b = [](auto& p, auto&) {
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    };

    tlm_sync_enum fw(tlm::tlm_generic_payload& p, tlm_phase phase,
                     sc_core::sc_time t = sc_core::SC_ZERO_TIME) {
        return from->nb_transport_fw(p, phase, t);
    }
    tlm_sync_enum bw(tlm::tlm_generic_payload& p, tlm_phase phase,
                     sc_core::sc_time t = sc_core::SC_ZERO_TIME) {
        return to->nb_transport_bw(p, phase, t);
    }
    [[nodiscard]] std::string all() const {
        std::string out;
        for (const std::string& v : checker.violations()) out += v + "\n";
        return out;
    }
    void accept() {
        on_fw = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    }

    tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm_phase& phase,
                                  sc_core::sc_time& t) override {
        return on_fw(p, phase, t);
    }
    tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm_phase& phase,
                                  sc_core::sc_time& t) override {
        return on_bw(p, phase, t);
    }
    void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& t) override { on_b(p, t); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload& p) override { return p.get_data_length() + 1; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

TEST(TlmBaseChecker, LetsEverySequenceOfTheStandardPass) {
    Ends e("ends", TlmBaseChecker::Reaction::throw_error);
    Payload p;
    e.fw(p, tlm::BEGIN_REQ);  // completed early
    p.fresh();
    e.accept();  // four phases, each a call
    e.fw(p, tlm::BEGIN_REQ);
    e.bw(p, tlm::END_REQ);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    e.bw(p, tlm::BEGIN_RESP);
    e.fw(p, tlm::END_RESP);
    p.fresh();  // END_REQ left out, the response completed
    e.fw(p, tlm::BEGIN_REQ);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    e.on_bw = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
    e.bw(p, tlm::BEGIN_RESP);
    p.fresh();  // both by return values
    e.on_fw = [](auto&, auto& phase, auto&) {
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    e.on_bw = [](auto&, auto& phase, auto&) {
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    };
    e.fw(p, tlm::BEGIN_REQ);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    e.bw(p, tlm::BEGIN_RESP);
    p.fresh();
    sc_core::sc_time t;
    e.from->b_transport(p, t);
    EXPECT_EQ(e.checker.in_flight(), 0U);
    EXPECT_EQ(e.checker.transactions(), 5U);
}

TEST(TlmBaseChecker, FindsPayloadsThatAreNotAsTheyMustBeAtTheStart) {
    const std::vector<std::pair<std::function<void(Payload&)>, const char*>> broken = {
        {[](Payload& p) { p.set_data_length(0); }, "data length is 0"},
        {[](Payload& p) { p.set_data_ptr(nullptr); }, "no data pointer"},
        {[](Payload& p) { p.set_streaming_width(0); }, "streaming width is 0"},
        {[](Payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }, "response status"},
        {[](Payload& p) { p.set_dmi_allowed(true); }, "DMI is allowed"},
        {[](Payload& p) { p.set_mm(nullptr); }, "no memory manager"},
        {[](Payload& p) {
             p.set_byte_enable_ptr(p.bytes.data());
             p.set_byte_enable_length(0);
         },
         "no length"},
        {[](Payload& p) {
             p.bytes[1] = 0x0f;
             p.set_byte_enable_ptr(p.bytes.data());
             p.set_byte_enable_length(8);
         },
         "neither 0 nor 0xff"},
    };
    Ends e("ends");
    std::deque<Payload> payloads;  // outlive the loop: the checker keeps those in flight
    for (const auto& [change, text] : broken) {
        Payload& p = payloads.emplace_back();
        change(p);
        const std::size_t before = e.checker.violations().size();
        e.fw(p, tlm::BEGIN_REQ);
        ASSERT_GT(e.checker.violations().size(), before) << text;
        EXPECT_THAT(e.checker.violations()[before], HasSubstr(text));
    }
}

TEST(TlmBaseChecker, FindsPhasesOutOfOrderAndOnTheWrongPath) {
    Ends e("ends");
    e.accept();
    Payload p;
    e.bw(p, tlm::END_REQ);
    EXPECT_THAT(e.all(), HasSubstr("END_REQ of a payload that is not in flight"));
    e.fw(p, tlm::BEGIN_REQ);
    e.fw(p, tlm::END_RESP);
    EXPECT_THAT(e.all(), HasSubstr("END_RESP after BEGIN_REQ"));
    Payload q;
    e.fw(q, tlm::END_REQ);
    EXPECT_THAT(e.all(), HasSubstr("END_REQ on the forward path"));
    e.bw(q, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("BEGIN_REQ on the backward path"));
}

TEST(TlmBaseChecker, FindsBrokenExclusionRules) {
    Ends e("ends");
    e.accept();
    Payload a, b;
    e.fw(a, tlm::BEGIN_REQ);
    e.fw(b, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("BEGIN_REQ before the END_REQ"));
    a.set_response_status(tlm::TLM_OK_RESPONSE);
    b.set_response_status(tlm::TLM_OK_RESPONSE);
    e.bw(a, tlm::BEGIN_RESP);
    e.bw(b, tlm::BEGIN_RESP);
    EXPECT_THAT(e.all(), HasSubstr("BEGIN_RESP before the END_RESP"));
    Payload c;
    e.fw(c, tlm::BEGIN_REQ);
    e.fw(c, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("in flight"));
}

TEST(TlmBaseChecker, FindsWrongReturnValues) {
    Ends e("ends");
    Payload a, b, c, d;
    e.on_fw = [](auto&, auto& phase, auto&) {
        phase = tlm::END_REQ;
        return tlm::TLM_ACCEPTED;
    };
    e.fw(a, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("TLM_ACCEPTED with another phase"));
    e.on_fw = [](auto&, auto& phase, auto&) {
        phase = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    };
    e.fw(b, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("TLM_UPDATED from BEGIN_REQ to END_RESP"));
    e.on_fw = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
    e.fw(c, tlm::BEGIN_REQ);
    EXPECT_THAT(e.all(), HasSubstr("the response has no status"));
    e.accept();
    e.on_bw = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
    e.fw(d, tlm::BEGIN_REQ);
    e.bw(d, tlm::END_REQ);
    EXPECT_THAT(e.all(), HasSubstr("TLM_COMPLETED in answer to END_REQ"));
}

TEST(TlmBaseChecker, FindsTimeThatRunsBackwardsAndAttributesThatChange) {
    Ends e("ends");
    const sc_core::sc_time ns(1, sc_core::SC_NS);
    e.accept();
    Payload a, b;
    e.fw(a, tlm::BEGIN_REQ, 5 * ns);
    e.bw(a, tlm::END_REQ, 4 * ns);
    EXPECT_THAT(e.all(), HasSubstr("transaction's time ran backwards"));
    e.fw(b, tlm::BEGIN_REQ, 3 * ns);
    EXPECT_THAT(e.all(), HasSubstr("requests run backwards"));
    b.set_data_length(4);
    b.set_response_status(tlm::TLM_OK_RESPONSE);
    e.bw(b, tlm::BEGIN_RESP, 6 * ns);
    EXPECT_THAT(e.all(), HasSubstr("changed an attribute"));
}

TEST(TlmBaseChecker, FindsWhatBlockingAndDebugTransportGetWrong) {
    Ends e("ends");
    Payload p;
    e.on_b = [](auto& q, auto&) { q.set_command(tlm::TLM_WRITE_COMMAND); };
    sc_core::sc_time t;
    e.from->b_transport(p, t);
    EXPECT_THAT(e.all(), HasSubstr("no status"));
    EXPECT_THAT(e.all(), HasSubstr("changed an attribute"));
    e.from->transport_dbg(p);
    EXPECT_THAT(e.all(), HasSubstr("more bytes than asked for"));
}

TEST(TlmBaseChecker, ThrowsAtOnceUnlessItIsToldToRecord) {
    Ends e("ends", TlmBaseChecker::Reaction::throw_error);
    Payload p;
    p.set_data_length(0);
    EXPECT_THROW(e.fw(p, tlm::BEGIN_REQ), TlmProtocolError);
}

}  // namespace
}  // namespace nicsim::sim::test
