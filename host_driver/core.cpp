// SPDX-License-Identifier: Apache-2.0
#include "host_driver/core.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "sim/kernel.h"

namespace nicsim::host {
namespace {

constexpr std::size_t activity_idle = 0;
constexpr std::size_t activity_busy = 1;
constexpr std::size_t activity_waking = 2;       ///< only where there are idle states
constexpr std::size_t activity_first_state = 3;  ///< the others follow
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

std::vector<sim::ActivityState> activity_states(const CoreConfig& config) {
    std::vector<sim::ActivityState> states{
        {"idle", sim::ActivityKind::starved, "the core has nothing to run"},
        {"busy", sim::ActivityKind::busy, "the core runs code"}};
    if (config.idle_states.empty()) return states;
    states.push_back({"waking", sim::ActivityKind::blocked, "the core leaves an idle state"});
    for (const IdleState& s : config.idle_states)
        states.push_back({s.name, sim::ActivityKind::starved,
                          "the core has nothing to run and is in idle state " + s.name});
    return states;
}

}  // namespace

const char* name_of(Work work) {
    static constexpr std::array<const char*, work_kinds> names = {"idle", "task", "softirq",
                                                                  "hard_interrupt"};
    return names[static_cast<unsigned>(work)];
}

void Timer::at(sim::Ps t) {
    if (t == due_) return;
    core_.charge(Op::timer);
    core_.arm(*this, t);
}

void Timer::cancel() {
    if (armed()) core_.disarm(*this);
}

Core::Core(const sc_core::sc_module_name& module_name, const CoreConfig& config, unsigned id)
    : sc_module(module_name),
      config_(config),
      id_(id),
      context_probe_(std::string(name()) + ".context", 2),
      idle_(config.idle_states),
      activity_(activity_states(config)) {
    for (unsigned i = 0; i < ops; ++i) config_.cost[i] = config.scaled_cost(static_cast<Op>(i));
    SC_THREAD(run);
    set_stack_size(stack_bytes);
}

Core::~Core() {
    // A timer may outlive its core; it must not look for it then.
    for (Timer* timer : timers_) timer->due_ = sim::never;
}

// ---------------------------------------------------------------- waiting

void Core::pause() {
    wait(wakeup_);
    count_pause();
}

void Core::count_pause() {
    sim::count_wakeup();
    ++thread_wakeups_;
}

/// Sleeps until `t`, or earlier if an interrupt becomes due or work is queued while idle.
void Core::wait_until(sim::Ps t) {
    waiting_until_ = t;
    if (t != sim::never && t - sim::now() >= far_wait) {
        arm_far(t);
        wait(any_wakeup_);
        count_pause();
    } else {
        if (t != sim::never) wakeup_.notify(sim::to_sc_time(t - sim::now()));
        pause();
    }
    waiting_until_ = 0;
    wakeup_.cancel();
}

/// A cancelled notification stays in the kernel's queue until its time. That of a timer seconds
/// away is therefore left standing when something else ends the wait, for the next wait for it.
void Core::arm_far(sim::Ps t) {
    if (t == far_due_) return;
    far_wakeup_.cancel();
    far_wakeup_.notify(sim::to_sc_time(t - sim::now()));
    far_due_ = t;
}

void Core::request_wakeup(sim::Ps t) {
    if (t < waiting_until_) {
        waiting_until_ = t;
        wakeup_.notify(sim::to_sc_time(t - sim::now()));
    }
}

sim::Ps Core::next_due() const {
    sim::Ps due = timers_.empty() ? sim::never : timers_.back()->due_;
    for (const PendingInterrupt& p : hard_) due = std::min(due, p.due);
    return due;
}

void Core::sync() {
    for (;;) {
        const sim::Ps t = sim::now();
        sim::Ps due = sim::never;
        if (!in_hard_) {
            due = next_due();
            if (due <= t) {
                take_hard_interrupts();
                continue;
            }
        }
        if (local_ == 0) return;
        const sim::Ps target = t + local_;
        if (in_hard_) {
            // Masked: nothing ends this wait early.
            wakeup_.notify(sim::to_sc_time(local_));
            pause();
        } else {
            wait_until(std::min(target, due));
        }
        local_ = target - sim::now();
    }
}

/// Waits for a bus access. A core whose load is outstanding takes no interrupt.
void Core::stall(const bool& done, Op op) {
    const sim::Ps start = sim::now();
    while (!done) {
        pause();
    }
    const sim::Ps spent = sim::now() - start;
    op_time_[static_cast<unsigned>(op)] += spent;
    work_time_[static_cast<unsigned>(context_)] += spent;
}

// ---------------------------------------------------------------- bus accesses

void Core::mmio_write(std::uint64_t address, unsigned size, std::uint64_t value) {
    charge(Op::mmio_write);
    sync();
    bus_->mmio_write(address, size, value);
}

void Core::mmio_write_combined(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    constexpr std::uint64_t line = 64;
    while (!bytes.empty()) {
        const auto n = std::min<std::size_t>(line - address % line, bytes.size());
        const auto op = static_cast<unsigned>(Op::mmio_write);
        local_ += config_.write_combining_line;
        op_time_[op] += config_.write_combining_line;
        ++op_count_[op];
        work_time_[static_cast<unsigned>(context_)] += config_.write_combining_line;
        sync();
        bus_->mmio_write_line(address, bytes.first(n));
        address += n;
        bytes = bytes.subspan(n);
    }
}

void Core::touch_cache(std::uint64_t address, std::uint64_t length) {
    sync();
    bus_->cache_touched(address, length);
}

void Core::thrash_cache() {
    sync();
    bus_->cache_thrashed();
}

std::uint64_t Core::mmio_read(std::uint64_t address, unsigned size) {
    charge(Op::mmio_read);
    sync();
    std::uint64_t result = 0;
    bool done = false;
    bus_->mmio_read(address, size, [&](std::uint64_t value) {
        result = value;
        done = true;
        wakeup_.notify(sc_core::SC_ZERO_TIME);
    });
    stall(done, Op::mmio_read);
    return result;
}

std::uint32_t Core::config_read(pcie::Bdf function, unsigned offset, unsigned size) {
    charge(Op::mmio_read);
    sync();
    std::uint64_t result = 0;
    bool done = false;
    bus_->config_read(function, offset, size, [&](std::uint64_t value) {
        result = value;
        done = true;
        wakeup_.notify(sc_core::SC_ZERO_TIME);
    });
    stall(done, Op::mmio_read);
    return static_cast<std::uint32_t>(result);
}

void Core::config_write(pcie::Bdf function, unsigned offset, unsigned size, std::uint32_t value) {
    charge(Op::mmio_write);
    sync();
    bool done = false;
    bus_->config_write(function, offset, size, value, [&] {
        done = true;
        wakeup_.notify(sc_core::SC_ZERO_TIME);
    });
    stall(done, Op::mmio_write);
}

void Core::delay(sim::Ps t) {
    local_ += t;
    work_time_[static_cast<unsigned>(context_)] += t;
    sync();
}

void Core::sleep(sim::Ps t) {
    assert(context_ == Work::task && bh_disabled_ == 0);
    sync();
    const sim::Ps end = sim::now() + t;
    while (sim::now() < end) {
        if (may_run_softirqs()) {
            run_softirqs();
            sync();
            continue;
        }
        activity_.enter(activity_idle);
        wait_until(std::min(end, next_due()));
        activity_.enter(activity_busy);
        sync();
    }
}

// ---------------------------------------------------------------- hard interrupts and timers

void Core::hard_interrupt(Job& job, sim::Ps latency) {
    if (job.pending_) return;
    job.pending_ = true;
    const sim::Ps due = sim::now() + latency;
    hard_.push_back({&job, due});
    request_wakeup(due);
}

void Core::arm(Timer& timer, sim::Ps t) {
    if (timer.armed()) disarm(timer);
    timer.due_ = t;
    // Latest first; among equals the one armed first stands last and so fires first.
    const auto place =
        std::lower_bound(timers_.begin(), timers_.end(), t,
                         [](const Timer* other, sim::Ps due) { return other->due_ > due; });
    timers_.insert(place, &timer);
    request_wakeup(std::max(t, sim::now()));
}

void Core::disarm(Timer& timer) {
    timers_.erase(std::find(timers_.begin(), timers_.end(), &timer));
    timer.due_ = sim::never;
}

/// Runs every interrupt that is due, then softirqs if the interrupted code allows them. The time
/// that code still had to wait for is put aside meanwhile.
void Core::take_hard_interrupts() {
    const sim::Ps interrupted = std::exchange(local_, 0);
    const Work context = enter_context(Work::hard_interrupt);
    in_hard_ = true;
    while (hard_due()) {
        if (!timers_.empty() && timers_.back()->due_ <= sim::now()) {
            Timer& timer = *timers_.back();
            timers_.pop_back();
            timer.due_ = sim::never;
            ++timer_interrupts_;
            charge(Op::timer);
            if (timer.context_ == Timer::Context::hard) {
                timer.job_.action_(*this);
            } else {
                raise_softirq(timer.job_);
            }
            continue;
        }
        const auto first = std::find_if(hard_.begin(), hard_.end(), [](const PendingInterrupt& p) {
            return p.due <= sim::now();
        });
        Job& job = *first->job;
        hard_.erase(first);
        job.pending_ = false;
        ++interrupts_;
        charge(Op::hard_interrupt);
        job.action_(*this);
    }
    in_hard_ = false;
    enter_context(context);
    if (may_run_softirqs() && !softirqs_deferred_) run_softirqs();
    local_ += interrupted;
}

// ---------------------------------------------------------------- softirqs

void Core::raise_softirq(Job& job) {
    if (job.pending_) return;
    job.pending_ = true;
    softirqs_[static_cast<unsigned>(job.kind_)].push(&job);
    ++softirqs_pending_;
    if (context_ == Work::idle) request_wakeup(sim::now());
}

void Core::enable_bottom_halves() {
    assert(bh_disabled_ > 0);
    --bh_disabled_;
    if (may_run_softirqs() && !softirqs_deferred_) run_softirqs();
}

void Core::softirq_pass() {
    std::array<std::size_t, softirq_kinds> count{};
    for (unsigned k = 0; k < softirq_kinds; ++k) count[k] = softirqs_[k].size();
    charge(Op::softirq);
    for (unsigned k = 0; k < softirq_kinds; ++k) {
        for (; count[k] > 0; --count[k]) {
            Job& job = *softirqs_[k].pop();
            --softirqs_pending_;
            job.pending_ = false;
            job.action_(*this);
        }
    }
}

void Core::run_softirqs() {
    const Work context = enter_context(Work::softirq);
    in_softirq_ = true;
    softirqs_deferred_ = false;
    ++softirq_runs_;
    const sim::Ps start = local_time();
    std::uint64_t passes = 0;
    while (softirqs_pending()) {
        if (passes >= config_.softirq_restarts ||
            local_time() - start >= config_.softirq_time_limit) {
            softirqs_deferred_ = true;
            ++softirq_deferrals_;
            break;
        }
        softirq_pass();
        ++passes;
    }
    in_softirq_ = false;
    enter_context(context);
}

// ---------------------------------------------------------------- tasks

void Core::wake(Task& task) {
    if (task.queued_) return;
    resume(task);
    task.woken_ = true;
}

void Core::resume(Task& task) {
    if (task.queued_) return;
    task.queued_ = true;
    runnable_.push(&task);
    if (context_ == Work::idle) request_wakeup(sim::now());
}

bool Core::woken_task_waits() const {
    for (std::size_t i = 0; i < runnable_.size(); ++i)
        if (runnable_[i]->woken_) return true;
    return false;
}

void Core::run_task(Task& task) {
    task.queued_ = false;
    enter_context(Work::task);
    if (std::exchange(task.woken_, false)) charge(Op::wake_task);
    ++task_steps_;
    const bool more = task.step(*this);
    assert(bh_disabled_ == 0);
    if (more && !task.queued_) {
        task.queued_ = true;
        runnable_.push(&task);
    }
    if (may_run_softirqs() && !softirqs_deferred_) run_softirqs();
    if (local_ > config_.task_quantum || hard_due()) sync();
    enter_context(Work::idle);
}

/// One piece of work; false if there is none.
bool Core::run_once() {
    if (hard_due()) sync();
    if (may_run_softirqs() && !softirqs_deferred_) {
        run_softirqs();
        return true;
    }
    if (!runnable_.empty()) {
        run_task(*runnable_.pop());
        // Softirqs that ran too long take turns with the tasks.
        if (softirqs_deferred_) run_softirqs();
        return true;
    }
    if (softirqs_deferred_) {
        run_softirqs();
        return true;
    }
    return false;
}

void Core::run() {
    for (;;) {
        activity_.enter(activity_busy);
        while (run_once()) {
        }
        enter_context(Work::task);  // what is left of the last step's time
        sync();
        enter_context(Work::idle);
        if (softirqs_pending() || !runnable_.empty() || hard_due()) continue;
        rest();
    }
}

/// Until something is due or queued, and then until the idle state is left. What comes up before
/// the state is entered meets a core that is awake.
void Core::rest() {
    activity_.enter(activity_idle);
    if (idle_.off() || awake_ != 0) {
        wait_until(next_due());
        return;
    }
    if (config_.idle_entry_time != 0) {
        const sim::Ps entered = sim::now() + config_.idle_entry_time;
        wait_until(std::min(entered, next_due()));
        if (sim::now() < entered || softirqs_pending() || !runnable_.empty() || hard_due()) return;
        // A message that has reached the core keeps it from sleeping before its handler starts.
        if (!hard_.empty()) {
            wait_until(next_due());
            return;
        }
    }
    idle_.enter(timers_.empty() ? sim::never : timers_.back()->due_);
    if (!idle_.polling()) activity_.enter(activity_first_state + idle_.state());
    wait_until(next_due());
    const sim::Ps latency = idle_.leave();
    if (latency == 0) return;
    activity_.enter(activity_waking);
    wakeup_.notify(sim::to_sc_time(latency));
    pause();
}

// ---------------------------------------------------------------- figures

sim::Ps Core::time_in(Work kind) const {
    if (kind != Work::idle) return work_time_[static_cast<unsigned>(kind)];
    sim::Ps busy = 0;
    for (const std::uint64_t t : work_time_) busy += t;
    const sim::Ps t = local_time();
    return t > busy ? t - busy : 0;
}

void Core::register_stats(sim::StatGroup& group) {
    group.activity("time", "Time in which the core runs code or idles.", activity_);
    for (const Work w : {Work::task, Work::softirq, Work::hard_interrupt}) {
        const std::string kind = name_of(w);
        group.counter("time_" + kind, "ps", "CPU time charged in context `" + kind + "`.",
                      work_time_[static_cast<unsigned>(w)]);
    }
    group.counter("interrupts", "interrupts", "Device interrupts taken.", interrupts_);
    group.counter("timer_interrupts", "interrupts", "Timers that fired.", timer_interrupts_);
    group.counter("softirq_runs", "runs", "Times that softirqs were started.", softirq_runs_);
    group.counter("softirq_deferrals", "runs",
                  "Times that softirqs took too long and were left to a thread.",
                  softirq_deferrals_);
    group.counter("task_steps", "steps", "Steps of tasks.", task_steps_);
    if (!idle_.off()) idle_.register_stats(group.group("idle_states"));
    sim::StatGroup& time = group.group("time_by_operation");
    sim::StatGroup& count = group.group("operations");
    for (unsigned i = 0; i < ops; ++i) {
        const std::string op = name_of(static_cast<Op>(i));
        time.counter(op, "ps", "CPU time charged for `" + op + "`.", op_time_[i]);
        count.counter(op, "operations", "Times that `" + op + "` was charged.", op_count_[i]);
    }
}

}  // namespace nicsim::host
