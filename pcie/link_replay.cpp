// SPDX-License-Identifier: Apache-2.0
// Acknowledgement, replay and loss of the link (PCI Express Base Specification 3.6): sequence
// numbers, ACK and NAK, the replay timer and REPLAY_NUM, and what declared faults and the bit-error
// rate do to TLPs and DLLPs. Here TLPs are put on the wire one by one, so that a repetition begins
// at the next packet boundary.
// Not modelled: undetected errors, errors in SKP sets, loss of what is on the wire in Recovery.
#include "pcie/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nicsim::pcie {
namespace {

constexpr std::uint16_t sequence_mask = 0xfff;
constexpr std::uint16_t half_of_sequences = 0x800;
constexpr unsigned replay_number_mask = 3;

std::uint16_t distance(std::uint16_t from, std::uint16_t to) {
    return static_cast<std::uint16_t>((to - from) & sequence_mask);
}

}  // namespace

void LinkDirection::protect(Link& link, std::uint64_t seed, FaultPlan* faults) {
    replay_ = std::make_unique<Replay>(
        link, faults, seed, name_of(heading_), sim::Alarm::Action::to<&LinkDirection::watch>(this),
        Replay::Held::Action::to<&LinkDirection::release_held>(this));
    lookahead_ = 0;
    if (config_.bit_error_rate > 0.0)
        replay_->bits_to_error = -std::log1p(-replay_->random.uniform()) / config_.bit_error_rate;
}

std::size_t LinkDirection::unacknowledged() const {
    return replay_ ? replay_->kept.size() : 0;
}

// ---- the sender ----

void LinkDirection::send_protected(TlpPtr tlp) {
    Replay& r = *replay_;
    FaultPlan::Fate fate;
    if (r.faults != nullptr) fate = r.faults->handed_over(heading_, *tlp, order_ + 1);
    if (!up_ || fate.lost) {
        tlp->order = ++order_;
        ++counters_.lost_tlps;
        for (LinkObserver* o : observers_) {
            if (up_) o->queued(*this, *tlp);
            o->lost(*this, *tlp);
        }
        return;
    }
    // A completion that comes late holds up those of the same request behind it.
    const bool behind = !r.held.empty() && tlp->is_completion() && r.last_held &&
                        r.last_held->requester_id == tlp->requester_id &&
                        r.last_held->tag == tlp->tag;
    if (fate.delay != 0 || behind) {
        r.last_release = std::max(r.last_release, sim::now() + fate.delay);
        r.last_held = tlp;
        r.held.push(r.last_release, {std::move(tlp), epoch_});
        return;
    }
    enqueue(std::move(tlp));
}

void LinkDirection::release_held(Late&& late) {
    if (late.epoch == epoch_) {
        enqueue(std::move(late.tlp));
        return;
    }
    ++counters_.lost_tlps;
    for (LinkObserver* o : observers_) o->lost(*this, *late.tlp);
}

void LinkDirection::keep(const TlpPtr& tlp, sim::Ps end) {
    Replay& r = *replay_;
    r.kept.push({tlp, r.next_sequence});
    r.kept_bytes += tlp->wire_bytes();
    r.next_sequence = (r.next_sequence + 1U) & sequence_mask;
    if (r.timer_since == sim::never) r.timer_since = end;
    r.alarm.at_latest(r.timer_since + config_.replay_timer());
}

/// No room to keep one more TLP; arms the alarm for the next acknowledgement.
bool LinkDirection::buffer_full(const Tlp& tlp) {
    Replay& r = *replay_;
    const bool room = config_.replay_buffer == 0 || r.kept.empty() ||
                      r.kept_bytes + tlp.wire_bytes() <= config_.replay_buffer;
    if (room && r.kept.size() < half_of_sequences - 1U) return false;
    const sim::Ps t = sim::now();
    sim::Ps next = r.notices.empty() ? sim::never : r.notices.front().time;
    if (next == sim::never && reverse_->dllps_[ack_slot].due != sim::never)
        next = reverse_->boundary(reverse_->dllps_[ack_slot].due) + dllp_time_ +
               config_.propagation_delay;
    if (next != sim::never) alarm_.at_latest(std::max(next, t));
    return true;
}

Damage LinkDirection::damage_of(const Tlp& tlp) {
    Replay& r = *replay_;
    Damage damage = r.faults != nullptr ? r.faults->transmitted(heading_, tlp) : Damage::none;
    if (config_.bit_error_rate > 0.0) {
        r.bits_to_error -= 8.0 * tlp.wire_bytes();
        bool hit = false;
        for (; r.bits_to_error < 0.0; hit = true)
            r.bits_to_error -= std::log1p(-r.random.uniform()) / config_.bit_error_rate;
        if (hit && damage == Damage::none) damage = Damage::corrupt;
    }
    if (damage != Damage::none) ++counters_.damaged_tlps;
    return damage;
}

