// SPDX-License-Identifier: Apache-2.0
// A CPU core: runs one thing at a time - hard interrupt, softirq or task, in that order of
// precedence - as real C++ code whose cost is charged by named operations.
//
// Local time: `charge` moves only the core's local time. `sync` lets simulated time catch up and is
// called before anything that another part can see or change is read or written (the accessors here
// do so themselves). Hard interrupts are taken inside `sync`, nested in whatever runs, unless a
// hard interrupt runs already; softirqs run when the outermost interrupt or bottom-half section
// ends, never nested in one another, and keep tasks from running, as on Linux.
//
// A core without work is in an idle state (idle_states.h), if its configuration allows any.
//
// Not modelled: caches, clock changes, SMT, and preemption of one task by another
// (tasks take turns, one step each).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <systemc>
#include <utility>
#include <vector>

#include "host_driver/core_config.h"
#include "host_driver/idle_states.h"
#include "pcie/host_ports.h"
#include "sim/activity.h"
#include "sim/callback.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::host {

class Core;

/// What kind of work a core spends its time on.
enum class Work : std::uint8_t { idle, task, softirq, hard_interrupt };
constexpr unsigned work_kinds = 4;
const char* name_of(Work work);

/// Softirqs in the order in which one pass runs them.
enum class Softirq : std::uint8_t { timer, net_tx, net_rx, tasklet, hrtimer };
constexpr unsigned softirq_kinds = 5;

/// A piece of code that a core runs as a softirq or a hard interrupt. Belongs to whoever raises it
/// and must outlive being pending. Raised twice before it ran, it runs once.
class Job {
public:
    using Action = sim::Callback<Core&>;
    explicit Job(Action action, Softirq kind = Softirq::tasklet) : action_(action), kind_(kind) {}
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    [[nodiscard]] bool pending() const { return pending_; }

private:
    friend class Core;
    Action action_;
    Softirq kind_;
    bool pending_ = false;
};

/// A high-resolution timer of one core.
class Timer {
public:
    enum class Context {
        hard,  ///< the action runs in the timer's own interrupt (HRTIMER_MODE_ABS)
        soft,  ///< the interrupt raises a softirq that runs it (HRTIMER_MODE_ABS_SOFT)
    };
    Timer(Core& core, Job::Action action, Context context = Context::hard)
        : core_(core), job_(action, Softirq::hrtimer), context_(context) {}
    ~Timer() { cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Fires at the absolute time `t`, at once if it is past; replaces an earlier arming and costs
    /// Op::timer if that changes anything.
    void at(sim::Ps t);
    void cancel();
    [[nodiscard]] bool armed() const { return due_ != sim::never; }
    [[nodiscard]] sim::Ps due() const { return due_; }

private:
    friend class Core;
    Core& core_;
    Job job_;
    Context context_;
    sim::Ps due_ = sim::never;
};

/// Something schedulable. `step` does one bounded piece of work on the core it is given and returns
/// whether there is more to do at once; a task that returns false sleeps until `Core::wake`. A step
/// that returns true must have charged something.
class Task {
public:
    Task() = default;
    virtual ~Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual bool step(Core& core) = 0;

private:
    friend class Core;
    bool queued_ = false;
    bool woken_ = false;
};

class Core : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Core);
    Core(const sc_core::sc_module_name& name, const CoreConfig& config, unsigned id = 0);
    ~Core() override;

    /// The bus that MMIO and configuration accesses take; before the first of them.
    void attach(pcie::HostBusIf& bus) { bus_ = &bus; }
    [[nodiscard]] unsigned id() const { return id_; }
    [[nodiscard]] const CoreConfig& config() const { return config_; }

    // ---- called by code that runs on this core ----
    void charge(Op op, std::uint64_t times = 1) {
        const auto i = static_cast<unsigned>(op);
        const std::uint64_t cost = config_.cost[i] * times;
        local_ += cost;
        op_time_[i] += cost;
        op_count_[i] += times;
        work_time_[static_cast<unsigned>(context_)] += cost;
    }
    /// Local time: now plus what was charged and not yet waited for.
    [[nodiscard]] sim::Ps local_time() const { return sim::now() + local_; }
    /// Simulated time catches up with local time; pending hard interrupts are taken on the way.
    void sync();
    /// Keeps softirqs from starting (nests); the last `enable` runs what is pending.
    void disable_bottom_halves() { ++bh_disabled_; }
    void enable_bottom_halves();

    /// Charges, syncs, posts.
    void mmio_write32(std::uint64_t address, std::uint32_t value) { mmio_write(address, 4, value); }
    void mmio_write16(std::uint64_t address, std::uint16_t value) { mmio_write(address, 2, value); }
    /// Stalls for the round trip.
    std::uint32_t mmio_read32(std::uint64_t address) {
        return static_cast<std::uint32_t>(mmio_read(address, 4));
    }
    std::uint16_t mmio_read16(std::uint64_t address) {
        return static_cast<std::uint16_t>(mmio_read(address, 2));
    }
    /// Stores to memory mapped write-combining, whole DWs, with a fence behind them: each line of
    /// 64 bytes leaves the core as one write.
    void mmio_write_combined(std::uint64_t address, std::span<const std::uint8_t> bytes);
    /// Reads the range into the cache that devices' reads look into; costs nothing here.
    void touch_cache(std::uint64_t address, std::uint64_t length);
    void thrash_cache();
    std::uint32_t config_read(pcie::Bdf function, unsigned offset, unsigned size);
    void config_write(pcie::Bdf function, unsigned offset, unsigned size, std::uint32_t value);
    /// Waits (busy, as udelay does) for `t`.
    void delay(sim::Ps t);
    /// Tasks only: gives the core up for `t` (msleep). Interrupts and softirqs run, other tasks of
    /// this core wait: meant for probing and resets.
    void sleep(sim::Ps t);
    [[nodiscard]] Work context() const { return context_; }
    /// A task was woken and has not run yet: it has waited longest, and would be let go first.
    [[nodiscard]] bool woken_task_waits() const;

    // ---- called from anywhere, at simulated time ----
    void wake(Task& task);  ///< put a task on the run queue (once)
    /// The same for a task that stands for one that spins: nothing is charged.
    void resume(Task& task);
    /// Tasks that stand still where their originals spin keep the core out of idle states (nests).
    void hold_awake() { ++awake_; }
    void release_awake() { --awake_; }
    void raise_softirq(Job& job);  ///< run it as a softirq (once)
    /// Run it as a hard interrupt, `latency` after now (once).
    void hard_interrupt(Job& job, sim::Ps latency = 0);

    /// Time charged to a kind of work since the start; for `idle`, the rest.
    [[nodiscard]] sim::Ps time_in(Work kind) const;
    [[nodiscard]] sim::Ps time_in(Op op) const { return op_time_[static_cast<unsigned>(op)]; }
    [[nodiscard]] std::uint64_t count_of(Op op) const {
        return op_count_[static_cast<unsigned>(op)];
    }
    [[nodiscard]] std::uint64_t interrupts_taken() const { return interrupts_; }
    /// What the core costs the simulation.
    [[nodiscard]] std::uint64_t thread_wakeups() const { return thread_wakeups_; }
    [[nodiscard]] const IdleGovernor& idle() const { return idle_; }
    void register_stats(sim::StatGroup& group);

