// SPDX-License-Identifier: Apache-2.0
// A queue discipline: decides which waiting packet may go next, and when.
//
// Disciplines are passive: `QdiscRun` asks for packets. One that holds packets back by time arms a
// timer of its own that schedules the run again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host_driver/core.h"
#include "host_driver/sk_buff.h"
#include "sim/stat.h"

namespace nicsim::host {

class NetDevice;
class QdiscRun;

class Qdisc {
public:
    virtual ~Qdisc() = default;

    /// Takes a packet; false if it was dropped (counted in `drops`).
    virtual bool enqueue(Core& core, SkbPtr skb) = 0;
    /// The next packet that may go now, or null.
    virtual SkbPtr dequeue(Core& core) = 0;
    /// The packet that `dequeue` would look at first, due or not; null if there is none.
    [[nodiscard]] virtual const SkBuff* peek() const = 0;
    [[nodiscard]] virtual const char* kind() const = 0;

    /// A packet may go to the driver without being enqueued if nothing waits (TCQ_F_CAN_BYPASS).
    [[nodiscard]] virtual bool can_bypass() const { return false; }
    /// What serves a transmit queue: `this` for a discipline that serves all of them, a child for
    /// one that only spreads packets over queues (mq, mqprio).
    [[nodiscard]] virtual Qdisc& serving(unsigned queue) {
        (void)queue;
        return *this;
    }
    [[nodiscard]] virtual bool spreads() const { return false; }
    /// Packets wait in others below it.
    [[nodiscard]] virtual bool has_children() const { return spreads(); }
    /// Puts `child` under transmit queue `queue`. Returns an error or an empty string.
    virtual std::string graft(unsigned queue, std::unique_ptr<Qdisc> child);

    /// Called once when it is put on a device (queue: the transmit queue it is a child of, or
    /// `whole_device`). Sets up what the device offloads. Returns an error or an empty string.
    static constexpr unsigned whole_device = ~0U;
    virtual std::string attach(Core& core, NetDevice& device, unsigned queue);
    /// Whom to schedule when packets become due.
    virtual void set_run(QdiscRun* run) { run_ = run; }
    virtual void register_stats(sim::StatGroup& group);

    [[nodiscard]] std::uint64_t packets() const { return packets_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] virtual std::uint64_t drops() const { return drops_; }

protected:
    void count_in(const SkBuff& skb) {
        ++packets_;
        bytes_ += skb.length;
    }
    void count_out(const SkBuff& skb) {
        --packets_;
        bytes_ -= skb.length;
        ++sent_;
    }
    bool drop() {
        ++drops_;
        return false;
    }

    QdiscRun* run_ = nullptr;
    std::uint64_t packets_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t drops_ = 0;
    std::uint64_t sent_ = 0;
};

}  // namespace nicsim::host
