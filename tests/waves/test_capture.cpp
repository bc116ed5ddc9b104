// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "support.h"
#include "trace_format.h"
#include "waves/ethernet_tap.h"
#include "waves/timeline.h"
#include "waves/wave.h"

namespace nicsim::waves {
namespace {

using sim::literals::operator""_ns;
using test::Folder;
using testing::HasSubstr;

struct Receiver : sc_core::sc_module, sim::EthernetIf {
    sc_core::sc_export<sim::EthernetIf> in{"in"};
    std::vector<const sim::Frame*> frames;
    bool up = false;

    explicit Receiver(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(*this); }
    void deliver(const sim::FramePtr& frame, sim::Ps /*start*/, sim::Ps /*end*/) override {
        frames.push_back(frame.get());
    }
    void link_changed(bool is_up) override { up = is_up; }
};

sim::FramePtr make_frame(std::uint32_t length) {
    sim::FramePtr frame = sim::frame_pool().make();
    frame->resize(length);
    for (std::uint32_t i = 0; i < length; ++i) frame->bytes()[i] = static_cast<std::uint8_t>(i);
    // A type for local experiments, so that no dissector looks into the payload.
    frame->bytes()[12] = 0x88;
    frame->bytes()[13] = 0xb5;
    return frame;
}

TEST(Capture, tap_forwards_the_same_frame_and_tshark_reads_what_it_wrote) {
    const Folder folder;
    PcapngWriter writer(folder.file("c.pcapng"));
    const auto eth0 = writer.add_interface("eth0", 1'000'000'000);
    EthernetTap tap("tap", writer, eth0, Direction::outbound);
    Receiver receiver("receiver");
    tap.out.bind(receiver.in);

    const auto large = make_frame(1514);
    const auto small = make_frame(42);
    const auto broken = make_frame(101);
    broken->fcs_good = false;
    tap.in->link_changed(true);
    tap.in->deliver(large, 1'234'567'891, 2'000'000'000);
    tap.in->deliver(small, 5'000'000'000'123'999, 5'000'000'000'200'000);
    tap.in->deliver(broken, 5'000'000'000'300'000, 5'000'000'000'400'000);
    EXPECT_TRUE(receiver.up);
    EXPECT_EQ(receiver.frames,
              (std::vector<const sim::Frame*>{large.get(), small.get(), broken.get()}));
    writer.close();

    if (!test::have_program("tshark")) GTEST_SKIP() << "tshark is missing";
    const std::string text = test::output_of(
        "tshark -n -r " + folder.file("c.pcapng") +
        " -T fields -e frame.time_epoch -e frame.len -e frame.interface_name"
        " -e frame.packet_flags_direction -e frame.packet_flags_crc_error -e frame.cap_len"
        " 2>&1 | grep -v root | sed s/0x0000000//");
    EXPECT_EQ(text,
              "0.001234567\t1514\teth0\t2\t0\t1514\n"
              "5000.000000123\t60\teth0\t2\t0\t60\n"
              "5000.000000300\t101\teth0\t2\t1\t101\n");
}

TEST(Capture, a_capture_that_is_not_closed_leaves_nothing) {
    const Folder folder;
    {
        PcapngWriter writer(folder.file("c.pcapng"));
        writer.add_interface("eth0", 0);
    }
    EXPECT_EQ(folder.entries(), 0U);
    EXPECT_THROW(PcapngWriter("/no/such/folder/c.pcapng"), WaveError);
}

TEST(Timeline, has_a_track_per_stage_and_queue_with_exact_times) {
    const Folder folder;
    sim::LifeCycle lives(2);
    Timeline timeline({folder.file("t.json"), 0, sim::never});
    timeline.listen(lives);
    lives.stamp(1, 0, sim::TxStage::driver, 1'000'001);
    lives.stamp(1, 0, sim::TxStage::doorbell, 3'000'000);
    lives.stamp(1, 0, sim::TxStage::clean, 9'500'000);
    timeline.close();
    const auto json = nlohmann::json::parse(test::read_file(folder.file("t.json")));
    std::vector<std::string> slices;
    bool named = false;
    for (const auto& event : json.at("traceEvents")) {
        if (event.at("ph") == "b" || event.at("ph") == "e")
            slices.push_back(event.at("name").get<std::string>() + " " +
                             event.at("ph").get<std::string>() + " " + event.at("ts").dump());
        if (event.at("name") == "process_name") named = event.at("args").at("name") == "TX queue 1";
    }
    EXPECT_TRUE(named);
    EXPECT_EQ(slices, (std::vector<std::string>{"doorbell b 1.000001", "doorbell e 3.0",
                                                "clean b 3.0", "clean e 9.5"}));
}

TEST(Timeline, is_of_the_format_that_its_readers_expect) {
    const Folder folder;
    constexpr unsigned queues = 3;
    sim::LifeCycle lives(queues);
    Timeline timeline({folder.file("t.json"), 0, sim::never});
    timeline.listen(lives);
    // Packets that overlap, whose stages take no time, are left out or come in another order.
    for (unsigned n = 0; n < 60; ++n) {
        for (unsigned stage = 0; stage < sim::tx_stages; ++stage) {
            if ((n + stage) % 7 == 0 && stage + 1 != sim::tx_stages) continue;
            const unsigned late = n % 5 == 0 ? 0 : stage;
            const unsigned early = n % 11 == 0 && stage == 5 ? 40 : 0;
            lives.stamp(n % queues, n / queues, static_cast<sim::TxStage>(stage),
                        (100 + 10 * n + 13 * late - early) * sim::ps_per_ns);
        }
    }
    timeline.close();
    EXPECT_EQ(timeline.packets(), 60U);
    EXPECT_THAT(test::TraceFormat::faults_of(test::read_file(folder.file("t.json"))),
                testing::IsEmpty());
}

TEST(TraceFormat, finds_what_readers_would_drop_or_rename) {
    const std::string name =
        R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}},)"
        R"({"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}})";
    const auto begin = [](const char* stage, const char* ts) {
        return fmt::format(R"(,{{"ph":"b","ts":{1},"cat":"c","name":"{0}","pid":1,"tid":2,)"
                           R"("id":"7"}})",
                           stage, ts);
    };
    const auto end = [&](const char* stage, const char* ts) {
        std::string text = begin(stage, ts);
        return text.replace(text.find("\"b\""), 3, "\"e\"");
    };
    const auto faults = [](const std::string& events) {
        const auto list = test::TraceFormat::faults_of("{\"traceEvents\":[" + events + "]}");
        return list.empty() ? std::string() : list[0];
    };
    EXPECT_EQ(faults(name + begin("a", "1") + end("a", "1.5")), "");
    EXPECT_THAT(faults(begin("a", "1").substr(1) + end("a", "2")), HasSubstr("without a name"));
    EXPECT_THAT(faults(name + begin("a", "1")), HasSubstr("not ended"));
    EXPECT_THAT(faults(name + end("a", "1")), HasSubstr("not begun last"));
    EXPECT_THAT(faults(name + begin("a", "2") + end("a", "1")), HasSubstr("time goes back"));
    EXPECT_THAT(faults(name + begin("a", "1") + end("a", "2") + begin("b", "2") + end("b", "3")),
                HasSubstr("on a track that is called a"));
    EXPECT_THAT(faults(name + "," + name), HasSubstr("said twice"));
    EXPECT_THAT(faults(name + R"(,{"ph":"b","ts":1,"cat":"c","name":"a","pid":1,"tid":2,)"
                              R"("id2":{"local":"7"}})"),
                HasSubstr("without an id"));
    EXPECT_THAT(faults(R"({"ph":"b","ts":1,"cat":"c","name":"a","pid":1,"tid":0,"id":"7"})"),
                HasSubstr("a thread of two processes, or 0"));
    std::string elsewhere = begin("a", "3");
    elsewhere.replace(elsewhere.find("\"pid\":1"), 7, "\"pid\":2");
    EXPECT_THAT(faults(name + begin("a", "1") + end("a", "2") + elsewhere),
                HasSubstr("a thread of two processes"));
    EXPECT_THAT(faults(R"({"ph":"X","pid":1,"name":"x","ts":1})"), HasSubstr("not written"));
    EXPECT_EQ(test::TraceFormat::faults_of("{").at(0), "not a JSON object");
}

