// SPDX-License-Identifier: Apache-2.0
// The Intel I210 and its driver igb as entries of the registry.
#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_config.h"
#include "models/i210/i210.h"
#include "scenarios/kinds_device.h"

namespace nicsim::scenarios {

NicKind i210_nic() {
    using models::i210::I210;
    using models::i210::I210Config;
    return {"i210",
            "Intel I210: 1 Gbit/s, four queues, Qav, launch time.",
            Block{{&I210Config::params()}, {}, {}},
            make_nic<I210, I210Config>,
            models::i210::queues,
            transmit_chain()};
}

DriverKind igb_driver() {
    return {"igb",
            "Linux' driver for the I210 family, with Qav and ETF set-up.",
            Block{{&host::IgbConfig::params()}, {}, faults_of<host::IgbConfig>},
            {"i210"},
            make_driver<host::IgbDriver, host::IgbConfig>};
}

}  // namespace nicsim::scenarios
