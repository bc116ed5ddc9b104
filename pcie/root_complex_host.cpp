// SPDX-License-Identifier: Apache-2.0
// The root complex as a requester: register and configuration accesses of the cores.
#include <algorithm>
#include <cstring>

#include "pcie/root_complex_port.h"

namespace nicsim::pcie {
namespace {

/// Requester ID of the root complex itself: bus 0, device 0.
constexpr std::uint16_t host_id = 0;

constexpr std::uint64_t all_ones(unsigned size) {
    return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8U * size)) - 1U;
}

void store(std::span<std::uint8_t> data, unsigned at, unsigned size, std::uint64_t value) {
    for (std::uint8_t& b : data) b = 0;
    for (unsigned i = 0; i < size; ++i) data[at + i] = static_cast<std::uint8_t>(value >> (8U * i));
}

std::uint64_t load(std::span<const std::uint8_t> data, unsigned at, unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size && at + i < data.size(); ++i)
        value |= std::uint64_t{data[at + i]} << (8U * i);
    return value;
}

TlpPtr memory_request(TlpType type, std::uint64_t address, unsigned size) {
    const DwRange range = dw_range(address, size);
    TlpPtr tlp = tlp_pool().make();
    tlp->type = type;
    tlp->allocate(range.length_dw);
    tlp->address = range.address;
    tlp->first_be = range.first_be;
    tlp->last_be = range.last_be;
    tlp->requester_id = host_id;
    return tlp;
}

TlpPtr config_request(TlpType type, Bdf function, unsigned offset, unsigned size) {
    TlpPtr tlp = memory_request(type, offset, size);
    tlp->target = function;
    return tlp;
}

}  // namespace

void RootComplex::mmio_write(std::uint64_t address, unsigned size, std::uint64_t value) {
    ++counters_.mmio_writes;
    Port* port = route(address);
    if (port == nullptr || !port->up()) {
        ++counters_.unclaimed;
        return;
    }
    TlpPtr tlp = memory_request(TlpType::MWr, address, size);
    store(tlp->data(), static_cast<unsigned>(address & 3U), size, value);
    outgoing_.push(sim::now() + config_.mmio_latency, {port, std::move(tlp)});
}

void RootComplex::mmio_write_line(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    ++counters_.mmio_writes;
    Port* port = route(address);
    if (port == nullptr) {
        ++counters_.unclaimed;
        return;
    }
    const TlpPtr tlp = memory_request(TlpType::MWr, address, static_cast<unsigned>(bytes.size()));
    std::memcpy(tlp->data().data(), bytes.data(), bytes.size());
    outgoing_.push(sim::now() + config_.mmio_latency, {port, tlp});
}

void RootComplex::mmio_read(std::uint64_t address, unsigned size, ReadDone done) {
    ++counters_.mmio_reads;
    Port* port = route(address);
    if (port == nullptr || !port->up()) {
        answer_all_ones(size, std::move(done));
        return;
    }
    HostAccess access;
    access.size = static_cast<std::uint8_t>(size);
    access.shift = static_cast<std::uint8_t>(address & 3U);
    access.done = std::move(done);
    start_access({port, memory_request(TlpType::MRd, address, size)}, std::move(access));
}

/// The root port that is the function itself, or null.
RootComplex::Port* RootComplex::root_port(Bdf function) const {
    const bool known = function.bus == 0 && function.function == 0 && function.device >= 1 &&
                       function.device <= ports_.size();
    return known ? ports_[function.device - 1U].get() : nullptr;
}

void RootComplex::answer(std::uint64_t value, ReadDone done) {
    last_result_ = std::max(last_result_, sim::now() + config_.mmio_latency);
    results_.push(last_result_, {std::move(done), value});
}

void RootComplex::config_read(Bdf function, unsigned offset, unsigned size, ReadDone done) {
    ++counters_.config_accesses;
    if (const Port* own = root_port(function)) {
        const std::uint64_t value = own->read_config(offset & ~3U) >> (8U * (offset & 3U));
        answer(value & all_ones(size), std::move(done));
        return;
    }
    Port* port = route(function);
    if (port == nullptr || !port->up()) {
        answer_all_ones(size, std::move(done));
        return;
    }
    HostAccess access;
    access.size = static_cast<std::uint8_t>(size);
    access.shift = static_cast<std::uint8_t>(offset & 3U);
    // Only the function at the other end of the link tells where the port leads.
    if (function.bus == port->bus())
        access.config_offset = static_cast<std::uint16_t>(offset & ~3U);
    access.done = std::move(done);
    start_access({port, config_request(TlpType::CfgRd0, function, offset, size)},
                 std::move(access));
}

void RootComplex::config_write(Bdf function, unsigned offset, unsigned size, std::uint32_t value,
                               std::function<void()> done) {
    ++counters_.config_accesses;
    HostAccess access;
    access.done = [finish = std::move(done)](std::uint64_t) {
        if (finish) finish();
    };
    if (Port* own = root_port(function)) {
        const unsigned enables = ((1U << size) - 1U) << (offset & 3U);
        own->write_config(offset & ~3U, value << (8U * (offset & 3U)), enables);
        answer(0, std::move(access.done));
        return;
    }
    Port* port = route(function);
    if (port == nullptr || !port->up()) {
        answer_all_ones(4, std::move(access.done));
        return;
    }
    const TlpPtr tlp = config_request(TlpType::CfgWr0, function, offset, size);
    const unsigned shift = offset & 3U;
    store(tlp->data(), shift, size, value);
    if (function.bus == port->bus())
        port->snoop().on_write(offset & ~3U, static_cast<std::uint32_t>(load(tlp->data(), 0, 4)),
                               tlp->first_be);
    start_access({port, tlp}, std::move(access));
}

