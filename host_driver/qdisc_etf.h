// SPDX-License-Identifier: Apache-2.0
// Earliest TxTime First: holds packets that carry a launch time in order of that time and releases
// each `delta` before it, so that the device (with `offload`) or nobody (without) holds it until
// then. Packets that are late are dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host_driver/qdisc.h"
#include "sim/param.h"

namespace nicsim::host {

struct EtfConfig {
    std::uint64_t delta = 0;  ///< ps
    bool offload = false;
    bool deadline_mode = false;
    std::uint64_t limit = 1000;
    static const sim::ParamTable& params();
};

class EtfQdisc final : public Qdisc {
public:
    explicit EtfQdisc(const EtfConfig& config) : config_(config) {}

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override;
    [[nodiscard]] const char* kind() const override { return "etf"; }
    std::string attach(Core& core, NetDevice& device, unsigned queue) override;
    void register_stats(sim::StatGroup& group) override;
    [[nodiscard]] std::uint64_t late() const { return late_; }

private:
    void set_watchdog(Core& core);
    void on_timer(Core& core);
    void remove_head();

    EtfConfig config_;
    std::vector<SkbPtr> packets_by_time_;  ///< latest first
    sim::Ps last_ = 0;                     ///< launch time of what went last
    std::optional<Timer> watchdog_;
    std::uint64_t late_ = 0;     ///< dropped while waiting
    std::uint64_t invalid_ = 0;  ///< refused
};

}  // namespace nicsim::host
