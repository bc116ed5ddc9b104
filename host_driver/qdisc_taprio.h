// SPDX-License-Identifier: Apache-2.0
// taprio in software mode: a cyclic gate schedule over traffic classes, a child discipline per
// transmit queue, large packets cut before the children see them.
//
// The schedule is not stepped by a timer but computed from the time, so idle or fully open
// schedules wake nobody: a timer is armed only while a packet waits for a gate. The processor time
// of Linux' timer at every entry is therefore not charged. Not modelled: offload to the device,
// txtime-assist, change of schedule at run time, cycle_time_extension.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host_driver/net_device.h"
#include "host_driver/qdisc.h"
#include "host_driver/qdisc_mq.h"
#include "sim/param.h"

namespace nicsim::host {

struct TaprioConfig : TrafficClassMap {
    std::vector<std::uint64_t> gate_masks = {0xffff'ffff};    ///< traffic classes open, per entry
    std::vector<std::uint64_t> intervals = {10'000'000'000};  ///< ps, per entry
    std::uint64_t base_time = 0;                              ///< ps
    std::uint64_t cycle_time = 0;                             ///< ps; 0: the sum of the intervals
    std::uint64_t child_limit = 1000;                         ///< packets of each child
    bool stop_at_idle_child = false;
    static const sim::ParamTable& params();
};

class TaprioQdisc final : public Qdisc {
public:
    TaprioQdisc(const TaprioConfig& config, unsigned queues);

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override;
    [[nodiscard]] const char* kind() const override { return "taprio"; }
    [[nodiscard]] bool has_children() const override { return true; }
    std::string graft(unsigned queue, std::unique_ptr<Qdisc> child) override;
    std::string attach(Core& core, NetDevice& device, unsigned queue) override;
    void set_run(QdiscRun* run) override;
    [[nodiscard]] std::uint64_t drops() const override;
    void register_stats(sim::StatGroup& group) override;

    /// A packet with a launch time is taken only if it fits strictly inside an open interval.
    [[nodiscard]] bool fits_its_interval(const SkBuff& skb) const;

private:
    static constexpr std::uint64_t all_open = 0xffff'ffff;  ///< before the schedule starts

    /// Where the schedule stands; `index` none before the base time.
    struct Position {
        std::optional<std::size_t> index;
        sim::Ps begin = 0;
        sim::Ps close = sim::never;
    };
    [[nodiscard]] Position position_at(sim::Ps t) const;
    void advance(sim::Ps t);
    [[nodiscard]] sim::Ps duration_of(std::uint32_t bytes) const { return bytes * ps_per_byte_; }
    [[nodiscard]] SkbPtr take(Core& core, Qdisc& child);
    bool enqueue_one(Core& core, SkbPtr skb);
    void wait_for_next_entry(Core& core);
    void on_timer(Core& core);
    [[nodiscard]] sim::Ps cycle() const { return cycle_; }

    TaprioConfig config_;
    NetDevice* device_ = nullptr;
    std::vector<std::unique_ptr<Qdisc>> children_;
    std::vector<std::unique_ptr<Qdisc>> retired_;
    std::vector<SkbPtr> parts_;  ///< scratch
    sim::Ps cycle_;
    sim::Ps ps_per_byte_ = 8'000;
    Position current_;
    std::int64_t budget_ = 0;  ///< bytes of the current entry
    std::optional<Timer> timer_;
    std::uint64_t segments_cut_ = 0;
    std::uint64_t interval_drops_ = 0;
    std::uint64_t gate_waits_ = 0;
};

}  // namespace nicsim::host