TEST(Timeline, packets_outside_the_window_are_left_out) {
    const Folder folder;
    sim::LifeCycle lives(1);
    Timeline timeline({folder.file("t.json"), 50_ns, 100_ns});
    timeline.listen(lives);
    for (unsigned n = 0; n < 20; ++n) {
        lives.stamp(0, n, sim::TxStage::driver, (10 * n + 1) * sim::ps_per_ns);
        lives.stamp(0, n, sim::TxStage::clean, (10 * n + 5) * sim::ps_per_ns);
    }
    timeline.close();
    EXPECT_EQ(timeline.packets(), 5U);  // those that begin at 51, 61, 71, 81 and 91 ns
    EXPECT_EQ(timeline.warning(), "");
}

/// `queue: track from-to` of each slice, times in ns.
std::vector<std::string> slices_of(const std::string& text) {
    std::map<int, std::string> processes;
    std::vector<std::string> out;
    long begun = 0;
    const auto trace = nlohmann::json::parse(text);
    for (const auto& e : trace.at("traceEvents")) {
        const auto ns = [&e] { return std::lround(e.at("ts").get<double>() * 1000); };
        if (e.at("name") == "process_name") processes[e["pid"]] = e["args"]["name"];
        if (e.at("ph") == "b") begun = ns();
        if (e.at("ph") == "e")
            out.push_back(fmt::format("{}: {} {}-{}", processes[e["pid"]],
                                      e["name"].get<std::string>(), begun, ns()));
    }
    return out;
}

