// SPDX-License-Identifier: Apache-2.0
// The root complex as a completer: reads and writes of host memory, interrupts.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pcie/root_complex_port.h"

namespace nicsim::pcie {
namespace {

DwRange range_of(const Tlp& tlp) {
    return {tlp.address, tlp.length_dw, tlp.first_be, tlp.last_be};
}

constexpr bool is_interrupt(std::uint64_t address) {
    return address >= msi_base && address < msi_base + msi_size;
}

/// A masked normal distribution never draws less than this share of its mean.
constexpr double least_share_of_latency = 0.5;

}  // namespace

/// Without an IOMMU a write is in memory when it arrives. With one it waits for its translation,
/// and everything behind it waits too.
bool RootComplex::on_memory_write(Port& port, const TlpPtr& tlp) {
    if (!iommu_.enabled()) {
        write_memory(port, *tlp);
        return true;
    }
    sim::Ps done = sim::now();
    if (!is_interrupt(tlp->address))
        done = iommu_.translate(done, tlp->address, tlp->length_dw * 4U);
    last_write_ = std::max(last_write_, done);
    if (last_write_ == sim::now() && writes_.empty()) {
        write_memory(port, *tlp);
        return true;
    }
    writes_.push(last_write_, {&port, tlp});
    return false;
}

void RootComplex::finish_write(PendingWrite write) {
    write_memory(*write.port, *write.tlp);
    write.port->drained(*write.tlp);
}

void RootComplex::write_memory(Port& port, const Tlp& tlp) {
    if (tlp.poisoned) {
        ++counters_.poisoned;
        port.report(AerError::poisoned_tlp, &tlp);
        return;
    }
    const std::span<const std::uint8_t> data = tlp.data();
    if (is_interrupt(tlp.address)) {
        ++counters_.interrupts;
        const Message message{tlp.address, data[0] | std::uint32_t{data[1]} << 8U |
                                               std::uint32_t{data[2]} << 16U |
                                               std::uint32_t{data[3]} << 24U};
        if (config_.interrupt_latency == 0)
            deliver_interrupt(message);
        else
            messages_.push(sim::now() + config_.interrupt_latency, message);
        return;
    }
    const DwRange range = range_of(tlp);
    const ByteRange bytes = byte_range(range);
    if (bytes.length == 0) return;
    if (!memory_.contains(bytes.address, bytes.length)) {
        ++counters_.unsupported;
        port.report(AerError::unsupported_request, &tlp);
        return;
    }
    ++counters_.memory_writes;
    counters_.memory_write_bytes += bytes.length;
    cache_.device_write(bytes.address, bytes.length);
    const auto lead = static_cast<std::uint32_t>(bytes.address - range.address);
    if (contiguous(range)) {
        memory_.write(bytes.address, data.subspan(lead, bytes.length));
        return;
    }
    // Holes are legal in at most 2 DW: byte by byte.
    const unsigned enables = range.first_be | unsigned{range.last_be} << 4U;
    for (unsigned i = 0; i < data.size(); ++i)
        if ((enables >> i & 1U) != 0) memory_.write(range.address + i, data.subspan(i, 1));
}

void RootComplex::on_memory_read(Port& port, const TlpPtr& tlp) {
    MemoryRead read;
    read.time = answer_time(*tlp);
    read.order = ++read_order_;
    read.port = &port;
    read.request = tlp;
    schedule_read(std::move(read));
}

/// A read is translated, looks into the cache and stays behind the writes that came before it.
sim::Ps RootComplex::answer_time(const Tlp& request) {
    const ByteRange bytes = byte_range(range_of(request));
    const sim::Ps translated = iommu_.translate(sim::now(), bytes.address, bytes.length);
    const bool hit = cache_.device_read(bytes.address, bytes.length);
    return std::max(translated, last_write_) + draw_latency(hit);
}

sim::Ps RootComplex::draw_latency(bool hit) {
    sim::Ps latency = config_.read_latency + (hit ? 0 : config_.memory_penalty);
    latency = (hit ? cache_shape_ : memory_shape_).draw(latency, random_);
    if (config_.read_latency_spread != 0) {
        const auto mean = static_cast<double>(latency);
        const double drawn =
            mean + random_.normal() * static_cast<double>(config_.read_latency_spread);
        latency =
            static_cast<sim::Ps>(std::llround(std::max(drawn, mean * least_share_of_latency)));
    }
    if (config_.read_tail_probability > 0.0 && random_.uniform() < config_.read_tail_probability)
        latency += config_.read_tail_latency;
    return latency;
}

void RootComplex::schedule_read(MemoryRead read) {
    const sim::Ps time = read.time;
    reads_.push_back(std::move(read));
    std::push_heap(reads_.begin(), reads_.end(), Later{});
    probe_reads_.set(reads_.size());
    read_alarm_.at_latest(time);
}

void RootComplex::serve_reads() {
    const sim::Ps t = sim::now();
    while (!reads_.empty() && reads_.front().time <= t) {
        std::pop_heap(reads_.begin(), reads_.end(), Later{});
        MemoryRead read = std::move(reads_.back());
        reads_.pop_back();
        serve(std::move(read));
    }
    probe_reads_.set(reads_.size());
    if (!reads_.empty()) read_alarm_.at_latest(reads_.front().time);
}

/// Memory is read now: what the device gets is what stands there at this moment.
void RootComplex::serve(MemoryRead read) {
    const Tlp& request = *read.request;
    const DwRange range = range_of(request);
    const ByteRange all = byte_range(range);
    if (request.poisoned || !memory_.contains(all.address, std::max(all.length, 1U))) {
        answer_unsupported(read);
        return;
    }
    const LinkConfig& link = read.port->config();
    const auto max_payload = static_cast<std::uint32_t>(link.max_payload);
    const auto boundary = static_cast<std::uint32_t>(link.read_completion_boundary);
    do {
        const std::uint64_t address = all.address + read.served;
        const std::uint32_t left = all.length - read.served;
        const std::uint32_t n =
            all.length == 0
                ? 0
                : next_completion(address, left, max_payload, boundary, config_.completion_policy);
        const auto lead = static_cast<std::uint32_t>(address & 3U);
        const TlpPtr completion = tlp_pool().make();
        completion->type = TlpType::CplD;
        completion->allocate(std::max((lead + n + 3U) / 4U, 1U));
        completion->requester_id = request.requester_id;
        completion->tag = request.tag;
        completion->traffic_class = request.traffic_class;
        completion->relaxed_ordering = request.relaxed_ordering;
        completion->no_snoop = request.no_snoop;
        completion->purpose = request.purpose;
        completion->byte_count = static_cast<std::uint16_t>(std::max(left, 1U));
        completion->lower_address = static_cast<std::uint8_t>(address & 0x7fU);
        const std::span<std::uint8_t> data = completion->data();
        std::memset(data.data(), 0, 4);
        std::memset(data.data() + data.size() - 4, 0, 4);
        if (n > 0) memory_.read(address, data.subspan(lead, n));
        read.served += n;
        read.port->send(completion);
    } while (read.served < all.length && config_.completion_interval == 0);
    if (read.served < all.length) {
        read.time = sim::now() + config_.completion_interval;
        read.order = ++read_order_;
        schedule_read(std::move(read));
        return;
    }
    ++counters_.memory_reads;
    counters_.memory_read_bytes += all.length;
}

void RootComplex::answer_unsupported(const MemoryRead& read) {
    ++counters_.unsupported;
    const TlpPtr completion = tlp_pool().make();
    completion->type = TlpType::Cpl;
    completion->status = CompletionStatus::unsupported_request;
    completion->requester_id = read.request->requester_id;
    completion->tag = read.request->tag;
    completion->purpose = read.request->purpose;
    const ByteRange all = byte_range(range_of(*read.request));
    completion->byte_count = static_cast<std::uint16_t>(std::max(all.length, 1U));
    completion->lower_address = static_cast<std::uint8_t>(all.address & 0x7fU);
    read.port->send(completion);
    read.port->report(AerError::unsupported_request, read.request.get(), true);
}

}  // namespace nicsim::pcie
