// SPDX-License-Identifier: Apache-2.0
// The Intel 82599 and its driver ixgbe as entries of the registry.
#include "host_driver/drivers/ixgbe.h"
#include "host_driver/drivers/ixgbe_config.h"
#include "models/i82599/i82599.h"
#include "scenarios/kinds_device.h"

namespace nicsim::scenarios {
namespace {

constexpr unsigned driven_queues = 16;  ///< that ixgbe uses at most

}  // namespace

NicKind i82599_nic() {
    using models::i82599::I82599;
    using models::i82599::I82599Config;
    NicKind kind{"i82599",
                 "Intel 82599 (X520): 10 Gbit/s, one port.",
                 Block{{&I82599Config::params()}, {}, {}},
                 make_nic<I82599, I82599Config>,
                 driven_queues,
                 transmit_chain()};
    kind.pause = true;
    return kind;
}

DriverKind ixgbe_driver() {
    return {"ixgbe",
            "Linux' driver for the 82599 as of spring 2014, with its adaptive moderation.",
            Block{{&host::IxgbeConfig::params()}, {}, faults_of<host::IxgbeConfig>},
            {"i82599"},
            make_driver<host::IxgbeDriver, host::IxgbeConfig>,
            {{{"driver.queue_pairs"}, "queues", "it has {} queues that carry traffic"},
             {{"driver.tx_pthresh", "driver.tx_wthresh"},
              "tx_descriptor_cache",
              "it has {} descriptors of a queue on its die"}}};
}

}  // namespace nicsim::scenarios
