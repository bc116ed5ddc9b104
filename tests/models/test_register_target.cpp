// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "models/common/register_target.h"

namespace nicsim::models {
namespace {

using namespace sim::literals;

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    tlm::tlm_initiator_socket<> socket{"socket"};
};

struct Bench {
    Bench() {
        initiator.socket.bind(target.socket);
        file.add({.name = "A", .offset = 0, .reset = 0x11});
        file.add({.name = "B", .offset = 4, .reset = 0x22});
        Register& c = file.add({.name = "C", .offset = 8, .access = Access::read_clear});
        c.set(3);
        target.map(0, file);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void prepare(tlm::tlm_command command, std::uint64_t address, unsigned length) {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data.data());
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        payload.set_byte_enable_ptr(nullptr);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    tlm::tlm_response_status blocking(tlm::tlm_command command, std::uint64_t address,
                                      unsigned length) {
        prepare(command, address, length);
        initiator.socket->b_transport(payload, delay);
        return payload.get_response_status();
    }
    [[nodiscard]] std::uint32_t word(unsigned i) const {
        std::uint32_t value = 0;
        std::memcpy(&value, data.data() + 4 * i, 4);
        return value;
    }

    Initiator initiator{"initiator"};
    RegisterTarget target{"target", 40_ns};
    RegisterFile file{0x100};
    std::array<unsigned char, 64> data{};
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
};

TEST(RegisterTarget, CompletesNonBlockingReadsAtOnceWithItsAccessTime) {
    Bench b;
    b.prepare(tlm::TLM_READ_COMMAND, 4, 4);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    b.delay = sim::to_sc_time(5_ns);
    EXPECT_EQ(b.initiator.socket->nb_transport_fw(b.payload, phase, b.delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(b.payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.word(0), 0x22U);
    EXPECT_EQ(b.delay, sim::to_sc_time(45_ns));
    EXPECT_FALSE(b.payload.is_dmi_allowed());
}

TEST(RegisterTarget, ServesOneAndTwoDoubleWordsByBlockingTransport) {
    Bench b;
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 0, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.word(0), 0x11U);
    EXPECT_EQ(b.word(1), 0x22U);
    b.data[0] = 0x99;
    EXPECT_EQ(b.blocking(tlm::TLM_WRITE_COMMAND, 4, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.file.peek(4), 0x99U);
    EXPECT_EQ(b.delay, sim::to_sc_time(80_ns));
}

TEST(RegisterTarget, RefusesOtherSizesWithABurstError) {
    Bench b;
    for (const unsigned length : {1U, 2U, 3U, 12U, 16U})
        EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 0, length), tlm::TLM_BURST_ERROR_RESPONSE);
    b.prepare(tlm::TLM_READ_COMMAND, 0, 8);
    b.payload.set_streaming_width(4);
    b.initiator.socket->b_transport(b.payload, b.delay);
    EXPECT_EQ(b.payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.target.refused(), 6U);
    EXPECT_EQ(b.file.reads(), 0U);
}

TEST(RegisterTarget, RefusesMisalignedAndOutsideAddresses) {
    Bench b;
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 2, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 0x100, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.blocking(tlm::TLM_WRITE_COMMAND, 0xFC, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 0xFC, 4), tlm::TLM_OK_RESPONSE);
}

TEST(RegisterTarget, ServesBytesAndWordsAtTheirPlaceIfTheDeviceAllowsIt) {
    Bench b;
    b.target.allow_narrow();
    b.file.poke(4, 0xDDCC'BBAA);
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 6, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.data[0], 0xCC);
    EXPECT_EQ(b.data[1], 0xDD);
    b.data[0] = 0x34;
    b.data[1] = 0x12;
    EXPECT_EQ(b.blocking(tlm::TLM_WRITE_COMMAND, 6, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.file.peek(4), 0x1234'BBAAU);
    EXPECT_EQ(b.file.lanes(), 0xFFFF'0000U);
    EXPECT_EQ(b.blocking(tlm::TLM_WRITE_COMMAND, 5, 1), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.file.peek(4), 0x1234'34AAU);
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 7, 2), tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "not across two registers";
    EXPECT_EQ(b.blocking(tlm::TLM_READ_COMMAND, 5, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(RegisterTarget, RefusesByteEnables) {
    Bench b;
    unsigned char enable = 0xFF;
    b.prepare(tlm::TLM_WRITE_COMMAND, 0, 4);
    b.payload.set_byte_enable_ptr(&enable);
    b.payload.set_byte_enable_length(1);
    b.initiator.socket->b_transport(b.payload, b.delay);
    EXPECT_EQ(b.payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST(RegisterTarget, RefusesABarThatIsNotMapped) {
    Bench b;
    sim::RegisterBar bar;
    bar.bar = 2;
    b.prepare(tlm::TLM_READ_COMMAND, 0, 4);
    b.payload.set_extension(&bar);
    b.initiator.socket->b_transport(b.payload, b.delay);
    b.payload.clear_extension(&bar);
    EXPECT_EQ(b.payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(RegisterTarget, RefusesDirectMemoryAccess) {
    Bench b;
    tlm::tlm_dmi dmi;
    b.prepare(tlm::TLM_READ_COMMAND, 0, 4);
    EXPECT_FALSE(b.initiator.socket->get_direct_mem_ptr(b.payload, dmi));
}

TEST(RegisterTarget, DebugReadsHaveNoSideEffect) {
    Bench b;
    b.prepare(tlm::TLM_READ_COMMAND, 8, 4);
    EXPECT_EQ(b.initiator.socket->transport_dbg(b.payload), 4U);
    EXPECT_EQ(b.word(0), 3U);
    EXPECT_EQ(b.initiator.socket->transport_dbg(b.payload), 4U);
    EXPECT_EQ(b.word(0), 3U) << "read-clear was not cleared";
    EXPECT_EQ(b.file.reads(), 0U);
}

}  // namespace
}  // namespace nicsim::models
