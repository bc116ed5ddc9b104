// SPDX-License-Identifier: Apache-2.0
#include "host_driver/napi.h"

namespace nicsim::host {

const sim::ParamTable& NapiConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<NapiConfig>()
            .add("weight", &NapiConfig::weight,
                 {.min = 1,
                  .max = 1024,
                  .sentence = "Packets that one poll may receive.",
                  .source = sim::driver("include/linux/netdevice.h, NAPI_POLL_WEIGHT")})
            .add("budget", &NapiConfig::budget,
                 {.min = 1,
                  .max = 1e6,
                  .sentence = "Packets that one softirq may receive from all its devices.",
                  .source = sim::driver("net/core/dev.c, netdev_budget")})
            .add("time_limit", &NapiConfig::time_limit,
                 {.unit = sim::Unit::time,
                  .min = 1e6,
                  .sentence = "Time after which one softirq stops polling.",
                  .source = sim::driver("net/core/dev.c, netdev_budget_usecs")})
            .add("thread_slice", &NapiConfig::thread_slice,
                 {.unit = sim::Unit::time,
                  .min = 1e6,
                  .max = 1e12,
                  .sentence = "How long a polling thread goes on while other tasks have more to "
                              "do; one that was woken need not wait for it.",
                  .source = sim::driver("kernel/sched/fair.c, sysctl_sched_min_granularity: "
                                        "0.75 ms times three on four cores")})
            .build();
    return table;
}

Softnet::Softnet(Core& core, const NapiConfig& config)
    : core_(core),
      config_(config),
      job_(Job::Action::to<&Softnet::action>(this), Softirq::net_rx) {}

void Softnet::schedule(Napi& napi) {
    if (napi.scheduled_ || !napi.enabled_) return;
    napi.scheduled_ = true;
    if (napi.threaded_) {
        napi.thread_.softnet = this;
        core_.wake(napi.thread_);
        return;
    }
    list_.push(&napi);
    core_.raise_softirq(job_);
}

/// napi_threaded_poll: softirqs wait while it polls, and run between two polls. It polls on until
/// nothing is left or the scheduler has somebody else run (cond_resched): a task that was woken
/// meanwhile, or any other when its slice is over.
bool Napi::Thread::step(Core& core) {
    const sim::Ps start = core.local_time();
    for (;;) {
        core.disable_bottom_halves();
        unsigned received = 0;
        const bool more = softnet->poll(core, napi_, received);
        core.enable_bottom_halves();
        if (!more) return false;
        core.sync();
        if (core.woken_task_waits()) return true;
        if (core.local_time() - start >= softnet->config_.thread_slice) return true;
    }
}

bool Softnet::poll(Core& core, Napi& napi, unsigned& received) {
    const auto weight = static_cast<unsigned>(config_.weight);
    core.charge(Op::napi_poll);
    ++polls_;
    napi.poll_(core, weight, received);
    packets_ += received;
    if (received < weight) return false;
    if (!napi.enabled_) napi.scheduled_ = false;
    return napi.enabled_;
}

void Softnet::action(Core& core) {
    const sim::Ps deadline = core.local_time() + config_.time_limit;
    auto budget = static_cast<std::int64_t>(config_.budget);
    // Devices that are scheduled from here on wait for the next pass.
    for (std::size_t n = list_.size(); n > 0; --n) {
        Napi& napi = *list_.pop();
        unsigned work = 0;
        if (poll(core, napi, work)) again_.push(&napi);
        budget -= work;
        if (budget <= 0 || core.local_time() >= deadline) {
            ++squeezed_;
            break;
        }
    }
    // Those that were not reached keep their place before those that have more.
    while (!again_.empty()) list_.push(again_.pop());
    if (!list_.empty()) core_.raise_softirq(job_);
}

void Softnet::register_stats(sim::StatGroup& group) {
    group.counter("polls", "polls", "Calls of poll functions.", polls_);
    group.counter("packets", "packets", "Packets received by polling.", packets_);
    group.counter("squeezed", "softirqs", "Softirqs that ran out of budget or time.", squeezed_);
}

}  // namespace nicsim::host
