// SPDX-License-Identifier: Apache-2.0
#include "pcie/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pcie/replay.h"

namespace nicsim::pcie {
namespace {

constexpr std::uint64_t fraction_mask = 0xffff'ffff;
/// Largest overhead of a TLP: 4-DW header and framing.
constexpr std::uint64_t largest_overhead = 24;

std::vector<sim::ActivityState> activity_states() {
    return {
        {"starved", sim::ActivityKind::starved, "nothing to send"},
        {"busy", sim::ActivityKind::busy, "a TLP is on the wire"},
        {"posted_credits", sim::ActivityKind::blocked, "the receiver has no posted credits left"},
        {"nonposted_credits", sim::ActivityKind::blocked,
         "the receiver has no non-posted credits left"},
        {"completion_credits", sim::ActivityKind::blocked,
         "the receiver has no completion credits left"},
        {"resending", sim::ActivityKind::blocked, "TLPs that were damaged are sent again"},
        {"down", sim::ActivityKind::blocked, "the link is down"}};
}

std::string probe_path(const sc_core::sc_module& module, const char* signal) {
    return fmt::format("{}.{}", module.name(), signal);
}

}  // namespace

LinkDirection::LinkDirection(const sc_core::sc_module_name& name, const LinkConfig& config,
                             LinkPartner& sender, LinkPartner& receiver, Heading heading)
    : sc_module(name),
      config_(config),
      heading_(heading),
      sender_(sender),
      receiver_(receiver),
      traits_(receiver.receiver_traits()),
      byte_time_q32_(config.byte_time_q32()),
      lookahead_(config.wire_time(config.max_payload + largest_overhead)),
      line_("line", sim::TimedFifo<Transit>::Action::to<&LinkDirection::arrive>(this)),
      alarm_("alarm", sim::Alarm::Action::to<&LinkDirection::pump>(this)),
      dllp_limit_(config.dllp_limit()),
      dllp_time_(config.wire_time(dllp_bytes)),
      skp_interval_(static_cast<sim::Ps>(config.symbol_time() * skp_interval_symbols)),
      skp_time_(static_cast<sim::Ps>(config.symbol_time() * skp_symbols)),
      activity_(activity_states()),
      probe_queued_(probe_path(*this, "queued"), 16),
      probe_headers_{sim::Probe{probe_path(*this, "posted_header_credits"), 16},
                     sim::Probe{probe_path(*this, "nonposted_header_credits"), 16}},
      probe_data_(probe_path(*this, "posted_data_credits"), 16) {
    account_.set_limits(traits_.credits);
    next_skp_ = config.dllp == DllpCharge::real ? skp_interval_ : sim::never;
    update_probes();
}

LinkDirection::~LinkDirection() = default;

void LinkDirection::update_probes() {
    probe_queued_.set(queued_);
    probe_headers_[0].set(account_.header(FlowClass::posted));
    probe_headers_[1].set(account_.header(FlowClass::nonposted));
    probe_data_.set(account_.data(FlowClass::posted));
}

// ---- sending ----

void LinkDirection::send(TlpPtr tlp) {
    if (replay_)
        send_protected(std::move(tlp));
    else
        enqueue(std::move(tlp));
}

void LinkDirection::enqueue(TlpPtr tlp) {
    tlp->order = ++order_;
    for (LinkObserver* o : observers_) o->queued(*this, *tlp);
    if (queued_ == 0 && !pumping_ && !replay_) {
        const sim::Ps t = sim::now();
        collect_credits(t);
        if (free_at_ <= t + lookahead_ && account_.enough(tlp->flow_class(), tlp->data_credits())) {
            commit(std::move(tlp), t);
            update_probes();
            return;
        }
    }
    const auto flow = static_cast<unsigned>(tlp->flow_class());
    queues_[flow].push(std::move(tlp));
    ++queued_;
    if (!pumping_) pump();
}

void LinkDirection::pump() {
    pumping_ = true;
    const sim::Ps t = sim::now();
    collect_credits(t);
    bool left = false;
    const bool may_send = !replay_ || resend(t);
    while (may_send && queued_ > 0) {
        if (free_at_ > t + lookahead_) {
            // Late enough that several small TLPs go with one wake-up, early enough for no gap.
            alarm_.at_latest(free_at_ - lookahead_ / 4U);
            break;
        }
        const unsigned flow = pick();
        if (flow == nothing) {
            const sim::Ps next = next_credit(t);
            if (next != sim::never) alarm_.at_latest(next);
            break;
        }
        if (replay_ && buffer_full(*queues_[flow].front())) break;
        --queued_;
        if (flow == blocked_flow_) leave_blocked(t);
        commit(queues_[flow].pop(), t);
        left = true;
    }
    pumping_ = false;
    update_probes();
    if (left) sender_.room();
}

/// The class whose first TLP may go now: the oldest one, or a younger one where an older one lacks
/// credits and may be passed.
unsigned LinkDirection::pick() {
    std::array<unsigned, flow_classes> by_age{};
    unsigned n = 0;
    for (unsigned c = 0; c < flow_classes; ++c) {
        if (queues_[c].empty()) continue;
        unsigned at = n++;
        for (; at > 0 && queues_[by_age[at - 1]].front()->order > queues_[c].front()->order; --at)
            by_age[at] = by_age[at - 1];
        by_age[at] = c;
    }
    for (unsigned i = 0; i < n; ++i) {
        const unsigned c = by_age[i];
        const Tlp& tlp = *queues_[c].front();
        if (!account_.enough(tlp.flow_class(), tlp.data_credits())) {
            if (i == 0) enter_blocked(c, sim::now());
            continue;
        }
        if (i > 0 && !may_pass_posted(tlp)) continue;
        return c;
    }
    return nothing;
}

/// Specification table 2-40, column "posted": completions and non-posted requests with data may
/// pass with RO, any may with IDO if the IDs differ, and completions without data may anyway.
bool LinkDirection::may_pass_posted(const Tlp& tlp) const {
    const FlowClass flow = tlp.flow_class();
    if (flow == FlowClass::posted || tlp.type == TlpType::Cpl) return true;
    const bool relaxed =
        tlp.relaxed_ordering && tlp.type != TlpType::MRd && tlp.type != TlpType::CfgRd0;
    const auto& posted = queues_[static_cast<unsigned>(FlowClass::posted)];
    const std::uint16_t id = flow == FlowClass::completion ? tlp.completer_id : tlp.requester_id;
    for (std::size_t i = 0; i < posted.size() && posted[i]->order < tlp.order; ++i)
        if (!relaxed && !(tlp.id_based_ordering && posted[i]->requester_id != id)) return false;
    return true;
}

/// The wire's next free time for a packet of so many bytes.
LinkDirection::Slot LinkDirection::take_wire(std::uint32_t bytes, sim::Ps t) {
    settle(std::max(t, free_at_));
    charge_skp(std::max(t, free_at_));
    if (next_refresh_ <= t) charge_refresh(t);
    sim::Ps start = t;
    if (free_at_ >= t)
        start = free_at_;
    else
        fraction_ = 0;
    const std::uint64_t time = fraction_ + bytes * byte_time_q32_;
    last_start_ = start;
    free_at_ = start + (time >> 32U);
    fraction_ = time & fraction_mask;
    return {start, free_at_};
}

void LinkDirection::commit(TlpPtr tlp, sim::Ps t) {
    const std::uint32_t bytes = tlp->wire_bytes();
    const Slot slot = take_wire(bytes, t);
    account_.consume(tlp->flow_class(), tlp->data_credits());
    activity_.enter_until(busy, free_at_, starved);

    const auto type = static_cast<unsigned>(tlp->type);
    const auto purpose = static_cast<unsigned>(tlp->purpose);
    ++counters_.tlps[type];
    counters_.tlp_bytes[type] += bytes;
    ++counters_.purpose_tlps[purpose];
    counters_.purpose_bytes[purpose] += bytes;
    ++counters_.all_tlps;
    counters_.all_tlp_bytes += bytes;
    for (LinkObserver* o : observers_) o->sent(*this, *tlp, slot.start, slot.end);
    const sim::Ps arrival = slot.end + config_.propagation_delay;
    if (!replay_) {
        line_.push(arrival, {std::move(tlp)});
        return;
    }
    const std::uint16_t sequence = replay_->next_sequence;
    const Damage damage = damage_of(*tlp);
    keep(tlp, slot.end);
    line_.push(arrival, {std::move(tlp), sequence, damage, epoch_});
}

// ---- receiving ----

void LinkDirection::arrive(const Transit& transit) {
    if (replay_)
        arrive_protected(transit);
    else
        accept(transit.tlp);
}

void LinkDirection::accept(const TlpPtr& tlp) {
    ++counters_.delivered;
    // An ACK follows within the limit, and acknowledges all that has come until it leaves.
    const sim::Ps t = sim::now();
    reverse_->settle(t);
    reverse_->schedule_dllp(ack_slot, t + dllp_limit_, 0, 0);
    for (LinkObserver* o : observers_) o->delivered(*this, *tlp);
    receiver_.receive(tlp);
}

void LinkDirection::drained(const Tlp& tlp) {
    for (LinkObserver* o : observers_) o->drained(*this, tlp);
    const FlowClass flow = tlp.flow_class();
    const auto c = static_cast<unsigned>(flow);
    if (replay_) {
        --replay_->undrained[c];
        if (replay_->stale[c] > 0) {  // the credits went with the link that it came on
            --replay_->stale[c];
            return;
        }
    }
    if (account_.infinite(flow)) return;
    const sim::Ps t = sim::now();
    sim::Ps due = t + (traits_.update_at_once ? 0 : dllp_limit_);
    if (replay_ && replay_->faults != nullptr)
        due = std::max(due, replay_->faults->credits_held_until(heading_, flow, t));
    reverse_->settle(t);
    reverse_->schedule_dllp(c, due, 1, tlp.data_credits());
    if (queued_ > 0 && free_at_ <= t + lookahead_ && !pumping_) {
        const sim::Ps next = next_credit(t);
        if (next != sim::never) alarm_.at_latest(std::max(next, t));
    }
}

// ---- credits ----

void LinkDirection::enter_blocked(unsigned flow, sim::Ps t) {
    if (free_at_ <= t)
        activity_.enter(blocked + flow);
    else
        activity_.enter_until(busy, free_at_, blocked + flow);
    if (blocked_flow_ == flow) return;
    if (blocked_flow_ != nothing) leave_blocked(t);
    blocked_flow_ = flow;
    blocked_since_ = std::max(t, free_at_);
    ++counters_.credit_stalls[flow];
}

void LinkDirection::leave_blocked(sim::Ps t) {
    blocked_flow_ = nothing;
    if (t > blocked_since_) counters_.credit_stall_time += t - blocked_since_;
}

/// An UpdateFC with these credits arrives at the sender at `time`.
void LinkDirection::return_credits(sim::Ps time, unsigned flow, std::uint32_t header,
                                   std::uint32_t data) {
    const sim::Ps earliest = returns_.empty() ? 0 : returns_.back().time;
    returns_.push({std::max(earliest, time), static_cast<FlowClass>(flow), header, data});
}

void LinkDirection::collect_credits(sim::Ps t) {
    reverse_->settle(t);
    while (!returns_.empty() && returns_.front().time <= t) {
        const CreditReturn r = returns_.pop();
        account_.give_back(r.flow, r.header, r.data);
    }
}

/// When the next credit may come; an estimate that is never too late.
sim::Ps LinkDirection::next_credit(sim::Ps t) {
    if (!returns_.empty()) return returns_.front().time;
    const sim::Ps update = reverse_->next_update();
    return update == sim::never ? sim::never : std::max(update, t);
}

std::uint32_t LinkDirection::header_credits(FlowClass flow) {
    collect_credits(sim::now());
    return account_.header(flow);
}

std::uint32_t LinkDirection::data_credits(FlowClass flow) {
    collect_credits(sim::now());
    return account_.data(flow);
}

// ---- DLLPs that travel in this direction ----

void LinkDirection::schedule_dllp(unsigned slot, sim::Ps due, std::uint32_t header,
                                  std::uint32_t data) {
    DllpSlot& s = dllps_[slot];
    if (!replay_ && sim::now() < s.leaves) {  // one that has its place and is not out says this too
        if (slot < flow_classes) reverse_->return_credits(s.arrives, slot, header, data);
        return;
    }
    s.header += header;
    s.data += data;
    if (s.due <= due) return;  // one that waits carries this news too
    s.due = due;
    next_dllp_ = std::min(next_dllp_, due);
}

/// Sends every DLLP that is due up to `t`.
void LinkDirection::send_dllps(sim::Ps t) {
    while (next_dllp_ <= t) {
        unsigned first = 0;
        sim::Ps second = sim::never;  // when the one after it is due
        for (unsigned i = 1; i < dllps_.size(); ++i) {
            const sim::Ps due = dllps_[i].due;
            if (due < dllps_[first].due) {
                second = dllps_[first].due;
                first = i;
            } else if (due < second) {
                second = due;
            }
        }
        emit_dllp(first);
        next_dllp_ = second;
        if (!replay_) continue;  // a NAK takes an ACK's place, a damaged UpdateFC is due again
        next_dllp_ = sim::never;
        for (const DllpSlot& s : dllps_) next_dllp_ = std::min(next_dllp_, s.due);
    }
}

/// The packet boundary at which something due at `due` may leave.
sim::Ps LinkDirection::boundary(sim::Ps due) const {
    if (due >= free_at_) return due;
    return due >= last_start_ ? free_at_ : last_start_;
}

void LinkDirection::emit_dllp(unsigned slot) {
    DllpSlot& s = dllps_[slot];
    // Before free_at_ moves: sets that the wire sent while it was idle would look owed afterwards.
    charge_skp(s.due);
    const sim::Ps start = boundary(s.due);
    if (config_.dllp == DllpCharge::real) {
        counters_.dllp_bytes += dllp_bytes;
        free_at_ = std::max(free_at_, start) + dllp_time_;
    }
    const sim::Ps arrival = start + dllp_time_ + config_.propagation_delay;
    s.leaves = start;
    s.arrives = arrival;
    const bool damaged = dllp_is_damaged();
    Dllp d;
    d.start = start;
    if (slot == ack_slot || slot == nak_slot) {
        const bool nak = slot == nak_slot;
        ++(nak ? counters_.naks : counters_.acks);
        d.kind = nak ? Dllp::Kind::nak : Dllp::Kind::ack;
        const std::uint64_t next =
            reverse_->replay_ ? reverse_->replay_->expected : reverse_->counters_.delivered;
        d.sequence = static_cast<std::uint16_t>((next - 1U) & 0xfffU);
        s.empty();
        if (nak) dllps_[ack_slot].empty();  // it acknowledges what came before
        if (reverse_->replay_) reverse_->hear_of_dllp(nak, d.sequence, arrival, damaged);
    } else {
        ++counters_.flow_control_updates;
        note_update(slot, start);
        d.kind = Dllp::Kind::update_fc;
        d.flow = static_cast<FlowClass>(slot);
        d.header = s.header;
        d.data = s.data;
        if (damaged) {  // the next update carries it too, at the latest the refresh
            s.due = start + update_fc_interval;
            reverse_->hear_of_dllp(false, 0, arrival, true);
        } else {
            reverse_->return_credits(arrival, slot, s.header, s.data);
            s.empty();
        }
    }
    for (LinkObserver* o : observers_) o->dllp(*this, d);
}

/// Finite classes of the other direction are updated every 30 us whatever happens. On an idle wire
/// that costs nothing, so it is looked at when a TLP leaves.
void LinkDirection::charge_refresh(sim::Ps t) {
    next_refresh_ = sim::never;
    for (unsigned c = 0; c < flow_classes; ++c) {
        if (reverse_->account_.infinite(static_cast<FlowClass>(c))) continue;
        if (last_update_[c] + update_fc_interval <= t) {
            const sim::Ps due = t - (t - last_update_[c]) % update_fc_interval;
            if (due < free_at_ && config_.dllp == DllpCharge::real) {
                free_at_ += dllp_time_;
                counters_.dllp_bytes += dllp_bytes;
                ++counters_.flow_control_updates;
                ++counters_.flow_control_refreshes;
            }
            last_update_[c] = due;
        }
        next_refresh_ = std::min(next_refresh_, last_update_[c] + update_fc_interval);
    }
}

/// When the sender of the other direction would have the next UpdateFC.
sim::Ps LinkDirection::next_update() const {
    sim::Ps due = sim::never;
    for (unsigned c = 0; c < flow_classes; ++c) due = std::min(due, dllps_[c].due);
    if (due == sim::never) return due;
    return boundary(due) + dllp_time_ + config_.propagation_delay;
}

/// SKP sets that an idle wire took cost nothing; those that fell due while it was busy follow now.
void LinkDirection::charge_skp(sim::Ps t) {
    while (next_skp_ <= t) {
        if (next_skp_ >= free_at_) {
            const sim::Ps last = next_skp_ + (t - next_skp_) / skp_interval_ * skp_interval_;
            free_at_ = std::max(free_at_, last + skp_time_);
            next_skp_ = last + skp_interval_;
        } else {
            free_at_ += skp_time_;
            next_skp_ += skp_interval_;
        }
        ++counters_.skp_sets;
        t = std::max(t, free_at_);
    }
}

}  // namespace nicsim::pcie