private:
    friend class Timer;
    struct PendingInterrupt {
        Job* job = nullptr;
        sim::Ps due = 0;
    };

    void mmio_write(std::uint64_t address, unsigned size, std::uint64_t value);
    std::uint64_t mmio_read(std::uint64_t address, unsigned size);
    void run();
    bool run_once();
    void run_task(Task& task);
    void rest();
    void wait_until(sim::Ps t);
    void arm_far(sim::Ps t);
    void count_pause();
    void pause();
    void stall(const bool& done, Op op);
    void request_wakeup(sim::Ps t);
    [[nodiscard]] sim::Ps next_due() const;
    [[nodiscard]] bool hard_due() const { return next_due() <= sim::now(); }
    void take_hard_interrupts();
    [[nodiscard]] bool softirqs_pending() const { return softirqs_pending_ != 0; }
    [[nodiscard]] bool may_run_softirqs() const {
        return softirqs_pending() && !in_hard_ && !in_softirq_ && bh_disabled_ == 0;
    }
    void run_softirqs();
    void softirq_pass();
    void arm(Timer& timer, sim::Ps t);
    void disarm(Timer& timer);
    /// Returns the one before.
    Work enter_context(Work context) {
        context_probe_.set(static_cast<std::uint64_t>(context));
        return std::exchange(context_, context);
    }

    CoreConfig config_;
    unsigned id_;
    pcie::HostBusIf* bus_ = nullptr;

    sim::Ps local_ = 0;  ///< charged and not yet waited for
    Work context_ = Work::idle;
    sim::Probe context_probe_;  ///< Work
    unsigned bh_disabled_ = 0;
    bool in_hard_ = false;
    bool in_softirq_ = false;
    bool softirqs_deferred_ = false;  ///< left to the run queue's turn (ksoftirqd)

    sc_core::sc_event wakeup_;
    static constexpr sim::Ps far_wait = sim::ps_per_ms;  ///< waits from here on use the next one
    sc_core::sc_event far_wakeup_;
    sim::Ps far_due_ = 0;  ///< when it is, or was, notified
    sc_core::sc_event_or_list any_wakeup_{wakeup_ | far_wakeup_};
    sim::Ps waiting_until_ = 0;  ///< an interrupt due before this ends the wait; 0: none may

    std::vector<PendingInterrupt> hard_;  ///< in order of arrival
    std::vector<Timer*> timers_;          ///< latest first; equal times: first armed last
    std::array<sim::RingQueue<Job*>, softirq_kinds> softirqs_;
    unsigned softirqs_pending_ = 0;
    sim::RingQueue<Task*> runnable_;
    IdleGovernor idle_;
    unsigned awake_ = 0;

    std::array<std::uint64_t, ops> op_time_{};
    std::array<std::uint64_t, ops> op_count_{};
    std::array<std::uint64_t, work_kinds> work_time_{};
    std::uint64_t interrupts_ = 0;
    std::uint64_t thread_wakeups_ = 0;
    std::uint64_t timer_interrupts_ = 0;
    std::uint64_t softirq_runs_ = 0;
    std::uint64_t softirq_deferrals_ = 0;
    std::uint64_t task_steps_ = 0;
    sim::Activity activity_;
};

}  // namespace nicsim::host
