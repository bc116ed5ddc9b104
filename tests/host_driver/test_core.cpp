// SPDX-License-Identifier: Apache-2.0
#include "host_driver/core.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "sim/alarm.h"
#include "sim/kernel.h"

namespace nicsim::host {
namespace {

using namespace sim::literals;
using sim::Ps;

/// Costs that are easy to add up.
CoreConfig round_costs() {
    CoreConfig c;
    c.cost.fill(0);
    const auto set = [&c](Op op, Ps t) { c.cost[static_cast<unsigned>(op)] = t; };
    set(Op::hard_interrupt, 100_ns);
    set(Op::softirq, 10_ns);
    set(Op::xmit_packet, 1_us);
    set(Op::clean_packet, 50_ns);
    set(Op::mmio_write, 40_ns);
    set(Op::mmio_read, 20_ns);
    set(Op::timer, 5_ns);
    set(Op::wake_task, 200_ns);
    c.task_quantum = 0;
    return c;
}

/// Something that happens outside of the core at a given time.
struct At : sc_core::sc_module {
    At(const char* name, Ps t, std::function<void()> what)
        : sc_module(sc_core::sc_module_name(name)), what_(std::move(what)) {
        alarm.at(t);
    }
    void fire() { what_(); }
    sim::Alarm alarm{"alarm", sim::Alarm::Action::to<&At::fire>(this)};
    std::function<void()> what_;
};

struct CallTask : Task {
    explicit CallTask(std::function<bool(Core&)> f) : body(std::move(f)) {}
    bool step(Core& core) override { return body(core); }
    std::function<bool(Core&)> body;
};

struct CallJob {
    explicit CallJob(std::function<void(Core&)> f, Softirq kind = Softirq::tasklet)
        : body(std::move(f)), job(Job::Action::to<&CallJob::run>(this), kind) {}
    void run(Core& core) { body(core); }
    std::function<void(Core&)> body;
    Job job;
};

/// A bus that notes writes and answers reads after a round trip.
struct NotingBus : sc_core::sc_module, pcie::HostBusIf {
    explicit NotingBus(const sc_core::sc_module_name& name) : sc_module(name) {}
    void mmio_write(std::uint64_t address, unsigned, std::uint64_t value) override {
        writes.push_back({sim::now(), address, value});
    }
    void mmio_read(std::uint64_t, unsigned, ReadDone done) override {
        read_done = std::move(done);
        answer.at(sim::now() + round_trip);
    }
    void config_read(pcie::Bdf, unsigned, unsigned, ReadDone done) override { done(0); }
    void config_write(pcie::Bdf, unsigned, unsigned, std::uint32_t,
                      std::function<void()> done) override {
        done();
    }
    void fire() { read_done(42); }
    struct Write {
        Ps time;
        std::uint64_t address;
        std::uint64_t value;
    };
    Ps round_trip = 800_ns;
    std::vector<Write> writes;
    ReadDone read_done;
    sim::Alarm answer{"answer", sim::Alarm::Action::to<&NotingBus::fire>(this)};
};

struct Bench {
    explicit Bench(const CoreConfig& config = round_costs()) : core("core", config) {
        core.attach(bus);
    }
    void run(Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    void note(const std::string& what) { log.push_back(what + "@" + time_text()); }
    [[nodiscard]] std::string time_text() const { return std::to_string(core.local_time() / 1_ns); }
    NotingBus bus{"bus"};
    Core core;
    std::vector<std::string> log;
};

TEST(Core, ChargesOnlyLocalTimeUntilItSyncs) {
    Bench b;
    Ps local = 0;
    Ps simulated = 0;
    Ps after = 0;
    CallTask task([&](Core& core) {
        core.charge(Op::xmit_packet, 3);
        local = core.local_time();
        simulated = sim::now();
        core.sync();
        after = sim::now();
        return false;
    });
    b.core.wake(task);
    b.run(10_us);
    EXPECT_EQ(local, 200_ns + 3_us);
    EXPECT_EQ(simulated, 0U);
    EXPECT_EQ(after, 200_ns + 3_us);
}

TEST(Core, DoorbellLeavesAtItsLocalTimeAndCostsOneWakeUp) {
    Bench b;
    CallTask task([&](Core& core) {
        core.charge(Op::xmit_packet);
        core.mmio_write32(0x1000, 7);
        return false;
    });
    b.run(1_us);
    b.core.wake(task);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(10_us);
    ASSERT_EQ(b.bus.writes.size(), 1U);
    EXPECT_EQ(b.bus.writes[0].time, 1_us + 200_ns + 1_us + 40_ns);
    EXPECT_EQ(b.bus.writes[0].value, 7U);
    EXPECT_EQ(sim::kernel_cost.wakeups - before, 2U) << "one for the task, one for the doorbell";
}

TEST(Core, ReadStallsForTheRoundTrip) {
    Bench b;
    std::uint32_t value = 0;
    Ps end = 0;
    CallTask task([&](Core& core) {
        value = core.mmio_read32(0x1000);
        end = sim::now();
        return false;
    });
    b.core.wake(task);
    b.run(10_us);
    EXPECT_EQ(value, 42U);
    EXPECT_EQ(end, 200_ns + 20_ns + 800_ns);
    EXPECT_EQ(b.core.time_in(Op::mmio_read), 820_ns);
}

TEST(Core, InterruptIsTakenAtItsTimeInsideWhatRunsAndDelaysIt) {
    Bench b;
    CallJob irq([&](Core&) { b.note("irq"); });
    CallTask task([&](Core& core) {
        core.charge(Op::xmit_packet, 2);  // until 2200 ns
        core.sync();
        b.note("task");
        return false;
    });
    At at("at", 700_ns, [&] { b.core.hard_interrupt(irq.job, 300_ns); });
    b.core.wake(task);
    b.run(10_us);
    // The handler starts at 1000 and ends at 1100; the task goes on for the 1200 it had left.
    EXPECT_EQ(b.log, (std::vector<std::string>{"irq@1100", "task@2300"}));
}

TEST(Core, InterruptDuringAnInterruptWaitsForItsEnd) {
    Bench b;
    CallJob second([&](Core&) { b.note("second"); });
    CallJob first([&](Core& core) {
        core.charge(Op::xmit_packet);
        core.mmio_write32(0, 0);
        b.note("first");
    });
    At at1("at1", 100_ns, [&] { b.core.hard_interrupt(first.job); });
    At at2("at2", 500_ns, [&] { b.core.hard_interrupt(second.job); });
    b.run(10_us);
    EXPECT_EQ(b.log, (std::vector<std::string>{"first@1240", "second@1340"}));
    EXPECT_EQ(b.core.interrupts_taken(), 2U);
}

TEST(Core, StalledLoadTakesNoInterruptBeforeTheValueArrives) {
    Bench b;
    CallJob irq([&](Core&) { b.note("irq"); });
    CallTask task([&](Core& core) {
        (void)core.mmio_read32(0);  // 220 to 1020
        b.note("read");
        core.charge(Op::xmit_packet);
        core.sync();
        b.note("done");
        return false;
    });
    At at("at", 500_ns, [&] { b.core.hard_interrupt(irq.job); });
    b.core.wake(task);
    b.run(10_us);
    EXPECT_EQ(b.log, (std::vector<std::string>{"read@1020", "irq@1120", "done@2120"}));
}

TEST(Core, SoftirqRunsWhenTheInterruptEndsAndBeforeTheTaskGoesOn) {
    Bench b;
    CallJob soft(
        [&](Core& core) {
            core.charge(Op::clean_packet, 10);
            b.note("soft");
        },
        Softirq::net_rx);
    CallJob irq([&](Core& core) {
        core.raise_softirq(soft.job);
        core.raise_softirq(soft.job);
        b.note("irq");
    });
    CallTask task([&](Core& core) {
        core.charge(Op::xmit_packet, 2);
        core.sync();
        b.note("task");
        return false;
    });
    At at("at", 1_us, [&] { b.core.hard_interrupt(irq.job); });
    b.core.wake(task);
    b.run(10_us);
    // 1000 + 100 handler + 10 softirq + 500 cleaning; the task still needs 1200.
    EXPECT_EQ(b.log, (std::vector<std::string>{"irq@1100", "soft@1610", "task@2810"}));
}

TEST(Core, SoftirqsOfOnePassRunInTheirFixedOrder) {
    Bench b;
    CallJob tasklet([&](Core&) { b.note("tasklet"); }, Softirq::tasklet);
    CallJob rx([&](Core&) { b.note("rx"); }, Softirq::net_rx);
    CallJob tx(
        [&](Core& core) {
            b.note("tx");
            core.raise_softirq(rx.job);
        },
        Softirq::net_tx);
    CallJob irq([&](Core& core) {
        core.raise_softirq(tasklet.job);
        core.raise_softirq(tx.job);
    });
    b.core.hard_interrupt(irq.job);
    b.run(10_us);
    // What a pass raises belongs to the next pass.
    EXPECT_EQ(b.log, (std::vector<std::string>{"tx@110", "tasklet@110", "rx@120"}));
}

TEST(Core, BottomHalfSectionHoldsSoftirqsBackButNotInterrupts) {
    Bench b;
    CallJob soft([&](Core&) { b.note("soft"); }, Softirq::net_rx);
    CallJob irq([&](Core& core) {
        b.note("irq");
        core.raise_softirq(soft.job);
    });
    CallTask task([&](Core& core) {
        core.disable_bottom_halves();
        core.charge(Op::xmit_packet);
        core.sync();
        b.note("inside");
        core.enable_bottom_halves();
        b.note("outside");
        return false;
    });
    At at("at", 500_ns, [&] { b.core.hard_interrupt(irq.job); });
    b.core.wake(task);
    b.run(10_us);
    EXPECT_EQ(b.log,
              (std::vector<std::string>{"irq@600", "inside@1300", "soft@1310", "outside@1310"}));
}

TEST(Core, SoftirqsThatNeverEndTakeTurnsWithTasks) {
    CoreConfig config = round_costs();
    config.softirq_restarts = 10;
    Bench b(config);
    unsigned rounds = 0;
    unsigned rounds_at_task = 0;
    CallJob* self = nullptr;
    CallJob soft(
        [&](Core& core) {
            core.charge(Op::clean_packet);
            if (++rounds < 1000) core.raise_softirq(self->job);
        },
        Softirq::net_rx);
    self = &soft;
    CallTask task([&](Core&) {
        rounds_at_task = rounds;
        return false;
    });
    CallJob irq([&](Core& core) {
        core.raise_softirq(soft.job);
        core.wake(task);
    });
    b.core.hard_interrupt(irq.job);
    b.run(1_ms);
    EXPECT_EQ(rounds, 1000U);
    EXPECT_EQ(rounds_at_task, 10U) << "after ten passes the task had its turn";
}

TEST(Core, TimerFiresAtItsTimeAndOnceOnly) {
    Bench b;
    CallTask task([](Core&) { return false; });
    struct Target {
        Bench& b;
        void fire(Core&) { b.note("timer"); }
    } target{b};
    Timer timer(b.core, Job::Action::to<&Target::fire>(&target));
    timer.at(3_us);
    timer.at(2_us);
    EXPECT_EQ(timer.due(), 2_us);
    b.run(10_us);
    EXPECT_EQ(b.log, std::vector<std::string>{"timer@2005"});
    EXPECT_FALSE(timer.armed());
}

TEST(Core, SoftTimerRunsAsSoftirqAndCancelledTimerNever) {
    Bench b;
    struct Target {
        Bench& b;
        void fire(Core& core) { b.note(core.context() == Work::softirq ? "soft" : "other"); }
    } target{b};
    Timer soft(b.core, Job::Action::to<&Target::fire>(&target), Timer::Context::soft);
    Timer never(b.core, Job::Action::to<&Target::fire>(&target));
    soft.at(1_us);
    never.at(2_us);
    never.cancel();
    b.run(10_us);
    EXPECT_EQ(b.log, std::vector<std::string>{"soft@1015"});
}

TEST(Core, IdleCoreDoesNotWake) {
    Bench b;
    b.run(1_us);
    const std::uint64_t before = sim::kernel_cost.wakeups;
    b.run(1_s);
    EXPECT_EQ(sim::kernel_cost.wakeups, before);
    EXPECT_EQ(b.core.time_in(Work::idle), 1_s + 1_us);
}

TEST(Core, AccountsForEveryPicosecondByContextAndOperation) {
    Bench b;
    CallJob soft([&](Core& core) { core.charge(Op::clean_packet, 4); }, Softirq::net_rx);
    CallJob irq([&](Core& core) { core.raise_softirq(soft.job); });
    CallTask task([&](Core& core) {
        core.charge(Op::xmit_packet);
        core.mmio_write32(0, 0);
        return false;
    });
    b.core.wake(task);
    At at("at", 600_ns, [&] { b.core.hard_interrupt(irq.job); });
    b.run(5_us);
    EXPECT_EQ(b.core.time_in(Work::task), 200_ns + 1_us + 40_ns);
    EXPECT_EQ(b.core.time_in(Work::softirq), 10_ns + 200_ns);
    EXPECT_EQ(b.core.time_in(Work::hard_interrupt), 100_ns);
    EXPECT_EQ(b.core.time_in(Work::idle), 5_us - 1240_ns - 210_ns - 100_ns);
    Ps by_op = 0;
    for (unsigned i = 0; i < ops; ++i) by_op += b.core.time_in(static_cast<Op>(i));
    EXPECT_EQ(by_op, 1240_ns + 210_ns + 100_ns);
}

TEST(Core, SleepingTaskLeavesTheCoreToInterrupts) {
    Bench b;
    CallJob irq([&](Core&) { b.note("irq"); });
    CallTask task([&](Core& core) {
        core.sleep(5_us);
        b.note("awake");
        return false;
    });
    b.core.wake(task);
    At at("at", 2_us, [&] { b.core.hard_interrupt(irq.job); });
    b.run(20_us);
    EXPECT_EQ(b.log, (std::vector<std::string>{"irq@2100", "awake@5200"}));
}

TEST(CoreConfig, DeclaresACostWithSourceForEveryOperation) {
    for (unsigned i = 0; i < ops; ++i) {
        const std::string name = std::string("cost_") + name_of(static_cast<Op>(i));
        const sim::ParamDecl* decl = sim::find_param(CoreConfig::params(), name);
        ASSERT_NE(decl, nullptr) << name;
        EXPECT_FALSE(decl->source.text.empty()) << name;
        CoreConfig c;
        decl->set(&c, std::uint64_t{123});
        EXPECT_EQ(c.cost_of(static_cast<Op>(i)), 123U) << name;
    }
}

}  // namespace
}  // namespace nicsim::host
