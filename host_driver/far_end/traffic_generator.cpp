// SPDX-License-Identifier: Apache-2.0
#include "host_driver/far_end/traffic_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace nicsim::host {
namespace {

constexpr std::size_t window = std::size_t{1} << 17;  ///< numbers whose time is remembered
constexpr std::uint32_t number_bytes = 8;
constexpr std::uint32_t header_bytes = ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;
// RFC 2544, C.2.2: addresses of benchmark networks; frames are UDP echo requests.
constexpr Ipv4Address tester_address = 0xc612'0001;   // 198.18.0.1
constexpr Ipv4Address network_address = 0xc613'0001;  // 198.19.0.1
constexpr std::uint16_t source_port = 49184;
constexpr std::uint16_t echo_port = 7;
constexpr MacAddress own_mac{0x02, 0, 0, 0, 0, 0x10};

}  // namespace

const sim::ParamTable& TrafficGeneratorConfig::params() {
    using C = TrafficGeneratorConfig;
    using sim::Unit;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("rate", &C::rate,
                 {.unit = Unit::packet_rate,
                  .min = 1,
                  .max = 1e9,
                  .sentence = "Frames sent per second (mean); at most what the wire takes.",
                  .source = own})
            .add("frame_bytes", &C::frame_bytes,
                 {.unit = Unit::bytes,
                  .min = 64,
                  .max = 9234,
                  .sentence =
                      "Length of a frame with its FCS, as testers count; above 1518B at most "
                      "18B more than `host.ip.mtu`, if the driver receives such frames.",
                  .source = sim::datasheet("RFC 2544, section 9.1: 64 to 1518 bytes; jumbo frames: "
                                           "RFC 5180, section 5.1.1")})
            .add_choice("arrivals", &C::arrivals,
                        {{Arrivals::constant, "constant"},
                         {Arrivals::poisson, "poisson"},
                         {Arrivals::bursts, "bursts"}},
                        {.sentence = "Equal distances, exponential ones (frames queue for the "
                                     "wire), or bursts of `burst` frames at the rate of the wire.",
                         .source = sim::datasheet("RFC 2544, section 21 for bursts")})
            .add("burst", &C::burst,
                 {.min = 1,
                  .max = 100'000,
                  .sentence = "Frames of a burst, with `arrivals: bursts`.",
                  .source = own})
            .add("flows", &C::flows,
                 {.min = 1,
                  .max = 256,
                  .sentence = "Source addresses that the frames have in turn: as many flows for a "
                              "receiver that spreads them by a hash (RSS).",
                  .source = sim::datasheet("RFC 2544, section 12: one stream first, then 256 "
                                           "addresses (there: of destinations)")})
            .add("cable_delay", &C::cable_delay,
                 {.unit = Unit::time,
                  .max = 1e9,
                  .sentence = "Delay of each cable.",
                  .source = sim::assumed("5 m of copper, 5 ns per metre")})
            .add("own_latency", &C::own_latency,
                 {.unit = Unit::time,
                  .max = 1e9,
                  .sentence = "What the tester's own ports and time stamps add to a latency.",
                  .source = sim::assumed("a hardware tester that stamps at the port adds nothing")})
            .add("start", &C::start,
                 {.unit = Unit::time,
                  .max = 3.6e15,
                  .sentence = "When the first frame is sent, but not before the machine is up.",
                  .source = own})
            .add("drain", &C::drain,
                 {.unit = Unit::time,
                  .max = 1e13,
                  .sentence = "No frame is sent this long before the end of the run, so that what "
                              "is on its way arrives and the rest is lost.",
                  .source = sim::datasheet("RFC 2544, section 23: wait for the last frames")})
            .add("flow_control", &C::flow_control,
                 {.sentence = "Obey the pause frames of the port it sends into: stop between two "
                              "frames, clock of the schedule included, so that frames are left "
                              "out and none is made up for. Without it they are only counted.",
                  .source = sim::assumed("a tester measures what is lost at a rate, and does not "
                                         "slow down unless it is told to")})
            .build();
    return table;
}

sim::Ps TrafficGeneratorConfig::frame_time() const {
    const auto bytes = static_cast<std::uint32_t>(frame_bytes) - sim::ethernet_fcs_bytes;
    return sim::serialisation_time(sim::wire_bytes(bytes), link_rate);
}

