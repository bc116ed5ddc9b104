// SPDX-License-Identifier: Apache-2.0
// First in, first out: pfifo with a packet limit, and pfifo_fast with three bands by priority.
#pragma once

#include <array>
#include <cstdint>

#include "host_driver/qdisc.h"
#include "sim/param.h"
#include "sim/ring_queue.h"

namespace nicsim::host {

struct FifoConfig {
    std::uint64_t limit = 1000;  ///< packets; of each band with pfifo_fast
    static const sim::ParamTable& params();
};

class PfifoQdisc final : public Qdisc {
public:
    explicit PfifoQdisc(const FifoConfig& config = {}) : config_(config) {}

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override;
    [[nodiscard]] const char* kind() const override { return "pfifo"; }
    [[nodiscard]] bool can_bypass() const override { return true; }

private:
    FifoConfig config_;
    sim::RingQueue<SkbPtr> queue_;
};

class PfifoFastQdisc final : public Qdisc {
public:
    explicit PfifoFastQdisc(const FifoConfig& config = {}) : config_(config) {}

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override;
    [[nodiscard]] const char* kind() const override { return "pfifo_fast"; }
    [[nodiscard]] bool can_bypass() const override { return true; }

private:
    FifoConfig config_;
    std::array<sim::RingQueue<SkbPtr>, 3> bands_;
};

}  // namespace nicsim::host
