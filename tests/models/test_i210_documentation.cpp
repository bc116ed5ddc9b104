// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "i210_bench.h"

namespace nicsim::models::i210 {
namespace {

TEST(I210Documentation, NamesEveryRegisterOfTheModel) {
    std::ifstream file(NICSIM_SOURCE_DIR "/docs/devices/i210.md");
    ASSERT_TRUE(file.good());
    std::set<std::string> words;
    for (std::string word; file >> word;) words.insert(word);
    Bench b;
    for (const Register& r : b.nic.register_file().registers())
        EXPECT_TRUE(words.contains(r.spec().name)) << r.spec().name;
}

}  // namespace
}  // namespace nicsim::models::i210