/// Repeats what has to be repeated; false while that or the link's state keeps new TLPs back.
bool LinkDirection::resend(sim::Ps t) {
    Replay& r = *replay_;
    if (!up_) return false;
    reverse_->settle(t);
    take_notices(t);
    while (r.resending) {
        if (free_at_ > t) {
            alarm_.at_latest(free_at_);
            return false;
        }
        const Replay::Kept& k = r.kept[r.resend_next];
        const TlpPtr tlp = k.tlp;
        const std::uint32_t bytes = tlp->wire_bytes();
        const Slot slot = take_wire(bytes, t);
        activity_.enter_until(State::resending, free_at_, starved);
        ++counters_.resent_tlps;
        counters_.resent_bytes += bytes;
        if (r.timer_since == sim::never) {
            r.timer_since = slot.end;
            r.alarm.at_latest(r.timer_since + config_.replay_timer());
        }
        line_.push(slot.end + config_.propagation_delay,
                   {tlp, k.sequence, damage_of(*tlp), epoch_});
        r.resending = ++r.resend_next < r.kept.size();
        for (LinkObserver* o : observers_) o->resent(*this, *tlp, slot.start, slot.end);
    }
    return true;
}

void LinkDirection::begin_replay(sim::Ps t) {
    Replay& r = *replay_;
    if (r.kept.empty()) return;
    ++counters_.replays;
    r.number = (r.number + 1U) & replay_number_mask;
    r.resend_next = 0;
    r.resending = true;
    r.timer_since = sim::never;
    if (r.number != 0) return;
    ++counters_.retrains;
    r.link.retrain(t);
    sender_.link_error(LinkError::replay_rollover);
}

void LinkDirection::stall_wire(sim::Ps t, sim::Ps duration) {
    free_at_ = std::max(free_at_, t) + duration;
    fraction_ = 0;
    if (replay_->timer_since != sim::never) replay_->timer_since += duration;
}

/// The replay timer, or a NAK that has arrived.
void LinkDirection::watch() {
    Replay& r = *replay_;
    const sim::Ps t = sim::now();
    if (!up_) return;
    reverse_->settle(t);
    take_notices(t);
    if (!r.kept.empty() && !r.resending && r.timer_since != sim::never &&
        t >= r.timer_since + config_.replay_timer()) {
        begin_replay(t);
        sender_.link_error(LinkError::replay_timeout);
    }
    if (!pumping_) pump();
    if (!r.kept.empty() && r.timer_since != sim::never)
        r.alarm.at_latest(std::max(r.timer_since + config_.replay_timer(), t + 1));
}

void LinkDirection::hear_of_dllp(bool nak, std::uint16_t sequence, sim::Ps arrival, bool damaged) {
    Replay& r = *replay_;
    if (!r.notices.empty()) arrival = std::max(arrival, r.notices.back().time);
    r.notices.push({arrival, sequence, nak, damaged});
    if (nak || damaged) r.alarm.at_latest(std::max(arrival, sim::now()));
}

void LinkDirection::take_notices(sim::Ps t) {
    Replay& r = *replay_;
    while (!r.notices.empty() && r.notices.front().time <= t) {
        const Replay::Notice n = r.notices.pop();
        if (n.damaged) {
            sender_.link_error(LinkError::bad_dllp);
            continue;
        }
        acknowledge(n.sequence, n.time);
        if (n.nak) begin_replay(t);
    }
}

/// Everything up to `sequence` has arrived.
void LinkDirection::acknowledge(std::uint16_t sequence, sim::Ps t) {
    Replay& r = *replay_;
    bool progress = false;
    while (!r.kept.empty() && distance(r.kept.front().sequence, sequence) < half_of_sequences) {
        r.kept_bytes -= r.kept.front().tlp->wire_bytes();
        r.kept.pop();
        if (r.resend_next > 0) --r.resend_next;
        progress = true;
    }
    if (!progress) return;
    r.number = 0;
    r.timer_since = r.kept.empty() ? sim::never : t;
    if (r.resend_next >= r.kept.size()) r.resending = false;
}

// ---- the receiver ----

void LinkDirection::arrive_protected(const Transit& transit) {
    Replay& r = *replay_;
    if (transit.epoch != epoch_) return;  // gone with the link
    const sim::Ps t = sim::now();
    const auto throw_away = [&](const char* why) {
        for (LinkObserver* o : observers_) o->discarded(*this, *transit.tlp, why);
    };
    if (transit.damage == Damage::lost) {
        throw_away("lost on the wire");
        receiver_.link_error(LinkError::receiver_error);
        return;
    }
    const std::uint16_t ahead = distance(r.expected, transit.sequence);
    if (transit.damage == Damage::none && ahead == 0) {
        r.expected = (r.expected + 1U) & sequence_mask;
        r.nak_scheduled = false;
        ++r.undrained[static_cast<unsigned>(transit.tlp->flow_class())];
        accept(transit.tlp);
        return;
    }
    if (transit.damage == Damage::none && ahead >= half_of_sequences) {
        ++counters_.duplicates;
        throw_away("a duplicate");
        reverse_->settle(t);
        reverse_->schedule_dllp(ack_slot, t + dllp_limit_, 0, 0);
        return;
    }
    throw_away(transit.damage == Damage::none ? "out of sequence" : "wrong LCRC");
    const bool first = !r.nak_scheduled;
    if (first) want_again(t);
    // What follows a bad TLP until its repetition is thrown away without a word.
    if (first || transit.damage != Damage::none) receiver_.link_error(LinkError::bad_tlp);
}

