// SPDX-License-Identifier: Apache-2.0
// Whole runs of a few simulated milliseconds: results, their files, interruption, determinism.
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "tests/system/program.h"

using namespace nicsim::test;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

namespace {

TEST(Run, result_json_says_everything_about_the_run) {
    const Folder folder;
    const auto run =
        nicsim::test::nicsim(with(short_run, {"--out", folder / "new/sub", "--set", "seed=7",
                                              "--set", "workloads.tcp.write_bytes=4KiB"}));
    ASSERT_EQ(run.code, 0) << run.errors;
    EXPECT_EQ(run.output, "");
    const Json r = Json::parse(contents(folder / "new/sub/result.json"));
    EXPECT_EQ(r["schema"], "nicsim-result/1");
    EXPECT_EQ(r["seed"], 7);
    EXPECT_EQ(r["measured_ps"], 5'000'000'000);
    const Json& c = r["configuration"];
    EXPECT_EQ(c["workloads.tcp.write_bytes"]["value"], "4KiB");
    EXPECT_EQ(c["workloads.tcp.write_bytes"]["base"], 4096);
    EXPECT_EQ(c["workloads.tcp.write_bytes"]["given_by"], "set");
    EXPECT_EQ(c["driver.tx_packet_buffer"]["given_by"], "file");
    EXPECT_EQ(c["driver.tx_packet_buffer"]["base"], Json({6144, 6144, 6144, 6144}));
    EXPECT_EQ(c["host.cores"]["given_by"], "profile");
    EXPECT_EQ(c["driver.tx_ring"]["given_by"], "default");
    EXPECT_EQ(c["driver.tx_ring"]["source"]["kind"], "driver");
    EXPECT_EQ(c["pcie.root_complex.read_latency"]["source"]["kind"], "calibrated");
    EXPECT_GT(r["headline"]["workloads"][0]["goodput_bit_per_s"], 8e8);
    EXPECT_EQ(r["headline"]["workloads"][0]["wrong"], 0);
    EXPECT_GT(r["kernel"]["wakeups_per_packet"], 1.0);
    EXPECT_FALSE(r["why"]["sentence"].get<std::string>().empty());
    for (const auto& [path, stat] : r["statistics"].items()) {
        EXPECT_TRUE(stat.contains("unit")) << path;
        EXPECT_FALSE(stat["sentence"].get<std::string>().empty()) << path;
    }
    EXPECT_TRUE(r.contains("unmodelled_registers"));
}

TEST(Run, the_same_scenario_and_seed_give_the_same_bytes) {
    const auto first = nicsim::test::nicsim(with(short_run, {"--json"}));
    const auto second = nicsim::test::nicsim(with(short_run, {"--json"}));
    ASSERT_EQ(first.code, 0) << first.errors;
    EXPECT_GT(first.output.size(), 10'000U);
    EXPECT_EQ(first.output, second.output);
}

TEST(Run, a_table_is_printed_that_says_why) {
    auto arguments = short_run;
    arguments.pop_back();  // --quiet
    const auto run = nicsim::test::nicsim(arguments);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.errors, "") << "no progress bar without a terminal";
    for (const char* part : {"workload", "goodput", "why   ", "resource", "kernel wake-ups"})
        EXPECT_THAT(run.output, HasSubstr(part));
}

TEST(Run, expectations_decide_the_exit_code) {
    const std::string stat = "far_end.tcp.goodput";
    const auto met = nicsim::test::nicsim(with(
        short_run, {"--set", "expect=[{stat: " + stat + ", value: 900Mbit/s, tolerance: 20%}]"}));
    EXPECT_EQ(met.code, 0) << met.errors;
    const auto missed = nicsim::test::nicsim(
        with(short_run, {"--json", "--set", "expect=[{stat: " + stat + ", max: 1Mbit/s}]"}));
    EXPECT_EQ(missed.code, 1) << missed.errors;
    EXPECT_EQ(Json::parse(missed.output)["expectations"][0]["met"], false);
    const auto wrong =
        nicsim::test::nicsim(with(short_run, {"--set", "expect=[{stat: " + stat + ", max: 5us}]"}));
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("not one of bit/s"));
}

TEST(Run, results_that_cannot_be_written_leave_nothing_behind) {
    const Folder folder;
    std::string command = "ulimit -f 0; \"$NICSIM\"";
    for (const std::string& a : short_run) command += " '" + a + "'";
    const auto run = shell(command + " --out " + (folder / "new"));
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.errors, HasSubstr("result.json: cannot be written: File too large"));
    EXPECT_TRUE(folder.empty());
}

