// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run_config.h"

namespace nicsim::scenarios {

const sim::ParamTable& RunConfig::params() {
    using C = RunConfig;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("name", &C::name, {.sentence = "Title of the results.", .source = own})
            .add("description", &C::description,
                 {.sentence = "What the scenario shows; `nicsim list` prints its first line.",
                  .source = own})
            .add("seed", &C::seed,
                 {.max = 9007199254740992.0,
                  .sentence = "From which every stream of random numbers is derived.",
                  .source = own})
            .add("warmup", &C::warmup,
                 {.unit = sim::Unit::time,
                  .min = 0,
                  .max = 60e12,
                  .sentence = "Simulated time before anything is measured; the driver must be up "
                              "and its workloads started within it.",
                  .source = own})
            .add("duration", &C::duration,
                 {.unit = sim::Unit::time,
                  .min = 1e6,
                  .max = 3600e12,
                  .sentence = "Simulated time that is measured.",
                  .source = own})
            .build();
    return table;
}

const sim::ParamTable& ExpectConfig::params() {
    using C = ExpectConfig;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("stat", &C::stat,
                 {.sentence = "Path of a statistic in result.json, with its part where it has "
                              "several (`latency.total.p99`, `nic.tx.wire.busy`).",
                  .source = own})
            .add("value", &C::value,
                 {.sentence = "The value expected, with a unit where the statistic has one.",
                  .source = own})
            .add("tolerance", &C::tolerance,
                 {.unit = sim::Unit::ratio,
                  .min = 0,
                  .max = 1,
                  .sentence = "Largest relative error allowed.",
                  .source = own})
            .add("min", &C::min, {.sentence = "Least value allowed.", .source = own})
            .add("max", &C::max, {.sentence = "Greatest value allowed.", .source = own})
            .build();
    return table;
}

const sim::ParamTable& PortConfig::params() {
    using C = PortConfig;
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("name", &C::name,
                 {.sentence = "Name of the port and of its network device.",
                  .source = sim::assumed("a choice of the experiment")})
            .add("interrupt_affinity", &C::interrupt_affinity,
                 {.min = 0,
                  .max = 63,
                  .min_items = 0,
                  .max_items = 256,
                  .sentence = "Core that takes its device's first, second, ... interrupt; without "
                              "it `host.interrupt_affinity`.",
                  .source = sim::assumed("a setting of the user's: smp_affinity")})
            .build();
    return table;
}

const sim::ParamTable& GeneratorPlaces::params() {
    using C = GeneratorPlaces;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("name", &C::name,
                 {.sentence = "Name in results and for --set; must be unique.", .source = own})
            .add("into", &C::into,
                 {.sentence = "Name of the port that it sends frames into.", .source = own})
            .add("out_of", &C::out_of,
                 {.sentence = "Name of the port that it takes frames from.", .source = own})
            .add("enabled", &C::enabled,
                 {.sentence = "Whether it takes part in the run.", .source = own})
            .build();
    return table;
}

const sim::ParamTable& WorkloadConfig::params() {
    using C = WorkloadConfig;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("name", &C::name,
                 {.sentence = "Name in results and for --set; must be unique.", .source = own})
            .add("enabled", &C::enabled,
                 {.sentence = "Whether it takes part in the run.", .source = own})
            .add("core", &C::core,
                 {.max = 63, .sentence = "Core that its task runs on.", .source = own})
            .add("nic_port", &C::nic_port,
                 {.sentence = "Name of the port whose device it uses; the first without it.",
                  .source = own})
            .build();
    return table;
}

}  // namespace nicsim::scenarios