TEST(Timeline, received_frames_have_tracks_of_their_own_and_ports_their_names) {
    const Folder folder;
    sim::LifeCycle lives(2);
    Timeline timeline({folder.file("t.json"), 0, sim::never});
    timeline.listen(lives, "a");
    sim::RxLives& received = lives.received();
    received.begin(1, 7, {10_ns, 20_ns, 30_ns, 40_ns});
    received.stamp(1, 7, sim::RxStage::write_back, 50_ns);
    received.stamp(1, 8, sim::RxStage::write_back, 50_ns);  // nobody
    received.end(1, 7, 60_ns, 70_ns);
    received.end(1, 7, 60_ns, 80_ns);  // is gone
    // Taken along by a poll that had begun before it came, then one that nobody takes.
    received.begin(1, 8, {110_ns, 120_ns, 130_ns, 140_ns});
    received.end(1, 8, 60_ns, 170_ns);
    received.begin(0, 0, {210_ns, 220_ns, 230_ns, 240_ns});
    timeline.close();
    EXPECT_EQ(timeline.packets(), 3U);
    const std::string text = test::read_file(folder.file("t.json"));
    EXPECT_THAT(test::TraceFormat::faults_of(text), testing::IsEmpty());
    const std::string one = "a RX queue 1: ", none = "a RX queue 0: ";
    EXPECT_EQ(slices_of(text),
              (std::vector<std::string>{
                  one + "packet_buffer 10-20", one + "dma_start 20-30", one + "dma_end 30-40",
                  one + "write_back 40-50", one + "interrupt 50-60", one + "stack 60-70",
                  one + "packet_buffer 110-120", one + "dma_start 120-130", one + "dma_end 130-140",
                  one + "stack 140-170", none + "packet_buffer 210-220", none + "dma_start 220-230",
                  none + "dma_end 230-240"}));
}

TEST(Timeline, a_packet_that_leaves_after_it_was_freed_has_its_wire_and_one_that_stays_is_shown) {
    const Folder folder;
    sim::LifeCycle lives(1, 4);
    Timeline timeline({folder.file("t.json"), 0, sim::never});
    timeline.listen(lives);
    const auto at = [&lives](unsigned n, sim::TxStage stage, sim::Ps t) {
        lives.stamp(0, n, stage, t);
    };
    at(0, sim::TxStage::driver, 10_ns);
    at(0, sim::TxStage::write_back, 20_ns);
    at(0, sim::TxStage::clean, 30_ns);
    EXPECT_EQ(timeline.packets(), 0U);
    at(0, sim::TxStage::wire_start, 40_ns);
    at(0, sim::TxStage::wire_end, 50_ns);
    EXPECT_EQ(timeline.packets(), 1U);
    at(1, sim::TxStage::driver, 60_ns);
    at(1, sim::TxStage::clean, 70_ns);
    at(5, sim::TxStage::driver, 80_ns);  // the place of 1, which never left
    EXPECT_EQ(timeline.packets(), 2U);
    // The ring is set up anew: what was known of the first packet 2 is not the second one's.
    at(2, sim::TxStage::driver, 81_ns);
    lives.begin(0, 2);
    at(2, sim::TxStage::doorbell, 100_ns);
    at(2, sim::TxStage::descriptor_fetch, 110_ns);
    timeline.close();
    const std::string q = "TX queue 0: ";
    EXPECT_EQ(slices_of(test::read_file(folder.file("t.json"))),
              (std::vector<std::string>{q + "write_back 10-20", q + "clean 20-30",
                                        q + "wire_start 30-40", q + "wire_end 40-50",
                                        q + "clean 60-70", q + "descriptor_fetch 100-110"}));
}

TEST(Timeline, says_so_when_it_has_nothing_to_show) {
    const Folder folder;
    EXPECT_THROW(Timeline({folder.file("t.json"), 50_ns, 50_ns}), WaveError);
    sim::LifeCycle lives(1);
    Timeline timeline({folder.file("t.json"), 50_ns, 100_ns});
    timeline.listen(lives);
    lives.stamp(0, 0, sim::TxStage::driver, 10_ns);
    lives.stamp(0, 0, sim::TxStage::clean, 20_ns);
    lives.received().begin(0, 0, {110_ns, 120_ns, 130_ns, 140_ns});
    timeline.close();
    EXPECT_THAT(timeline.warning(),
                HasSubstr("no packet was alive between 50 ns and 100 ns (1 were before, 1 after)"));
}

}  // namespace
}  // namespace nicsim::waves
