// SPDX-License-Identifier: Apache-2.0
#include "models/dma_bench/dma_bench.h"

#include <algorithm>

#include "sim/time.h"

namespace nicsim::models::dma_bench {
namespace {

/// Bounds of what a program may ask for.
constexpr std::uint32_t largest_size = 64 * 1024;
constexpr std::uint32_t most_in_flight = 1024;
/// Registers answer as fast as the bus interface's own logic: no time of the engine in it.
constexpr sim::Ps register_access_time = 0;
constexpr unsigned done_vector = 0;

enum State : std::size_t { idle, busy, waits_for_answers, waits_for_interval };

std::vector<sim::ActivityState> activity_states() {
    using sim::ActivityKind;
    return {{"idle", ActivityKind::starved, "no program runs"},
            {"busy", ActivityKind::busy, "the engine starts transactions"},
            {"in_flight", ActivityKind::blocked,
             "as many transactions are in flight as the program allows"},
            {"interval", ActivityKind::blocked, "the engine's least interval has not passed"}};
}

DmaChannelConfig channel(const char* name, sim::DmaPurpose purpose, bool relaxed) {
    return {.name = name,
            .purpose = purpose,
            .max_reads_in_flight = ~0U,
            .priority = 0,
            .relaxed_ordering = relaxed};
}

}  // namespace

DmaBench::DmaBench(const sc_core::sc_module_name& name, const DmaBenchConfig& config)
    : sc_module(name),
      config_(config),
      identity_(config.identity()),
      file_(bar_bytes),
      scratch_(scratch_bytes),
      target_("registers", register_access_time),
      engine_("engine", {.max_read_bytes = 4096, .line_bytes = 64}),
      read_channel_(
          engine_.add_channel(channel("read", sim::DmaPurpose::tx_data, config.relaxed_ordering))),
      write_channel_(
          engine_.add_channel(channel("write", sim::DmaPurpose::rx_data, config.relaxed_ordering))),
      pace_("pace", sim::Alarm::Action::to<&DmaBench::start_transactions>(this)),
      setup_("setup", sim::TimedFifo<Moving>::Action::to<&DmaBench::set_up>(this)),
      copy_("copy", sim::TimedFifo<Moving>::Action::to<&DmaBench::copied>(this)),
      activity_(activity_states()) {
    declare_registers();
    scratch_.add({.name = "SCRATCH", .offset = 0, .count = scratch_bytes / 4});
    target_.map(0, file_);
    target_.map(2, scratch_);
    for (const DmaEngine::Channel c : {read_channel_, write_channel_})
        engine_.on_ready(c, sim::Callback<>::to<&DmaBench::feed_engine>(this));
}

void DmaBench::declare_registers() {
    const auto plain = [this](const char* name, std::uint32_t offset, std::uint32_t reset = 0) {
        file_.add({.name = name, .offset = offset, .reset = reset});
    };
    file_.add({.name = "CTRL",
               .offset = reg::CTRL,
               .access = Access::self_clearing,
               .write = WriteHook::to<&DmaBench::on_ctrl>(this)});
    file_.add({.name = "STATUS",
               .offset = reg::STATUS,
               .access = Access::read_only,
               .read = ReadHook::to<&DmaBench::on_status>(this),
               .pure_read = true});
    plain("BASE_LOW", reg::BASE_LOW);
    plain("BASE_HIGH", reg::BASE_HIGH);
    plain("WINDOW", reg::WINDOW, 8192);
    plain("SIZE", reg::SIZE, 64);
    plain("OFFSET", reg::OFFSET);
    plain("MODE", reg::MODE);
    plain("PATTERN", reg::PATTERN);
    plain("IN_FLIGHT", reg::IN_FLIGHT, 1);
    plain("COUNT", reg::COUNT);
    plain("SEED", reg::SEED, 1);
    plain("INTERVAL", reg::INTERVAL);
    file_.add({.name = "RESULT",
               .offset = reg::DONE,
               .access = Access::read_only,
               .count = (reg::TIME_HIGH - reg::DONE) / 4 + 1,
               .read = ReadHook::to<&DmaBench::on_result>(this)});
}

void DmaBench::set_bus_limits(const sim::BusLimits& limits) {
    if (!limits.link_up) reset();
    engine_.set_limits(limits);
}

/// The program ends without a word: what of it is still inside of the card is dropped.
void DmaBench::reset() {
    engine_.reset();
    file_.reset();
    for_bus_.clear();
    running_ = false;
    done_ = false;
    failed_ = 0;
    pace_.cancel();
    activity_.enter(idle);
    ++program_;
}

std::uint32_t DmaBench::on_status(unsigned) {
    return (running_ ? status_running : 0U) | (done_ ? status_done : 0U) |
           (failed_ != 0 ? status_error : 0U);
}

std::uint32_t DmaBench::on_result(unsigned index) {
    const auto split = [this](std::uint64_t value, unsigned which) {
        latched_[which] = static_cast<std::uint32_t>(value >> 32U);
        return static_cast<std::uint32_t>(value);
    };
    switch (reg::DONE + 4 * index) {
        case reg::DONE:
            return static_cast<std::uint32_t>(ended_);
        case reg::ERRORS:
            return static_cast<std::uint32_t>(failed_);
        case reg::BYTES_LOW:
            return split(ended_ * size_, 0);
        case reg::BYTES_HIGH:
            return latched_[0];
        case reg::TIME_LOW:
            return split((running_ ? sim::now() : ended_at_) - began_, 1);
        default:
            return latched_[1];
    }
}

void DmaBench::on_ctrl(unsigned, std::uint32_t value) {
    if ((value & ctrl_stop) != 0 && running_) {
        count_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(begun_, 1));
        if (ended_ == begun_) end();
    }
    if ((value & ctrl_start) == 0 || running_) return;
    done_ = false;
    failed_ = 0;
    if (!check_program()) {  // nothing is begun; software sees an error and no `running`
        failed_ = 1;
        done_ = true;
        return;
    }
    begin();
}

