// SPDX-License-Identifier: Apache-2.0
// The endpoint as a completer: register and configuration accesses of the host.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pcie/endpoint.h"
#include "pcie/splitting.h"
#include "pcie/tlp_rules.h"

namespace nicsim::pcie {
namespace {

DwRange range_of(const Tlp& tlp) {
    return {tlp.address, tlp.length_dw, tlp.first_be, tlp.last_be};
}

std::uint32_t load_dw(const std::uint8_t* bytes) {
    return bytes[0] | std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[2]} << 16U |
           std::uint32_t{bytes[3]} << 24U;
}

void store_dw(std::uint8_t* bytes, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8U * i));
}

}  // namespace

void Endpoint::receive(const TlpPtr& tlp) {
    if (!errors_->acceptable(*tlp, max_payload_)) {
        in_->drained(*tlp);
        return;
    }
    switch (tlp->type) {
        case TlpType::Cpl:
        case TlpType::CplD:
            complete(*tlp);
            break;
        case TlpType::MWr:
            on_memory_write(*tlp);
            break;
        case TlpType::MRd:
            on_memory_read(*tlp);
            break;
        case TlpType::CfgRd0:
        case TlpType::CfgWr0:
            on_config(*tlp);
            break;
        case TlpType::Msg:
            break;  // nothing here listens to messages
    }
    in_->drained(*tlp);
}

void Endpoint::on_memory_write(const Tlp& tlp) {
    if (tlp.poisoned) {
        ++counters_.poisoned;
        report(AerError::poisoned_tlp, &tlp);
        return;
    }
    const ByteRange bytes = byte_range(range_of(tlp));
    const ConfigSpace::BarHit hit = space_->decode(bytes.address, bytes.length);
    if (tlp.length_dw > largest_register_access_dw && takes_line(tlp, hit)) {
        write_line(tlp, hit);
        return;
    }
    if (hit.bar < 0 || tlp.length_dw > largest_register_access_dw) {
        note_unsupported(tlp);
        return;
    }
    std::array<std::uint8_t, 4UL * largest_register_access_dw> data{};
    std::memcpy(data.data(), tlp.data().data(), tlp.data_bytes());
    sim::Ps delay = 0;
    switch (access_runs(tlm::TLM_WRITE_COMMAND, tlp, hit, data, delay)) {
        case Outcome::unsupported:
            note_unsupported(tlp);
            break;
        case Outcome::aborted:
            ++counters_.aborted;
            report(AerError::completer_abort, &tlp);
            break;
        case Outcome::done:
            break;
    }
}

void Endpoint::on_memory_read(const Tlp& tlp) {
    const DwRange range = range_of(tlp);
    const ByteRange bytes = byte_range(range);
    const ConfigSpace::BarHit hit = space_->decode(bytes.address, std::max(bytes.length, 1U));
    if (hit.bar < 0 || tlp.length_dw > largest_register_access_dw || tlp.poisoned) {
        answer_unsupported(tlp);
        return;
    }
    const TlpPtr completion = tlp_pool().make();
    completion->type = TlpType::CplD;
    completion->allocate(tlp.length_dw);
    std::memset(completion->data().data(), 0, completion->data_bytes());
    completion->byte_count = static_cast<std::uint16_t>(std::max(bytes.length, 1U));
    completion->lower_address = static_cast<std::uint8_t>(bytes.address & 0x7fU);
    sim::Ps delay = 0;
    switch (access_runs(tlm::TLM_READ_COMMAND, tlp, hit, completion->data(), delay)) {
        case Outcome::unsupported:
            answer_unsupported(tlp);
            break;
        case Outcome::aborted:
            answer_aborted(tlp);
            break;
        case Outcome::done:
            answer(tlp, completion, delay);
            break;
    }
}

/// A run of enabled bytes is one access; a hole begins another. No enabled byte is no access.
/// A prefetchable BAR takes what a write-combining buffer lets go: up to a line of whole DWs.
bool Endpoint::takes_line(const Tlp& tlp, const ConfigSpace::BarHit& hit) const {
    constexpr unsigned line_dw = 16;
    if (tlp.length_dw > line_dw || tlp.first_be != 0xf || tlp.last_be != 0xf) return false;
    return std::any_of(identity_.bars.begin(), identity_.bars.end(),
                       [&hit](const sim::BarDescription& b) {
                           return static_cast<int>(b.index) == hit.bar && b.prefetchable;
                       });
}