TEST(Run, bad_input_writes_nothing) {
    const Folder folder;
    const auto run = nicsim::test::nicsim(
        {"run", "i210/qav_8844", "--set", "driver.tx_ring=7", "--out", folder / "new"});
    EXPECT_EQ(run.code, 2);
    EXPECT_TRUE(folder.empty());
}

TEST(Run, checkers_beside_the_links_change_no_byte_of_the_result) {
    const std::vector<std::string> run = with(short_run, {"--json"});
    setenv("NICSIM_CHECK", "0", 1);
    const auto without = nicsim::test::nicsim(run);
    ASSERT_EQ(without.code, 0) << without.errors;
    setenv("NICSIM_CHECK", "1", 1);
    const auto checked = nicsim::test::nicsim(run);
    EXPECT_EQ(checked.code, 0) << checked.errors;
    EXPECT_TRUE(checked.output == without.output);
    setenv("NICSIM_CHECK", "on", 1);
    const auto wrong = nicsim::test::nicsim(run);
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("NICSIM_CHECK=on in the environment: allowed: 0, 1"));
}

/// Starts a long run that writes all it can, sends it a signal and says how it ended.
int code_of_interrupted(const Folder& folder, int signal) {
    check_the_bus();
    const pid_t pid = fork();
    if (pid == 0) {
        std::signal(SIGHUP, SIG_DFL);  // not as under nohup
        execl(NICSIM_PROGRAM, "nicsim", "run", "i210/qav_8844", "--quiet", "--set",
              "duration=1000s", "--out", (folder / "new").c_str(), "--wave",
              (folder / "w.fst").c_str(), "--wave-scope", "nic.tx.mac", "--pcapng",
              (folder / "p.pcapng").c_str(), "--tlp", (folder / "t.txt").c_str(), nullptr);
        _exit(99);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(pid, signal);
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Run, an_interrupt_ends_the_run_at_once_with_its_code_and_without_files) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const Folder folder;
        EXPECT_EQ(code_of_interrupted(folder, signal), 128 + signal);
        EXPECT_TRUE(folder.empty()) << signal;
    }
}

Json result_of(const std::string& scenario, const std::vector<std::string>& sets) {
    std::vector<std::string> arguments{"run", scenario, "--quiet", "--json"};
    for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
    const auto run = nicsim::test::nicsim(arguments);
    EXPECT_EQ(run.code, 0) << run.errors;
    return Json::parse(run.output);
}

TEST(Run, the_reason_is_the_one_that_helps_if_it_is_changed) {
    struct Case {
        std::string scenario;
        std::vector<std::string> sets;
        std::string limit;
        std::string state;
    };
    const std::vector<std::string> udp{"workloads.tcp.enabled=false", "workloads.udp.enabled=true",
                                       "workloads.udp.rate=500Mbit/s", "duration=20ms"};
    const std::vector<Case> cases{
        {"i82599/ring", {"duration=5ms"}, "workloads.generator.activity", "stopped"},
        {"i210/qav_8844", udp, "workloads.udp.sender", "rate"},
        {"i210/legacy",
         {"duration=5ms", "far_end.mac=02:00:00:00:00:09"},
         "workloads.tcp.sender",
         "connecting"},
        {"forward/i210",
         {"duration=5ms", "generators.tester.rate=1.48Mpps"},
         "host.core0.time",
         "busy"},
        {"i210/legacy",
         {"duration=50ms", "host.tcp.send_buffer_fixed=16KiB"},
         "workloads.tcp.sender",
         "send_buffer"},
        {"pcie/iommu_window", {"duration=200us"}, "pcie.root_complex.iommu.walkers", "all_walking"},
        {"pcie/read_bandwidth", {"duration=100us", "nic.tags=8"}, "pcie.endpoint.requests", "tags"},
        {"pcie/two_cards_behind_a_switch",
         {"duration=100us"},
         "pcie.link_to_switch.up.wire",
         "busy"},
    };
    for (const Case& c : cases) {
        const Json why = result_of(c.scenario, c.sets)["why"];
        EXPECT_EQ(why["limit"], c.limit) << c.scenario;
        EXPECT_EQ(why["state"], c.state) << c.scenario;
        EXPECT_THAT(why["sentence"].get<std::string>(), testing::Not(HasSubstr("  ")));
    }
}

