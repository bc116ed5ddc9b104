// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace nicsim::host {

/// A driver found its device other than expected.
class DriverError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace nicsim::host
