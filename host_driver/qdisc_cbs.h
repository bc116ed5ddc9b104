// SPDX-License-Identifier: Apache-2.0
// Credit-based shaper, offloaded: the device shapes, this only queues. The software mode of Linux'
// cbs is not modelled.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/net_device.h"
#include "host_driver/qdisc.h"
#include "host_driver/qdisc_fifo.h"
#include "sim/param.h"

namespace nicsim::host {

struct CbsConfig {
    std::uint64_t idleslope = 0;  ///< bit/s
    std::uint64_t hicredit = 0;   ///< bytes
    std::uint64_t limit = 1000;   ///< packets
    static const sim::ParamTable& params();
};

class CbsQdisc final : public Qdisc {
public:
    explicit CbsQdisc(const CbsConfig& config) : config_(config), fifo_(FifoConfig{config.limit}) {}

    bool enqueue(Core& core, SkbPtr skb) override;
    SkbPtr dequeue(Core& core) override;
    [[nodiscard]] const SkBuff* peek() const override { return fifo_.peek(); }
    [[nodiscard]] const char* kind() const override { return "cbs"; }
    std::string attach(Core& core, NetDevice& device, unsigned queue) override;

private:
    CbsConfig config_;
    PfifoQdisc fifo_;
};

}  // namespace nicsim::host
