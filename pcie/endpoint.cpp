// SPDX-License-Identifier: Apache-2.0
#include "pcie/endpoint.h"
#include "sim/setting_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nicsim::pcie {

const sim::ParamTable& EndpointConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<EndpointConfig>()
            .add("posted_buffer", &EndpointConfig::posted_buffer,
                 {.min = 1,
                  .max = 1024,
                  .sentence = "Posted TLPs that may wait in the endpoint for credits or the wire "
                              "before the device has to wait.",
                  .source = sim::assumed("a few TLPs of egress buffer; no datasheet gives it")})
            .add("nonposted_buffer", &EndpointConfig::nonposted_buffer,
                 {.min = 1,
                  .max = 1024,
                  .sentence = "Read requests that may wait in the endpoint for credits or the wire "
                              "before the device has to wait.",
                  .source = sim::assumed("a few TLPs of egress buffer; no datasheet gives it")})
            .add("update_fc_at_once", &EndpointConfig::update_fc_at_once,
                 {.sentence = "Return credits as soon as a buffer frees instead of at the latest "
                              "time the specification allows.",
                  .source = sim::datasheet("Intel Ethernet Controller I210 Datasheet, 3.1.4.6")})
            .add("tags", &EndpointConfig::tags,
                 {.max = 768,
                  .sentence = "Read requests in flight; 0 is as many as the device has.",
                  .source = sim::assumed("0: the device's own number")})
            .add("tag_bits", &EndpointConfig::tag_bits,
                 {.allowed = {5, 8, 10},
                  .sentence = "The widest tags that firmware enables, where device and link have "
                              "them: 32, 256 or 768 reads in flight.",
                  .source = sim::datasheet(
                      "PCI Express Base Specification 4.0, 2.2.6.2, 7.5.3.4 and 7.5.3.16")})
            .add("error_reporting", &EndpointConfig::error_reporting,
                 {.sentence = "Error messages are enabled in Device Control, as an operating "
                              "system with AER does it.",
                  .source = sim::driver("Linux pci_enable_pcie_error_reporting")})
            .add("id_based_ordering", &EndpointConfig::id_based_ordering,
                 {.sentence = "ID-based ordering of requests and completions is enabled in Device "
                              "Control 2.",
                  .source =
                      sim::datasheet("PCI Express Base Specification 4.0, 7.5.3.16; off at reset")})
            .build();
    return table;
}

std::string EndpointConfig::check() const {
    const std::uint64_t most = tag_bits == 5 ? 32 : tag_bits == 8 ? 256 : 768;
    if (tags > most)
        return fmt::format("tags: {} do not fit in {} tag bits (allowed: at most {})", tags,
                           tag_bits, most);
    return {};
}

Endpoint::Endpoint(const sc_core::sc_module_name& name, const sim::DeviceIdentity& identity,
                   const EndpointConfig& config)
    : sc_module(name),
      dma("dma"),
      registers("registers"),
      interrupts("interrupts"),
      identity_(identity),
      config_(config),
      msix_(identity.msix_vectors),
      timeout_("timeout", sim::Alarm::Action::to<&Endpoint::check_timeouts>(this)),
      replies_("replies", sim::TimedFifo<TlpPtr>::Action::to<&Endpoint::send_reply>(this)),
      probe_reads_(fmt::format("{}.reads_in_flight", this->name()), 16) {
    dma.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    registers.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    interrupts.bind(*this);
    register_payload_.set_mm(this);
    for (const sim::BarDescription& bar : identity_.bars)
        if (!bar.io && (first_bar_ < 0 || static_cast<int>(bar.index) < first_bar_))
            first_bar_ = static_cast<int>(bar.index);
}

void Endpoint::negotiate(LinkConfig& config) const {
    const auto limit = [](std::uint64_t& value, std::uint64_t most) {
        value = std::min(value, most);
    };
    limit(config.generation, identity_.max_link_generation);
    limit(config.width, identity_.max_link_width);
    limit(config.max_payload, identity_.max_payload_supported);
}

ReceiverTraits Endpoint::receiver_traits() const {
    ReceiverTraits t;
    const auto posted = static_cast<unsigned>(FlowClass::posted);
    const auto nonposted = static_cast<unsigned>(FlowClass::nonposted);
    t.credits.header[posted] = identity_.posted_header_credits;
    t.credits.data[posted] = identity_.posted_data_credits;
    t.credits.header[nonposted] = identity_.nonposted_header_credits;
    t.credits.data[nonposted] = identity_.nonposted_data_credits;
    t.update_at_once = config_.update_fc_at_once;
    return t;  // completions are infinite, as the specification demands of an endpoint
}

