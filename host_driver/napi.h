// SPDX-License-Identifier: Apache-2.0
// NAPI: a device's interrupt puts its poll function on the core's list; the NET_RX softirq polls in
// turn until work or time is used up. A poll function may have a thread of its own instead
// (threaded NAPI): it runs on the core that scheduled it, lets tasks go first that are woken
// meanwhile, and takes turns with that core's other tasks by slices of time. Busy polling is not
// modelled, nor a scheduler that moves such threads to other cores.
#pragma once

#include <cstdint>

#include "host_driver/core.h"
#include "sim/param.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::host {

struct NapiConfig {
    std::uint64_t weight = 64;                   ///< packets of one poll
    std::uint64_t budget = 300;                  ///< packets of one softirq
    std::uint64_t time_limit = 2'000'000'000;    ///< ps of one softirq
    std::uint64_t thread_slice = 2'250'000'000;  ///< ps
    static const sim::ParamTable& params();
};

class Softnet;

/// One poll function (napi_struct). It belongs to the driver.
class Napi {
public:
    /// Called as (core, budget, received): cleans, receives at most `budget` packets and says in
    /// `received` how many. With less than `budget` it must have called `complete`.
    using Poll = sim::Callback<Core&, unsigned, unsigned&>;
    explicit Napi(Poll poll) : poll_(poll) {}
    Napi(const Napi&) = delete;
    Napi& operator=(const Napi&) = delete;

    /// Nothing is left: interrupts may be let through again.
    void complete() { scheduled_ = false; }
    [[nodiscard]] bool scheduled() const { return scheduled_; }
    /// A driver that goes down: `schedule` does nothing until `enable`.
    void disable() { enabled_ = false; }
    void enable() { enabled_ = true; }
    /// Polls in a thread instead of the softirq (dev_set_threaded).
    void set_threaded(bool on) { threaded_ = on; }

private:
    friend class Softnet;
    class Thread final : public Task {
    public:
        explicit Thread(Napi& napi) : napi_(napi) {}
        bool step(Core& core) override;
        Softnet* softnet = nullptr;  ///< of the core that scheduled it

    private:
        Napi& napi_;
    };
    Poll poll_;
    Thread thread_{*this};
    bool threaded_ = false;
    bool scheduled_ = false;
    bool enabled_ = true;
};

/// What a core keeps for NAPI (softnet_data).
class Softnet {
public:
    Softnet(Core& core, const NapiConfig& config);

    /// Called by interrupt handlers of this core.
    void schedule(Napi& napi);
    [[nodiscard]] Core& core() { return core_; }
    void register_stats(sim::StatGroup& group);

private:
    friend class Napi;
    void action(Core& core);
    /// One poll; `received` says how many. True if it is to be polled again.
    bool poll(Core& core, Napi& napi, unsigned& received);

    Core& core_;
    NapiConfig config_;
    Job job_;
    sim::RingQueue<Napi*> list_;
    sim::RingQueue<Napi*> again_;
    std::uint64_t polls_ = 0;
    std::uint64_t packets_ = 0;
    std::uint64_t squeezed_ = 0;
};

}  // namespace nicsim::host
