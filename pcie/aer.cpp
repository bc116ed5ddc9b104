// SPDX-License-Identifier: Apache-2.0
#include "pcie/aer.h"

#include <fmt/format.h>

#include "pcie/tlp_rules.h"

namespace nicsim::pcie {
namespace {

constexpr unsigned first_correctable = 32;
constexpr std::uint32_t first_error_pointer = 0x1f;

// Device Control: who may send messages. Device Status: what was detected.
constexpr std::uint32_t correctable_enable = 1U << 0U, nonfatal_enable = 1U << 1U,
                        fatal_enable = 1U << 2U, unsupported_enable = 1U << 3U;
constexpr std::uint32_t correctable_detected = 1U << 16U, nonfatal_detected = 1U << 17U,
                        fatal_detected = 1U << 18U, unsupported_detected = 1U << 19U;
// Command and Status.
constexpr std::uint32_t serr_enable = 1U << 8U;
constexpr std::uint32_t master_data_parity = 1U << 24U, signaled_target_abort = 1U << 27U,
                        received_target_abort = 1U << 28U, received_master_abort = 1U << 29U,
                        signaled_system_error = 1U << 30U, detected_parity = 1U << 31U;
constexpr std::uint32_t parity_response = 1U << 6U;

}  // namespace

const char* name_of(AerError error) {
    switch (error) {
        case AerError::surprise_down:
            return "surprise_down";
        case AerError::poisoned_tlp:
            return "poisoned_tlp";
        case AerError::completion_timeout:
            return "completion_timeout";
        case AerError::completer_abort:
            return "completer_abort";
        case AerError::unexpected_completion:
            return "unexpected_completion";
        case AerError::malformed_tlp:
            return "malformed_tlp";
        case AerError::ecrc:
            return "ecrc";
        case AerError::unsupported_request:
            return "unsupported_request";
        case AerError::receiver_error:
            return "receiver_error";
        case AerError::bad_tlp:
            return "bad_tlp";
        case AerError::bad_dllp:
            return "bad_dllp";
        case AerError::replay_rollover:
            return "replay_rollover";
        case AerError::replay_timeout:
            return "replay_timeout";
        case AerError::advisory_nonfatal:
            return "advisory_nonfatal";
    }
    return "?";
}

std::optional<std::uint8_t> Aer::report(AerError error, const Tlp* tlp, bool advisory) {
    ++counts_[static_cast<unsigned>(error)];
    const auto value = static_cast<unsigned>(error);
    if (value >= first_correctable) return correctable(error);

    const std::uint32_t bit = 1U << value;
    std::uint32_t& status = *r_.device_control;
    if (error == AerError::poisoned_tlp) {
        *r_.command |= detected_parity;
        if (tlp != nullptr && tlp->is_completion() && (*r_.command & parity_response) != 0)
            *r_.command |= master_data_parity;
    }
    const bool unsupported = error == AerError::unsupported_request;
    if (unsupported) status |= unsupported_detected;
    const bool fatal = (r_.capability[aer::uncorrectable_severity] & bit) != 0;
    const bool masked = (r_.capability[aer::uncorrectable_mask] & bit) != 0;
    if (advisory && !fatal) {
        ++counts_[static_cast<unsigned>(AerError::advisory_nonfatal)];
        const auto code = correctable(AerError::advisory_nonfatal);
        const std::uint32_t advisory_bit =
            1U << (static_cast<unsigned>(AerError::advisory_nonfatal) - first_correctable);
        if ((r_.capability[aer::correctable_mask] & advisory_bit) != 0) return {};
        if (!masked) log_header(value, tlp);
        r_.capability[aer::uncorrectable_status] |= bit;
        // An unsupported request that may not be reported is not reported in this way either.
        return unsupported && (status & unsupported_enable) == 0 ? std::nullopt : code;
    }
    status |= fatal ? fatal_detected : nonfatal_detected;
    if (!masked) log_header(value, tlp);
    r_.capability[aer::uncorrectable_status] |= bit;
    if (masked) return {};
    const bool serr = (*r_.command & serr_enable) != 0;
    if (!serr) {
        if (unsupported && (status & unsupported_enable) == 0) return {};
        if ((status & (fatal ? fatal_enable : nonfatal_enable)) == 0) return {};
    } else {
        *r_.command |= signaled_system_error;
    }
    return fatal ? message::err_fatal : message::err_nonfatal;
}

std::optional<std::uint8_t> Aer::correctable(AerError error) {
    const std::uint32_t bit = 1U << (static_cast<unsigned>(error) - first_correctable);
    *r_.device_control |= correctable_detected;
    r_.capability[aer::correctable_status] |= bit;
    if ((r_.capability[aer::correctable_mask] & bit) != 0) return {};
    if ((*r_.device_control & correctable_enable) == 0) return {};
    return message::err_cor;
}

/// The log belongs to the first error until software clears its status bit.
void Aer::log_header(unsigned bit, const Tlp* tlp) {
    std::uint32_t& control = r_.capability[aer::control];
    const std::uint32_t status = r_.capability[aer::uncorrectable_status];
    if ((status >> (control & first_error_pointer) & 1U) != 0) return;
    control = (control & ~first_error_pointer) | bit;
    const auto header = tlp != nullptr ? header_dwords(*tlp) : std::array<std::uint32_t, 4>{};
    for (unsigned i = 0; i < header.size(); ++i) r_.capability[aer::header_log + i] = header[i];
}

void Aer::note_abort_sent() {
    *r_.command |= signaled_target_abort;
}

void Aer::note_abort_received(CompletionStatus status) {
    *r_.command |=
        status == CompletionStatus::completer_abort ? received_target_abort : received_master_abort;
}

void Aer::register_stats(sim::StatGroup& group) const {
    for (const AerError e : aer_errors)
        group.counter(name_of(e), "1", fmt::format("Errors of the kind `{}`.", name_of(e)),
                      counts_[static_cast<unsigned>(e)]);
}

}  // namespace nicsim::pcie
