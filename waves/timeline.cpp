// SPDX-License-Identifier: Apache-2.0
#include "waves/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace nicsim::waves {
namespace {

/// Microseconds, the unit of the format, exact to the picosecond. A packet has a dozen of them, so
/// they are not formatted through a pattern.
class Microseconds {
public:
    void set(sim::Ps t) {
        const fmt::format_int whole(t / sim::ps_per_us);
        std::memcpy(text_.data(), whole.data(), whole.size());
        char* at = text_.data() + whole.size();
        *at = '.';
        auto rest = static_cast<std::uint32_t>(t % sim::ps_per_us);
        for (unsigned digit = decimals; digit != 0; --digit, rest /= 10)
            at[digit] = static_cast<char>('0' + rest % 10);
        size_ = whole.size() + 1 + decimals;
    }
    [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

private:
    static constexpr unsigned decimals = 6;
    std::array<char, 32> text_{};
    std::size_t size_ = 0;
};

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

void Timeline::event(char phase, std::string_view time, std::string_view stage,
                     std::string_view packet) {
    out_.write(phase == 'b' ? ",\n{\"ph\":\"b\",\"ts\":" : ",\n{\"ph\":\"e\",\"ts\":");
    out_.write(time);
    out_.write(stage);
    out_.write(packet);
    out_.write("\"}}");
}

const Timeline::StageTexts& Timeline::texts_of(unsigned queue) {
    const auto [place, is_new] = queues_.try_emplace(queue);
    if (is_new) {
        open_queue(queue);
        for (unsigned stage = 1; stage < sim::tx_stages; ++stage)
            place->second[stage] =
                fmt::format(R"(,"cat":"{0}","name":"{0}","pid":{1},"tid":{2},"id2":{{"local":")",
                            sim::name_of(static_cast<sim::TxStage>(stage)), queue + 1, stage);
    }
    return place->second;
}

void Timeline::open_queue(unsigned queue) {
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
    const StageTexts& texts = texts_of(queue);
    ++packets_;
    const fmt::format_int number(n);
    const std::string_view id(number.data(), number.size());
    Microseconds begin, end;
    sim::Ps previous = 0;
    for (unsigned stage = 0; stage < sim::tx_stages; ++stage) {
        const sim::Ps t = at[stage];
        // An interrupt can run before the write-back of a later packet that it covers.
        if (t == 0 || t < previous) continue;
        end.set(t);
        if (previous != 0) {
            event('b', begin.text(), texts[stage], id);
            event('e', end.text(), texts[stage], id);
        }
        previous = t;
        std::swap(begin, end);
    }
}

void Timeline::close() {
    out_.write("\n]}\n");
    out_.commit();
}

}  // namespace nicsim::waves
