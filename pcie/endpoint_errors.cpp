// SPDX-License-Identifier: Apache-2.0
// The endpoint when something goes wrong: error messages and the loss of the link.
#include <array>

#include "pcie/endpoint.h"

namespace nicsim::pcie {

void Endpoint::send_error_message(std::uint8_t code) {
    ++counters_.error_messages;
    TlpPtr message = tlp_pool().make();
    message->type = TlpType::Msg;
    message->message_code = code;
    message->requester_id = id_;
    transmit(std::move(message));
}

/// A hot reset: the configuration space is as after power-up but for the sticky error registers,
/// and everything under way ends with an error.
void Endpoint::link_down() {
    ++counters_.link_losses;
    link_lost_at_ = sim::now();
    std::array<std::uint32_t, aer::dwords> sticky{};
    const AerRegisters old = space_->error_registers();
    for (unsigned i = 0; i < aer::dwords; ++i) sticky[i] = old.capability[i];
    space_.emplace(identity_, link_config_, settings());
    space_->on_change(sim::Callback<>::to<&Endpoint::config_changed>(this));
    const AerRegisters fresh = space_->error_registers();
    for (unsigned i = 0; i < aer::dwords; ++i) fresh.capability[i] = sticky[i];
    msix_.reset();
    counters_.interrupts_lost += deferred_vectors_.size();
    deferred_vectors_.clear();
    config_changed();  // bus mastering is off from here on: what the device asks for now fails
    fail_pending();
    const auto tags = static_cast<std::uint16_t>(tags_.size());
    for (std::uint16_t i = 0; i < tags; ++i) {
        if (!tags_[i].in_use) continue;
        if (tags_[i].timed_out)
            release_tag(i);
        else
            fail_tag(i);
    }
    timeout_.cancel();
    limits_.link_up = false;
    if (limits_changed_) limits_changed_(limits_);
}

void Endpoint::link_up() {
    limits_.link_up = true;
    if (limits_changed_) limits_changed_(limits_);
}

/// Ends the request that waits for a tag or for room.
void Endpoint::fail_pending() {
    if (pending_ == nullptr || !pending_deferred_) return;
    tlm::tlm_generic_payload& payload = *pending_;
    const std::uint32_t unsent = payload.get_data_length() - pending_offset_;
    const std::uint16_t index = pending_read_;
    pending_ = nullptr;
    pending_deferred_ = false;
    waits_for_room_ = false;
    tag_wait_since_ = sim::never;
    requests_.enter(no_request);
    const bool write = payload.is_write();
    if (write) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    tlm::tlm_phase phase = write ? tlm::BEGIN_RESP : tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    dma->nb_transport_bw(payload, phase, delay);
    if (write) {
        if (payload.has_mm()) payload.release();
        return;
    }
    Read& read = reads_[index];
    read.failed = true;
    read.remaining -= unsent;
    if (read.remaining == 0) finish_read(index);
}

}  // namespace nicsim::pcie
