// SPDX-License-Identifier: Apache-2.0
// The life of a packet, stage by stage. Packets of one queue keep their order from driver to wire
// to clean, so "the n-th packet of queue q" names the same packet on both sides of the bus without
// a back door. Observers only: no model decides anything by it. Received frames: rx_lives.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/histogram.h"
#include "sim/rx_lives.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::sim {

/// Moments in the life of a transmitted packet, in order.
enum class TxStage : std::uint8_t {
    application,       ///< the application handed the data over
    driver,            ///< the driver began to work on it
    doorbell,          ///< the tail write that covers it left the core
    descriptor_fetch,  ///< its descriptors are on the device
    data_fetch_start,  ///< the first data read was issued
    packet_buffer,     ///< its last byte is in the packet buffer
    wire_start,        ///< the first preamble bit is on the wire (last frame of the packet)
    wire_end,          ///< the last bit is on the wire
    write_back,        ///< its completion was written towards host memory
    interrupt,         ///< the interrupt handler that covers it ran
    clean,             ///< the driver freed it
};
constexpr unsigned tx_stages = 11;
const char* name_of(TxStage stage);

class LifeCycle {
public:
    /// `window`: the most packets of one queue that can be alive at once.
    explicit LifeCycle(unsigned queues, std::size_t window = 8192);

    /// The driver takes the n-th packet (from 0) of `queue` on. What was known of an earlier one of
    /// this number (the ring was set up anew) is forgotten.
    void begin(unsigned queue, std::uint64_t n) { renew(queue, slot(queue, n), n); }
    /// The n-th packet of `queue` reached `stage` at `t`.
    void stamp(unsigned queue, std::uint64_t n, TxStage stage, Ps t) {
        Life& life = slot(queue, n);
        if (life.packet != n + 1) renew(queue, life, n);
        life.at[static_cast<unsigned>(stage)] = t;
        if (stage == TxStage::clean) finish(queue, life);
        if (stage == TxStage::wire_end && life.finished) complete(queue, life);
    }
    /// Time from the last stage before it that was reached by then, for packets that were cleaned
    /// and had left since the last reset.
    Histogram& stage_time(TxStage stage) { return stage_time_[static_cast<unsigned>(stage)]; }
    Histogram& application_to_wire() { return application_to_wire_; }
    Histogram& total() { return total_; }
    void register_stats(StatGroup& group);

    /// A reader of whole lives (timelines); called when a packet is cleaned and has left: a device
    /// that reports a packet done when it is buffered may send it after that.
    using Listener = void (*)(void* self, unsigned queue, std::uint64_t n,
                              const std::array<Ps, tx_stages>& at);
    void listen(void* self, Listener listener) {
        listener_self_ = self;
        listener_ = listener;
    }
    /// Tells the listener of packets that are still alive, in order per queue.
    void tell_unfinished();

    /// Lives of received frames.
    [[nodiscard]] RxLives& received() { return received_; }

private:
    struct Life {
        std::uint64_t packet = 0;  ///< n + 1; 0 is nobody
        bool finished = false;     ///< cleaned
        bool told = false;         ///< to the listener
        std::array<Ps, tx_stages> at{};
    };
    Life& slot(unsigned queue, std::uint64_t n) {
        return lives_[queue * window_ + (n & (window_ - 1))];
    }
    void renew(unsigned queue, Life& life, std::uint64_t n) {
        if (life.finished && !life.told) complete(queue, life);  // it never left
        life = Life{n + 1, false, false, {}};
    }
    void tell(unsigned queue, Life& life) {
        life.told = true;
        if (listener_ != nullptr) listener_(listener_self_, queue, life.packet - 1, life.at);
    }
    void finish(unsigned queue, Life& life);
    /// It was cleaned and has left: nothing more will be known of it.
    void complete(unsigned queue, Life& life);

    std::size_t window_;
    std::vector<Life> lives_;
    std::array<Histogram, tx_stages> stage_time_;
    Histogram application_to_wire_;
    Histogram total_;
    RxLives received_;
    void* listener_self_ = nullptr;
    Listener listener_ = nullptr;
};

}  // namespace nicsim::sim
