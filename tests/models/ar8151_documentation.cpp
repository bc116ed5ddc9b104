// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/models/ar8151_bench.h"

namespace nicsim::models::ar8151 {
namespace {

TEST(Ar8151Documentation, NamesEveryRegisterOfTheModel) {
    std::ifstream file(NICSIM_SOURCE_DIR "/docs/devices/ar8151.md");
    ASSERT_TRUE(file.good());
    std::set<std::string> words;
    for (std::string word; file >> word;) words.insert(word);
    Bench b{MikrotikConfig()};
    for (const Register& r : b.nic.register_file().registers())
        EXPECT_TRUE(words.contains(r.spec().name)) << r.spec().name;
}

}  // namespace
}  // namespace nicsim::models::ar8151
