// SPDX-License-Identifier: Apache-2.0
// Flow-control credits: what a receiver advertises, what a sender has left.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "pcie/tlp.h"

namespace nicsim::pcie {

/// Advertised at link initialisation. 0 is infinite, as on the wire.
struct CreditLimits {
    std::array<std::uint32_t, flow_classes> header{};
    std::array<std::uint32_t, flow_classes> data{};  ///< units of 16 bytes

    /// The class whose data credits are below the smallest legal ones for `max_payload`.
    [[nodiscard]] std::optional<FlowClass> too_small(std::uint32_t max_payload) const;
    /// Empty, or which advertisement is below the smallest legal one for `max_payload`.
    [[nodiscard]] std::string validate(std::uint32_t max_payload) const;
};

/// What a receiver tells of itself when the link comes up.
struct ReceiverTraits {
    CreditLimits credits;
    bool update_at_once = false;  ///< UpdateFC as soon as a buffer frees instead of at the limit
};

/// The sender's account of one direction.
class CreditAccount {
public:
    void set_limits(const CreditLimits& limits) {
        for (unsigned c = 0; c < flow_classes; ++c) {
            infinite_header_[c] = limits.header[c] == 0;
            infinite_data_[c] = limits.data[c] == 0;
            header_[c] = limits.header[c];
            data_[c] = limits.data[c];
        }
    }
    [[nodiscard]] bool enough(FlowClass flow, std::uint32_t data) const {
        const auto c = static_cast<unsigned>(flow);
        return (infinite_header_[c] || header_[c] >= 1) &&
               (infinite_data_[c] || data == 0 || data_[c] >= data);
    }
    void consume(FlowClass flow, std::uint32_t data) {
        const auto c = static_cast<unsigned>(flow);
        if (!infinite_header_[c]) --header_[c];
        if (!infinite_data_[c]) data_[c] -= data;
    }
    void give_back(FlowClass flow, std::uint32_t header, std::uint32_t data) {
        const auto c = static_cast<unsigned>(flow);
        if (!infinite_header_[c]) header_[c] += header;
        if (!infinite_data_[c]) data_[c] += data;
    }
    [[nodiscard]] std::uint32_t header(FlowClass flow) const {
        return header_[static_cast<unsigned>(flow)];
    }
    [[nodiscard]] std::uint32_t data(FlowClass flow) const {
        return data_[static_cast<unsigned>(flow)];
    }
    /// Neither headers nor data are limited: no UpdateFC is ever sent for the class.
    [[nodiscard]] bool infinite(FlowClass flow) const {
        const auto c = static_cast<unsigned>(flow);
        return infinite_header_[c] && infinite_data_[c];
    }

private:
    std::array<std::uint32_t, flow_classes> header_{};
    std::array<std::uint32_t, flow_classes> data_{};
    std::array<bool, flow_classes> infinite_header_{true, true, true};
    std::array<bool, flow_classes> infinite_data_{true, true, true};
};

}  // namespace nicsim::pcie
