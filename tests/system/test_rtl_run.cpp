// SPDX-License-Identifier: Apache-2.0
// RTL blocks in whole runs: asking for them, comparing with them, and what users can get wrong.
#include "models/rtl/blocks.h"
#include "tests/system/program.h"

namespace nicsim::test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class Rtl : public ::testing::Test {
protected:
    void SetUp() override {
        if (!models::rtl::available()) GTEST_SKIP() << "built without RTL blocks";
    }
};

TEST_F(Rtl, OfAnUnknownBlockIsRefusedWithTheNearestName) {
    const auto r = nicsim({"run", "i210/qav_6666", "--set", "nic.rtl=[tx_packet_bufer]"});
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.errors, HasSubstr("nic.rtl: 'tx_packet_bufer' is not one of tx_packet_buffer"));
    EXPECT_THAT(r.errors, HasSubstr("did you mean 'tx_packet_buffer'?"));
}

TEST_F(Rtl, BlocksAreNamedOnce) {
    const auto r = nicsim(
        {"run", "i210/qav_6666", "--set", "nic.rtl=[interrupt_throttle, interrupt_throttle]"});
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.errors, HasSubstr("is in the list twice"));
}

TEST_F(Rtl, OfADeviceThatHasNoneIsRefused) {
    const auto r = nicsim({"run", "i82599/ring", "--set", "nic.rtl=[tx_packet_buffer]"});
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.errors, HasSubstr("nic.rtl"));
    const auto against = nicsim({"run", "i82599/ring", "--against", "rtl"});
    EXPECT_EQ(against.code, 2);
    EXPECT_THAT(against.errors, HasSubstr("'i82599' has no parts in RTL"));
}

TEST_F(Rtl, ComparisonWithSomethingElseIsRefused) {
    const auto r = nicsim({"run", "i210/qav_6666", "--against", "rtk"});
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.errors, HasSubstr("did you mean 'rtl'?"));
}

TEST_F(Rtl, DecidesAsTheModelsInAWholeRun) {
    const auto r =
        nicsim(with(short_run, {"--json", "--against", "rtl:tx_packet_buffer,interrupt_throttle"}));
    ASSERT_EQ(r.code, 0) << r.output << r.errors;
    const Json j = Json::parse(r.output);
    EXPECT_TRUE(j["same"].get<bool>());
    std::uint64_t sent = 0;
    for (const Json& d : j["decisions"]) {
        if (d["of_rtl_block"]) {
            EXPECT_TRUE(d["same"].get<bool>()) << d;
        }
        if (d["path"] == "nic.tx.arbiter.send") sent = d["rtl"].get<std::uint64_t>();
    }
    EXPECT_GT(sent, 300U) << "a run that decides nothing proves nothing";
}

TEST_F(Rtl, RunsAreTheSameEveryTime) {
    const auto run = [] {
        return nicsim({"run", "i210/qav_8844", "--set", "duration=2ms", "--set", "warmup=200ms",
                       "--set",
                       "nic.rtl=[tx_packet_buffer, interrupt_throttle, descriptor_prefetcher]",
                       "--json", "--set", "expect=[]"});
    };
    const auto a = run();
    ASSERT_EQ(a.code, 0) << a.errors;
    EXPECT_EQ(a.output, run().output);
}

TEST(Decisions, AreWrittenALineEach) {
    const Folder folder;
    const std::string log = folder / "d.log";
    ASSERT_EQ(nicsim(with(short_run, {"--decisions", log})).code, 0);
    EXPECT_THAT(contents(log), HasSubstr(" nic.tx.arbiter.send 3\n"));
}

/// Lines of a GTKWave save file that name signals.
std::vector<std::string> saved_signals(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && std::string("[@-*").find(line[0]) == std::string::npos)
            out.push_back(line.substr(0, line.rfind('[')));
    return out;
}

TEST(GtkWave, SaveFileNamesEverySignalOfTheWaves) {
    for (const std::string scenario : {"i210/qav_6666", "i82599/ring"}) {
        const Folder folder;
        const std::string wave = folder / "run.fst";
        const auto r = nicsim({"run", scenario, "--quiet", "--set", "duration=200us", "--wave",
                               wave, "--set", "expect=[]"});
        ASSERT_EQ(r.code, 0) << r.errors;
        const auto ls = nicsim({"waves", "ls", wave, "--json"});
        ASSERT_EQ(ls.code, 0);
        std::vector<std::string> listed;
        const Json list = Json::parse(ls.output);
        for (const Json& s : list["signals"]) {
            std::string name = s["name"].get<std::string>();
            listed.push_back(name.substr(0, name.rfind('[')));
        }
        EXPECT_THAT(saved_signals(contents(folder / "run.gtkw")),
                    ::testing::UnorderedElementsAreArray(listed))
            << scenario;
    }
}

}  // namespace
}  // namespace nicsim::test
