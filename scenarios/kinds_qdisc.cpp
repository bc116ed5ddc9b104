// SPDX-License-Identifier: Apache-2.0
// Queue disciplines that a scenario can put on the device and under its queues.
#include "host_driver/qdisc_cbs.h"
#include "host_driver/qdisc_etf.h"
#include "host_driver/qdisc_fifo.h"
#include "host_driver/qdisc_mq.h"
#include "host_driver/qdisc_taprio.h"
#include "scenarios/kinds.h"

namespace nicsim::scenarios {
namespace {

using Made = std::unique_ptr<host::Qdisc>;

/// Which queue of the parent a child serves.
struct ChildConfig {
    std::uint64_t queue = 0;
    static const sim::ParamTable& params() {
        static const sim::ParamTable table =
            sim::ParamTableBuilder<ChildConfig>()
                .add("queue", &ChildConfig::queue,
                     {.max = 15,
                      .sentence = "Transmit queue that it serves (tc: parent 100:<queue + 1>).",
                      .source = sim::assumed("a setting of the user's")})
                .build();
        return table;
    }
};

const sim::ParamTable& no_params() {
    static const sim::ParamTable none;
    return none;
}

Field children() {
    Field f;
    f.name = "children";
    f.sentence = "Disciplines under single queues.";
    f.kind = Field::Kind::choices;
    f.max_items = 16;
    for (const QdiscKind& k : child_qdisc_kinds())
        f.alternatives.push_back({k.name, k.sentence, &k.block});
    return f;
}

template <class Discipline, class Config>
Made with_config(const BoundBlock& block, unsigned) {
    return std::make_unique<Discipline>(block.as<Config>());
}

template <class Discipline, class Config>
Made with_config_and_queues(const BoundBlock& block, unsigned queues) {
    return std::make_unique<Discipline>(block.as<Config>(), queues);
}

/// The lists of a schedule and of a class map belong together pairwise.
std::vector<Fault> same_length(const BoundBlock& b, const std::string& first,
                               const std::string& second) {
    const auto length = [&b](const std::string& key) {
        return std::get<std::vector<std::uint64_t>>(b.find(key)->value).size();
    };
    if (length(first) == length(second)) return {};
    return {
        {second, "needs as many items as " + first + " (" + std::to_string(length(first)) + ")"}};
}

std::vector<Fault> check_taprio(const BoundBlock& b) {
    std::vector<Fault> faults = same_length(b, "queue_counts", "queue_offsets");
    for (Fault& f : same_length(b, "gate_masks", "intervals")) faults.push_back(std::move(f));
    return faults;
}

std::vector<Fault> check_mqprio(const BoundBlock& b) {
    return same_length(b, "queue_counts", "queue_offsets");
}

}  // namespace

const std::vector<QdiscKind>& child_qdisc_kinds() {
    static const std::vector<QdiscKind> kinds{
        {"etf",
         "Earliest launch time first (SO_TXTIME), optionally offloaded to the device.",
         {{&ChildConfig::params(), &host::EtfConfig::params()}, {}, {}},
         with_config<host::EtfQdisc, host::EtfConfig>},
        {"cbs",
         "Credit-based shaper, offloaded to the device.",
         {{&ChildConfig::params(), &host::CbsConfig::params()}, {}, {}},
         with_config<host::CbsQdisc, host::CbsConfig>},
        {"pfifo",
         "First in, first out, limited in packets.",
         {{&ChildConfig::params(), &host::FifoConfig::params()}, {}, {}},
         with_config<host::PfifoQdisc, host::FifoConfig>}};
    return kinds;
}

const std::vector<QdiscKind>& qdisc_kinds() {
    static const std::vector<QdiscKind> kinds{
        {"mq",
         "One pfifo_fast for each transmit queue: the kernel's default.",
         {{&no_params()}, {children()}, {}},
         [](const BoundBlock&, unsigned queues) -> Made {
             return std::make_unique<host::MqQdisc>(queues);
         }},
        {"mqprio",
         "Traffic classes by priority, one discipline for each transmit queue.",
         {{&host::MqprioConfig::params()}, {children()}, check_mqprio},
         with_config_and_queues<host::MqprioQdisc, host::MqprioConfig>},
        {"taprio",
         "Traffic classes by priority and gates by time, in software.",
         {{&host::TaprioConfig::params()}, {children()}, check_taprio},
         with_config_and_queues<host::TaprioQdisc, host::TaprioConfig>},
        {"pfifo_fast",
         "One discipline of three priority bands for all queues.",
         {{&host::FifoConfig::params()}, {}, {}},
         with_config<host::PfifoFastQdisc, host::FifoConfig>},
        {"pfifo",
         "First in, first out for all queues, limited in packets.",
         {{&host::FifoConfig::params()}, {}, {}},
         with_config<host::PfifoQdisc, host::FifoConfig>}};
    return kinds;
}

}  // namespace nicsim::scenarios
