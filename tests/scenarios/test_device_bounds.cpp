// SPDX-License-Identifier: Apache-2.0
// Settings of a driver or the host that its device does not bear are refused before the run, at the
// place of the setting and with what is allowed; the largest allowed value is not refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "scenarios/data_folder.h"
#include "scenarios/kinds.h"
#include "scenarios/language.h"

using namespace nicsim::scenarios;
using testing::HasSubstr;

namespace {

using Sets = std::vector<std::string>;

/// What is said about a shipped scenario with these settings; empty if nothing.
std::string errors(const std::string& scenario, const Sets& sets) {
    try {
        load_scenario(find_scenario(scenario), sets);
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

struct Case {
    const char* driver;
    const char* bound;  ///< the first setting of the bound, and the ability
    const char* scenario;
    Sets allowed, refused;
    const char* message;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"ixgbe",
         "driver.queue_pairs <= queues",
         "i82599/ring",
         {"nic.queues=4", "driver.queue_pairs=4"},
         {"nic.queues=4", "driver.queue_pairs=5"},
         "--set driver.queue_pairs=5: driver.queue_pairs: 5 is more than 'i82599' takes: at most "
         "4; "
         "it has 4 queues that carry traffic (nic.queues)"},
        {"ixgbe",
         "driver.tx_pthresh <= tx_descriptor_cache",
         "i82599/ring",
         {"driver.tx_wthresh=8"},
         {"driver.tx_wthresh=9"},
         "--set driver.tx_wthresh=9: driver.tx_wthresh: 9 is more than 'i82599' takes with "
         "driver.tx_pthresh 32: at most 8; it has 40 descriptors of a queue on its die "
         "(nic.tx_descriptor_cache)"},
        {"ixgbe",
         "driver.tx_pthresh <= tx_descriptor_cache",
         "i82599/ring",
         {"nic.tx_descriptor_cache=64", "driver.tx_pthresh=56"},
         {"nic.tx_descriptor_cache=64", "driver.tx_pthresh=57"},
         "--set driver.tx_pthresh=57: driver.tx_pthresh: 57 is more than 'i82599' takes with "
         "driver.tx_wthresh 8: at most 56"},
        {"ixgbe",
         "driver.tx_pthresh <= tx_descriptor_cache",
         "i82599/ring",
         {"nic.tx_descriptor_cache=40"},
         {"nic.tx_descriptor_cache=39"},
         "--set nic.tx_descriptor_cache=39: nic.tx_descriptor_cache: 39 is too little for "
         "driver.tx_pthresh 32 and driver.tx_wthresh 8: at least 40"},
        {"atl1c",
         "driver.queues <= queues",
         "ar8151/tcp",
         {"driver.queues=1"},
         {"driver.queues=4"},
         "--set driver.queues=4: driver.queues: 4 is more than 'ar8151' takes: at most 1"},
        {"atl1c",
         "driver.queues <= queues",
         "ar8151/mikrotik_queues",
         {"nic.queues=4"},
         {"nic.queues=1"},
         "--set nic.queues=1: driver.queues: 4 is more than 'mikrotik_10_25g' takes: at "
         "most 1; it has 1 of each kind (nic.queues)"},
        {"atl1c",
         "driver.rfd_burst <= rfd_cache",
         "ar8151/tcp",
         {"driver.rfd_burst=32"},
         {"driver.rfd_burst=33"},
         "--set driver.rfd_burst=33: driver.rfd_burst: 33 is more than 'ar8151' takes: at most 32"},
        {"atl1c",
         "host.ip.mtu <= tx_fifo",
         "ar8151/tcp",
         {"host.ip.mtu=2026B", "nic.tx_fifo=2KiB"},
         {"host.ip.mtu=2027B", "nic.tx_fifo=2KiB"},
         "--set host.ip.mtu=2027B: host.ip.mtu: 2027B is more than 'ar8151' takes: at most 2026B; "
         "its transmit FIFO holds 2048 bytes (nic.tx_fifo)"},
        {"atl1c",
         "host.ip.mtu <= rx_fifo",
         "ar8151/mikrotik_tx",
         {"host.ip.mtu=2026B", "nic.rx_fifo=2KiB"},
         {"host.ip.mtu=2027B", "nic.rx_fifo=2KiB"},
         "its receive FIFO holds 2048 bytes (nic.rx_fifo)"},
        {"atl1c",
         "host.ip.mtu",
         "ar8151/tcp",
         {"host.ip.mtu=6122B"},
         {"host.ip.mtu=6123B"},
         "--set host.ip.mtu=6123B: host.ip.mtu: 6123B is more than 'ar8151' takes: at most 6122B"},
        {"igb",
         "driver.instance",
         "forward/i210",
         {"driver.instance=0"},
         {"driver.instance=1"},
         "--set driver.instance=1: driver.instance: 1 is more than there are: at most 0; the "
         "machine "
         "has 2 devices"},
    };
    return all;
}

TEST(DeviceBounds, WhatTheDeviceDoesNotBearIsRefusedAtItsPlaceAndTheLargestValueIsNot) {
    for (const Case& c : cases()) {
        EXPECT_EQ(errors(c.scenario, c.allowed), "") << c.bound;
        EXPECT_THAT(errors(c.scenario, c.refused), HasSubstr(c.message)) << c.bound;
    }
}

TEST(DeviceBounds, EveryDeclaredOneIsTried) {
    std::set<std::string> tried;
    for (const Case& c : cases()) tried.insert(std::string(c.driver) + ": " + c.bound);
    for (const DriverKind& driver : driver_kinds())
        for (const DeviceBound& bound : driver.bounds)
            EXPECT_EQ(
                tried.count(driver.name + ": " + bound.settings.front() + " <= " + bound.ability),
                1U)
                << driver.name << ' ' << bound.settings.front() << ' ' << bound.ability;
}

// Every item of a list is to blame at its own place, also where it leaves the key out.
TEST(Places, ItemsOfAListThatDisagreeAreEachShownWhereTheyStand) {
    const std::string file = testing::TempDir() + "multi-" + std::to_string(getpid()) + ".yaml";
    std::ofstream(file) << "base: i210/legacy.yaml\n"
                           "workloads:\n"
                           "  - {name: g0, type: pktgen}\n"
                           "  - {name: g1, type: pktgen}\n"
                           "  - name: g2\n"
                           "    type: pktgen\n"
                           "  - {name: g3, type: pktgen, port: 9}\n";
    std::string text;
    try {
        load_scenario(file, {});
    } catch (const InputError& e) {
        text = e.what();
    }
    std::remove(file.c_str());
    EXPECT_THAT(text, HasSubstr(".yaml:4:5: workloads.g1.port: uses the port of another one (9)"));
    EXPECT_THAT(text, HasSubstr(".yaml:5:5: workloads.g2.port: uses the port of another one (9)"));
    EXPECT_THAT(text, HasSubstr(".yaml:7:36: workloads.g3.port: uses the port of another one (9)"));
}

}  // namespace
