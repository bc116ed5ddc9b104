// SPDX-License-Identifier: Apache-2.0
// Advanced error reporting of one function: status, mask and severity registers, the header log,
// and which message goes to the root complex (PCI Express Base Specification 6.2 and 7.8.4).
// Modelled: all that is listed in AerError, first error pointer, advisory non-fatal errors, the
// Device Status, Device Control, Command and Status bits that go with them, ECRC enables.
// Not modelled: several header logs, TLP prefix log, errors that no cause of is modelled (data link
// protocol, flow-control protocol, receiver overflow, ACS, internal, atomics, multicast).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pcie/tlp.h"
#include "sim/stat.h"

namespace nicsim::pcie {

/// The value of an uncorrectable error is its status bit; of a correctable one 32 more.
enum class AerError : std::uint8_t {
    surprise_down = 5,
    poisoned_tlp = 12,
    completion_timeout = 14,
    completer_abort = 15,
    unexpected_completion = 16,
    malformed_tlp = 18,
    ecrc = 19,
    unsupported_request = 20,
    receiver_error = 32 + 0,
    bad_tlp = 32 + 6,
    bad_dllp = 32 + 7,
    replay_rollover = 32 + 8,
    replay_timeout = 32 + 12,
    advisory_nonfatal = 32 + 13,
};
const char* name_of(AerError error);
/// Every error that can be reported, in order of its value.
constexpr std::array<AerError, 14> aer_errors = {AerError::surprise_down,
                                                 AerError::poisoned_tlp,
                                                 AerError::completion_timeout,
                                                 AerError::completer_abort,
                                                 AerError::unexpected_completion,
                                                 AerError::malformed_tlp,
                                                 AerError::ecrc,
                                                 AerError::unsupported_request,
                                                 AerError::receiver_error,
                                                 AerError::bad_tlp,
                                                 AerError::bad_dllp,
                                                 AerError::replay_rollover,
                                                 AerError::replay_timeout,
                                                 AerError::advisory_nonfatal};

/// Offsets within the capability, in double words.
namespace aer {
constexpr unsigned uncorrectable_status = 1, uncorrectable_mask = 2, uncorrectable_severity = 3,
                   correctable_status = 4, correctable_mask = 5, control = 6, header_log = 7,
                   dwords = 11;
/// Behind them in a root port.
constexpr unsigned root_command = 11, root_status = 12, root_source = 13, root_dwords = 3;
constexpr std::uint32_t ecrc_generation_capable = 1U << 5U, ecrc_generation_enable = 1U << 6U,
                        ecrc_check_capable = 1U << 7U, ecrc_check_enable = 1U << 8U;
/// Writable and known bits.
constexpr std::uint32_t uncorrectable_bits = 1U << 5U | 1U << 12U | 7U << 14U | 7U << 18U;
constexpr std::uint32_t correctable_bits = 1U << 0U | 7U << 6U | 3U << 12U;
/// Fatal: surprise down, malformed TLP (and what is not modelled).
constexpr std::uint32_t default_severity = 1U << 5U | 1U << 18U;
constexpr std::uint32_t default_correctable_mask = 1U << 13U;  ///< advisory non-fatal
}  // namespace aer

/// The registers of one function that errors touch, wherever they are kept.
struct AerRegisters {
    std::uint32_t* capability = nullptr;      ///< aer::dwords double words
    std::uint32_t* device_control = nullptr;  ///< Device Control 15:0, Device Status 31:16
    std::uint32_t* command = nullptr;         ///< Command 15:0, Status 31:16
};

class Aer {
public:
    explicit Aer(const AerRegisters& registers) : r_(registers) {}

    /// What the requester or receiver found. `advisory`: somebody else reports it better, so that
    /// a non-fatal error counts as correctable here (6.2.3.2.4). Returns the code of the message
    /// that goes to the root complex, if one does.
    std::optional<std::uint8_t> report(AerError error, const Tlp* tlp, bool advisory = false);
    /// Completer: an answer with UR or CA leaves; requester: one has come.
    void note_abort_sent();
    void note_abort_received(CompletionStatus status);

    [[nodiscard]] bool generates_ecrc() const {
        return (r_.capability[aer::control] & aer::ecrc_generation_enable) != 0;
    }
    [[nodiscard]] bool checks_ecrc() const {
        return (r_.capability[aer::control] & aer::ecrc_check_enable) != 0;
    }
    [[nodiscard]] std::uint64_t count(AerError error) const {
        return counts_[static_cast<unsigned>(error)];
    }
    /// Group with a counter for each error.
    void register_stats(sim::StatGroup& group) const;

private:
    std::optional<std::uint8_t> correctable(AerError error);
    void log_header(unsigned bit, const Tlp* tlp);

    AerRegisters r_;
    std::array<std::uint64_t, 64> counts_{};
};

}  // namespace nicsim::pcie
