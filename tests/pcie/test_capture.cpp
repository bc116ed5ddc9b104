// SPDX-License-Identifier: Apache-2.0
// The capture of a link: what its lines hold, what its filter shows, and that it changes nothing.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench.h"
#include "pcie/tlp_capture.h"

namespace nicsim::pcie::test {
namespace {

using Json = nlohmann::json;

struct Captured {
    explicit Captured(CaptureFormat format, const std::string& filter = "")
        : capture(format, TlpFilter(filter), [this](std::string_view line) { text += line; }) {}
    [[nodiscard]] std::vector<Json> lines() {
        capture.finish();
        std::vector<Json> out;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
        return out;
    }
    std::string text;
    TlpCapture capture;
};

void traffic(System& s) {
    s.device.read(memory_base + 0x100, 300, sim::DmaPurpose::tx_data);
    s.device.write(memory_base + 0x2001, bytes(10), sim::DmaPurpose::tx_writeback);
    s.device.interrupts->raise(2);
    System::run(50_us);
    s.link.settle();
}

TEST(Capture, JsonLinesHoldHeaderTimeCreditsAndQueue) {
    System s;
    s.enumerate();
    Captured c(CaptureFormat::json_lines);
    s.link.observe(c.capture);
    const sim::Ps t = sim::now();
    traffic(s);
    const auto lines = c.lines();
    ASSERT_EQ(lines.size(), 5U) << "one read, two completions, two writes";
    const Json& read = lines[0];
    EXPECT_EQ(read["t_ps"], t);
    EXPECT_EQ(read["end_ps"], t + 20 * 4_ns);
    EXPECT_EQ(read["direction"], "up");
    EXPECT_EQ(read["event"], "sent");
    EXPECT_EQ(read["type"], "MRd");
    EXPECT_EQ(read["address"], "0x10000100");
    EXPECT_EQ(read["dw"], 75);
    EXPECT_EQ(read["requester"], "01:00.0");
    EXPECT_EQ(read["purpose"], "tx_data");
    EXPECT_EQ(read["credits"]["header"], 35) << "one of 36 is used";
    EXPECT_EQ(read["queued"], 0);
    const Json& write = lines[1];
    EXPECT_EQ(write["type"], "MWr");
    EXPECT_EQ(write["first_be"], 0xe);
    EXPECT_EQ(write["last_be"], 0x7);
    EXPECT_EQ(lines[2]["address"], "0xfee00000");
    EXPECT_EQ(lines[3]["type"], "CplD");
    EXPECT_EQ(lines[3]["status"], "SC");
    EXPECT_EQ(lines[3]["byte_count"], 300);
    EXPECT_TRUE(lines[3]["credits"].is_null()) << "completions are infinite";
    sim::Ps last = 0;
    for (const Json& l : lines) {
        EXPECT_GE(l["t_ps"].get<sim::Ps>(), last);
        last = l["t_ps"].get<sim::Ps>();
    }
}

TEST(Capture, TextHasALineForEachAndAHeadLine) {
    System s;
    s.enumerate();
    Captured c(CaptureFormat::text, "type=MWr");
    s.link.observe(c.capture);
    traffic(s);
    c.capture.finish();
    EXPECT_EQ(std::count(c.text.begin(), c.text.end(), '\n'), 3);
    EXPECT_THAT(c.text, testing::HasSubstr("addr 0x10002000 3 DW be e/7 req 01:00.0"));
    EXPECT_THAT(c.text, testing::HasSubstr("| tx_writeback |"));
}

TEST(Capture, AFilterShowsWhatItSays) {
    System s;
    s.enumerate();
    const std::vector<std::pair<std::string, std::size_t>> cases{
        {"", 5},
        {"type=MRd", 1},
        {"type=MRd,CplD", 3},
        {"direction=down", 2},
        {"direction=up type=CplD", 0},
        {"purpose=tx_data", 3},
        {"address=0x10000000-0x10000fff", 3},  // completions go by their request
        {"address=0x1000200b", 1},
        {"address=0x1000200c", 0},
        {"address=0xfee00000-0xfeefffff", 1},
        {"event=resent,lost", 0},
        {"requester=01:00.0", 5},
        {"requester=02:00.0", 0},
        {"time=0s-1ns", 0},
        {"time=0us-1s", 5},
    };
    std::vector<std::unique_ptr<Captured>> captures;
    for (const auto& [filter, n] : cases) {
        captures.push_back(std::make_unique<Captured>(CaptureFormat::json_lines, filter));
        s.link.observe(captures.back()->capture);
    }
    traffic(s);
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(captures[i]->lines().size(), cases[i].second) << cases[i].first;
}

TEST(Capture, DllpsAreShownOnDemand) {
    System s;
    s.enumerate();
    System::run(100_us);
    s.link.settle();
    Captured c(CaptureFormat::json_lines, "dllp=yes");
    s.link.observe(c.capture);
    traffic(s);
    std::size_t acks = 0;
    std::size_t updates = 0;
    for (const Json& l : c.lines()) {
        acks += l["type"] == "ACK" ? 1 : 0;
        updates += l["type"] == "UpdateFC" ? 1 : 0;
    }
    EXPECT_GE(acks, 2U) << "in both directions";
    EXPECT_GE(updates, 2U) << "posted and non-posted";
}

TEST(Capture, RepetitionsAndLossesAreShown) {
    Options o;
    Fault drop;
    drop.kind = FaultKind::corrupt;
    drop.tlp = FaultTarget::MRd;
    Fault lose;
    lose.kind = FaultKind::lose;
    lose.tlp = FaultTarget::CplD;
    lose.direction = Heading::down;
    o.faults = {drop, lose};
    System s(o);
    s.enumerate();
    Captured c(CaptureFormat::json_lines, "event=resent,discarded,lost");
    s.link.observe(c.capture);
    s.device.read(memory_base, 64);
    System::run(50_us);
    const auto lines = c.lines();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0]["event"], "discarded");
    EXPECT_EQ(lines[0]["why"], "wrong LCRC");
    EXPECT_EQ(lines[1]["event"], "resent");
    EXPECT_EQ(lines[2]["event"], "lost");
}

