// SPDX-License-Identifier: Apache-2.0
#include "pcie/root_complex.h"

#include <fmt/format.h>

#include "pcie/root_complex_port.h"

namespace nicsim::pcie {
namespace {

/// Accesses of cores in flight at once: the 5-bit tags of a requester.
constexpr std::uint16_t host_tags = 32;

constexpr const char* xeon_credits =
    "Intel Xeon Processor C5500/C3500 Series Datasheet Volume 1, flow-control credits (x8 port)";

}  // namespace

const sim::ParamTable& RootComplexConfig::params() {
    using C = RootComplexConfig;
    constexpr auto time = sim::Unit::time;
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add(
                "read_latency", &C::read_latency,
                {.unit = time,
                 .max = 1e8,
                 .sentence = "From the arrival of a device's read request to its first completion.",
                 .source = sim::calibrated("i210.tcp.8844")})
            .add("read_latency_spread", &C::read_latency_spread,
                 {.unit = time,
                  .max = 1e8,
                  .sentence = "Standard deviation of the read latency (normal; never below half of "
                              "the latency).",
                  .source = sim::assumed("0: the reference systems publish no distribution")})
            .add("read_tail_probability", &C::read_tail_probability,
                 {.unit = sim::Unit::ratio,
                  .min = 0.0,
                  .max = 1.0,
                  .sentence = "Share of reads that take the tail's latency on top.",
                  .source = sim::assumed("0; pcie-bench/data shows about 1 % on Xeon E5 hosts")})
            .add(
                "read_tail_latency", &C::read_tail_latency,
                {.unit = time,
                 .max = 1e10,
                 .sentence = "What a read of the tail takes longer.",
                 .source = sim::assumed("0; pcie-bench/data shows 100 to 250 ns on Xeon E5 hosts")})
            .add("memory_penalty", &C::memory_penalty,
                 {.unit = time,
                  .max = 1e8,
                  .sentence = "What a read takes longer that the cache does not answer.",
                  .source = sim::assumed("0: included in the read latency; pcie-bench/data shows "
                                         "55 to 80 ns on Xeon E5 hosts")})
            .add("cache_latencies", &C::cache_latencies,
                 {.unit = time,
                  .max = 1e11,
                  .max_items = LatencyShape::quantiles,
                  .sentence = "Shape of the latency of reads that the cache answers, as measured: "
                              "least, p50, p95, p99, p99.9, p99.99, greatest. Only the distances "
                              "from p50 count. Empty: a constant.",
                  .source = sim::assumed("none: the reference systems publish no distribution")})
            .add("memory_latencies", &C::memory_latencies,
                 {.unit = time,
                  .max = 1e11,
                  .max_items = LatencyShape::quantiles,
                  .sentence = "The same for reads that go to memory.",
                  .source = sim::assumed("none: the reference systems publish no distribution")})
            .add("write_visibility", &C::write_visibility,
                 {.unit = time,
                  .max = 1e8,
                  .sentence = "From the arrival of a device's write until cores, and reads of the "
                              "same bytes, find its data.",
                  .source = sim::assumed("0: part of the latencies of the reference systems; "
                                         "pcie-bench/data shows about 180 ns on Xeon E5 hosts")})
            .add("interrupt_latency", &C::interrupt_latency,
                 {.unit = time,
                  .max = 1e9,
                  .sentence = "From the arrival of an interrupt message to the interrupt "
                              "controller.",
                  .source = sim::assumed("0: part of the core's interrupt latency")})
            .add("completion_interval", &C::completion_interval,
                 {.unit = time,
                  .max = 1e8,
                  .sentence = "Time between the completions of one request; others may go between.",
                  .source = sim::assumed("0: memory is faster than the link")})
            .add_choice("completion_policy", &C::completion_policy,
                        sim::ChoiceNames<CompletionPolicy>{
                            {CompletionPolicy::largest, "largest"},
                            {CompletionPolicy::every_boundary, "every_boundary"}},
                        {.sentence = "Completions as large as MPS allows, or cut at every RCB.",
                         .source = sim::assumed("as the reference model cocotbext-pcie")})
            .add(
                "mmio_latency", &C::mmio_latency,
                {.unit = time,
                 .max = 1e8,
                 .sentence = "From a core's register access to the link, and from the link back to "
                             "the core.",
                 .source = sim::assumed("register reads of 0.7 to 1.6 us are reported for Intel "
                                        "NICs (pcie-lat); half of 0.5 us each way")})
            .add("completion_timeout", &C::completion_timeout,
                 {.unit = time,
                  .min = 5e7,
                  .max = 6.4e13,
                  .sentence = "After which a core's read without an answer ends as all ones.",
                  .source = sim::datasheet("PCI Express Base Specification 4.0, 7.8.16")})
            .add("posted_header_credits", &C::posted_header_credits,
                 {.max = 127,
                  .sentence = "Posted header credits advertised to devices; 0 is infinite.",
                  .source = sim::datasheet(xeon_credits)})
            .add("posted_data_credits", &C::posted_data_credits,
                 {.max = 2047,
                  .sentence = "Posted data credits of 16 bytes; 0 is infinite.",
                  .source = sim::datasheet(xeon_credits)})
            .add("nonposted_header_credits", &C::nonposted_header_credits,
                 {.max = 127,
                  .sentence = "Non-posted header credits; 0 is infinite.",
                  .source = sim::datasheet(xeon_credits)})
            .add("nonposted_data_credits", &C::nonposted_data_credits,
                 {.max = 2047,
                  .sentence = "Non-posted data credits of 16 bytes; 0 is infinite.",
                  .source = sim::datasheet(xeon_credits)})
            .add("update_fc_at_once", &C::update_fc_at_once,
                 {.sentence = "Return credits as soon as a buffer frees instead of at the latest "
                              "time the specification allows.",
                  .source = sim::datasheet("Intel Xeon Processor C5500/C3500 Series Datasheet "
                                           "Volume 1: credit returns are batched")})
            .build();
    return table;
}

std::string RootComplexConfig::check() const {
    if (std::string bad = LatencyShape::check(cache_latencies); !bad.empty())
        return "cache_latencies: " + bad;
    if (std::string bad = LatencyShape::check(memory_latencies); !bad.empty())
        return "memory_latencies: " + bad;
    return {};
}

RootComplex::RootComplex(const sc_core::sc_module_name& name, const RootComplexConfig& config,
                         HostMemoryIf& memory, InterruptControllerIf& interrupts,
                         std::uint64_t seed)
    : sc_module(name),
      config_(config),
      memory_(memory),
      interrupts_(interrupts),
      random_(seed, "root_complex"),
      cache_(config.cache),
      iommu_(config.iommu),
      cache_shape_(config.cache_latencies),
      memory_shape_(config.memory_latencies),
      writes_("writes", sim::TimedFifo<PendingWrite>::Action::to<&RootComplex::finish_write>(this)),
      messages_("messages",
                sim::TimedFifo<Message>::Action::to<&RootComplex::deliver_interrupt>(this)),
      read_alarm_("read_alarm", sim::Alarm::Action::to<&RootComplex::serve_reads>(this)),
      accesses_(host_tags),
      outgoing_("outgoing", sim::TimedFifo<Outgoing>::Action::to<&RootComplex::leave>(this)),
      results_("results", sim::TimedFifo<Result>::Action::to<&RootComplex::give_result>(this)),
      timeout_("timeout", sim::Alarm::Action::to<&RootComplex::check_timeouts>(this)),
      probe_reads_(fmt::format("{}.reads_in_flight", this->name()), 16) {
    for (std::uint16_t t = 0; t < host_tags; ++t) free_tags_.push(t);
}

RootComplex::~RootComplex() = default;

LinkPartner& RootComplex::port(unsigned index) {
    while (ports_.size() <= index)
        ports_.push_back(std::make_unique<Port>(*this, static_cast<unsigned>(ports_.size())));
    return *ports_[index];
}

ReceiverTraits RootComplex::Port::receiver_traits() const {
    const RootComplexConfig& c = owner_.config_;
    ReceiverTraits t;
    const auto posted = static_cast<unsigned>(FlowClass::posted);
    const auto nonposted = static_cast<unsigned>(FlowClass::nonposted);
    t.credits.header[posted] = static_cast<std::uint32_t>(c.posted_header_credits);
    t.credits.data[posted] = static_cast<std::uint32_t>(c.posted_data_credits);
    t.credits.header[nonposted] = static_cast<std::uint32_t>(c.nonposted_header_credits);
    t.credits.data[nonposted] = static_cast<std::uint32_t>(c.nonposted_data_credits);
    t.update_at_once = c.update_fc_at_once;
    return t;  // completions are infinite: no peer-to-peer
}

void RootComplex::Port::receive(const TlpPtr& tlp) {
    if (!errors_.acceptable(*tlp, static_cast<std::uint32_t>(config_.max_payload))) {
        in_->drained(*tlp);
        return;
    }
    switch (tlp->type) {
        case TlpType::MWr:
            if (!owner_.on_memory_write(*this, tlp)) return;
            break;
        case TlpType::MRd:
            owner_.on_memory_read(*this, tlp);
            break;
        case TlpType::Cpl:
        case TlpType::CplD:
            owner_.on_completion(*this, *tlp);
            break;
        case TlpType::Msg:
            on_message(tlp->message_code, tlp->requester_id);
            break;
        default:
            ++owner_.counters_.unsupported;
            report(AerError::unsupported_request, tlp.get());
            break;  // configuration never goes upstream
    }
    in_->drained(*tlp);
}

RootComplex::Port* RootComplex::route(std::uint64_t address) {
    for (const auto& port : ports_)
        if (port->connected() && port->snoop().claims(address)) return port.get();
    return nullptr;
}

RootComplex::Port* RootComplex::route(Bdf function) {
    if (function.bus == 0) return nullptr;
    if (function.bus <= ports_.size()) {
        Port& port = *ports_[function.bus - 1U];
        // A link has one device; a port answers for the others itself.
        return port.connected() && function.device == 0 && function.function == 0 ? &port : nullptr;
    }
    for (const auto& port : ports_)
        if (port->connected() && port->snoop().leads_to(function.bus)) return port.get();
    return nullptr;
}

void RootComplex::register_stats(sim::StatGroup& group) {
    const RootComplexCounters& c = counters_;
    group.counter("memory_reads", "1", "Reads of devices answered from memory.", c.memory_reads);
    group.counter("memory_read_bytes", "B", "Bytes of them.", c.memory_read_bytes);
    group.counter("memory_writes", "1", "Write TLPs of devices put into memory.", c.memory_writes);
    group.counter("memory_write_bytes", "B", "Bytes of them.", c.memory_write_bytes);
    group.counter("interrupts", "1", "Message-signalled interrupts delivered.", c.interrupts);
    group.counter("mmio_writes", "1", "Register writes of cores.", c.mmio_writes);
    group.counter("mmio_reads", "1", "Register reads of cores.", c.mmio_reads);
    group.counter("config_accesses", "1", "Configuration accesses of cores.", c.config_accesses);
    group.counter("unsupported_requests", "1", "Requests of devices to nowhere.", c.unsupported);
    group.counter("unclaimed_accesses", "1", "Accesses of cores that nothing claims.", c.unclaimed);
    group.counter("poisoned_tlps", "1", "TLPs dropped because they were poisoned.", c.poisoned);
    group.counter("completion_timeouts", "1", "Accesses of cores without an answer.", c.timeouts);
    group.counter("unexpected_completions", "1", "Completions without a request.", c.unexpected);
    group.counter("malformed_tlps", "1", "TLPs dropped for their form.", c.malformed);
    group.counter("ecrc_errors", "1", "TLPs dropped for their ECRC.", c.ecrc_errors);
    group.counter("err_cor", "1", "Messages of correctable errors.", c.err_cor);
    group.counter("err_nonfatal", "1", "Messages of non-fatal errors.", c.err_nonfatal);
    group.counter("err_fatal", "1", "Messages of fatal errors.", c.err_fatal);
    for (std::size_t i = 0; i < ports_.size(); ++i)
        ports_[i]->errors().register_stats(group.group(i == 0 ? "aer" : fmt::format("aer{}", i)));
    if (config_.cache.model != CacheModel::hit) {
        sim::StatGroup& g = group.group("cache");
        g.counter("hits", "1", "Reads of devices that the cache answered.", cache_.hits());
        g.counter("misses", "1", "Reads of devices that went to memory.", cache_.misses());
    }
    if (iommu_.enabled()) {
        sim::StatGroup& g = group.group("iommu");
        g.counter("hits", "1", "Pages found in the IOTLB.", iommu_.hits());
        g.counter("misses", "1", "Pages that had to be walked for.", iommu_.misses());
        g.counter("wait_time", "ps", "Time that requests waited for translations.",
                  iommu_.wait_time());
        g.activity("walkers", "Whether a page walker is free.", iommu_.walkers());
    }
    group.formula("reads_in_flight", "1", "Reads of devices not yet answered in full.",
                  [this] { return static_cast<double>(reads_.size()); });
}

}  // namespace nicsim::pcie
