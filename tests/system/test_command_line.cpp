// SPDX-License-Identifier: Apache-2.0
// Everything that a user can get wrong on the command line, with its exit code and its message.
#include "tests/system/program.h"

using namespace nicsim::test;
using testing::HasSubstr;

namespace {

struct Case {
    std::vector<std::string> arguments;
    std::string expected;
};

TEST(CommandLine, bad_input_ends_with_code_2_and_says_what_is_wrong) {
    const Folder folder;
    const std::string file = folder.write("file", "");
    const std::string run = "i210/qav_8844";
    const std::vector<Case> cases{
        {{}, "subcommand"},
        {{"rnu"}, "unknown command 'rnu'; did you mean 'run'?"},
        {{"run"}, "SCENARIO is required"},
        {{"run", "i210/qav_884"}, "did you mean 'i210/qav_8844'?"},
        {{"run", folder / "none.yaml"}, "no such file"},
        {{"run", folder / "."}, "is a directory"},
        {{"run", folder.write("e.yaml", "")}, "the file is empty"},
        {{"run", folder.write("g.yaml", std::string("\0\1\2", 3))}, "not a text file"},
        {{"run", folder.write("y.yaml", "a: [")}, "not valid YAML"},
        {{"run", folder.write("n.yaml", "nic: {type: i210}\n")}, "driver: is missing"},
        {{"run", run, "--bogus"}, "--bogus"},
        {{"run", run, "--set"}, "--set"},
        {{"run", run, "--set", "x"}, "--set x: needs the form key.path=value"},
        {{"run", run, "--set", "nic.type=i211"}, "did you mean 'i210'?"},
        {{"run", run, "--set", "nik.type=i210"}, "nik: unknown key; did you mean 'nic'?"},
        {{"run", run, "--set", "driver.tx_packet_buffer=[8KiB, 8KiB, 8KiB, 8KiB]"}, "24 KiB"},
        {{"run", run, "--set", "driver.tx_packet_buffer=[8KiB, 8KiB]"}, "exactly 4"},
        {{"run", run, "--set", "driver.tx_packet_buffer=8KiB"}, "needs a list of 4 values"},
        {{"run", run, "--set", "driver.tx_ring=100"}, "multiple of 8"},
        {{"run", run, "--set", "driver.tx_ring=1000000"}, "allowed: 80 to 4096"},
        {{"run", run, "--set", "duration=5"}, "has no unit (allowed: ps, ns, us, ms, s)"},
        {{"run", run, "--set", "duration=-5ms"}, "out of range"},
        {{"run", run, "--set", "duration=nan"}, "not a number"},
        {{"run", run, "--set", "pcie.link.width=3"}, "allowed: 1, 2, 4, 8, 16"},
        {{"run", run, "--set", "host.profile=generic"}, "generic_desktop"},
        {{"run", run, "--set", "workloads.tcpp.enabled=false"}, "(there are: tcp, udp, talker)"},
        {{"run", run, "--set", "workloads.tcp.enabled=false"}, "no workload is enabled"},
        {{"run", run, "--set", "workloads.tcp.core=9"},
         "--set workloads.tcp.core=9: workloads.tcp.core: is on core 9 of 4"},
        {{"run", run, "--set", "host.interrupt_affinity=[7]"}, "names core 7 of 4"},
        {{"run", run, "--set", "pcie.endpoint.tags=200"},
         "--set pcie.endpoint.tags=200: pcie.endpoint.tags: the machine cannot be built: PCIe "
         "endpoint: tags is 200; the device has 32"},
        {{"run", run, "--set", "pcie.root_complex.posted_data_credits=1"},
         "--set pcie.root_complex.posted_data_credits=1: pcie.root_complex.posted_data_credits: "
         "the "
         "machine cannot be built: PCIe link, upstream end: posted data credits are 1; a payload "
         "of "
         "128 B needs at least 8"},
        {{"run", run, "--set", "host.memory=5000001B"},
         "--set host.memory=5000001B: host.memory: the machine cannot be built: host memory: "
         "5000001 "
         "B is no multiple of 4096 B"},
        {{"run", run, "--set", "expect=[{stat: nic.txx}]"}, "no statistic 'nic.txx'"},
        {{"run", run, "--set", "warmup=1us"}, "make `warmup` longer"},
        {{"run", run, "--set", "host.memory=4MiB"}, "make `host.memory` larger"},
        {{"run", run, "--set", "workloads.tcp.enabled=false", "--set", "workloads.udp.enabled=true",
          "--set", "workloads.udp.datagram_bytes=9000B"},
         "--set workloads.udp.datagram_bytes=9000B: workloads.udp.datagram_bytes: is 9000 but an "
         "MTU of 1500 bytes allows 16 to 1472"},
        {{"run", run, "--set", "workloads.talker.enabled=true", "--set",
          "workloads.talker.packet_bytes=1501B"},
         "workloads.talker.packet_bytes: is 1501 but an MTU of 1500"},
        {{"run", run, "--set", "workloads=[]"}, "--set workloads=[]: workloads: no workload"},
        {{"run", run, "--set", "nic.mac_address=ff:ff:ff:ff:ff:ff"},
         "nic.mac_address: 'ff:ff:ff:ff:ff:ff' is a group address"},
        {{"run", "i82599/ring", "--set", "nic.mac_address=2:0"},
         "nic.mac_address: six pairs of hexadecimal digits are expected"},
        {{"run", "ar8151/tcp", "--set", "nic.mac_address=02:00:00:00:00:0g"},
         "nic.mac_address: six pairs of hexadecimal digits are expected"},
        {{"run", run, "--set", "far_end.mac=01:00:5e:00:00:01"},
         "far_end.mac: '01:00:5e:00:00:01' is a group address"},
        {{"run", run, "--set", "host.ip.peer_mac=x"}, "host.ip.peer_mac: six pairs of"},
        {{"run", run, "--set", "host.ip.address=1.2.3"}, "host.ip.address: four numbers"},
        {{"run", run, "--set", "driver.queue_pairs=1"}, "the machine does not come up"},
        {{"run", "i82599/ring", "--set", "workloads.generator.queue=1"},
         "workloads.generator: queue 1 of 1 (the first is 0)"},
        {{"run", "ar8151/mikrotik_tx", "--set", "workloads.generator.queue=127"}, "queue 127 of 1"},
        {{"run", run, "--out", file}, "--out"},
        {{"run", run, "--out", "/proc/nicsim"}, "--out /proc/nicsim"},
        {{"run", run, "--out", ""}, "the name is empty"},
        {{"run", run, "--tlp", folder / "a.txt", "--pcapng", folder / "./a.txt"},
         "--tlp and --pcapng both name"},
        {{"run", folder.write("s.yaml", "base: i210/legacy\n"), "--timeline", folder / "s.yaml"},
         "SCENARIO and --timeline both name"},
        {{"params", "i21"}, "did you mean 'i210'?"},
        {{"fidelity", "--device", "i211"}, "did you mean 'i210'?"},
        {{"fidelity", "--jobs", "0"}, "--jobs"},
        {{"fidelity", "--jobs", "many"}, "--jobs"},
        {{"fidelity", "--reference", folder / "none.yaml"}, "no such file"},
        {{"fidelity", "--reference", folder.write("r.yaml", "records: [{id: a}]\n")},
         "kind: is missing"},
    };
    for (const Case& c : cases) {
        const auto result = nicsim::test::nicsim(c.arguments);
        std::string shown;
        for (const std::string& a : c.arguments) shown += a + " ";
        EXPECT_EQ(result.code, 2) << shown << result.errors;
        EXPECT_THAT(result.errors + result.output, HasSubstr(c.expected)) << shown;
    }
}

TEST(CommandLine, what_a_setting_makes_wrong_elsewhere_is_found_at_the_setting) {
    const Folder folder;
    const std::string file = folder.write("s.yaml",
                                          "base: i210/legacy\n"
                                          "workloads:\n"
                                          "  - {name: a, type: udp_stream, datagram_bytes: 1400B,\n"
                                          "     core: 3}\n");
    const auto errors_with = [&file](const std::vector<std::string>& sets) {
        std::vector<std::string> arguments{"run", file};
        for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
        const auto run = nicsim::test::nicsim(arguments);
        EXPECT_EQ(run.code, 2);
        return run.errors;
    };
    const std::string mtu = errors_with({"duration=1ms", "host.ip.mtu=1000B", "seed=2"});
    EXPECT_THAT(mtu, HasSubstr("--set host.ip.mtu=1000B: workloads.a.datagram_bytes: is 1400"));
    EXPECT_THAT(mtu, HasSubstr("s.yaml:3:49")) << "and where the value stands";
    EXPECT_THAT(errors_with({"host.cores=2", "host.interrupt_affinity=[0]"}),
                HasSubstr("--set host.cores=2: workloads.a.core: is on core 3 of 2"));
    EXPECT_THAT(errors_with({"host.ip.mtu=1000B", "workloads.a.datagram_bytes=1200B"}),
                HasSubstr("--set workloads.a.datagram_bytes=1200B: "));
    // A value that a setting gave is at that setting, whichever came later.
    EXPECT_THAT(errors_with({"workloads.a.datagram_bytes=1200B", "host.ip.mtu=1000B"}),
                HasSubstr("--set workloads.a.datagram_bytes=1200B: "));
    const std::string of_file = folder.write("t.yaml", "base: i210/legacy\nworkloads: []\n");
    EXPECT_THAT(nicsim::test::nicsim({"run", of_file, "--set", "seed=2"}).errors,
                HasSubstr("t.yaml:2:12: workloads: no workload is enabled"));
}

TEST(CommandLine, help_version_list_and_parameters_are_printed) {
    const std::vector<Case> cases{
        {{"--version"}, "nicsim 0."},         {{"--help"}, "fidelity"},
        {{"run", "--help"}, "--set"},         {{"list"}, "i210/qav_8844"},
        {{"params", "i210"}, "source"},       {{"params", "igb"}, "tx_packet_buffer"},
        {{"params", "pcie"}, "read_latency"}, {{"params", "host"}, "cost_"},
        {{"params"}, "datagram_bytes"},       {{"schema"}, "json-schema.org/draft/2020-12"},
    };
    for (const Case& c : cases) {
        const auto result = nicsim::test::nicsim(c.arguments);
        EXPECT_EQ(result.code, 0) << c.expected << result.errors;
        EXPECT_EQ(result.errors, "") << c.expected;
        EXPECT_THAT(result.output, HasSubstr(c.expected));
    }
}

TEST(CommandLine, bases_are_not_listed) {
    EXPECT_THAT(nicsim::test::nicsim({"list"}).output, testing::Not(HasSubstr("_qav")));
}

TEST(CommandLine, a_full_standard_output_is_an_error) {
    const auto result = shell("\"$NICSIM\" list > /dev/full");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.errors, HasSubstr("standard output cannot be written"));
    for (const char* what : {"--help", "--version", "run --help"})
        EXPECT_EQ(shell("\"$NICSIM\" " + std::string(what) + " > /dev/full").code, 2) << what;
    // More than a buffer full fails while it is printed, not at the end.
    const auto long_output = shell("\"$NICSIM\" params all > /dev/full");
    EXPECT_EQ(long_output.code, 2);
    EXPECT_THAT(long_output.errors, HasSubstr("cannot be written"));
}

TEST(CommandLine, a_standard_error_that_cannot_be_written_changes_no_exit_code) {
    for (const char* where : {"2>/dev/full", "2>&-"})
        for (const char* what :
             {"run none", "rfc2544 none", "waves diff none none", "params none"}) {
            const auto result = shell("\"$NICSIM\" " + std::string(what) + " " + where);
            EXPECT_EQ(result.code, 2) << what << where;
            EXPECT_EQ(result.output, "") << what << where;
        }
}

TEST(CommandLine, data_is_found_where_NICSIM_DATA_says) {
    const auto result = shell("NICSIM_DATA=/nowhere \"$NICSIM\" list");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.errors, HasSubstr("NICSIM_DATA=/nowhere"));
}

}  // namespace
