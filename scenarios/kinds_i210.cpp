// SPDX-License-Identifier: Apache-2.0
// The Intel I210 and its driver igb as entries of the registry.
#include "host_driver/drivers/igb.h"
#include "host_driver/drivers/igb_config.h"
#include "models/i210/i210.h"
#include "models/rtl/blocks.h"
#include "scenarios/kinds_device.h"
#include "scenarios/rtl_config.h"

namespace nicsim::scenarios {
namespace {

struct I210Setup {
    models::i210::I210Config device;
    std::vector<std::string> rtl;
    static const sim::ParamTable& params() {
        static const sim::ParamTable table = with_rtl<I210Setup>(models::i210::I210Config::params(),
                                                                 models::rtl::i210_block_names());
        return table;
    }
};

class I210 : public models::i210::I210 {
public:
    I210(const sc_core::sc_module_name& name, const I210Setup& setup)
        : models::i210::I210(name, setup.device, models::rtl::i210_blocks(setup.rtl)) {}
};

}  // namespace

NicKind i210_nic() {
    return {"i210",
            "Intel I210: 1 Gbit/s, four queues, Qav, launch time.",
            Block{{&I210Setup::params()},
                  {},
                  [](const BoundBlock& b) { return rtl_faults(b.as<I210Setup>().rtl); }},
            make_nic<I210, I210Setup>,
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
