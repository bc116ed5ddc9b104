// SPDX-License-Identifier: Apache-2.0
// What is generated from the declarations and kept in the repository is up to date, and the shipped
// scenarios are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "scenarios/data_folder.h"
#include "scenarios/fidelity.h"
#include "scenarios/kinds.h"
#include "scenarios/language.h"
#include "scenarios/schema.h"

using namespace nicsim;
using namespace nicsim::scenarios;

namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

TEST(Generated, the_schema_file_equals_what_nicsim_schema_prints) {
    EXPECT_TRUE(contents(NICSIM_SOURCE_DIR "/schema/nicsim-scenario.schema.json") ==
                json_schema(scenario_grammar()))
        << "run: nicsim schema > schema/nicsim-scenario.schema.json";
}

TEST(Generated, the_reference_page_equals_what_nicsim_params_prints) {
    EXPECT_TRUE(contents(NICSIM_SOURCE_DIR "/docs/scenario-reference.md") ==
                markdown_reference(scenario_grammar()))
        << "run: nicsim params --markdown > docs/scenario-reference.md";
}

/// Every block of the language with its path.
void visit(const Block& block, const std::string& path, std::set<const Block*>& seen,
           const std::function<void(const Block&, const std::string&)>& look) {
    if (!seen.insert(&block).second) return;
    look(block, path);
    for (const Field& f : block.fields) {
        if (f.block != nullptr) visit(*f.block, path + "." + f.name, seen, look);
        for (const Alternative& a : f.alternatives)
            visit(*a.block, path + "." + f.name + ":" + a.name, seen, look);
    }
}

TEST(Declarations, every_device_with_a_cable_says_its_rate) {
    for (const NicKind& kind : nic_kinds()) {
        bool says = false;
        for (const sim::ParamTable* table : kind.block.params)
            for (const sim::ParamDecl& d : *table)
                says |= d.name == "link_speed" && d.unit == sim::Unit::bit_rate;
        EXPECT_EQ(says, !kind.machine) << kind.name;
    }
}

TEST(Declarations, every_parameter_has_a_sentence_a_source_and_a_legal_default) {
    std::set<const Block*> seen;
    visit(scenario_grammar(), "", seen, [](const Block& block, const std::string& path) {
        std::set<std::string> keys{"type", "base", "profile"};
        for (const std::string& key : block.keys())
            EXPECT_TRUE(keys.insert(key).second) << path << "." << key << " is declared twice";
        for (const sim::ParamTable* table : block.params)
            for (const sim::ParamDecl& d : *table) {
                const std::string where = path + "." + d.name;
                EXPECT_FALSE(d.sentence.empty()) << where;
                EXPECT_FALSE(d.source.text.empty()) << where;
                EXPECT_EQ(sim::check_value(d, d.default_value), "") << where;
            }
    });
    EXPECT_GT(seen.size(), 15U);
}

TEST(Declarations, only_the_root_complex_latency_is_calibrated) {
    std::set<const Block*> seen;
    std::vector<std::string> calibrated;
    visit(scenario_grammar(), "", seen, [&](const Block& block, const std::string& path) {
        for (const sim::ParamTable* table : block.params)
            for (const sim::ParamDecl& d : *table)
                if (d.source.kind == sim::SourceKind::calibrated)
                    calibrated.push_back(path + "." + d.name);
    });
    EXPECT_THAT(calibrated, testing::ElementsAre(".pcie.root_complex.read_latency"));
}

TEST(Shipped, every_scenario_and_every_record_binds) {
    EXPECT_GE(shipped_scenarios().size(), 5U);
    for (const ShippedScenario& s : shipped_scenarios()) {
        EXPECT_NO_THROW(load_scenario(s.path, {})) << s.name;
        EXPECT_FALSE(s.description.empty()) << s.name;
    }
    for (const Measurement& m : load_measurements(data_folder() + "/reference/measurements.yaml")) {
        if (m.scenario.empty()) continue;
        EXPECT_NO_THROW(load_scenario(find_scenario(m.scenario), m.sets)) << m.id;
    }
}

}  // namespace
