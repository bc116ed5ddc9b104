// SPDX-License-Identifier: Apache-2.0
#include "pcie/switch_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nicsim::pcie {

const sim::ParamTable& SwitchConfig::params() {
    using C = SwitchConfig;
    const sim::Source buffers = sim::assumed("no datasheet of a switch at hand gives it");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add(
                "ports", &C::ports,
                {.max = 16,
                 .sentence = "Downstream ports of a switch between root port and devices; 0: there "
                             "is no switch.",
                 .source = sim::assumed("four-port cards have one with two to four")})
            .add_choice(
                "forwarding", &C::forwarding,
                sim::ChoiceNames<Forwarding>{{Forwarding::cut_through, "cut_through"},
                                             {Forwarding::store_and_forward, "store_and_forward"}},
                {.sentence = "Whether the latency counts from a TLP's header or from its "
                             "last byte.",
                 .source = sim::assumed("switches on cards cut through")})
            .add("latency", &C::latency,
                 {.unit = sim::Unit::time,
                  .max = 1e8,
                  .sentence = "From a TLP's header (cut through) or last byte (store and forward) "
                              "at one port to its start at another.",
                  .source = sim::assumed("makers quote 100 to 150 ns")})
            .add("max_payload", &C::max_payload,
                 {.unit = sim::Unit::bytes,
                  .allowed = {128, 256, 512, 1024, 2048, 4096},
                  .sentence = "Largest payload (MPS) that the switch supports.",
                  .source = buffers})
            .add("max_link_generation", &C::max_link_generation,
                 {.allowed = {1, 2, 3, 4, 5},
                  .sentence = "Highest generation of its ports.",
                  .source = buffers})
            .add("max_link_width", &C::max_link_width,
                 {.allowed = {1, 2, 4, 8, 16},
                  .sentence = "Most lanes of a port.",
                  .source = buffers})
            .add("egress_queue", &C::egress_queue,
                 {.min = 1,
                  .max = 1024,
                  .sentence = "TLPs of one class that may wait at a port for credits or the wire.",
                  .source = buffers})
            .add("posted_header_credits", &C::posted_header_credits,
                 {.min = 1, .max = 127, .sentence = "Advertised by each port.", .source = buffers})
            .add("posted_data_credits", &C::posted_data_credits,
                 {.min = 32, .max = 2047, .sentence = "Units of 16 bytes.", .source = buffers})
            .add("nonposted_header_credits", &C::nonposted_header_credits,
                 {.min = 1, .max = 127, .sentence = "Advertised by each port.", .source = buffers})
            .add("nonposted_data_credits", &C::nonposted_data_credits,
                 {.min = 1, .max = 2047, .sentence = "Units of 16 bytes.", .source = buffers})
            .add("completion_header_credits", &C::completion_header_credits,
                 {.min = 1, .max = 127, .sentence = "Advertised by each port.", .source = buffers})
            .add("completion_data_credits", &C::completion_data_credits,
                 {.min = 32, .max = 2047, .sentence = "Units of 16 bytes.", .source = buffers})
            .build();
    return table;
}

std::string SwitchConfig::check() const {
    for (const auto& [name, credits] :
         {std::pair{"posted_data_credits", posted_data_credits},
          std::pair{"completion_data_credits", completion_data_credits}})
        if (credits * 16 < max_payload)
            return fmt::format("{}: {} of 16 B do not hold a payload of {} B", name, credits,
                               max_payload);
    return {};
}

Switch::Port::Port(const sc_core::sc_module_name& name, Switch& owner, unsigned number)
    : sc_module(name),
      owner_(owner),
      number_(number),
      space_(number == 0 ? BridgeConfig::PortType::upstream : BridgeConfig::PortType::downstream,
             number, owner.config_.max_payload),
      errors_(space_.error_registers(), owner.counters_,
              sim::Callback<std::uint8_t>::to<&Port::send_message>(this)),
      line_("line", sim::TimedFifo<Waiting>::Action::to<&Port::ready>(this)) {}

void Switch::Port::negotiate(LinkConfig& config) const {
    config.generation = std::min(config.generation, owner_.config_.max_link_generation);
    config.width = std::min(config.width, owner_.config_.max_link_width);
    config.max_payload = std::min(config.max_payload, owner_.config_.max_payload);
}

ReceiverTraits Switch::Port::receiver_traits() const {
    const SwitchConfig& c = owner_.config_;
    const auto n = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    ReceiverTraits t;
    t.credits.header = {n(c.posted_header_credits), n(c.nonposted_header_credits),
                        n(c.completion_header_credits)};
    t.credits.data = {n(c.posted_data_credits), n(c.nonposted_data_credits),
                      n(c.completion_data_credits)};
    t.update_at_once = true;
    return t;
}

/// The link behind a downstream port is built when that to the host is there.
bool Switch::Port::may_reset_link() const {
    const Port& top = *owner_.all_[0];
    return !is_upstream() && top.connected() && top.out_->link().may_go_down();
}

