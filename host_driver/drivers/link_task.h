// SPDX-License-Identifier: Apache-2.0
// Follows the link where a driver may sleep: the interrupt only says that something changed.
#pragma once

#include "host_driver/core.h"

namespace nicsim::host {

class LinkTask final : public Task {
public:
    using Check = sim::Callback<Core&>;
    explicit LinkTask(Check check) : check_(check) {}
    bool step(Core& core) override {
        check_(core);
        return false;
    }

private:
    Check check_;
};

}  // namespace nicsim::host
