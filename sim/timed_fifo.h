// SPDX-License-Identifier: Apache-2.0
// A delay line: things come out in the order they went in, each at the time given with it.
// One event for the whole line. Times must not decrease from push to push.
#pragma once

#include <cassert>
#include <systemc>
#include <utility>

#include "sim/callback.h"
#include "sim/kernel.h"
#include "sim/ring_queue.h"
#include "sim/time.h"

namespace nicsim::sim {

template <class T>
class TimedFifo : public sc_core::sc_module {
public:
    using Action = Callback<T&&>;  ///< of a member that takes a T, or a reference to one

    SC_HAS_PROCESS(TimedFifo);
    TimedFifo(const sc_core::sc_module_name& name, Action action)
        : sc_module(name), action_(action) {
        SC_METHOD(fire);
        sensitive << event_;
        dont_initialize();
    }

    /// `item` comes out at the absolute time `t`, not before what was pushed earlier.
    void push(Ps t, T item) {
        assert(entries_.empty() || t >= entries_.back().time);
        const bool idle = entries_.empty() && !firing_;
        Entry& entry = entries_.extend();
        entry.time = t;
        entry.item = std::move(item);
        if (idle) event_.notify(to_sc_time(t - now()));
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }

private:
    struct Entry {
        Ps time = 0;
        T item{};
    };

    void fire() {
        count_wakeup();
        firing_ = true;
        const Ps t = now();
        while (!entries_.empty() && entries_.front().time <= t) action_(entries_.pop().item);
        firing_ = false;
        if (!entries_.empty()) event_.notify(to_sc_time(entries_.front().time - t));
    }

    sc_core::sc_event event_;
    Action action_;
    RingQueue<Entry> entries_;
    bool firing_ = false;
};

}  // namespace nicsim::sim