void RootComplex::answer_all_ones(unsigned size, ReadDone done) {
    ++counters_.unclaimed;
    answer(all_ones(size), std::move(done));
}

void RootComplex::start_access(Outgoing outgoing, HostAccess access) {
    ++host_reads_in_flight_;
    if (free_tags_.empty()) {
        waiting_.push({std::move(outgoing), std::move(access)});
        return;
    }
    const std::uint16_t tag = free_tags_.pop();
    outgoing.tlp->tag = tag;
    access.in_use = true;
    access.port = outgoing.port;
    access.deadline = sim::now() + config_.mmio_latency + config_.completion_timeout;
    timeout_.at_latest(access.deadline);
    accesses_[tag] = std::move(access);
    outgoing_.push(sim::now() + config_.mmio_latency, std::move(outgoing));
}

void RootComplex::leave(Outgoing outgoing) {
    if (outgoing.port->up()) {
        outgoing.port->send(std::move(outgoing.tlp));
        return;
    }
    ++counters_.unclaimed;
    if (outgoing.tlp->flow_class() != FlowClass::nonposted) return;
    HostAccess& access = accesses_[outgoing.tlp->tag];
    if (!access.in_use || access.timed_out) return;
    finish_access(access, all_ones(access.size == 0 ? 4U : access.size));
    release_tag(outgoing.tlp->tag);
}

void RootComplex::on_completion(Port& port, const Tlp& tlp) {
    if (tlp.tag >= accesses_.size() || !accesses_[tlp.tag].in_use || tlp.requester_id != host_id) {
        ++counters_.unexpected;
        port.report(AerError::unexpected_completion, &tlp, true);
        return;
    }
    HostAccess& access = accesses_[tlp.tag];
    if (access.timed_out) {  // late: the tag may be used again from here on
        ++counters_.unexpected;
        port.report(AerError::unexpected_completion, &tlp, true);
        release_tag(tlp.tag);
        return;
    }
    const bool good = tlp.status == CompletionStatus::successful && !tlp.poisoned;
    if (tlp.poisoned) {
        ++counters_.poisoned;
        port.report(AerError::poisoned_tlp, &tlp);
    }
    if (tlp.status != CompletionStatus::successful) port.errors().note_abort_received(tlp.status);
    std::uint64_t value = all_ones(access.size);
    if (good && tlp.type == TlpType::CplD) {
        if (access.config_offset != not_config)
            port.snoop().on_read(access.config_offset,
                                 static_cast<std::uint32_t>(load(tlp.data(), 0, 4)));
        value = load(tlp.data(), access.shift, access.size);
    } else if (!good) {
        ++counters_.unclaimed;
    }
    finish_access(access, value);
    release_tag(tlp.tag);
}

void RootComplex::finish_access(HostAccess& access, std::uint64_t value) {
    // A completion stays behind the writes that the device sent before it, and its core sees them.
    const sim::Ps result = std::max(sim::now(), last_taken_) + config_.mmio_latency;
    last_result_ = std::max({last_result_, result, last_write_});
    results_.push(last_result_, {std::move(access.done), value});
    --host_reads_in_flight_;
}

void RootComplex::release_tag(std::uint16_t tag) {
    accesses_[tag] = HostAccess{};
    free_tags_.push(tag);
    if (waiting_.empty()) return;
    WaitingAccess next = waiting_.pop();
    --host_reads_in_flight_;
    start_access(std::move(next.outgoing), std::move(next.access));
}

void RootComplex::check_timeouts() {
    const sim::Ps t = sim::now();
    sim::Ps next = sim::never;
    for (std::size_t tag = 0; tag < accesses_.size(); ++tag) {
        HostAccess& access = accesses_[tag];
        if (!access.in_use) continue;
        if (access.deadline <= t && access.timed_out) {  // nothing came: it will not any more
            release_tag(static_cast<std::uint16_t>(tag));
        } else if (access.deadline <= t) {
            ++counters_.timeouts;
            access.timed_out = true;
            access.deadline = t + config_.completion_timeout;
            access.port->report(AerError::completion_timeout, nullptr);
            finish_access(access, all_ones(access.size == 0 ? 4U : access.size));
        }
        if (access.in_use) next = std::min(next, access.deadline);
    }
    if (next != sim::never) timeout_.at_latest(next);
}

/// Requests that went to a lost link end as Unsupported Requests do (2.9.1).
void RootComplex::port_lost(Port& port) {
    std::erase_if(reads_, [&port](const MemoryRead& r) { return r.port == &port; });
    std::make_heap(reads_.begin(), reads_.end(), Later{});
    probe_reads_.set(reads_.size());
    for (std::size_t tag = 0; tag < accesses_.size(); ++tag) {
        HostAccess& access = accesses_[tag];
        if (!access.in_use || access.port != &port) continue;
        if (!access.timed_out) {
            ++counters_.unclaimed;
            finish_access(access, all_ones(access.size == 0 ? 4U : access.size));
        }
        release_tag(static_cast<std::uint16_t>(tag));
    }
}

}  // namespace nicsim::pcie
