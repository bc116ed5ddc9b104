// SPDX-License-Identifier: Apache-2.0
#include "waves/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "waves/wave.h"

namespace nicsim::waves {
namespace {

constexpr unsigned most_queues = 1024;  ///< of one direction, for the order of processes

/// Perfetto knows a thread by its number alone, and takes 0 for the idle one.
unsigned track_of(unsigned process, unsigned stage) {
    return 100 * process + stage;
}

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
    if (options_.from >= options_.to)
        throw WaveError(fmt::format("the timeline would begin at {} and end at {}: nothing to show",
                                    format_time(options_.from, -12),
                                    format_time(options_.to, -12)));
    out_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

template <class Stage>
Timeline::Source& Timeline::add_source(sim::LifeCycle& lives, bool received, std::string name,
                                       unsigned stages) {
    const auto sort = static_cast<unsigned>(sources_.size()) * most_queues;
    Source& source =
        sources_.emplace_back(Source{*this, lives, received, std::move(name), sort, {}, {}});
    for (unsigned i = 0; i < stages; ++i)
        source.stages.push_back(sim::name_of(static_cast<Stage>(i)));
    return source;
}

void Timeline::listen(sim::LifeCycle& lives, const std::string& port) {
    const std::string prefix = port.empty() ? port : port + " ";
    lives.listen(&add_source<sim::TxStage>(lives, false, prefix + "TX queue", sim::tx_stages),
                 [](void* self, unsigned queue, std::uint64_t n,
                    const std::array<sim::Ps, sim::tx_stages>& at) {
                     auto& source = *static_cast<Source*>(self);
                     source.timeline.life(source, queue, n, at);
                 });
    lives.received().listen(
        &add_source<sim::RxStage>(lives, true, prefix + "RX queue", sim::rx_stages),
        [](void* self, unsigned queue, std::uint64_t n, const sim::RxTimes& at) {
            auto& source = *static_cast<Source*>(self);
            source.timeline.life(source, queue, n, at);
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
    out_.write("\"}");
}

const Timeline::StageTexts& Timeline::texts_of(Source& source, unsigned queue) {
    const auto [place, is_new] = source.queues.try_emplace(queue);
    if (!is_new) return place->second;
    const unsigned process = ++processes_;  // 0 is a process of its own to Perfetto
    open_queue(source, queue, process);
    for (unsigned stage = 0; stage < source.stages.size(); ++stage)
        place->second.push_back(
            fmt::format(R"(,"cat":"{0}","name":"{0}","pid":{1},"tid":{2},"id":"{1}.)",
                        source.stages[stage], process, track_of(process, stage)));
    return place->second;
}

void Timeline::open_queue(const Source& source, unsigned queue, unsigned process) {
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{} {}"}}}})",
                      process, source.name, queue));
    event(fmt::format(
        R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process,
        source.sort + queue));
    for (unsigned stage = 0; stage < source.stages.size(); ++stage) {
        event(fmt::format(
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
            process, track_of(process, stage), source.stages[stage]));
        event(fmt::format(
            R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
            process, track_of(process, stage), stage));
    }
}

void Timeline::life(Source& source, unsigned queue, std::uint64_t n, std::span<const sim::Ps> at) {
    const auto interrupt = source.received ? static_cast<unsigned>(sim::RxStage::interrupt)
                                           : static_cast<unsigned>(sim::TxStage::interrupt);
    const sim::Ps reported = at[interrupt - 1];  // write-back
    std::array<Moment, std::max(sim::tx_stages, sim::rx_stages)> moments;
    std::size_t count = 0;
    for (unsigned stage = 0; stage < at.size(); ++stage) {
        if (at[stage] == 0) continue;
        // Not this packet's: a poll that was under way took it along.
        if (stage == interrupt && at[stage] < reported) continue;
        Moment moment{at[stage], stage};
        std::size_t place = count++;
        // Stages are named in their usual order, but a device may report a packet before it sends.
        for (; place != 0 && moments[place - 1].at > moment.at; --place)
            moments[place] = moments[place - 1];
        moments[place] = moment;
    }
    if (count == 0) return;
    if (moments[count - 1].at < options_.from) {
        ++before_;
    } else if (moments[0].at > options_.to) {
        ++after_;
    } else {
        ++packets_;
        put_slices(std::span(moments).first(count), texts_of(source, queue), n);
    }
}

void Timeline::put_slices(std::span<const Moment> moments, const StageTexts& texts,
                          std::uint64_t n) {
    const fmt::format_int number(n);
    const std::string_view id(number.data(), number.size());
    Microseconds begin, end;
    begin.set(moments[0].at);
    for (const Moment& moment : moments.subspan(1)) {
        end.set(moment.at);
        event('b', begin.text(), texts[moment.stage], id);
        event('e', end.text(), texts[moment.stage], id);
        std::swap(begin, end);
    }
}

void Timeline::close() {
    for (Source& source : sources_) {
        if (source.received)
            source.lives.received().tell_unfinished();
        else
            source.lives.tell_unfinished();
    }
    out_.write("\n]}\n");
    out_.commit();
}

std::string Timeline::warning() const {
    if (packets_ != 0) return {};
    return fmt::format(
        "the timeline {} is empty: no packet was alive between {} and {} ({} were before, {} "
        "after)",
        options_.file, format_time(options_.from, -12), format_time(options_.to, -12), before_,
        after_);
}

}  // namespace nicsim::waves