TEST(Capture, WrongFiltersSayWhatIsAllowed) {
    const auto error = [](const std::string& text) -> std::string {
        try {
            TlpFilter f(text);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return {};
    };
    using testing::HasSubstr;
    EXPECT_THAT(error("type"), HasSubstr("'type' needs the form key=value"));
    EXPECT_THAT(error("tpye=MRd"), HasSubstr("unknown key 'tpye' (allowed: type, direction"));
    EXPECT_THAT(error("type=MRD"), HasSubstr("unknown 'MRD' (allowed: MRd, MWr"));
    EXPECT_THAT(error("direction=left"), HasSubstr("(allowed: up, down)"));
    EXPECT_THAT(error("address=0x2000-0x1000"), HasSubstr("ends before it begins"));
    EXPECT_THAT(error("address=0xzz"), HasSubstr("is not a whole number"));
    EXPECT_THAT(error("address="), HasSubstr("is not a whole number"));
    EXPECT_THAT(error("address=1-2-3"), HasSubstr("is not a range"));
    EXPECT_THAT(error("time=5"), HasSubstr("is not a time"));
    EXPECT_THAT(error("time=1e9s"), HasSubstr("is not a time"));
    EXPECT_THAT(error("requester=1"), HasSubstr("form 01:00.0"));
    EXPECT_THAT(error("requester=01:00.9"), HasSubstr("form 01:00.0"));
    EXPECT_EQ(error("  type=MRd   time=1us-2us,3us-4us "), "");
}

}  // namespace
}  // namespace nicsim::pcie::test