TrafficGenerator::TrafficGenerator(const sc_core::sc_module_name& module_name,
                                   const TrafficGeneratorConfig& config, std::uint64_t seed)
    : sc_module(module_name),
      in("in"),
      out("out"),
      config_(config),
      pattern_(echo_port),
      random_(seed, std::string("generator.") + name()),
      alarm_("next_frame", sim::Alarm::Action::to<&TrafficGenerator::act>(this)),
      headers_(header_bytes * config.flows),
      length_(static_cast<std::uint32_t>(config.frame_bytes) - sim::ethernet_fcs_bytes),
      frame_time_(config.frame_time()),
      activity_({{"sending", sim::ActivityKind::busy, "sending by its schedule"},
                 {"paused", sim::ActivityKind::blocked, "paused by the port it sends into"}}),
      highest_(config.flows),
      sent_at_(window, sim::never) {
    in.bind(*this);
}

void TrafficGenerator::start(const MacAddress& destination, sim::Ps end) {
    for (std::uint32_t n = 0; n < config_.flows; ++n) {
        const FlowAddress flow{own_mac,         destination, tester_address + n,
                               network_address, source_port, echo_port};
        std::uint8_t* const out_bytes = headers_.data() + std::size_t{header_bytes} * n;
        write_udp_headers(out_bytes, flow, length_ - header_bytes, 0, L4Checksum::partial);
        put16(out_bytes + ethernet_header_bytes + ipv4_header_bytes + 6, 0);  // no UDP checksum
    }
    begin_ = std::max(sim::now(), config_.start);
    paused_at_start_ = gate_.total(sim::now());
    end_ = end > config_.drain ? end - config_.drain : 0;
    if (config_.arrivals == Arrivals::poisson) arrival_ = 0.0;
    plan_next();
}

/// When the next frame leaves follows from its number, so that no rounding adds up.
void TrafficGenerator::plan_next() {
    sim::Ps due = 0;
    if (config_.arrivals == Arrivals::poisson) {
        arrival_ -= std::log(1.0 - random_.uniform()) * static_cast<double>(sim::ps_per_s) /
                    static_cast<double>(config_.rate);
        due = begin_ + static_cast<sim::Ps>(arrival_);
    } else {
        const std::uint64_t group = config_.arrivals == Arrivals::bursts ? config_.burst : 1;
        const std::uint64_t first = next_ / group * group;
        due = begin_ +
              static_cast<sim::Ps>(static_cast<sim::Uint128>(first) * sim::ps_per_s / config_.rate);
    }
    if (config_.flow_control) {
        plan_paused(due);
        return;
    }
    due = std::max({due, wire_free_, sim::now()});
    if (due < end_) alarm_.at(due);
}

/// The same by a clock that pauses stop: wakes for the frame, or for what changes its time. All
/// times are those of the cable's other end, where the kernel event of a frame stands.
void TrafficGenerator::plan_paused(sim::Ps due) {
    due_ = due;
    const sim::Ps t = sim::now();
    const bool paused = gate_.paused(t);
    activity_.enter(paused ? 1 : 0);
    sim::Ps next = paused ? gate_.earliest(t) : std::max({by_clock(due_), wire_free_, t});
    next = std::min(next, gate_.next_change());
    if (next < end_) alarm_.at(next);
}

/// When the clock that pauses stop shows `due`, if no other pause comes.
sim::Ps TrafficGenerator::by_clock(sim::Ps due) {
    return due + gate_.total(sim::now()) - paused_at_start_;
}

void TrafficGenerator::act() {
    const sim::Ps t = sim::now();
    if (config_.flow_control && (gate_.paused(t) || t < wire_free_ || t < by_clock(due_)))
        plan_paused(due_);
    else
        send();
}

void TrafficGenerator::take_pause(const sim::Frame& frame, sim::Ps end) {
    const std::uint16_t quanta = sim::pause_quanta(frame);
    ++(quanta == 0 ? pauses_.xon_received : pauses_.xoff_received);
    if (!config_.flow_control) return;
    gate_.receive(end + 2 * config_.cable_delay, sim::pause_duration(quanta, config_.link_rate));
    if (gate_.next_change() < end_) alarm_.at_latest(gate_.next_change());
}

/// Frames that its schedule had in the time that it was paused.
double TrafficGenerator::left_out() {
    return sim::to_seconds(gate_.total(sim::now()) - paused_before_) *
           static_cast<double>(config_.rate);
}

void TrafficGenerator::send() {
    sim::FramePtr frame = sim::frame_pool().make();
    frame->resize(length_);
    std::uint8_t* const bytes = frame->bytes().data();
    std::memcpy(bytes, headers_of(next_), header_bytes);
    put64(bytes + header_bytes, next_);
    pattern_.fill(next_, bytes + header_bytes + number_bytes,
                  length_ - header_bytes - number_bytes);
    // The kernel event stands at the far end of the cable: the frame left by its delay earlier.
    const sim::Ps t = sim::now();
    wire_free_ = t + frame_time_;
    const sim::Ps last_bit =
        t + sim::serialisation_time(sim::wire_bytes(length_) - sim::ethernet_ipg_bytes,
                                    config_.link_rate);
    sent_at_[next_ % window] = last_bit;
    ++next_;
    ++counters_.offered;
    if (out.size() != 0) out->deliver(frame, t, last_bit);
    plan_next();
}