void Switch::Port::attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) {
    if (is_upstream() && out.link().may_go_down())
        for (std::size_t i = 1; i < owner_.all_.size(); ++i)
            if (owner_.all_[i]->connected())
                throw std::invalid_argument(
                    "PCIe switch: its link to the host may go down and must be built before those "
                    "behind it");
    link_ = config;
    out_ = &out;
    in_ = &in;
    space_.link_up(config);
}

/// Function 0 of the upstream port's bus, or device i of the switch's inner bus.
void Switch::Port::send_message(std::uint8_t code) {
    Port& top = *owner_.all_[0];
    if (!top.up()) return;
    ++owner_.counters_.error_messages;
    const BridgeWindows& bus = top.space().windows();
    TlpPtr message = tlp_pool().make();
    message->type = TlpType::Msg;
    message->message_code = code;
    message->requester_id =
        id_of({static_cast<std::uint8_t>(is_upstream() ? bus.primary() : bus.secondary()),
               static_cast<std::uint8_t>(is_upstream() ? 0U : number_ - 1U), 0});
    top.send(std::move(message));
}

void Switch::Port::receive(const TlpPtr& tlp) {
    if (!errors_.acceptable(*tlp, static_cast<std::uint32_t>(link_.max_payload))) {
        in_->drained(*tlp);
        return;
    }
    if (tlp->poisoned) errors_.report(AerError::poisoned_tlp, tlp.get(), true);
    Waiting w;
    w.tlp = tlp;
    w.to = owner_.route(*this, *tlp);
    const bool config = tlp->type == TlpType::CfgRd0 || tlp->type == TlpType::CfgWr0;
    if (config && w.to != nullptr) {
        // A request for the bus of the port's own link, or for the switch's inner bus.
        const unsigned bus = tlp->target.bus;
        const BridgeWindows& top = owner_.all_[0]->space().windows();
        w.mine = w.to->is_upstream() || bus == top.secondary();
    }
    if (!w.mine && w.to != nullptr && !w.to->connected()) w.to = nullptr;
    w.order = ++order_;
    w.epoch = epoch_;
    last_ready_ = std::max(last_ready_, sim::now() + owner_.forwarding_delay(*this, w.to, *tlp));
    if (last_ready_ == sim::now() && line_.empty())
        ready(std::move(w));
    else
        line_.push(last_ready_, std::move(w));
}

void Switch::Port::ready(Waiting waiting) {
    if (waiting.epoch != epoch_) {
        --lost_in_line_;
        in_->drained(*waiting.tlp);
        return;
    }
    const auto flow = static_cast<unsigned>(waiting.tlp->flow_class());
    queues_[flow].push(std::move(waiting));
    owner_.pump();
}

void Switch::Port::hold_link() {
    if (connected()) out_->link().hold_in_reset();
}

void Switch::Port::release_link() {
    if (connected()) out_->link().release_from_reset();
}

std::size_t Switch::Port::forget() {
    const std::size_t lost = held();
    ++epoch_;
    lost_in_line_ = line_.size();
    for (auto& queue : queues_)
        while (!queue.empty()) in_->drained(*queue.pop().tlp);
    space_.reset();
    return lost;
}

void Switch::Port::link_up() {
    space_.link_up(link_);
    if (is_upstream()) owner_.end_reset();
}

std::size_t Switch::Port::held() const {
    std::size_t n = line_.size() - lost_in_line_;
    for (const auto& q : queues_) n += q.size();
    return n;
}

bool Switch::Port::forward() {
    bool any = false;
    for (unsigned flow = 0; flow < flow_classes; ++flow)
        while (!queues_[flow].empty() && forward_first(flow)) any = true;
    return any;
}

/// A read request or completion must not pass a posted TLP that came in before it, but by relaxed
/// ordering (completions) or if it has no data (completions of writes).
bool Switch::Port::behind_posted(const Waiting& waiting) const {
    const Tlp& tlp = *waiting.tlp;
    if (tlp.flow_class() == FlowClass::posted || tlp.type == TlpType::Cpl) return false;
    if (tlp.relaxed_ordering && tlp.type != TlpType::MRd) return false;
    const auto& posted = queues_[static_cast<unsigned>(FlowClass::posted)];
    return !posted.empty() && posted.front().order < waiting.order;
}

bool Switch::Port::forward_first(unsigned flow) {
    Waiting& first = queues_[flow].front();
    if (behind_posted(first)) return false;
    if (!first.mine && first.to != nullptr && !first.to->up()) first.to = nullptr;  // lost
    Port* const to = first.to;
    if (to != nullptr && !first.mine && !to->has_room(first.tlp->flow_class())) {
        if (!first.counted) ++owner_.counters_.blocked;
        first.counted = true;
        return false;
    }
    const Waiting w = queues_[flow].pop();
    in_->drained(*w.tlp);
    if (w.mine) {
        owner_.answer_config(*this, *w.tlp);
    } else if (to == nullptr) {
        owner_.refuse(*this, *w.tlp);
    } else {
        owner_.count(*this, *to);
        // Each link keeps account of its own packets.
        TlpPtr copy = tlp_pool().make();
        *copy = *w.tlp;
        to->send(std::move(copy));
    }
    return true;
}

}  // namespace nicsim::pcie
