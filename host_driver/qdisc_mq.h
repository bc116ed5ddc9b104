// SPDX-License-Identifier: Apache-2.0
// Disciplines that only spread packets over the transmit queues, each with a child of its own: mq,
// and mqprio, which also maps priorities to traffic classes and classes to queues (software mode).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_driver/net_device.h"
#include "host_driver/qdisc.h"
#include "sim/param.h"

namespace nicsim::host {

/// `num_tc`, `map` and `queues` of tc's mqprio and taprio.
struct TrafficClassMap {
    std::vector<std::uint64_t> map = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    std::vector<std::uint64_t> queue_counts = {1};
    std::vector<std::uint64_t> queue_offsets = {0};

    /// Checks the map against the device and puts it there. An error or an empty string.
    [[nodiscard]] std::string apply(NetDevice& device) const;
    /// Declares the three lists in the table of a configuration that derives from this.
    template <class T>
    static void declare(sim::ParamTableBuilder<T>& builder) {
        builder
            .add("map", static_cast<std::vector<std::uint64_t> T::*>(&TrafficClassMap::map),
                 {.min = 0,
                  .max = 15,
                  .min_items = priorities,
                  .max_items = priorities,
                  .sentence = "Traffic class of each of the 16 priorities.",
                  .source = sim::assumed("a setting of the user's: tc ... map")})
            .add("queue_counts",
                 static_cast<std::vector<std::uint64_t> T::*>(&TrafficClassMap::queue_counts),
                 {.min = 1,
                  .max = 16,
                  .min_items = 1,
                  .max_items = 16,
                  .sentence = "Transmit queues of each traffic class.",
                  .source = sim::assumed("a setting of the user's: tc ... queues COUNT@OFFSET")})
            .add("queue_offsets",
                 static_cast<std::vector<std::uint64_t> T::*>(&TrafficClassMap::queue_offsets),
                 {.min = 0,
                  .max = 15,
                  .min_items = 1,
                  .max_items = 16,
                  .sentence = "First transmit queue of each traffic class.",
                  .source = sim::assumed("a setting of the user's: tc ... queues COUNT@OFFSET")});
    }
};

class MqQdisc : public Qdisc {
public:
    explicit MqQdisc(unsigned queues);

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override { return nullptr; }
    [[nodiscard]] const char* kind() const override { return "mq"; }
    [[nodiscard]] bool spreads() const override { return true; }
    [[nodiscard]] Qdisc& serving(unsigned queue) override { return *children_[queue]; }
    std::string graft(unsigned queue, std::unique_ptr<Qdisc> child) override;

private:
    std::vector<std::unique_ptr<Qdisc>> children_;
    std::vector<std::unique_ptr<Qdisc>> retired_;
};

struct MqprioConfig : TrafficClassMap {
    static const sim::ParamTable& params();
};

class MqprioQdisc final : public MqQdisc {
public:
    MqprioQdisc(const MqprioConfig& config, unsigned queues) : MqQdisc(queues), config_(config) {}

    [[nodiscard]] const char* kind() const override { return "mqprio"; }
    std::string attach(Core& core, NetDevice& device, unsigned queue) override;

private:
    MqprioConfig config_;
};

}  // namespace nicsim::host
