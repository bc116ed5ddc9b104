// SPDX-License-Identifier: Apache-2.0
#include "waves/timeline.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace nicsim::waves {
namespace {

/// Microseconds, the unit of the format, exact to the picosecond.
std::string microseconds(sim::Ps t) {
    return fmt::format("{}.{:06}", t / sim::ps_per_us, t % sim::ps_per_us);
}

}  // namespace

Timeline::Timeline(TimelineOptions options) : options_(std::move(options)), out_(options_.file) {
    out_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void Timeline::listen(sim::LifeCycle& lives) {
    lives.listen(this, [](void* self, unsigned queue, std::uint64_t n,
                          const std::array<sim::Ps, sim::tx_stages>& at) {
        static_cast<Timeline*>(self)->packet(queue, n, at);
    });
}

void Timeline::event(std::string_view text) {
    out_.write(first_ ? "\n" : ",\n");
    out_.write(text);
    first_ = false;
}

void Timeline::open_queue(unsigned queue) {
    if (!queues_.insert(queue).second) return;
    event(fmt::format(
        R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":"TX queue {1}"}}}})",
        queue + 1, queue));
    event(fmt::format(
        R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{1}}}}})",
        queue + 1, queue));
    for (unsigned stage = 1; stage < sim::tx_stages; ++stage) {
        const auto* name = sim::name_of(static_cast<sim::TxStage>(stage));
        event(fmt::format(
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
            queue + 1, stage, name));
        event(fmt::format(
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
            queue + 1, stage, stage));
    }
}

void Timeline::packet(unsigned queue, std::uint64_t n,
                      const std::array<sim::Ps, sim::tx_stages>& at) {
    sim::Ps first = sim::never;
    sim::Ps last = 0;
    for (const sim::Ps t : at) {
        if (t == 0) continue;
        first = std::min(first, t);
        last = std::max(last, t);
    }
    if (first == sim::never || last < options_.from || first > options_.to) return;
    open_queue(queue);
    ++packets_;
    sim::Ps previous = 0;
    for (unsigned stage = 0; stage < sim::tx_stages; ++stage) {
        const sim::Ps t = at[stage];
        if (t == 0) continue;
        // An interrupt can run before the write-back of a later packet that it covers.
        if (previous != 0 && t >= previous) {
            const auto* name = sim::name_of(static_cast<sim::TxStage>(stage));
            const auto common = fmt::format(
                R"("cat":"packet","name":"{}","id2":{{"local":"{}"}},"pid":{},"tid":{})", name, n,
                queue + 1, stage);
            event(fmt::format(R"({{"ph":"b","ts":{},{},"args":{{"packet":{}}}}})",
                              microseconds(previous), common, n));
            event(fmt::format(R"({{"ph":"e","ts":{},{}}})", microseconds(t), common));
        }
        previous = std::max(previous, t);
    }
}

void Timeline::close() {
    out_.write("\n]}\n");
    out_.commit();
}

}  // namespace nicsim::waves
