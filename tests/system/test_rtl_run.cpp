// SPDX-License-Identifier: Apache-2.0
// RTL blocks in whole runs: asking for them, comparing with them, and what users can get wrong.
#include "models/rtl/blocks.h"
#include "scenarios/against.h"
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
    for (const auto& [scenario, device] : {std::pair{"i82599/ring", "i82599"},
                                           {"ar8151/forward", "ar8151"},
                                           {"ar8151/mikrotik_tx", "mikrotik_10_25g"}}) {
        const auto r = nicsim({"run", scenario, "--set", "nic.rtl=[tx_packet_buffer]"});
        EXPECT_EQ(r.code, 2);
        EXPECT_THAT(r.errors, HasSubstr(std::string("nic.rtl: '") + device +
                                        "' has no 'rtl'; 'i210' has it (tx_packet_buffer, "
                                        "interrupt_throttle, descriptor_prefetcher)"));
    }
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
    EXPECT_EQ(j["waves"]["tolerance_cycles"], 0);
    EXPECT_EQ(j["waves"]["signals_that_agree"], j["waves"]["signals"]) << j["waves"];
    EXPECT_GT(j["waves"]["signals"], 50);
    EXPECT_GT(j["waves"]["changes_that_agree"], 10'000);
}

/// The talker's period, moderation and byte queue limits have nothing to do with one another, so a
/// decision that is a clock off anywhere soon makes another run of it.
TEST_F(Rtl, DecidesAsTheModelsBesideTimeTriggeredTraffic) {
    for (const char* split : {"i210/qav_8844", "i210/qav_6666"}) {
        const auto r = nicsim({"run", split, "--json", "--set", "warmup=200ms", "--set",
                               "duration=30ms", "--set", "workloads.tcp.write_bytes=192B", "--set",
                               "workloads.talker.enabled=true", "--set", "expect=[]", "--against",
                               "rtl:tx_packet_buffer,interrupt_throttle"});
        ASSERT_EQ(r.code, 0) << split << r.output << r.errors;
        const Json j = Json::parse(r.output);
        for (const Json& d : j["decisions"])
            EXPECT_TRUE(d["same"].get<bool>() && d["largest_cycles"] == 0) << split << d;
    }
}

TEST_F(Rtl, DecidesAsTheModelsWithEveryBlock) {
    const auto r = nicsim({"run", "i210/qav_8844", "--set", "warmup=200ms", "--set",
                           "duration=20ms", "--json", "--set", "expect=[]", "--against", "rtl"});
    ASSERT_EQ(r.code, 0) << r.output << r.errors;
    const Json j = Json::parse(r.output);
    EXPECT_EQ(j["rtl"].size(), 3U);
    unsigned rings = 0;
    for (const Json& d : j["decisions"]) {
        EXPECT_TRUE(d["of_rtl_block"].get<bool>() && d["same"].get<bool>()) << d;
        if (d["path"] != "nic.tx.queue3.ring.fetch") continue;
        ++rings;
        EXPECT_GT(d["rtl"].get<std::uint64_t>(), 100U);
        EXPECT_GT(d["about_the_same_descriptors"].get<std::uint64_t>(),
                  d["rtl"].get<std::uint64_t>() / 2);
    }
    EXPECT_EQ(rings, 1U);
}

/// A trace of three signals of one bit; `changes` are lines after the declarations.
std::string trace(const std::string& changes) {
    return "$timescale 1ns $end\n$scope module nic $end\n"
           "$var wire 1 a gate $end\n$var wire 1 b wire $end\n$var wire 8 c fill $end\n"
           "$upscope $end\n$enddefinitions $end\n#0\n0a\n0b\nb0 c\n" +
           changes + "#1000\n";
}

