// SPDX-License-Identifier: Apache-2.0
#include "host_driver/workloads/forwarder.h"

#include <utility>

namespace nicsim::host {

const sim::ParamTable& ForwardConfig::params() {
    using C = ForwardConfig;
    const sim::Source own = sim::assumed("a choice of the experiment");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("from", &C::from, {.sentence = "Port that frames come in by.", .source = own})
            .add("to", &C::to, {.sentence = "Port that they leave by.", .source = own})
            .add("batch", &C::batch,
                 {.min = 1,
                  .max = 64,
                  .sentence = "Packets handed to the queue discipline in one go; 1 is what Linux' "
                              "bridge does.",
                  .source = sim::driver("Linux net/bridge/br_forward.c, br_dev_queue_push_xmit")})
            .build();
    return table;
}

Forwarder::Forwarder(const ForwardConfig& config, NetDevice& from, NetDevice& to)
    : config_(config), from_(from), to_(to) {}

Forwarder::~Forwarder() {
    from_.set_rx_handler(nullptr);
}

void Forwarder::start() {
    from_.set_rx_handler(this);
}

void Forwarder::receive(Core& core, SkbPtr skb) {
    core.charge(Op::forward_packet);
    ++received_;
    bytes_ += skb->length;
    skb->handed_over = core.local_time();
    if (core.id() >= lists_of_cores_.size()) lists_of_cores_.resize(core.id() + 1);
    std::vector<SkbPtr>& list = lists_of_cores_[core.id()].collected;
    list.push_back(std::move(skb));
    if (list.size() >= config_.batch) flush(core);
}

void Forwarder::receive_end(Core& core) {
    if (core.id() < lists_of_cores_.size() && !lists_of_cores_[core.id()].collected.empty())
        flush(core);
}

/// Other cores go on receiving while this one hands over. Packets of a core are received with its
/// bottom halves off, so it does not come here again before it is done.
void Forwarder::flush(Core& core) {
    ++lists_;
    Lists& lists = lists_of_cores_[core.id()];
    lists.handed_over.swap(lists.collected);
    const std::size_t count = lists.handed_over.size();
    const std::size_t taken = to_.queue_xmit_list(core, lists.handed_over);
    forwarded_ += taken;
    dropped_ += count - taken;
    lists.handed_over.clear();
}

void Forwarder::begin_measurement() {
    forwarded_before_ = forwarded_;
    dropped_before_ = dropped();
    bytes_before_ = bytes_;
    measured_from_ = sim::now();
}

double Forwarder::rate() const {
    const sim::Ps span = sim::now() - measured_from_;
    return span == 0 ? 0.0 : static_cast<double>(measured_forwarded()) / sim::to_seconds(span);
}

double Forwarder::bit_rate() const {
    const sim::Ps span = sim::now() - measured_from_;
    return span == 0 ? 0.0
                     : static_cast<double>(bytes_ - bytes_before_) * 8.0 / sim::to_seconds(span);
}

void Forwarder::register_stats(sim::StatGroup& group) {
    group.counter("received", "packets", "Packets taken from the one port.", received_);
    group.counter("forwarded", "packets", "Packets that the other port's discipline took.",
                  forwarded_);
    group.counter("lists", "lists", "Times that packets were handed over.", lists_);
    group.formula("refused", "packets", "Packets that it dropped, since the start.",
                  [this] { return static_cast<double>(dropped()); });
    group.formula("rate", "pps", "Packets forwarded per second.", [this] { return rate(); });
}

}  // namespace nicsim::host
