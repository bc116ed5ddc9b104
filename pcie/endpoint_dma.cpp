// SPDX-License-Identifier: Apache-2.0
// The endpoint as a requester: DMA of the device, completions, interrupts.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "pcie/endpoint.h"
#include "pcie/splitting.h"
#include "pcie/write_pieces.h"

namespace nicsim::pcie {

tlm::tlm_sync_enum Endpoint::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    assert(delay == sc_core::SC_ZERO_TIME);
    (void)delay;
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // END_RESP after a TLM_ACCEPTED
    if (pending_ != nullptr) {
        SC_REPORT_ERROR(name(), "a DMA request while an earlier one waits");
        return tlm::TLM_ACCEPTED;
    }
    // A read of PCIe has no holes beyond its first and last DW: whole ranges are read.
    const bool holes_in_read = payload.is_read() && payload.get_byte_enable_ptr() != nullptr;
    if (holes_in_read || payload.get_data_length() == 0 ||
        payload.is_read() == payload.is_write()) {
        payload.set_response_status(holes_in_read ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE
                                                  : tlm::TLM_COMMAND_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (!limits_.bus_master) {
        ++counters_.not_bus_master;
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    begin_request(payload);
    const bool taken = payload.is_write() ? advance_write() : advance_read();
    if (!taken) {
        pending_deferred_ = true;
        return tlm::TLM_ACCEPTED;
    }
    pending_ = nullptr;
    if (payload.is_write()) {
        if (payload.has_mm()) payload.release();
        return tlm::TLM_COMPLETED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void Endpoint::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    SC_REPORT_ERROR(name(), "DMA must use the non-blocking interface");
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void Endpoint::begin_request(tlm::tlm_generic_payload& payload) {
    pending_ = &payload;
    pending_offset_ = 0;
    pending_deferred_ = false;
    const auto* attributes = payload.get_extension<sim::DmaAttributes>();
    purpose_ = attributes != nullptr ? attributes->purpose : sim::DmaPurpose::other;
    relaxed_ordering_ =
        attributes != nullptr && attributes->relaxed_ordering && space_->relaxed_ordering();
    no_snoop_ = attributes != nullptr && attributes->no_snoop && space_->no_snoop();
    if (payload.has_mm()) payload.acquire();
    if (payload.is_write()) return;
    pending_read_ = new_read();
    reads_[pending_read_] = {&payload, payload.get_data_length(), false, {}};
}

std::uint16_t Endpoint::new_read() {
    if (free_reads_.empty()) {
        free_reads_.push_back(static_cast<std::uint16_t>(reads_.size()));
        reads_.emplace_back();
    }
    const std::uint16_t index = free_reads_.back();
    free_reads_.pop_back();
    return index;
}

/// 10-bit requesters leave the numbers below 256 to others (2.2.6.2).
Endpoint::TagRange Endpoint::tag_range() const {
    const unsigned wanted =
        config_.tags != 0 ? static_cast<unsigned>(config_.tags) : std::max(identity_.tags, 1U);
    constexpr std::uint16_t first_of_ten_bits = 256;
    if (space_->ten_bit_tag())
        return {first_of_ten_bits, static_cast<std::uint16_t>(std::min(wanted, 768U))};
    return {0, static_cast<std::uint16_t>(std::min(wanted, space_->extended_tag() ? 256U : 32U))};
}

/// Software may have changed the width: free tags outside of it are no longer given out.
void Endpoint::set_tags() {
    const TagRange range = tag_range();
    if (range.first == tag_range_.first && range.count == tag_range_.count) return;
    tag_range_ = range;
    const std::size_t end = std::size_t{range.first} + range.count;
    if (tags_.size() < end) tags_.resize(end);
    free_tags_.clear();
    for (std::size_t t = range.first; t < end; ++t)
        if (!tags_[t].in_use) free_tags_.push(static_cast<std::uint16_t>(t));
}

void Endpoint::transmit(TlpPtr tlp) {
    tlp->digest = errors_->aer().generates_ecrc();
    out_->send(std::move(tlp));
}

/// Sends what may be sent of the pending write; true if that was all of it.
bool Endpoint::advance_write() {
    const std::uint32_t length = pending_->get_data_length();
    const EnabledBytes enabled(pending_->get_byte_enable_ptr(), pending_->get_byte_enable_length());
    while (pending_offset_ < length) {
        if (out_->queued(FlowClass::posted) >= config_.posted_buffer) {
            note_room_stall();
            return false;
        }
        const WritePiece piece = next_write_piece(pending_->get_address(), length, pending_offset_,
                                                  limits_.max_payload, enabled);
        pending_offset_ = piece.offset + piece.length;
        if (piece.length == 0) break;  // nothing that is left is enabled
        send_write(pending_->get_address() + piece.offset, piece.range,
                   {pending_->get_data_ptr() + piece.offset, piece.length});
    }
    ++counters_.writes;
    request_taken();
    pending_->set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

bool Endpoint::advance_read() {
    const std::uint32_t length = pending_->get_data_length();
    while (pending_offset_ < length) {
        if (free_tags_.empty()) {
            note_tag_stall();
            return false;
        }
        if (out_->queued(FlowClass::nonposted) >= config_.nonposted_buffer) {
            note_room_stall();
            return false;
        }
        const std::uint64_t address = pending_->get_address() + pending_offset_;
        const std::uint32_t n =
            next_request(address, length - pending_offset_, limits_.max_read_request);
        send_read(address, n);
        pending_offset_ += n;
    }
    ++counters_.reads;
    request_taken();
    return true;
}

void Endpoint::note_room_stall() {
    if (!waits_for_room_) ++counters_.buffer_stalls;
    waits_for_room_ = true;
    requests_.enter(waits_for_room);
}

void Endpoint::note_tag_stall() {
    if (tag_wait_since_ == sim::never) {
        tag_wait_since_ = sim::now();
        ++counters_.tag_stalls;
    }
    requests_.enter(waits_for_tag);
}

void Endpoint::request_taken() {
    if (waits_for_room_ || tag_wait_since_ != sim::never) requests_.enter(no_request);
    waits_for_room_ = false;
    if (tag_wait_since_ == sim::never) return;
    counters_.tag_stall_time += sim::now() - tag_wait_since_;
    tag_wait_since_ = sim::never;
}

/// A tag or room has become free: the request that waits goes on.
void Endpoint::retry() {
    if (pending_ == nullptr || !pending_deferred_) return;
    tlm::tlm_generic_payload& payload = *pending_;
    const bool write = payload.is_write();
    pending_deferred_ = false;  // sending may make room, which comes back to here
    if (!(write ? advance_write() : advance_read())) {
        pending_deferred_ = true;
        return;
    }
    pending_ = nullptr;
    if (write) flush_deferred_vectors();
    tlm::tlm_phase phase = write ? tlm::BEGIN_RESP : tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dma->nb_transport_bw(payload, phase, delay);
    if (write && payload.has_mm()) payload.release();
}

/// With the attributes of the pending request.
TlpPtr Endpoint::make_request(TlpType type, const DwRange& range) const {
    TlpPtr tlp = tlp_pool().make();
    tlp->type = type;
    tlp->length_dw = static_cast<std::uint16_t>(range.length_dw);
    if (tlp->has_data()) tlp->allocate(range.length_dw);
    tlp->address = range.address;
    tlp->first_be = range.first_be;
    tlp->last_be = range.last_be;
    tlp->requester_id = id_;
    tlp->relaxed_ordering = relaxed_ordering_;
    tlp->id_based_ordering = id_based_ordering_;
    tlp->no_snoop = no_snoop_;
    tlp->purpose = purpose_;
    return tlp;
}

void Endpoint::send_write(std::uint64_t address, const DwRange& range,
                          std::span<const std::uint8_t> bytes) {
    TlpPtr tlp = make_request(TlpType::MWr, range);
    const std::span<std::uint8_t> data = tlp->data();
    // Bytes of partial DWs that are not enabled go out as zeros.
    std::memset(data.data(), 0, 4);
    std::memset(data.data() + data.size() - 4, 0, 4);
    std::memcpy(data.data() + (address & 3U), bytes.data(), bytes.size());
    transmit(std::move(tlp));
}

void Endpoint::send_read(std::uint64_t address, std::uint32_t length) {
    send_request(address, dw_range(address, length), length);
}

void Endpoint::send_request(std::uint64_t address, const DwRange& range, std::uint32_t length) {
    const std::uint16_t tag = free_tags_.pop();
    tags_[tag] = {pending_read_,   true,   false,     static_cast<std::uint8_t>(address & 0x7fU),
                  pending_offset_, length, sim::never};
    ++tags_in_use_;
    probe_reads_.set(tags_in_use_);
    if (completion_timeout_ != sim::never) {
        tags_[tag].deadline = sim::now() + completion_timeout_;
        timeout_.at_latest(tags_[tag].deadline);
    }
    TlpPtr tlp = make_request(TlpType::MRd, range);
    tlp->tag = tag;
    transmit(std::move(tlp));
}

/// One DW with no byte enabled: its completion, with one DW of nothing, cannot pass earlier writes.
bool Endpoint::flush(std::uint64_t address, sim::Callback<bool> done) {
    const bool busy = pending_ != nullptr && pending_deferred_;
    if (!limits_.bus_master || free_tags_.empty() || busy) return false;
    pending_read_ = new_read();
    reads_[pending_read_] = {nullptr, 1, false, done};
    pending_offset_ = 0;
    relaxed_ordering_ = false;
    no_snoop_ = false;
    purpose_ = sim::DmaPurpose::other;
    ++counters_.flushes;
    send_request(address & ~std::uint64_t{3}, {address & ~std::uint64_t{3}, 1, 0, 0}, 1);
    return true;
}

// ---- completions ----

void Endpoint::complete(const Tlp& tlp) {
    if (tlp.tag >= tags_.size() || !tags_[tlp.tag].in_use || tlp.requester_id != id_) {
        ++counters_.unexpected;
        report(AerError::unexpected_completion, &tlp, true);
        return;
    }
    Tag& tag = tags_[tlp.tag];
    if (tag.timed_out) {  // too late; the tag is safe again with its last completion
        ++counters_.unexpected;
        report(AerError::unexpected_completion, &tlp, true);
        if (tlp.type == TlpType::Cpl || tlp.byte_count <= tlp.data_bytes()) release_tag(tlp.tag);
        retry();
        return;
    }
    if (tlp.type == TlpType::Cpl) {
        errors_->aer().note_abort_received(tlp.status);
        fail_tag(tlp.tag);
        retry();
        return;
    }
    // One of several may have been lost: what follows does not fit, and the request times out.
    if (tlp.byte_count != tag.remaining || tlp.lower_address != tag.lower_address) {
        ++counters_.unexpected;
        report(AerError::unexpected_completion, &tlp, true);
        return;
    }
    Read& read = reads_[tag.read];
    if (tlp.poisoned) {
        ++counters_.poisoned;
        report(AerError::poisoned_tlp, &tlp);
        read.failed = true;
    }
    const std::uint32_t lead = tlp.lower_address & 3U;
    const std::uint32_t n =
        std::min(tlp.data_bytes() - std::min(lead, tlp.data_bytes()), tag.remaining);
    if (read.payload != nullptr)
        std::memcpy(read.payload->get_data_ptr() + tag.offset, tlp.data().data() + lead, n);
    tag.offset += n;
    tag.remaining -= n;
    tag.lower_address = static_cast<std::uint8_t>((tag.lower_address + n) & 0x7fU);
    const std::uint16_t index = tag.read;
    if (tag.remaining == 0) release_tag(tlp.tag);
    read.remaining -= n;
    if (read.remaining == 0) finish_read(index);
    retry();
}

/// The request ends without its data.
void Endpoint::fail_tag(std::uint16_t index) {
    const Tag tag = tags_[index];
    Read& read = reads_[tag.read];
    read.failed = true;
    read.remaining -= tag.remaining;
    if (!tag.timed_out) release_tag(index);
    if (read.remaining == 0) finish_read(tag.read);
}

void Endpoint::release_tag(std::uint16_t tag) {
    tags_[tag].in_use = false;
    if (tag >= tag_range_.first && tag < tag_range_.first + tag_range_.count) free_tags_.push(tag);
    --tags_in_use_;
    probe_reads_.set(tags_in_use_);
}

void Endpoint::finish_read(std::uint16_t index) {
    const Read read = reads_[index];
    const bool failed = read.failed;
    reads_[index] = Read{};
    free_reads_.push_back(index);
    if (failed) ++counters_.failed_reads;
    if (read.payload == nullptr) {
        if (read.flushed) read.flushed(!failed);
        return;
    }
    tlm::tlm_generic_payload& payload = *read.payload;
    payload.set_response_status(failed ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dma->nb_transport_bw(payload, phase, delay);
    if (payload.has_mm()) payload.release();
}

void Endpoint::check_timeouts() {
    const sim::Ps t = sim::now();
    sim::Ps next = sim::never;
    const auto tags = static_cast<std::uint16_t>(tags_.size());
    for (std::uint16_t i = 0; i < tags; ++i) {
        Tag& tag = tags_[i];
        if (!tag.in_use || tag.deadline == sim::never) continue;
        if (tag.deadline <= t && tag.timed_out) {  // nothing came: it will not come any more
            release_tag(i);
            continue;
        }
        if (tag.deadline <= t) {
            ++counters_.timeouts;
            tag.timed_out = true;
            tag.deadline = completion_timeout_ == sim::never ? sim::never : t + completion_timeout_;
            report(AerError::completion_timeout, nullptr);
            fail_tag(i);
        }
        next = std::min(next, tags_[i].deadline);
    }
    if (next != sim::never) timeout_.at_latest(next);
    retry();
}

// ---- interrupts ----

void Endpoint::raise(unsigned vector) {
    if (vector >= std::max(msix_.vectors(), identity_.msi ? 1U : 0U)) {
        SC_REPORT_ERROR(name(), "interrupt vector beyond those of the device");
        return;
    }
    const bool behind_write = pending_ != nullptr && pending_deferred_ && pending_->is_write();
    if (behind_write)
        deferred_vectors_.push_back(vector);
    else
        raise_now(vector);
}

void Endpoint::flush_deferred_vectors() {
    for (const unsigned vector : deferred_vectors_) raise_now(vector);
    deferred_vectors_.clear();
}

void Endpoint::raise_now(unsigned vector) {
    const bool msi = space_ && vector == 0 && space_->msi_enabled();
    if (!space_ || !(space_->msix_enabled() || msi) || !space_->bus_master()) {
        ++counters_.interrupts_lost;
    } else if (!space_->msix_enabled()) {
        send_message({space_->msi_address(), space_->msi_data()});
    } else if (const auto message = msix_.raise(vector)) {
        send_message(*message);
    }
}

/// One DW, posted, RO and no-snoop clear, so that it pushes the writes before it.
void Endpoint::send_message(const MsiMessage& message) {
    TlpPtr tlp = tlp_pool().make();
    tlp->type = TlpType::MWr;
    tlp->allocate(1);
    tlp->address = message.address;
    tlp->first_be = 0xf;
    tlp->requester_id = id_;
    for (unsigned i = 0; i < 4; ++i)
        tlp->data()[i] = static_cast<std::uint8_t>(message.data >> (8U * i));
    ++counters_.messages;
    transmit(std::move(tlp));
}

}  // namespace nicsim::pcie