/// The device gets it as register accesses in order of their addresses.
void Endpoint::write_line(const Tlp& tlp, const ConfigSpace::BarHit& hit) {
    std::array<std::uint8_t, 64> line{};
    std::memcpy(line.data(), tlp.data().data(), tlp.data_bytes());
    Outcome outcome = Outcome::done;
    sim::Ps delay = 0;
    for (std::uint32_t at = 0; at < tlp.data_bytes();) {
        const std::uint32_t n = (hit.offset + at) % 8 == 0 && tlp.data_bytes() - at >= 8 ? 8 : 4;
        outcome = std::max(outcome, access(tlm::TLM_WRITE_COMMAND, {hit.bar, hit.offset + at},
                                           {line.data() + at, n}, delay));
        at += n;
    }
    if (outcome != Outcome::done) note_unsupported(tlp);
}

Endpoint::Outcome Endpoint::access_runs(tlm::tlm_command command, const Tlp& tlp,
                                        const ConfigSpace::BarHit& hit,
                                        std::span<std::uint8_t> data, sim::Ps& delay) {
    const DwRange range = range_of(tlp);
    const ByteRange bytes = byte_range(range);
    unsigned enables = range.first_be | unsigned{range.last_be} << 4U;
    const std::uint64_t base = hit.offset - (bytes.address - range.address);
    Outcome outcome = Outcome::done;
    while (enables != 0) {
        const auto first = static_cast<unsigned>(std::countr_zero(enables));
        const auto n = static_cast<unsigned>(std::countr_one(enables >> first));
        outcome = std::max(outcome,
                           access(command, {hit.bar, base + first}, data.subspan(first, n), delay));
        enables &= ~(((1U << n) - 1U) << first);
    }
    return outcome;
}

Endpoint::Outcome Endpoint::access(tlm::tlm_command command, const ConfigSpace::BarHit& hit,
                                   std::span<std::uint8_t> bytes, sim::Ps& delay) {
    if (msix_.vectors() > 0 && hit.bar == static_cast<int>(identity_.msix_bar)) {
        const auto in = [&hit](std::uint32_t start, std::uint32_t size) {
            return hit.offset >= start && hit.offset < std::uint64_t{start} + size;
        };
        if (in(identity_.msix_table_offset, msix_.table_bytes()) ||
            in(identity_.msix_pba_offset, msix_.pba_bytes())) {
            access_msix(command, hit.offset, bytes);
            return Outcome::done;
        }
    }
    return device_access(command, hit, bytes, delay);
}

/// Byte by byte into DW accesses of table and PBA.
void Endpoint::access_msix(tlm::tlm_command command, std::uint64_t offset,
                           std::span<std::uint8_t> bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const auto dw = static_cast<std::uint32_t>((offset + at) & ~std::uint64_t{3});
        const auto lead = static_cast<std::uint32_t>((offset + at) & 3U);
        const std::size_t n = std::min<std::size_t>(4U - lead, bytes.size() - at);
        const std::uint32_t table = dw - identity_.msix_table_offset;
        const bool in_table = dw >= identity_.msix_table_offset && table < msix_.table_bytes();
        std::array<std::uint8_t, 4> word{};
        if (command == tlm::TLM_READ_COMMAND) {
            store_dw(word.data(), in_table ? msix_.read_table(table)
                                           : msix_.read_pba(dw - identity_.msix_pba_offset));
            std::memcpy(bytes.data() + at, word.data() + lead, n);
        } else if (in_table) {  // the PBA is read only
            std::memcpy(word.data() + lead, bytes.data() + at, n);
            msix_.write_table(table, load_dw(word.data()), ((1U << n) - 1U) << lead);
        }
        at += n;
    }
    if (command == tlm::TLM_WRITE_COMMAND) send_unmasked();
}