const std::uint8_t* TrafficGenerator::headers_of(std::uint64_t number) const {
    return headers_.data() + number % config_.flows * header_bytes;
}

bool TrafficGenerator::is_as_sent(const sim::Frame& frame, std::uint64_t number) const {
    const std::uint8_t* const bytes = frame.bytes().data();
    return std::memcmp(bytes, headers_of(number), header_bytes) == 0 &&
           pattern_.matches(number, bytes + header_bytes + number_bytes,
                            length_ - header_bytes - number_bytes);
}

void TrafficGenerator::deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps) {
    const std::span<const std::uint8_t> bytes = std::as_const(*frame).bytes();
    if (bytes.size() != length_ ||
        std::memcmp(bytes.data() + 6, headers_.data() + 6, sizeof(MacAddress)) != 0) {
        ++counters_.foreign;
        return;
    }
    const std::uint64_t number = get64(bytes.data() + header_bytes);
    if (!frame->fcs_good || number >= next_ || !is_as_sent(*frame, number)) {
        ++counters_.wrong;
        return;
    }
    if (next_ - number > window || sent_at_[number % window] == sim::never) {
        ++counters_.duplicates;
        return;
    }
    const sim::Ps sent = std::exchange(sent_at_[number % window], sim::never);
    ++counters_.received;
    if (std::uint64_t& highest = highest_[number % config_.flows]; number < highest)
        ++counters_.out_of_order;
    else
        highest = number + 1;
    if (number < first_measured_) return;
    ++measured_received_;
    latency_.record(start + 2 * config_.cable_delay + config_.own_latency - sent);
}

void TrafficGenerator::begin_measurement() {
    first_measured_ = next_;
    measured_received_ = 0;
    received_before_ = counters_.received;
    wrong_before_ = counters_.wrong;
    measured_from_ = sim::now();
    paused_before_ = gate_.total(sim::now());
}

double TrafficGenerator::received_rate() const {
    const sim::Ps span = sim::now() - measured_from_;
    if (span == 0) return 0.0;
    return static_cast<double>(received_meanwhile()) / sim::to_seconds(span);
}

double TrafficGenerator::received_bit_rate() const {
    return received_rate() * static_cast<double>(config_.frame_bytes) * 8.0;
}

double TrafficGenerator::offered_rate() const {
    const sim::Ps now = sim::now();
    const sim::Ps span = std::min(now, std::max(end_, measured_from_)) - measured_from_;
    if (span == 0) return 0.0;
    return static_cast<double>(measured_offered()) / sim::to_seconds(span);
}

void TrafficGenerator::register_stats(sim::StatGroup& group) {
    const auto real = [](std::uint64_t n) { return static_cast<double>(n); };
    group.counter("offered", "packets", "Frames sent.", counters_.offered);
    group.counter("received", "packets", "Frames that came back whole.", counters_.received);
    group.counter("wrong", "packets", "Frames with other bytes than were sent.", counters_.wrong);
    group.counter("duplicates", "packets", "Frames that came more than once, or far too late.",
                  counters_.duplicates);
    group.counter("out_of_order", "packets",
                  "Frames behind one of their flow with a higher number.", counters_.out_of_order);
    group.counter("foreign", "packets", "Frames of somebody else.", counters_.foreign);
    group.counter("xoff_received", "packets",
                  "Pause frames that the port it sends into sent to begin or prolong a pause.",
                  pauses_.xoff_received);
    group.counter("xon_received", "packets", "Those that end one.", pauses_.xon_received);
    if (config_.flow_control) {
        group.activity("activity", "What the generator spends its time on.", activity_);
        group.formula("left_out", "packets", "Frames of its schedule that fell into pauses.",
                      [this] { return left_out(); });
    }
    group.formula("lost", "packets", "Frames sent while measured that did not come back (yet).",
                  [this, real] { return real(measured_lost()); });
    group.formula("loss", "1", "Their share.", [this, real] {
        return measured_offered() == 0 ? 0.0 : real(measured_lost()) / real(measured_offered());
    });
    group.formula("offered_rate", "pps", "Frames sent per second, up to the last one.",
                  [this] { return offered_rate(); });
    group.formula("received_rate", "pps", "Frames received per second.",
                  [this] { return received_rate(); });
    group.distribution("latency", "ps",
                       "Last bit sent to first bit received, of frames sent while measured.",
                       latency_);
}

}  // namespace nicsim::host