void LinkDirection::want_again(sim::Ps t) {
    replay_->nak_scheduled = true;
    reverse_->settle(t);
    reverse_->schedule_dllp(nak_slot, t, 0, 0);
    reverse_->settle(t);
}

/// A DLLP that leaves in this direction is hit by a bit error.
bool LinkDirection::dllp_is_damaged() {
    if (!replay_ || config_.bit_error_rate <= 0.0) return false;
    Replay& r = *replay_;
    r.bits_to_error -= 8.0 * dllp_bytes;
    if (r.bits_to_error >= 0.0) return false;
    while (r.bits_to_error < 0.0)
        r.bits_to_error -= std::log1p(-r.random.uniform()) / config_.bit_error_rate;
    ++counters_.damaged_dllps;
    return true;
}

// ---- loss of the link ----

void LinkDirection::take_down(sim::Ps t) {
    Replay& r = *replay_;
    const auto forget = [this](const Tlp& tlp) {
        ++counters_.lost_tlps;
        for (LinkObserver* o : observers_) o->lost(*this, tlp);
    };
    counters_.lost_tlps += in_flight();
    cut_off_ += in_flight();
    for (auto& queue : queues_)
        while (!queue.empty()) forget(*queue.pop());
    queued_ = 0;
    if (blocked_flow_ != nothing) leave_blocked(t);
    activity_.enter(State::down);
    up_ = false;
    ++epoch_;
    r.kept.clear();
    r.kept_bytes = 0;
    r.notices.clear();
    r.resending = false;
    r.resend_next = 0;
    r.number = 0;
    r.next_sequence = 0;
    r.timer_since = sim::never;
    r.alarm.cancel();
    r.expected = 0;
    r.nak_scheduled = false;
    r.stale = r.undrained;
    returns_.clear();
    dllps_ = {};
    next_dllp_ = sim::never;
    alarm_.cancel();
    free_at_ = t;
    for (LinkObserver* o : observers_) o->link_down(*this);
    update_probes();
}

void LinkDirection::bring_up(sim::Ps t) {
    up_ = true;
    account_.set_limits(traits_.credits);
    free_at_ = t;
    fraction_ = 0;
    for (unsigned c = 0; c < flow_classes; ++c) note_update(c, t);
    if (config_.dllp == DllpCharge::real) next_skp_ = t + skp_interval_;
    activity_.enter(starved);
    update_probes();
}

void Link::retrain(sim::Ps t) {
    for (LinkDirection* d : {&down_, &up_}) d->stall_wire(t, config_.retrain_time);
}

void Link::set_fault_alarm() {
    const FaultPlan::Outage next = faults_.next_outage(sim::now());
    if (next.at != sim::never) fault_alarm_.at_latest(next.at);
    if (up_again_ != sim::never) fault_alarm_.at_latest(up_again_);
}

void Link::go_down(sim::Ps t, bool surprise) {
    lost_at_ = t;
    for (LinkDirection* d : {&down_, &up_}) d->take_down(t);
    if (surprise) upstream_.link_error(LinkError::surprise_down);
    downstream_.link_down();
    upstream_.link_down();
}

/// It has trained: InitFC1 and InitFC2 go back and forth.
void Link::initialise(sim::Ps t) {
    initialising_ = true;
    up_again_ = t + config_.flow_control_init_time();
    set_fault_alarm();
}

void Link::on_trained(sim::Ps t) {
    down_by_fault_ = false;
    if (!in_reset_ && !initialising_) return initialise(t);
    initialising_ = false;
    up_again_ = sim::never;
    set_fault_alarm();
    if (in_reset_) return;  // trains anew when it may
    for (LinkDirection* d : {&down_, &up_}) d->bring_up(t);
    upstream_.link_up();
    downstream_.link_up();
}

void Link::hold_in_reset() {
    in_reset_ = true;
    if (up_.up()) go_down(sim::now(), false);
}

void Link::release_from_reset() {
    in_reset_ = false;
    if (!up_.up() && !down_by_fault_) initialise(sim::now());
}

void Link::on_fault_alarm() {
    const sim::Ps t = sim::now();
    if (up_again_ != sim::never && up_again_ <= t) return on_trained(t);
    const FaultPlan::Outage outage = faults_.next_outage(0);
    if (outage.at > t) return set_fault_alarm();
    faults_.outage_came(t);
    down_by_fault_ = true;
    initialising_ = false;
    up_again_ = outage.duration != 0 ? t + outage.duration : sim::never;
    set_fault_alarm();
    if (up_.up()) go_down(t, true);
}

}  // namespace nicsim::pcie
