// SPDX-License-Identifier: Apache-2.0
// A part that cannot be built because of one of its settings, which only the part or what it is
// connected to can tell. Who read the settings finds the place by the parameter's name and value.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace nicsim::sim {

class SettingError : public std::invalid_argument {
public:
    SettingError(std::string parameter, std::uint64_t value, const std::string& message)
        : std::invalid_argument(message), parameter_(std::move(parameter)), value_(value) {}

    [[nodiscard]] const std::string& parameter() const { return parameter_; }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::string parameter_;
    std::uint64_t value_;
};

}  // namespace nicsim::sim
