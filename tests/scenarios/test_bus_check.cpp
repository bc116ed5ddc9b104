// SPDX-License-Identifier: Apache-2.0
// The checkers beside the links of a run: an illegal TLP is found and named, a legal one is not,
// and machines hand out every link that they have.
#include "scenarios/bus_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "pcie/splitting.h"
#include "scenarios/data_folder.h"
#include "scenarios/diagnostics.h"
#include "scenarios/language.h"
#include "scenarios/machine.h"
#include "tests/pcie/ends.h"

using namespace nicsim;
using namespace nicsim::scenarios;
using namespace nicsim::sim::literals;
using pcie::test::Pair;
using testing::HasSubstr;

namespace {

std::string found(const BusCheck& check) {
    try {
        check.verify();
    } catch (const pcie::ProtocolError& e) {
        return e.what();
    }
    return {};
}

/// A write that goes over the next 4 KiB boundary.
pcie::TlpPtr illegal() {
    return pcie::test::write(128, 0, pcie::request_boundary - 64);
}

TEST(BusCheck, an_illegal_tlp_is_named_with_its_link_and_a_legal_one_is_not) {
    BusCheck check(true);
    Pair pair;
    pair.beside.excuse(pcie::test::anything);  // it is the other checker that is looked at
    check.attach({&*pair.link});
    pair.device_sends->send(pcie::test::write(128));
    Pair::run(1_us);
    EXPECT_EQ(pair.top.arrivals.size(), 1U);
    EXPECT_EQ(found(check), "");
    pair.device_sends->send(illegal());
    Pair::run(1_us);
    EXPECT_THAT(found(check), HasSubstr("link: MWr at 1000000 ps"));
    EXPECT_THAT(found(check), HasSubstr("it crosses a 4 KiB boundary"));
}

TEST(BusCheck, what_recurs_is_counted_and_not_repeated_without_end) {
    BusCheck check(true);
    Pair pair;
    pair.beside.excuse(pcie::test::anything);  // it is the other checker that is looked at
    check.attach({&*pair.link});
    for (unsigned i = 0; i < 25; ++i) pair.device_sends->send(illegal());
    Pair::run(10_us);
    EXPECT_THAT(found(check), HasSubstr("and 15 more"));
}

TEST(BusCheck, nothing_is_checked_unless_it_is_asked_for) {
    BusCheck check(false);
    Pair pair;
    pair.beside.excuse(pcie::test::anything);  // it is the other checker that is looked at
    check.attach({&*pair.link});
    pair.device_sends->send(illegal());
    Pair::run(1_us);
    EXPECT_EQ(found(check), "");
}

TEST(BusCheck, the_environment_says_0_or_1) {
    for (const char* value : {"0", "1", ""}) {
        setenv("NICSIM_CHECK", value, 1);
        EXPECT_NO_THROW(BusCheck{}) << value;
    }
    setenv("NICSIM_CHECK", "yes", 1);
    EXPECT_THROW(BusCheck{}, InputError);
}

std::set<std::string> links_of(const std::string& scenario) {
    // Neither is ever taken apart, as in the program.
    static const BoundBlock* block = new BoundBlock(load_scenario(find_scenario(scenario), {}));
    static Machine* machine = assemble(*block).release();
    std::set<std::string> names;
    for (const pcie::Link* link : machine->links()) names.insert(link->basename());
    return names;
}
using Names = std::set<std::string>;

TEST(BusCheck, the_link_of_a_single_port_is_there) {
    EXPECT_EQ(links_of("i210/qav_8844"), (Names{"link"}));
}
TEST(BusCheck, the_links_of_all_ports_and_of_their_switch_are_there) {
    EXPECT_EQ(links_of("forward/i82599"), (Names{"link_a", "link_b", "link_to_switch"}));
}
TEST(BusCheck, the_links_of_exercisers_and_of_their_switch_are_there) {
    EXPECT_EQ(links_of("pcie/two_cards_behind_a_switch"),
              (Names{"link_to_switch", "link0", "link1"}));
}

}  // namespace
