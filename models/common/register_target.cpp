// SPDX-License-Identifier: Apache-2.0
#include "models/common/register_target.h"

#include <cstring>

namespace nicsim::models {

RegisterTarget::RegisterTarget(const sc_core::sc_module_name& name, sim::Ps access_time)
    : sc_module(name), access_time_(sim::to_sc_time(access_time)) {
    socket.bind(*this);
}

RegisterFile* RegisterTarget::file_of(const tlm::tlm_generic_payload& payload) const {
    const auto* bar = payload.get_extension<sim::RegisterBar>();
    const unsigned index = bar == nullptr ? 0 : bar->bar;
    return index < bars_.size() ? bars_[index] : nullptr;
}

tlm::tlm_response_status RegisterTarget::check(const tlm::tlm_generic_payload& payload,
                                               const RegisterFile* file) const {
    const unsigned length = payload.get_data_length();
    const std::uint64_t address = payload.get_address();
    if (file == nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    const bool narrow = narrow_ && length >= 1 && length < 4;
    if ((length != 4 && length != 8 && !narrow) || payload.get_streaming_width() < length)
        return tlm::TLM_BURST_ERROR_RESPONSE;
    const bool misplaced = narrow ? address % 4 + length > 4 : address % 4 != 0;
    if (misplaced || address >= file->size() || file->size() - address < length)
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

void RegisterTarget::serve(tlm::tlm_generic_payload& payload) {
    payload.set_dmi_allowed(false);
    RegisterFile* file = file_of(payload);
    const tlm::tlm_response_status status = check(payload, file);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) {
        ++refused_;
        return;
    }
    if (payload.get_data_length() < 4) {
        serve_narrow(payload, *file);
        return;
    }
    const auto first = static_cast<std::uint32_t>(payload.get_address());
    for (unsigned i = 0; i < payload.get_data_length(); i += 4) {
        std::uint32_t value = 0;
        unsigned char* data = payload.get_data_ptr() + i;
        if (payload.is_read()) {
            value = file->read(first + i);
            std::memcpy(data, &value, 4);
        } else if (payload.is_write()) {
            std::memcpy(&value, data, 4);
            file->write(first + i, value);
        }
    }
}

void RegisterTarget::serve_narrow(tlm::tlm_generic_payload& payload, RegisterFile& file) {
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    const unsigned length = payload.get_data_length();
    const unsigned shift = address % 4 * 8;
    std::uint32_t value = 0;
    if (payload.is_read()) {
        value = file.read(address & ~3U) >> shift;
        std::memcpy(payload.get_data_ptr(), &value, length);
    } else if (payload.is_write()) {
        std::memcpy(&value, payload.get_data_ptr(), length);
        file.write(address & ~3U, value << shift, ((1U << 8 * length) - 1) << shift);
    }
}

tlm::tlm_sync_enum RegisterTarget::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_ERROR("nicsim/register_target",
                        "only BEGIN_REQ is expected: every access completes at once");
        return tlm::TLM_COMPLETED;
    }
    serve(payload);
    delay += access_time_;
    return tlm::TLM_COMPLETED;
}

void RegisterTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    serve(payload);
    delay += access_time_;
}

bool RegisterTarget::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    // Registers have side effects: the whole range is refused for direct access.
    payload.set_dmi_allowed(false);
    dmi.init();
    dmi.set_start_address(0);
    dmi.set_end_address(~sc_dt::uint64{0});
    return false;
}

unsigned RegisterTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
    RegisterFile* file = file_of(payload);
    const std::uint64_t address = payload.get_address();
    if (file == nullptr || address % 4 != 0 || address >= file->size()) return 0;
    unsigned done = 0;
    while (done + 4 <= payload.get_data_length() && address + done < file->size()) {
        const auto offset = static_cast<std::uint32_t>(address) + done;
        std::uint32_t value = 0;
        unsigned char* data = payload.get_data_ptr() + done;
        if (payload.is_read()) {
            value = file->peek(offset);
            std::memcpy(data, &value, 4);
        } else if (payload.is_write()) {
            std::memcpy(&value, data, 4);
            file->poke(offset, value);
        }
        done += 4;
    }
    return done;
}

void RegisterTarget::register_stats(sim::StatGroup& group, const RegisterFile& file) const {
    group.counter("reads", "accesses", "Register reads.", file.reads());
    group.counter("writes", "accesses", "Register writes.", file.writes());
    group.counter("unmodelled", "accesses", "Accesses to offsets that are not modelled.",
                  file.unmodelled_accesses());
    group.counter("refused", "accesses", "Accesses of a wrong size, alignment or address.",
                  refused_);
}

}  // namespace nicsim::models