bool DmaBench::check_program() {
    base_ = file_.peek(reg::BASE_LOW) | std::uint64_t{file_.peek(reg::BASE_HIGH)} << 32U;
    size_ = file_.peek(reg::SIZE);
    offset_ = file_.peek(reg::OFFSET);
    const std::uint32_t window = file_.peek(reg::WINDOW);
    const std::uint32_t in_flight = file_.peek(reg::IN_FLIGHT);
    const std::uint32_t mode = file_.peek(reg::MODE);
    if (size_ == 0 || size_ > largest_size || offset_ >= unit_bytes || mode >= modes ||
        in_flight == 0 || in_flight > most_in_flight)
        return false;
    unit_ = (offset_ + size_ + unit_bytes - 1) / unit_bytes * unit_bytes;
    units_ = window / unit_;
    mode_ = static_cast<Mode>(mode);
    random_pattern_ = file_.peek(reg::PATTERN) == 1;
    count_ = file_.peek(reg::COUNT);
    interval_ = std::max<sim::Ps>(config_.issue_interval, file_.peek(reg::INTERVAL));
    return units_ > 0 && file_.peek(reg::PATTERN) <= 1;
}

void DmaBench::begin() {
    random_ = sim::RandomStream(file_.peek(reg::SEED), "dma_bench");
    const std::uint32_t in_flight = file_.peek(reg::IN_FLIGHT);
    slots_.resize(in_flight);
    free_slots_.clear();
    for (std::uint32_t s = in_flight; s-- > 0;) {
        slots_[s].buffer.assign(size_, 0);
        free_slots_.push_back(s);
    }
    begun_ = 0;
    ended_ = 0;
    next_unit_ = 0;
    next_start_ = sim::now();
    began_ = sim::now();
    running_ = true;
    start_transactions();
}

void DmaBench::start_transactions() {
    if (starting_ || !running_) return;
    starting_ = true;
    activity_.enter(busy);
    while (count_ == 0 || begun_ < count_) {
        if (free_slots_.empty()) {
            activity_.enter(waits_for_answers);
            break;
        }
        if (next_start_ > sim::now()) {
            activity_.enter(waits_for_interval);
            pace_.at_latest(next_start_);
            break;
        }
        next_start_ = sim::now() + interval_;
        const std::uint32_t slot = free_slots_.back();
        free_slots_.pop_back();
        start(slot);
    }
    starting_ = false;
}

std::uint64_t DmaBench::next_address() {
    std::uint64_t unit = 0;
    if (random_pattern_) {
        unit = random_.below(units_);
    } else {
        unit = next_unit_;
        next_unit_ = next_unit_ + 1 == units_ ? 0 : next_unit_ + 1;
    }
    return base_ + unit * unit_ + offset_;
}

void DmaBench::start(std::uint32_t slot) {
    Slot& s = slots_[slot];
    s.started = sim::now();
    s.ok = true;
    s.address = next_address();
    s.then_read = mode_ == Mode::write_read;
    s.write = mode_ == Mode::write || s.then_read || (mode_ == Mode::both && begun_ % 2 == 1);
    if (s.write)
        for (std::uint32_t i = 0; i < size_; ++i) s.buffer[i] = pattern(begun_, i);
    ++begun_;
    // The data of a write move to the bus interface first.
    const sim::Ps delay = config_.setup_time + (s.write ? copy_time() : 0);
    next_to_bus_ = std::max(next_to_bus_, sim::now() + delay);
    if (next_to_bus_ == sim::now() && setup_.empty())
        to_bus(slot);
    else
        setup_.push(next_to_bus_, {slot, program_});
}