TEST(RtlWaves, AgreeWithinTheBoundOfTheBlocks) {
    EXPECT_EQ(scenarios::rtl_bound_cycles({"tx_packet_buffer", "interrupt_throttle"}), 0U);
    EXPECT_EQ(scenarios::rtl_bound_cycles({"tx_packet_buffer", "descriptor_prefetcher"}), 2U);
    const Folder folder;
    const std::string model = folder.write("m.vcd", trace("#100\n1a\n#200\n1b\n#300\n0a\n"));
    const std::string rtl = folder.write("r.vcd", trace("#108\n1a\n#192\n1b\n#300\n0a\n"));
    const auto waves = scenarios::compare_waves(model, rtl, 1);
    EXPECT_EQ(waves.signals, 3U);
    EXPECT_EQ(waves.agreeing, 3U);
    EXPECT_EQ(waves.changes, 3U);
    EXPECT_EQ(scenarios::waves_text(waves, {}, {"interrupt_throttle"}),
              "waves: of 3 of 3 signals every change agrees within 1 cycle, the bound of these "
              "blocks; 3 changes agree\n");
}

TEST(RtlWaves, ThatLeaveTheBoundAreNamedInOrderOfTimeWithTheirCycles) {
    const Folder folder;
    const std::string model =
        folder.write("m.vcd", trace("#100\n1b\n#200\n1a\n#300\n0b\n#400\nb11 c\n"));
    const std::string rtl =
        folder.write("r.vcd", trace("#100\n1b\n#209\n1a\n#284\n0b\n#402\nb10 c\n"));
    const auto waves = scenarios::compare_waves(model, rtl, 1);
    EXPECT_EQ(waves.agreeing, 0U);
    ASSERT_EQ(waves.leaving.size(), 3U);
    EXPECT_EQ(waves.leaving[0].signal, "nic.gate");
    EXPECT_EQ(waves.leaving[0].at_ps, 200'000U);
    EXPECT_EQ(waves.leaving[0].what, "the model goes to 1, RTL 1.12 cycles later");
    EXPECT_DOUBLE_EQ(*waves.leaving[0].cycles, 1.125);
    EXPECT_EQ(waves.leaving[1].signal, "nic.wire");
    EXPECT_EQ(waves.leaving[1].at_ps, 284'000U);
    EXPECT_EQ(waves.leaving[1].what, "RTL goes to 0, the model 2.00 cycles later");
    EXPECT_DOUBLE_EQ(*waves.leaving[1].cycles, -2.0);
    EXPECT_EQ(waves.leaving[1].changes_before, 1U);
    EXPECT_EQ(waves.leaving[2].what, "the model goes to 0x3, RTL to 0x2");
    EXPECT_FALSE(waves.leaving[2].cycles);
    scenarios::RunOptions options;
    options.scenario = "my run's.yaml";
    options.traces.wave_scope = "nic.**";
    const std::string text =
        scenarios::waves_text(waves, options, {"tx_packet_buffer", "interrupt_throttle"});
    EXPECT_THAT(text, HasSubstr("of 0 of 3 signals every change agrees within 1 cycle"));
    EXPECT_THAT(text, HasSubstr("  0.200000 us  nic.gate: the model goes to 1, RTL 1.12 cycles "
                                "later; 0 changes agreed before\n  0.284000 us  nic.wire: "));
    EXPECT_THAT(text, HasSubstr("nicsim run 'my run'\\''s.yaml' --quiet --wave-from 0 --wave-scope "
                                "'nic.**' --set 'nic.rtl=[tx_packet_buffer,interrupt_throttle]' "
                                "--wave rtl.fst\n"));
}

TEST_F(Rtl, TheCommandsThatShowMoreOfTheWavesWork) {
    scenarios::ComparedWaves waves;
    waves.bound_cycles = 1;
    waves.leaving.resize(1);
    scenarios::RunOptions options;
    options.scenario = "i210/qav_6666";
    options.sets = {"warmup=200ms", "duration=1ms", "expect=[]"};
    const std::string text = scenarios::waves_text(waves, options, {"interrupt_throttle"});
    const Folder folder;
    const auto r = shell("cd " + folder / "" + " && nicsim() { \"$NICSIM\" \"$@\"; } && set -e\n" +
                         text.substr(text.find("to see more:\n") + 13));
    EXPECT_EQ(r.code, 0) << text << r.errors;
    EXPECT_THAT(r.output, HasSubstr("same"));
}

/// Decisions of one ring as a log has them: a microsecond each, from 1 us on.
std::string reads(const std::vector<unsigned>& sizes) {
    std::string text;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        text += std::to_string((i + 1) * 1'000'000) + " nic.tx.queue0.ring.fetch " +
                std::to_string(sizes[i]) + "\n";
    return text;
}

TEST(Against, ReadsOfARingAreComparedDescriptorByDescriptor) {
    const Folder folder;
    const auto compared = [&](const std::vector<unsigned>& model,
                              const std::vector<unsigned>& rtl) {
        const auto list =
            scenarios::compare_decisions(folder.write("model.log", reads(model)),
                                         folder.write("rtl.log", reads(rtl)), sim::ps_per_ms);
        return list.at(0);
    };
    const auto equal = compared({4, 8, 16}, {4, 8, 16});
    EXPECT_TRUE(equal.same);
    EXPECT_EQ(equal.of_one_size, 3U);
    EXPECT_EQ(equal.largest_cycles, 0.0);
    // The doorbell came between: four descriptors of the second read are a read later.
    const auto other = compared({4, 8, 16}, {4, 4, 20});
    EXPECT_TRUE(other.same);
    EXPECT_EQ(other.of_one_size, 1U);
    EXPECT_EQ(other.largest_cycles, 125.0);
    EXPECT_NEAR(other.mean_cycles, 125.0 * 4 / 28, 1e-9);
    EXPECT_FALSE(compared({4, 8, 16}, {4, 8, 15}).same) << "a descriptor is never read";
    EXPECT_FALSE(compared({4, 8, 16}, {4, 8, 16, 1}).same) << "one is read that is not there";
    const auto single = compared({4, 8, 16}, std::vector<unsigned>(28, 1));
    EXPECT_FALSE(single.same) << "one at a time";
    EXPECT_EQ(single.rtl_text, "28 descriptors in 28");
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

TEST(Waves, EveryDeviceShowsTheStateOfItsBlocks) {
    const std::vector<std::string> common = {"host.core0.context",
                                             "root_complex.reads_in_flight",
                                             "link.up.posted_header_credits",
                                             "link.up.posted_data_credits",
                                             "nic.tx.fetch.queue0.state",
                                             "nic.tx.mac.wire_busy",
                                             "nic.tx.queue0.ring.head",
                                             "nic.tx.queue0.ring.tail",
                                             "nic.tx.queue0.ring.fill",
                                             "nic.tx.queue0.ring.cached"};
    const std::map<std::string, std::vector<std::string>> own = {
        {"i210/qav_6666",
         {"nic.tx.arbiter.state", "nic.tx.arbiter.winner", "nic.interrupt_unit.vector1.counter",
          "nic.interrupt_unit.vector1.cause", "nic.tx.queue0.packet_buffer_bytes"}},
        {"i82599/ring",
         {"nic.tx.wire.state", "nic.tx.wire.winner", "nic.interrupt_unit.vector0.counter",
          "nic.interrupt_unit.vector0.cause"}},
        {"ar8151/tcp",
         {"nic.tx.wire.state", "nic.tx.wire.winner", "nic.interrupt_unit.tx0.counter",
          "nic.interrupt_unit.tx0.cause"}}};
    for (const auto& [scenario, names] : own) {
        const Folder folder;
        const std::string wave = folder / "run.fst";
        const auto r = nicsim({"run", scenario, "--quiet", "--set", "duration=1ms", "--wave", wave,
                               "--set", "expect=[]"});
        ASSERT_EQ(r.code, 0) << r.errors;
        const std::string listed = nicsim({"waves", "ls", wave, "--json"}).output;
        for (const auto& list : {common, names})
            for (const std::string& name : list)
                EXPECT_THAT(listed, ::testing::HasSubstr("\"" + name)) << scenario;
    }
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
