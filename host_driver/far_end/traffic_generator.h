// SPDX-License-Identifier: Apache-2.0
// A traffic generator and analyser as network testers are: sends numbered frames of one size into
// one port of the device under test and takes them from another. It knows when it sent each, so
// that latency and loss are counted by number, and compares every byte that comes back.
//
// Latency is RFC 1242's for store-and-forward devices: from the last bit of a frame leaving the
// generator to the first bit coming back, cables included, plus `own_latency`. Frames are UDP
// datagrams without checksum between the addresses that RFC 2544 sets aside. A frame costs one
// kernel event.
//
// Pause frames: a tester measures what a device loses at a rate, so by default it does not slow
// down for them (they are counted). With `flow_control` it does as the transmit engine of a
// hardware tester: it stops between two frames, and so does the clock of its schedule. Frames are
// left out, none is made up for, and the distances after a pause are those of before it. Pause
// frames come out of the port that it sends into, by the cable that it sends on (PauseTap).
//
// Not modelled: flows of several addresses, mixes of sizes, the tester's clock error.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "host_driver/net/headers.h"
#include "host_driver/net/payload_pattern.h"
#include "sim/activity.h"
#include "sim/alarm.h"
#include "sim/doors.h"
#include "sim/frame.h"
#include "sim/histogram.h"
#include "sim/param.h"
#include "sim/pause.h"
#include "sim/random.h"
#include "sim/stat.h"

namespace nicsim::host {

enum class Arrivals : std::uint8_t { constant, poisson, bursts };

struct TrafficGeneratorConfig {
    std::uint64_t rate = 100'000;    ///< frames per second
    std::uint64_t frame_bytes = 64;  ///< with FCS
    Arrivals arrivals = Arrivals::constant;
    std::uint64_t burst = 32;                 ///< frames
    std::uint64_t link_rate = 1'000'000'000;  ///< bit/s: the cables'; no setting of its own
    std::uint64_t cable_delay = 25'000;       ///< ps, one way
    std::uint64_t own_latency = 0;            ///< ps
    std::uint64_t flows = 1;
    std::uint64_t start = 0;  ///< ps
    std::uint64_t drain = 0;  ///< ps
    bool flow_control = false;
    static const sim::ParamTable& params();
    /// Time that a frame takes on the wire, gap included.
    [[nodiscard]] sim::Ps frame_time() const;
};

class TrafficGenerator : public sc_core::sc_module, private sim::EthernetIf {
public:
    sc_core::sc_export<sim::EthernetIf> in;
    sc_core::sc_port<sim::EthernetIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> out;

    TrafficGenerator(const sc_core::sc_module_name& name, const TrafficGeneratorConfig& config,
                     std::uint64_t seed);

    /// Frames go to this address; they begin now, or at `start`, and end at the time `end`.
    void start(const MacAddress& destination, sim::Ps end);
    /// Frames that leave from now on are measured.
    void begin_measurement();
    /// A pause frame for this generator whose last bit leaves the device at `end`.
    void take_pause(const sim::Frame& frame, sim::Ps end);
    void register_stats(sim::StatGroup& group);

    struct Counters {
        std::uint64_t offered = 0;   ///< sent
        std::uint64_t received = 0;  ///< whole and once
        std::uint64_t wrong = 0;     ///< bytes that are not those sent, or a bad FCS
        std::uint64_t duplicates = 0;
        std::uint64_t out_of_order = 0;
        std::uint64_t foreign = 0;  ///< frames of somebody else
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    /// Of the frames sent since begin_measurement.
    [[nodiscard]] std::uint64_t measured_offered() const { return next_ - first_measured_; }
    [[nodiscard]] std::uint64_t measured_received() const { return measured_received_; }
    /// Not received (yet).
    [[nodiscard]] std::uint64_t measured_lost() const {
        return measured_offered() - measured_received_;
    }
    [[nodiscard]] std::uint64_t measured_wrong() const { return counters_.wrong - wrong_before_; }
    [[nodiscard]] const sim::Histogram& latency() const { return latency_; }
    /// Frames received since begin_measurement, whenever they were sent.
    [[nodiscard]] std::uint64_t received_meanwhile() const {
        return counters_.received - received_before_;
    }
    /// The same per second.
    [[nodiscard]] double received_rate() const;
    [[nodiscard]] double offered_rate() const;
    /// The same in bits per second of frames with FCS.
    [[nodiscard]] double received_bit_rate() const;

private:
    void deliver(const sim::FramePtr& frame, sim::Ps start, sim::Ps end) override;
    void act();
    void send();
    void plan_next();
    void plan_paused(sim::Ps due);
    [[nodiscard]] sim::Ps by_clock(sim::Ps due);
    [[nodiscard]] double left_out();
    /// Of the flow that this frame belongs to.
    [[nodiscard]] const std::uint8_t* headers_of(std::uint64_t number) const;
    [[nodiscard]] bool is_as_sent(const sim::Frame& frame, std::uint64_t number) const;

    TrafficGeneratorConfig config_;
    PayloadPattern pattern_;
    sim::RandomStream random_;
    sim::Alarm alarm_;
    std::vector<std::uint8_t> headers_;  ///< of each flow, one after the other
    std::uint32_t length_;               ///< without FCS
    sim::Ps frame_time_;
    sim::Ps begin_ = 0;     ///< of the first frame
    sim::Ps end_ = 0;       ///< none is sent from here on
    double arrival_ = 0.0;  ///< Poisson: of the next frame, since `begin_`, in ps
    sim::Ps wire_free_ = 0;
    sim::Ps due_ = 0;  ///< the next frame, by the clock that pauses stop
    sim::PauseGate gate_;
    sim::Activity activity_;
    sim::PauseCounts pauses_;
    sim::Ps paused_at_start_ = 0;
    sim::Ps paused_before_ = 0;           ///< until the measurement began
    std::uint64_t next_ = 0;              ///< number of the next frame
    std::vector<std::uint64_t> highest_;  ///< one more than the highest number received, by flow
    std::vector<sim::Ps>
        sent_at_;  ///< last bit at the cable's end, by number; `never` once received

    Counters counters_;
    std::uint64_t first_measured_ = 0;
    std::uint64_t measured_received_ = 0;
    std::uint64_t received_before_ = 0;
    std::uint64_t wrong_before_ = 0;
    sim::Ps measured_from_ = 0;
    sim::Histogram latency_;
};

}  // namespace nicsim::host
