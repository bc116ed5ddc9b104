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
            .build();
    return table;
}

}  // namespace nicsim::scenarios