void Endpoint::attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) {
    out_ = &out;
    in_ = &in;
    link_config_ = config;
    max_payload_ = static_cast<std::uint32_t>(config.max_payload);
    space_.emplace(identity_, config, settings());
    space_->on_change(sim::Callback<>::to<&Endpoint::config_changed>(this));
    errors_.emplace(space_->error_registers(), counters_,
                    sim::Callback<std::uint8_t>::to<&Endpoint::send_error_message>(this));
    if (config_.tags > identity_.tags)
        throw sim::SettingError("tags", config_.tags,
                                fmt::format("PCIe endpoint: tags is {}; the device has {}",
                                            config_.tags, identity_.tags));
    config_changed();
    if (config_.tags > tag_range_.count)
        throw sim::SettingError(
            "tags", config_.tags,
            fmt::format("PCIe endpoint: tags is {}; device, link (generation {}) and tag_bits ({}) "
                        "allow {}",
                        config_.tags, config.generation, config_.tag_bits, tag_range_.count));
}

FunctionSettings Endpoint::settings() const {
    return {config_.error_reporting, static_cast<unsigned>(config_.tag_bits),
            config_.id_based_ordering};
}

void Endpoint::on_limits_changed(sim::Callback<const sim::BusLimits&> changed) {
    limits_changed_ = changed;
    if (space_ && limits_changed_) limits_changed_(limits_);
}

void Endpoint::config_changed() {
    completion_timeout_ = space_->completion_timeout();
    id_based_ordering_ = space_->id_based_ordering_of_requests();
    set_tags();
    msix_.set_function_mask(space_->msix_function_masked());
    sim::BusLimits limits;
    limits.max_read_request =
        std::min(space_->max_read_request(), identity_.max_read_request_limit);
    limits.max_payload = std::min(space_->max_payload(), identity_.max_payload_supported);
    limits.boundary = 4096;
    limits.bus_master = space_->bus_master();
    limits.link_up = limits_.link_up;
    const bool changed = !limits_told_ || limits.max_read_request != limits_.max_read_request ||
                         limits.max_payload != limits_.max_payload ||
                         limits.bus_master != limits_.bus_master;
    limits_ = limits;
    limits_told_ = true;
    if (changed && limits_changed_) limits_changed_(limits_);
    send_unmasked();
}

void Endpoint::room() {
    retry();
}

void Endpoint::register_stats(sim::StatGroup& group) {
    const EndpointCounters& c = counters_;
    group.counter("dma_reads", "1", "DMA reads taken from the device.", c.reads);
    group.counter("dma_writes", "1", "DMA writes taken from the device.", c.writes);
    group.counter("messages", "1", "MSI and MSI-X messages sent.", c.messages);
    group.loss("interrupts_lost", "1", "Interrupts raised with messages or bus mastering off.",
               c.interrupts_lost);
    group.counter("tag_stalls", "1", "DMA reads that had to wait for a tag.", c.tag_stalls);
    group.counter("tag_stall_time", "ps", "Time that DMA reads waited for a tag.",
                  c.tag_stall_time);
    group.counter("buffer_stalls", "1", "DMA requests that had to wait for room to the link.",
                  c.buffer_stalls);
    group.activity("requests", "What the oldest request of the device that is not taken waits for.",
                   requests_);
    group.counter("unsupported_requests", "1", "Requests of the host that nothing here claims.",
                  c.unsupported);
    group.counter("poisoned_tlps", "1", "TLPs dropped because they were poisoned.", c.poisoned);
    group.counter("unexpected_completions", "1", "Completions without a request.", c.unexpected);
    group.counter("failed_reads", "1", "DMA reads that ended with an error.", c.failed_reads);
    group.counter("completion_timeouts", "1", "DMA requests without an answer in time.",
                  c.timeouts);
    group.counter("flushes", "1", "Zero-length reads sent to flush writes.", c.flushes);
    group.counter("completer_aborts", "1", "Requests of the host that the device could not serve.",
                  c.aborted);
    group.counter("malformed_tlps", "1", "TLPs dropped for their form.", c.malformed);
    group.counter("ecrc_errors", "1", "TLPs dropped for their ECRC.", c.ecrc_errors);
    group.counter("error_messages", "1", "Error messages sent to the root complex.",
                  c.error_messages);
    group.counter("link_losses", "1", "Times that the link was lost.", c.link_losses);
    errors_->aer().register_stats(group.group("aer"));
    group.counter("refused_dma", "1", "DMA requests while bus mastering was off.",
                  c.not_bus_master);
}

}  // namespace nicsim::pcie
