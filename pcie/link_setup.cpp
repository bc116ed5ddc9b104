// SPDX-License-Identifier: Apache-2.0
// Training, wiring and statistics of a link.
#include <fmt/format.h>

#include <stdexcept>

#include "pcie/link.h"
#include "sim/setting_error.h"

namespace nicsim::pcie {
namespace {

LinkConfig train(LinkConfig config, const LinkPartner& upstream, const LinkPartner& downstream) {
    if (const std::string error = config.validate(); !error.empty())
        throw std::invalid_argument("PCIe link: " + error);
    upstream.negotiate(config);
    downstream.negotiate(config);
    return config;
}

void check_credits(const LinkPartner& end, const LinkConfig& config, const char* which) {
    const CreditLimits limits = end.receiver_traits().credits;
    const auto payload = static_cast<std::uint32_t>(config.max_payload);
    if (const std::optional<FlowClass> flow = limits.too_small(payload))
        throw sim::SettingError(fmt::format("{}_data_credits", name_of(*flow)),
                                limits.data[static_cast<unsigned>(*flow)],
                                fmt::format("PCIe link, {}: {}", which, limits.validate(payload)));
}

}  // namespace

std::optional<FlowClass> CreditLimits::too_small(std::uint32_t max_payload) const {
    for (const FlowClass flow : {FlowClass::posted, FlowClass::completion}) {
        const std::uint32_t advertised = data[static_cast<unsigned>(flow)];
        if (advertised != 0 && advertised < max_payload / 16U) return flow;
    }
    return std::nullopt;
}

std::string CreditLimits::validate(std::uint32_t max_payload) const {
    const std::optional<FlowClass> flow = too_small(max_payload);
    if (!flow) return {};
    return fmt::format(
        "{} data credits are {}; a payload of {} B needs at least {} (or 0 for infinite)",
        name_of(*flow), data[static_cast<unsigned>(*flow)], max_payload, max_payload / 16U);
}

Link::Link(const sc_core::sc_module_name& name, const LinkConfig& config, LinkPartner& upstream,
           LinkPartner& downstream, std::uint64_t seed, std::vector<Fault> faults)
    : sc_module(name),
      config_(train(config, upstream, downstream)),
      upstream_(upstream),
      downstream_(downstream),
      down_("down", config_, upstream, downstream, Heading::down),
      up_("up", config_, downstream, upstream, Heading::up),
      faults_(std::move(faults)),
      fault_alarm_("fault_alarm", sim::Alarm::Action::to<&Link::on_fault_alarm>(this)),
      may_go_down_(upstream.may_reset_link() || faults_.next_outage(0).at != sim::never) {
    check_credits(upstream, config_, "upstream end");
    check_credits(downstream, config_, "downstream end");
    down_.reverse_ = &up_;
    up_.reverse_ = &down_;
    for (LinkDirection* d : {&down_, &up_}) {
        d->link_ = this;
        d->next_refresh_ = config_.dllp == DllpCharge::real ? update_fc_interval : sim::never;
        if (config_.bit_error_rate > 0.0 || config_.replay_buffer != 0 || !faults_.empty() ||
            may_go_down_)
            d->protect(*this, seed, faults_.empty() ? nullptr : &faults_);
    }
    upstream.attach(config_, down_, up_);
    downstream.attach(config_, up_, down_);
    set_fault_alarm();
}

void Link::settle() {
    for (LinkDirection* d : {&down_, &up_}) d->settle(sim::now());
}

void Link::observe(LinkObserver& observer) {
    for (LinkDirection* d : {&down_, &up_}) {
        d->observers_.push_back(&observer);
        observer.attached(*d);
    }
}

void Link::register_stats(sim::StatGroup& group) {
    up_.register_stats(group.group("up"));
    down_.register_stats(group.group("down"));
    group.formula("generation", "1", "Generation to which the link has trained.",
                  [this] { return static_cast<double>(config_.generation); });
    group.formula("width", "1", "Lanes to which the link has trained.",
                  [this] { return static_cast<double>(config_.width); });
}

void LinkDirection::register_stats(sim::StatGroup& group) {
    LinkCounters& c = counters_;
    group.counter("tlps", "1", "TLPs sent.", c.all_tlps);
    group.counter("tlp_bytes", "B", "Bytes of TLPs on the wire, with header and framing.",
                  c.all_tlp_bytes);
    sim::StatGroup& types = group.group("types");
    for (unsigned i = 0; i < tlp_types; ++i) {
        const char* type = name_of(static_cast<TlpType>(i));
        types.counter(fmt::format("{}_tlps", type), "1", fmt::format("{} sent.", type), c.tlps[i]);
        types.counter(fmt::format("{}_bytes", type), "B",
                      fmt::format("Bytes of {} on the wire.", type), c.tlp_bytes[i]);
    }
    sim::StatGroup& purposes = group.group("purposes");
    for (unsigned i = 0; i < sim::dma_purposes; ++i) {
        const char* purpose = sim::name_of(static_cast<sim::DmaPurpose>(i));
        purposes.counter(fmt::format("{}_tlps", purpose), "1",
                         fmt::format("TLPs sent for {}.", purpose), c.purpose_tlps[i]);
        purposes.counter(fmt::format("{}_bytes", purpose), "B",
                         fmt::format("Bytes on the wire for {}.", purpose), c.purpose_bytes[i]);
    }
    group.counter("acks", "1", "ACK DLLPs that became due.", c.acks);
    group.counter("flow_control_updates", "1", "UpdateFC DLLPs that became due.",
                  c.flow_control_updates);
    group.counter("flow_control_refreshes", "1",
                  "UpdateFC DLLPs sent because none had been for 30 us.", c.flow_control_refreshes);
    group.counter("naks", "1", "NAK DLLPs sent.", c.naks);
    group.counter("damaged_tlps", "1", "Transmissions of TLPs that arrived wrong or not at all.",
                  c.damaged_tlps);
    group.counter("damaged_dllps", "1", "DLLPs that arrived wrong.", c.damaged_dllps);
    group.counter("replays", "1", "Times that the sender began to repeat TLPs.", c.replays);
    group.counter("resent_tlps", "1", "TLPs sent again.", c.resent_tlps);
    group.counter("resent_bytes", "B", "Bytes of them on the wire.", c.resent_bytes);
    group.counter("duplicate_tlps", "1", "TLPs that arrived twice.", c.duplicates);
    group.counter("retrains", "1", "Retrainings after four replays without progress.", c.retrains);
    group.loss("lost_tlps", "1", "TLPs lost before the wire, or with the link.", c.lost_tlps);
    group.counter("dllp_bytes", "B", "Bytes of DLLPs charged to the wire.", c.dllp_bytes);
    for (unsigned i = 0; i < flow_classes; ++i) {
        const char* flow = name_of(static_cast<FlowClass>(i));
        group.counter(fmt::format("{}_credit_stalls", flow), "1",
                      fmt::format("Times the oldest TLP waited for {} credits.", flow),
                      c.credit_stalls[i]);
    }
    group.counter("credit_stall_time", "ps", "Time the oldest TLP waited for credits.",
                  c.credit_stall_time);
    group.activity("wire", "What the wire spends its time on.", activity_);
    group.formula("utilisation", "1", "Share of time with a TLP on the wire.", [this] {
        sim::Ps all = 0;
        for (std::size_t s = 0; s < activity_.states().size(); ++s) all += activity_.spent(s);
        return all == 0 ? 0.0
                        : static_cast<double>(activity_.spent(busy)) / static_cast<double>(all);
    });
}

}  // namespace nicsim::pcie
