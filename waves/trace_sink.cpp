// SPDX-License-Identifier: Apache-2.0
#include "waves/trace_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nicsim::waves {

TraceSink::TraceSink(TraceOptions options)
    : options_(std::move(options)),
      pattern_(options_.scope),
      writer_(WaveWriter::create(options_.file, -12)) {
    if (options_.from >= options_.to)
        throw WaveError(fmt::format("the trace would begin at {} and end at {}: nothing to trace",
                                    format_time(options_.from, -12),
                                    format_time(options_.to, -12)));
}

TraceSink::~TraceSink() {
    detach();
}

std::size_t TraceSink::attach_probes() {
    std::vector<sim::Probe*> chosen;
    std::vector<std::string> names;
    for (sim::Probe* probe : sim::Probe::all()) {
        names.push_back(probe->path());
        if (pattern_.matches(probe->path())) chosen.push_back(probe);
    }
    if (chosen.empty())
        throw WaveError(fmt::format("no signal matches the scope '{}'{}", options_.scope,
                                    nearest_hint(options_.scope, names)));
    std::stable_sort(chosen.begin(), chosen.end(), [](const sim::Probe* a, const sim::Probe* b) {
        return a->path() < b->path();
    });
    time_ = sim::now();
    for (sim::Probe* probe : chosen) probe->attach(this);
    return chosen.size();
}

void TraceSink::detach() {
    for (sim::Probe* probe : sim::Probe::all())
        if (probe->sink() == this) probe->attach(nullptr);
}

std::uint32_t TraceSink::declare(const std::string& path, unsigned width_bits) {
    if (begun_) throw WaveError(fmt::format("signal {} appeared after the trace began", path));
    Signal signal;
    signal.path = path;
    signal.width = std::clamp(width_bits, 1U, 64U);
    Slot slot;
    if (signal.width < 64) slot.mask = (std::uint64_t{1} << signal.width) - 1;
    slots_.push_back(slot);
    declared_.push_back({signal.path, signal.width});
    return writer_->declare(std::move(signal));
}

void TraceSink::write(std::uint32_t id) {
    Slot& slot = slots_[id];
    if (slot.known && slot.written == slot.value) return;
    writer_->change(id, slot.value);
    slot.written = slot.value;
    slot.known = true;
    ++changes_;
}

/// What is pending happened at `time_`, and nothing more will happen then.
void TraceSink::flush() {
    if (!begun_) {
        writer_->begin();
        begun_ = true;
    }
    if (!inside_ && time_ >= options_.from && time_ <= options_.to) {
        inside_ = true;
        writer_->set_time(time_);
        for (std::uint32_t id = 0; id < slots_.size(); ++id) write(id);
    }
    if (inside_ && !pending_.empty()) writer_->set_time(time_);
    for (const std::uint32_t id : pending_) {
        slots_[id].pending = false;
        if (inside_) write(id);
    }
    pending_.clear();
}

void TraceSink::plan(std::uint32_t id, sim::Ps time, std::uint64_t value) {
    std::erase_if(plans_, [id](const Plan& p) { return p.id == id; });
    if (time != sim::never) plans_.push_back({time, id, value});
    next_plan_ = sim::never;
    for (const Plan& p : plans_) next_plan_ = std::min(next_plan_, p.time);
}

TraceSink::Plan TraceSink::take_next_plan() {
    const auto first = std::min_element(
        plans_.begin(), plans_.end(), [](const Plan& a, const Plan& b) { return a.time < b.time; });
    const Plan next = *first;
    plan(next.id, sim::never, 0);
    return next;
}

void TraceSink::advance(sim::Ps time) {
    while (next_plan_ < time) {
        const Plan next = take_next_plan();
        if (next.time != time_) step(next.time);
        record(next.id, next.value);
    }
    step(time);
    while (next_plan_ == time) {
        const Plan next = take_next_plan();
        record(next.id, next.value);
    }
}

void TraceSink::step(sim::Ps time) {
    if (over_) return;
    flush();
    // The window opens between two changes: with the values of before.
    if (!inside_ && time > options_.from) {
        time_ = options_.from;
        flush();
    }
    if (time > options_.to) {
        over_ = true;
        inside_ = false;
    }
    time_ = time;
}

void TraceSink::close(sim::Ps end) {
    detach();
    if (next_plan_ <= end) advance(end);
    if (slots_.empty()) throw WaveError(fmt::format("cannot write {}: no signals", options_.file));
    if (!over_) {
        flush();
        if (!inside_ && end >= options_.from) {
            time_ = options_.from;
            flush();
        }
    }
    if (changes_ == 0)
        throw WaveError(fmt::format("the trace would begin at {}, after the end of the run at {}",
                                    format_time(options_.from, -12), format_time(end, -12)));
    writer_->set_time(std::max(time_ > options_.to ? 0 : time_, std::min(end, options_.to)));
    writer_->close();
    write_gtkwave(options_.file, declared_);
}

}  // namespace nicsim::waves
