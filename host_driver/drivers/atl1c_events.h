// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_driver/drivers/atl1c.h"

namespace nicsim::host {

/// What interrupts leave to code that may sleep (the common task): link changes and resets.
class Atl1cDriver::EventTask final : public Task {
public:
    explicit EventTask(Atl1cDriver& driver) : driver_(driver) {}
    bool step(Core& core) override {
        driver_.handle_events(core);
        return false;
    }

private:
    Atl1cDriver& driver_;
};

}  // namespace nicsim::host
