// SPDX-License-Identifier: Apache-2.0
// The root complex as a completer: reads and writes of host memory, interrupts.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pcie/root_complex_port.h"
#include "pcie/tlp_rules.h"

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

/// Without an IOMMU and a time until it is seen, a write is in memory when it arrives. With an
/// IOMMU it waits for its translation, and everything behind it waits too. An interrupt is no data
/// that has to become visible: it goes when the writes before it are seen.
bool RootComplex::on_memory_write(Port& port, const TlpPtr& tlp) {
    if (!has_effect(port, *tlp)) return true;
    const sim::Ps t = sim::now();
    const bool interrupt = is_interrupt(tlp->address);
    const ByteRange bytes = byte_range(range_of(*tlp));
    sim::Ps taken = t;
    if (!interrupt) {
        cache_.device_write(bytes.address, bytes.length);
        if (iommu_.enabled()) taken = iommu_.translate(t, tlp->address, tlp->length_dw * 4U);
    }
    last_taken_ = std::max(last_taken_, taken);
    last_write_ = std::max(last_write_, last_taken_ + (interrupt ? 0 : config_.write_visibility));
    if (last_write_ <= t && writes_.empty()) {
        write_memory(*tlp);
        return true;
    }
    if (!interrupt && config_.write_visibility != 0)
        unseen_.push({bytes.address, bytes.address + bytes.length, last_write_});
    const bool waits = last_taken_ > t;
    writes_.push(last_write_, {&port, tlp, waits});
    return !waits;
}

/// Poisoned writes and those to nowhere are reported and dropped; one of no bytes does nothing.
bool RootComplex::has_effect(Port& port, const Tlp& tlp) {
    if (tlp.poisoned) {
        ++counters_.poisoned;
        port.report(AerError::poisoned_tlp, &tlp);
        return false;
    }
    if (is_interrupt(tlp.address)) return true;
    const ByteRange bytes = byte_range(range_of(tlp));
    if (bytes.length == 0) return false;
    if (memory_.contains(bytes.address, bytes.length)) return true;
    ++counters_.unsupported;
    port.report(AerError::unsupported_request, &tlp);
    return false;
}

void RootComplex::finish_write(const PendingWrite& write) {
    write_memory(*write.tlp);
    if (write.holds_buffer) write.port->drained(*write.tlp);
}

void RootComplex::write_memory(const Tlp& tlp) {
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
    ++counters_.memory_writes;
    counters_.memory_write_bytes += bytes.length;
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

/// A read is translated, looks into the cache and stays behind the writes that came before it: its
/// completion goes when they are seen, which is what makes a read a flush, and bytes that such a
/// write changes are fetched only when it is seen.
void RootComplex::on_memory_read(Port& port, const TlpPtr& tlp) {
    const sim::Ps t = sim::now();
    const ByteRange bytes = byte_range(range_of(*tlp));
    const sim::Ps translated = iommu_.translate(t, bytes.address, bytes.length);
    const bool hit = cache_.device_read(bytes.address, bytes.length);
    const sim::Ps latency = draw_latency(hit);
    MemoryRead read;
    read.time = std::max(std::max(translated, last_taken_) + latency, last_write_);
    read.port = &port;
    read.request = tlp;
    read.end = bytes.length;
    while (!unseen_.empty() && unseen_.front().seen <= t) unseen_.pop();
    const bool in_parts = !unseen_.empty() && !tlp->poisoned &&
                          memory_.contains(bytes.address, std::max(bytes.length, 1U)) &&
                          seen(bytes.address, bytes.length) != 0;
    if (in_parts)
        schedule_parts(read, latency);
    else
        schedule_read(std::move(read));
}

/// When the bytes are as the writes that have come leave them; 0 if they are already.
sim::Ps RootComplex::seen(std::uint64_t address, std::uint64_t length) const {
    sim::Ps time = 0;
    for (std::size_t i = 0; i < unseen_.size(); ++i) {
        const Unseen& u = unseen_[i];
        if (address < u.end && u.address < address + length) time = std::max(time, u.seen);
    }
    return time;
}

/// Completions that have to wait for a write go later than those before them; they keep their
/// order.
void RootComplex::schedule_parts(const MemoryRead& read, sim::Ps latency) {
    const std::uint64_t address = byte_range(range_of(*read.request)).address;
    MemoryRead part = read;
    sim::Ps next = read.time;
    for (std::uint32_t at = 0; at < read.end;) {
        const std::uint32_t n = piece(read, address + at, read.end - at);
        const sim::Ps ready = seen(address + at, n) + latency;
        if (ready > next) {
            part.end = at;
            if (part.end > part.served) schedule_read(part);
            part.served = at;
            part.time = next = ready;
        }
        next += config_.completion_interval;
        at += n;
    }
    part.end = read.end;
    schedule_read(std::move(part));
}

/// Bytes of the completion that begins at `address`.
std::uint32_t RootComplex::piece(const MemoryRead& read, std::uint64_t address,
                                 std::uint32_t left) const {
    const LinkConfig& link = read.port->config();
    return next_completion(address, left, static_cast<std::uint32_t>(link.max_payload),
                           static_cast<std::uint32_t>(link.read_completion_boundary),
                           config_.completion_policy);
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
    read.order = ++read_order_;
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
void RootComplex::serve(MemoryRead&& read) {
    const Tlp& request = *read.request;
    const ByteRange all = byte_range(range_of(request));
    if (request.poisoned || !memory_.contains(all.address, std::max(all.length, 1U))) {
        answer_unsupported(read);
        return;
    }
    do {
        const std::uint64_t address = all.address + read.served;
        const std::uint32_t left = all.length - read.served;
        const std::uint32_t n = all.length == 0 ? 0 : piece(read, address, left);
        read.port->send(completion_of(request, address, n, left));
        read.served += n;
    } while (read.served < read.end && config_.completion_interval == 0);
    if (read.served < read.end) {
        read.time = sim::now() + config_.completion_interval;
        schedule_read(std::move(read));
        return;
    }
    if (read.end < all.length) return;
    ++counters_.memory_reads;
    counters_.memory_read_bytes += all.length;
}

TlpPtr RootComplex::completion_of(const Tlp& request, std::uint64_t address, std::uint32_t length,
                                  std::uint32_t left) {
    const auto lead = static_cast<std::uint32_t>(address & 3U);
    TlpPtr completion = tlp_pool().make();
    completion->type = TlpType::CplD;
    completion->allocate(std::max((lead + length + 3U) / 4U, 1U));
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
    if (length > 0) memory_.read(address, data.subspan(lead, length));
    return completion;
}

void RootComplex::answer_unsupported(const MemoryRead& read) {
    ++counters_.unsupported;
    read.port->send(completion_without_data(*read.request, CompletionStatus::unsupported_request));
    read.port->report(AerError::unsupported_request, read.request.get(), true);
}

}  // namespace nicsim::pcie
