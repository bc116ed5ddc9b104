// SPDX-License-Identifier: Apache-2.0
// The register door of a device (sim/doors.h): a TLM-2.0 target that turns generic payloads into
// accesses to register files, one per BAR. Non-blocking transport with one phase, blocking
// transport and debug transport; no DMI. Accesses are of 1 or 2 double words, aligned to 4 bytes,
// without byte enables; a device may allow narrow ones (1 to 3 bytes inside of a double word), too.
// Whatever else comes is answered with the TLM error that fits.
#pragma once

#include <array>
#include <systemc>
#include <tlm>

#include "models/common/register_file.h"
#include "sim/doors.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::models {

class RegisterTarget : public sc_core::sc_module, public virtual tlm::tlm_fw_transport_if<> {
public:
    /// `access_time`: from the request at the door to the answer.
    RegisterTarget(const sc_core::sc_module_name& name, sim::Ps access_time);

    tlm::tlm_target_socket<32> socket{"socket"};

    /// Accesses to BAR `bar` go to `file`. A payload without RegisterBar extension means BAR 0.
    void map(unsigned bar, RegisterFile& file) { bars_.at(bar) = &file; }
    /// Takes narrow accesses, too: bytes and words of a register at their place in it.
    void allow_narrow() { narrow_ = true; }
    [[nodiscard]] const std::uint64_t& refused() const { return refused_; }
    /// Counts the accesses of the register BAR, which is `file`.
    void register_stats(sim::StatGroup& group, const RegisterFile& file) const;

    // ---- tlm_fw_transport_if ----
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

private:
    RegisterFile* file_of(const tlm::tlm_generic_payload& payload) const;
    void serve(tlm::tlm_generic_payload& payload);
    void serve_narrow(tlm::tlm_generic_payload& payload, RegisterFile& file);
    [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload,
                                                 const RegisterFile* file) const;

    sc_core::sc_time access_time_;
    bool narrow_ = false;
    std::array<RegisterFile*, 6> bars_{};
    std::uint64_t refused_ = 0;
};

}  // namespace nicsim::models