void Endpoint::send_unmasked() {
    if (!space_->msix_enabled() || !space_->bus_master()) return;
    while (const auto message = msix_.take_unmasked()) send_message(*message);
}

Endpoint::Outcome Endpoint::device_access(tlm::tlm_command command, const ConfigSpace::BarHit& hit,
                                          std::span<std::uint8_t> bytes, sim::Ps& delay) {
    tlm::tlm_generic_payload& p = register_payload_;
    p.set_command(command);
    p.set_address(hit.offset);
    p.set_data_ptr(bytes.data());
    p.set_data_length(static_cast<unsigned>(bytes.size()));
    p.set_streaming_width(static_cast<unsigned>(bytes.size()));
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    p.set_dmi_allowed(false);
    p.acquire();
    const bool beyond_first = hit.bar != first_bar_;
    if (beyond_first) {
        register_bar_.bar = static_cast<unsigned>(hit.bar);
        p.set_extension(&register_bar_);
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time annotated = sc_core::SC_ZERO_TIME;
    if (registers->nb_transport_fw(p, phase, annotated) != tlm::TLM_COMPLETED)
        SC_REPORT_ERROR(name(), "the device did not complete a register access at once");
    if (beyond_first) p.clear_extension(&register_bar_);
    delay = std::max<sim::Ps>(delay, annotated.value());
    const tlm::tlm_response_status status = p.get_response_status();
    p.release();
    if (status == tlm::TLM_OK_RESPONSE) return Outcome::done;
    return status == tlm::TLM_GENERIC_ERROR_RESPONSE ? Outcome::aborted : Outcome::unsupported;
}

tlm::tlm_sync_enum Endpoint::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                             sc_core::sc_time&) {
    SC_REPORT_ERROR(name(), "the device answered a register access that was complete");
    return tlm::TLM_COMPLETED;
}

void Endpoint::on_config(const Tlp& tlp) {
    const TlpPtr completion = tlp_pool().make();
    const auto offset = static_cast<unsigned>(tlp.address);
    if (tlp.type == TlpType::CfgRd0) {
        completion->type = TlpType::CplD;
        completion->allocate(1);
        store_dw(completion->data().data(), space_->read(offset));
    } else {
        completion->type = TlpType::Cpl;
        id_ = id_of(tlp.target);
        if (tlp.poisoned) {  // not done, and the requester must know
            ++counters_.poisoned;
            report(AerError::poisoned_tlp, &tlp);
            completion->status = CompletionStatus::unsupported_request;
        } else {
            space_->write(offset, load_dw(tlp.data().data()), tlp.first_be);
        }
    }
    completion->byte_count = 4;
    answer(tlp, completion, 0);
}

/// The completion leaves after the device's access time, behind earlier ones.
void Endpoint::answer(const Tlp& request, const TlpPtr& completion, sim::Ps delay) {
    completion->requester_id = request.requester_id;
    completion->completer_id = id_;
    completion->tag = request.tag;
    completion->traffic_class = request.traffic_class;
    completion->relaxed_ordering = request.relaxed_ordering;
    completion->id_based_ordering = space_->id_based_ordering_of_completions();
    completion->no_snoop = request.no_snoop;
    if (delay == 0 && replies_.empty()) {
        transmit(completion);
        return;
    }
    last_reply_ = std::max(last_reply_, sim::now() + delay);
    replies_.push(last_reply_, completion);
}

void Endpoint::answer_unsupported(const Tlp& request) {
    ++counters_.unsupported;
    answer(request, completion_without_data(request, CompletionStatus::unsupported_request), 0);
    report(AerError::unsupported_request, &request, true);
}

void Endpoint::answer_aborted(const Tlp& request) {
    ++counters_.aborted;
    errors_->aer().note_abort_sent();
    answer(request, completion_without_data(request, CompletionStatus::completer_abort), 0);
    report(AerError::completer_abort, &request, true);
}

void Endpoint::note_unsupported(const Tlp& tlp) {
    ++counters_.unsupported;
    report(AerError::unsupported_request, &tlp);
}

}  // namespace nicsim::pcie
