// SPDX-License-Identifier: Apache-2.0
// The Atheros AR8151 and MikroTik's 10/25G card, one model in two forms, as entries of the
// registry.
#include "host_driver/drivers/atl1c.h"
#include "host_driver/drivers/atl1c_config.h"
#include "models/ar8151/ar8151.h"
#include "scenarios/kinds_device.h"

namespace nicsim::scenarios {

using models::ar8151::Ar8151;
using models::ar8151::Ar8151Config;
using models::ar8151::MikrotikConfig;

namespace {

constexpr unsigned ar8151_tx_queues = 2;        ///< of normal and of high priority
constexpr std::uint64_t ar8151_max_mtu = 6122;  ///< atl1c_set_max_mtu
constexpr std::uint64_t frame_overhead = 22;    ///< header, tag and FCS

}  // namespace

NicKind ar8151_nic() {
    return {"ar8151",
            "Atheros AR8151 v2.0: 1 Gbit/s, one port.",
            Block{{&Ar8151Config::params()}, {}, {}},
            make_nic<Ar8151, Ar8151Config>,
            ar8151_tx_queues,
            transmit_chain(),
            ar8151_max_mtu};
}

NicKind mikrotik_nic() {
    return {"mikrotik_10_25g",
            "MikroTik's 10/25 Gbit/s card, which presents itself as an AR8151: one port.",
            Block{{&MikrotikConfig::params()}, {}, {}},
            make_nic<Ar8151, MikrotikConfig>,
            models::ar8151::max_queues,
            transmit_chain()};
}

DriverKind atl1c_driver() {
    return {"atl1c",
            "Linux' driver for the AR8151 and MikroTik's 10/25G card as of April to June 2021.",
            Block{{&host::Atl1cConfig::params()}, {}, faults_of<host::Atl1cConfig>},
            {"ar8151", "mikrotik_10_25g"},
            make_driver<host::Atl1cDriver, host::Atl1cConfig>,
            {{{"driver.queues"}, "queues", "it has {} of each kind", 1},
             {{"driver.rfd_burst"}, "rfd_cache", "it has {} of a queue on its die"},
             {{"host.ip.mtu"}, "tx_fifo", "its transmit FIFO holds {} bytes", 0, frame_overhead},
             {{"host.ip.mtu"}, "rx_fifo", "its receive FIFO holds {} bytes", 0, frame_overhead}},
            true};
}

}  // namespace nicsim::scenarios
