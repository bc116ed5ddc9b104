// SPDX-License-Identifier: Apache-2.0
#include "models/i210/clocked_tx_block.h"

#include <algorithm>
#include <utility>

namespace nicsim::models::i210 {

ClockedTxBlock::ClockedTxBlock(const TxBlockContext& context)
    : context_(context), edges_(sim::Callback<>::to<&ClockedTxBlock::on_edge>(this)) {}

// ---- decisions ----

int ClockedTxBlock::choose_fetch() {
    if (fetch_ < 0 && !nobody_fetches_) look();
    return std::exchange(fetch_, -1);
}

TransmitChoice ClockedTxBlock::choose_send() {
    if (send_ < 0) look();
    TransmitChoice choice;
    if (can_send()) choice.reason = reason_;
    choice.queue = std::exchange(send_, -1);
    return choice;
}

FetchState ClockedTxBlock::fetch_state(unsigned queue) {
    const TxPacket* packet = context_.offers.offered(queue);
    if (packet == nullptr) return FetchState::starved;
    if (!context_.settings.enabled) return FetchState::disabled;
    if (!fetch_time_reached(queue, *packet)) return FetchState::waiting_time;
    if (!account().fetch_allowed(queue)) return FetchState::no_space;
    return FetchState::waiting_turn;
}

bool ClockedTxBlock::fetch_time_reached(unsigned queue, const TxPacket& packet) const {
    const auto& settings = context_.settings;
    if (!settings.timed(queue)) return true;
    const std::uint32_t launch_ns = settings.launch_ns(packet.context.launch);
    const std::uint32_t fetch_ns = earlier(launch_ns, settings.fetch_delta_ns);
    // The launch time is asked too: it stays reached for half a second, and the fetch time would
    // end FetchTimeDelta before it.
    return context_.clock.reached(fetch_ns, sim::now()) ||
           context_.clock.reached(launch_ns, sim::now());
}

bool ClockedTxBlock::can_fetch() const {
    if (!context_.settings.enabled || !context_.bus_takes_read()) return false;
    for (unsigned q = 0; q < queues; ++q)
        if (context_.offers.offered(q) != nullptr) return true;
    return false;
}

bool ClockedTxBlock::can_send() const {
    if (!context_.settings.enabled || !context_.mac.idle()) return false;
    for (unsigned q = 0; q < queues; ++q)
        if (context_.store.ready(q) != 0) return true;
    return false;
}

void ClockedTxBlock::on_edge() {
    const std::uint64_t edge = next_edge();
    const bool asked = can_fetch();
    const Decided decided = clock(edge);
    nobody_fetches_ = asked && decided.fetch < 0;
    hand_on(decided);
    if (events_left())
        ask();
    else if (decided.fetch >= 0 || decided.send >= 0 || clears(edge))
        look();  // there may be more to do than one clock can
    edges_.ask(next_change());
}

void ClockedTxBlock::hand_on(const Decided& decided) {
    fetch_ = decided.fetch;
    send_ = decided.send;
    const bool news = fetch_ >= 0 || send_ >= 0 || decided.reason != reason_;
    reason_ = decided.reason;
    if (!news) return;
    deciding_ = true;
    context_.evaluate();
    deciding_ = false;
}

sim::Ps ClockedTxBlock::next_change() {
    const auto& s = context_.settings;
    sim::Ps wake = sim::never;
    if (!s.enabled || !s.qav) return wake;
    for (unsigned q = 0; q < sr_queues; ++q) {
        if (!s.sr[q]) continue;
        wake = std::min(wake, fetch_change(q));
        if (context_.mac.idle() && context_.store.ready(q) != 0)
            wake = std::min(wake, send_change(q));
    }
    return wake;
}

sim::Ps ClockedTxBlock::fetch_change(unsigned queue) {
    const TxPacket* packet = context_.offers.offered(queue);
    if (packet == nullptr || fetch_time_reached(queue, *packet)) return sim::never;
    const auto& s = context_.settings;
    return context_.clock.launch_time(
        earlier(s.launch_ns(packet->context.launch), s.fetch_delta_ns), sim::now());
}

sim::Ps ClockedTxBlock::send_change(unsigned queue) {
    if (context_.settings.timed(queue)) {
        const std::uint32_t launch =
            context_.settings.launch_ns(context_.store.oldest(queue)->packet->context.launch);
        if (!context_.clock.reached(launch, sim::now()))
            return context_.clock.launch_time(launch, sim::now());
    }
    return context_.settings.shaper ? credit_ready(queue) : sim::never;
}

// ---- what it is told ----

void ClockedTxBlock::shaper_changed(unsigned queue, const TxShaperSettings& settings) {
    set_shaper(queue, settings);
    ask();
}

void ClockedTxBlock::link_changed(std::uint64_t rate) {
    set_link(rate);
    ask();
}

void ClockedTxBlock::stored(unsigned queue, bool ok) {
    take_stored(queue, ok);
    look();
}

void ClockedTxBlock::dropped(unsigned queue) {
    take_dropped(queue);
    look();
}

void ClockedTxBlock::update_backlogs() {
    take_backlogs();
    if (!deciding_) nobody_fetches_ = false;
    look();
}

void ClockedTxBlock::sending(unsigned queue, const MacTx::Times& times) {
    take_sending(queue, times);
}

void ClockedTxBlock::sent() {
    take_sent();
    ask();
}

void ClockedTxBlock::reset() {
    fetch_ = send_ = -1;
    cleared_ = next_edge();
    clear_block();
    ask();
}

// ---- room ----

void ClockedTxBlock::Buffer::configure(std::span<const std::uint32_t> bytes, bool shared) {
    block_.account().configure(bytes, shared);
    block_.ask();
}

void ClockedTxBlock::Buffer::set_fetch_threshold(std::uint32_t bytes) {
    block_.account().set_fetch_threshold(bytes);
    block_.ask();
}

void ClockedTxBlock::Buffer::set_fetch_threshold(unsigned queue, std::uint32_t bytes) {
    block_.account().set_fetch_threshold(queue, bytes);
    block_.ask();
}

bool ClockedTxBlock::Buffer::fetch_allowed(unsigned queue) const {
    return block_.account().fetch_allowed(queue);
}

std::uint32_t ClockedTxBlock::Buffer::free_bytes(unsigned queue) const {
    return block_.account().free_bytes(queue);
}

void ClockedTxBlock::Buffer::reserve(unsigned queue, std::uint32_t bytes) {
    block_.account().reserve(queue, bytes);
}

void ClockedTxBlock::Buffer::release(unsigned queue, std::uint32_t bytes) {
    block_.account().release(queue, bytes);
}

std::uint32_t ClockedTxBlock::Buffer::used_bytes(unsigned queue) const {
    return block_.account().used_bytes(queue);
}

void ClockedTxBlock::Buffer::clear() {
    block_.account().clear();
}

}  // namespace nicsim::models::i210