TEST(Run, the_headline_gives_packets_per_second_of_the_packets_it_counts) {
    for (const char* scenario : {"i82599/ring", "forward/i210"}) {
        const Json r = result_of(scenario, {"duration=10ms"});
        for (const Json& w : r["headline"]["workloads"])
            EXPECT_NEAR(w["packets_per_s"].get<double>(), w["packets"].get<double>() / 0.01, 1.0);
    }
    const Json r = result_of("forward/i210", {"duration=10ms"});
    const Json& tester = r["headline"]["workloads"][1];
    EXPECT_EQ(tester["name"], "tester");
    EXPECT_NEAR(tester["goodput_bit_per_s"].get<double>(),
                tester["packets_per_s"].get<double>() * 64 * 8, 100.0)
        << "both columns are of the same frames";
    const auto table = nicsim::test::nicsim({"run", "i82599/ring", "--set", "duration=10ms"});
    EXPECT_THAT(table.output, HasSubstr("Mpps"));
}

TEST(Run, packets_that_the_device_cannot_send_are_losses) {
    const Json r = result_of("i210/qav_8844", {"duration=300ms", "driver.max_tx_packet=1472B"});
    std::uint64_t dropped = 0;
    for (const Json& loss : r["headline"]["loss_by_cause"])
        if (loss["stat"] == "nic.tx.queue3.bad_packets") dropped = loss["packets"];
    EXPECT_GT(dropped, 0U);
}

TEST(Run, a_packet_that_a_child_discipline_drops_is_one_loss) {
    const Json r = result_of("i210/qav_8844", {"duration=100ms", "qdisc.child_limit=10"});
    std::vector<std::string> paths;
    for (const Json& loss : r["headline"]["loss_by_cause"])
        if (loss["packets"] != 0) paths.push_back(loss["stat"]);
    EXPECT_THAT(paths, testing::ElementsAre("driver.qdisc.child3.drops"));
}

TEST(Run, a_workload_that_delivers_nothing_is_a_warning) {
    const Json r = result_of("i210/legacy", {"duration=5ms", "far_end.mac=02:00:00:00:00:09"});
    EXPECT_EQ(r["warnings"],
              Json::array({"'tcp' (tcp_stream) delivered nothing in the measured time"}));
    EXPECT_TRUE(result_of("i210/legacy", {"duration=5ms"})["warnings"].empty());
}

TEST(Run, long_frames_need_both_ends) {
    const auto goodput = [](const std::vector<std::string>& sets) {
        return result_of("i210/legacy", sets)["headline"]["workloads"][0]["goodput_bit_per_s"]
            .get<double>();
    };
    const std::string here = "host.ip.mtu=9000B";
    const std::string there = "far_end.mtu=9000B";
    const double usual = 1e9 * 1448 / 1538;
    EXPECT_NEAR(goodput({"duration=100ms", here}), usual, usual * 2e-3);
    EXPECT_NEAR(goodput({"duration=100ms", there}), usual, usual * 2e-3);
    EXPECT_NEAR(goodput({"duration=100ms", here, there}), 1e9 * 8948 / 9038, 2e6);
}

/// Its transmit FIFO holds one frame of six kilobytes: the wire waits while the next one is read.
TEST(Run, an_ar8151_sends_frames_of_six_kilobytes) {
    const auto goodput = [](const std::vector<std::string>& sets) {
        return result_of("ar8151/tcp", sets)["headline"]["workloads"][0]["goodput_bit_per_s"]
            .get<double>();
    };
    const std::string here = "host.ip.mtu=6000B";
    const std::string there = "far_end.mtu=6000B";
    const double line_rate = 1e9 * 5948 / 6038;
    EXPECT_NEAR(goodput({here, there, "nic.tx_fifo=16KiB"}), line_rate, line_rate * 0.02);
    const double alone = goodput({here, there});
    EXPECT_GT(alone, 0.5e9);
    EXPECT_LT(alone, 0.8e9);
}