sim::Ps DmaBench::copy_time() const {
    return config_.copy_rate == 0 ? 0 : sim::serialisation_time(size_, config_.copy_rate);
}

void DmaBench::to_bus(std::uint32_t slot) {
    for_bus_.push(slot);
    feed_engine();
}

/// Transactions use the bus one after the other in their order, reads and writes alike.
void DmaBench::feed_engine() {
    if (feeding_) return;
    feeding_ = true;
    while (!for_bus_.empty() && engine_.ready(read_channel_) && engine_.ready(write_channel_)) {
        const std::uint32_t slot = for_bus_.pop();
        Slot& s = slots_[slot];
        const DmaSegment piece{s.address, size_};
        const auto done = DmaEngine::Done::to<&DmaBench::from_bus>(this);
        if (s.write)
            engine_.write(write_channel_, {&piece, 1}, s.buffer, done, slot);
        else
            engine_.read(read_channel_, {&piece, 1}, s.buffer.data(), done, slot);
    }
    feeding_ = false;
}

void DmaBench::from_bus(std::uint64_t cookie, bool ok) {
    const auto slot = static_cast<std::uint32_t>(cookie);
    Slot& s = slots_[slot];
    s.ok = s.ok && ok;
    if (s.write && s.then_read) {  // the read is pushed out right behind the write
        s.write = false;
        write_bytes_ += size_;
        ++writes_;
        to_bus(slot);
        return;
    }
    if (s.write || copy_time() == 0)
        finish(slot);
    else
        copy_.push(sim::now() + copy_time(), {slot, program_});
}

void DmaBench::finish(std::uint32_t slot) {
    Slot& s = slots_[slot];
    if (s.write) {
        ++writes_;
        write_bytes_ += size_;
        write_latency_.record(sim::now() - s.started);
    } else {
        ++reads_;
        read_bytes_ += size_;
        read_latency_.record(sim::now() - s.started);
    }
    if (!s.ok) {
        ++errors_;
        ++failed_;
    }
    ++ended_;
    free_slots_.push_back(slot);
    if (count_ != 0 && ended_ >= count_)
        end();
    else
        start_transactions();
}

void DmaBench::end() {
    running_ = false;
    done_ = true;
    ended_at_ = sim::now();
    activity_.enter(idle);
    pace_.cancel();
    interrupts->raise(done_vector);
}

void DmaBench::begin_measurement() {
    measured_from_ = sim::now();
    reads_before_ = reads_;
    writes_before_ = writes_;
    read_bytes_before_ = read_bytes_;
    write_bytes_before_ = write_bytes_;
}

double DmaBench::rate_of(std::uint64_t now, std::uint64_t before) const {
    const sim::Ps end = running_ ? sim::now() : std::max(ended_at_, measured_from_);
    const sim::Ps start = std::max(measured_from_, began_);
    return end <= start ? 0.0 : static_cast<double>(now - before) / sim::to_seconds(end - start);
}

void DmaBench::register_stats(sim::StatGroup& group) {
    group.counter("reads", "1", "Read transactions ended.", reads_);
    group.counter("writes", "1", "Write transactions that the bus has taken.", writes_);
    group.counter("read_bytes", "B", "Bytes read.", read_bytes_);
    group.counter("write_bytes", "B", "Bytes written.", write_bytes_);
    group.counter("errors", "1", "Transactions that ended with an error.", errors_);
    group.formula("read_bandwidth", "bit/s", "Bytes read, as a rate.",
                  [this] { return 8.0 * rate_of(read_bytes_, read_bytes_before_); });
    group.formula("write_bandwidth", "bit/s", "Bytes written, as a rate.",
                  [this] { return 8.0 * rate_of(write_bytes_, write_bytes_before_); });
    group.formula("transaction_rate", "1/s", "Transactions ended per second.",
                  [this] { return rate_of(reads_ + writes_, reads_before_ + writes_before_); });
    group.distribution("read_latency", "ps",
                       "From the start of a read to its data in the engine's memory; of a write "
                       "and read, from the start of the write.",
                       read_latency_);
    group.distribution("write_latency", "ps",
                       "From the start of a write until the bus has taken it all.", write_latency_);
    group.activity("engine", "What the engine spends its time on.", activity_);
    engine_.register_stats(group.group("dma"));
}

}  // namespace nicsim::models::dma_bench
