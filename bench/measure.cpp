// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <stdexcept>
#include <systemc>

#include "scenarios/data_folder.h"
#include "scenarios/language.h"
#include "scenarios/machine.h"
#include "scenarios/run_config.h"
#include "sim/alarm.h"
#include "sim/kernel.h"

namespace nicsim::bench {
namespace {

class Ticker : public sc_core::sc_module {
public:
    Ticker(const sc_core::sc_module_name& name, std::uint64_t events)
        : sc_module(name), left_(events) {
        alarm_.at(1000);
    }

private:
    void tick() {
        if (--left_ > 0) alarm_.after(1000);
    }
    std::uint64_t left_;
    sim::Alarm alarm_{"alarm", sim::Alarm::Action::to<&Ticker::tick>(this)};
};

void run_until(sim::Ps end) {
    sc_core::sc_start(sim::to_sc_time(end - sim::now()));
}

/// Cost of `body`, which says how many packets it made.
template <class Body>
Cost cost_of(Body body) {
    Cost cost;
    const std::uint64_t wakeups = sim::kernel_cost.wakeups;
    const double before = cpu_seconds_now();
    cost.packets = body();
    cost.cpu_seconds = cpu_seconds_now() - before;
    cost.wakeups = sim::kernel_cost.wakeups - wakeups;
    return cost;
}

}  // namespace

Cost measure_kernel_events(std::uint64_t events) {
    return run_isolated([events] {
        const Ticker ticker("ticker", events);
        return cost_of([events] {
            sc_core::sc_start();
            return events;
        });
    });
}

Cost measure_floor(const FloorConfig& config) {
    return run_isolated([&config] {
        Cost cost;
        const double before = cpu_seconds_now();
        const FloorResult result = run_floor(config);
        cost.cpu_seconds = cpu_seconds_now() - before;
        cost.packets = result.packets;
        cost.wakeups = result.wakeups;
        return cost;
    });
}

Cost measure_scenario(const std::string& scenario, const std::vector<std::string>& sets) {
    return run_isolated([&] {
        const scenarios::BoundBlock bound =
            scenarios::load_scenario(scenarios::find_scenario(scenario), sets);
        const auto run = bound.as<scenarios::RunConfig>();
        scenarios::Machine* machine = scenarios::assemble(bound).release();  // ends with the child
        run_until(run.warmup);
        if (!machine->running()) throw std::runtime_error("the driver is not up after the warm-up");
        machine->begin_measurement();
        return cost_of([&] {
            run_until(run.warmup + run.duration);
            return machine->packets();
        });
    });
}

}  // namespace nicsim::bench