TEST(Run, an_mtu_that_the_device_cannot_take_is_refused) {
    const auto run = nicsim::test::nicsim({"run", "ar8151/tcp", "--set", "host.ip.mtu=9000B"});
    EXPECT_NE(run.code, 0);
    EXPECT_NE(run.errors.find("host.ip.mtu: 9000B is more than 'ar8151' takes: at most 6122B"),
              std::string::npos)
        << run.errors;
}

TEST(Run, settings_reach_the_machine) {
    const auto goodput = [](const std::vector<std::string>& sets) {
        auto arguments = with(short_run, {"--json"});
        for (const std::string& s : sets) {
            arguments.emplace_back("--set");
            arguments.push_back(s);
        }
        const auto run = nicsim::test::nicsim(arguments);
        EXPECT_EQ(run.code, 0) << run.errors;
        return Json::parse(run.output)["headline"]["workloads"][0]["goodput_bit_per_s"]
            .get<double>();
    };
    const double wide = goodput({});
    const double narrow = goodput({"driver.tx_packet_buffer=[8KiB, 8KiB, 4KiB, 4KiB]"});
    EXPECT_LT(narrow, wide * 0.7);
}

/// What leaves an 82599 can be captured like what leaves an I210.
TEST(Run, frames_of_an_82599_are_captured) {
    const Folder folder;
    const std::string file = folder / "frames.pcapng";
    const auto run =
        nicsim::test::nicsim({"run", "i82599/ring", "--quiet", "--json", "--set", "warmup=61ms",
                              "--set", "duration=1ms", "--pcapng", file});
    ASSERT_EQ(run.code, 0) << run.errors;
    const std::string bytes = contents(file);
    const Json all = Json::parse(run.output)["statistics"];
    const auto frames = all["nic.tx.mac.frames"]["whole_run"].get<std::size_t>();
    EXPECT_GT(frames, 3000U);
    // An enhanced packet block of a 60-byte frame: 32 bytes around it, and its options.
    std::size_t blocks = 0;
    std::uint32_t type = 0, length = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += length) {
        std::memcpy(&type, &bytes[at], 4);
        std::memcpy(&length, &bytes[at + 4], 4);
        ASSERT_GE(length, 12U);
        if (type == 6) ++blocks;
    }
    EXPECT_NEAR(static_cast<double>(blocks), static_cast<double>(frames), 1);
}

/// Counters of a run of pktgen over an 82599, from its beginning.
double whole_run(const Json& statistics, const char* path) {
    return statistics[path]["whole_run"].get<double>();
}

TEST(Run, a_burst_of_pktgen_pays_for_its_round_and_its_doorbell_once) {
    const auto run = nicsim::test::nicsim(
        {"run", "i82599/ring", "--quiet", "--json", "--set", "warmup=61ms", "--set", "duration=1ms",
         "--set", "driver.tx_ring=1024", "--set", "driver.doorbell=more_hint", "--set",
         "driver.itr_mode=fixed", "--set", "driver.itr_interval=30us", "--set",
         "workloads.generator.burst=4"});
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json all = Json::parse(run.output)["statistics"];
    const double sent = whole_run(all, "workloads.generator.sent");
    EXPECT_GT(sent, 5000);
    EXPECT_NEAR(whole_run(all, "host.core0.operations.pktgen_round"), sent / 4, 2);
    EXPECT_NEAR(whole_run(all, "driver.tx_ring0.doorbells"), sent / 4, sent / 50)
        << "byte queue limits make some more";
    EXPECT_EQ(whole_run(all, "host.core0.operations.pktgen_packet"), 1) << "clones of one";
}

TEST(Run, packets_of_pktgen_that_are_not_clones_are_made_one_by_one) {
    const auto run =
        nicsim::test::nicsim({"run", "i82599/ring", "--quiet", "--json", "--set", "warmup=61ms",
                              "--set", "duration=1ms", "--set", "workloads.generator.clone_skb=0"});
    ASSERT_EQ(run.code, 0) << run.errors;
    const Json all = Json::parse(run.output)["statistics"];
    const double sent = whole_run(all, "workloads.generator.sent");
    EXPECT_GT(sent, 2000);
    EXPECT_NEAR(whole_run(all, "host.core0.operations.pktgen_packet"), sent, 1)
        << "one may wait for room in the ring";
    EXPECT_EQ(whole_run(all, "host.core0.operations.udp_datagram"), 0);
}

}  // namespace
