// SPDX-License-Identifier: Apache-2.0
// Pausing of a whole Ethernet link (IEEE 802.3 clause 31 and annex 31B): the frame, and the two
// halves of a station that takes part - the gate that obeys pause frames and the sender that asks
// for them. The gate is computed and wakes nobody; the sender wakes only to repeat itself.
// Not modelled: the time that a station may take to obey (up to 60 quanta at 10 Gbit/s): it obeys
// at once; pausing of single classes (priority flow control).
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "sim/alarm.h"
#include "sim/callback.h"
#include "sim/frame.h"
#include "sim/ring_queue.h"
#include "sim/time.h"

namespace nicsim::sim {

constexpr std::uint32_t pause_quantum_bits = 512;
/// Time of so many quanta on a link of this rate; 0 without link.
Ps pause_duration(std::uint32_t quanta, std::uint64_t bits_per_second);

enum class MacControl : std::uint8_t {
    none,   ///< a frame of data
    pause,  ///< to the MAC's group address
    other,
};
MacControl mac_control(const Frame& frame);
/// Quanta that a pause frame asks for; 0 ends a pause.
std::uint16_t pause_quanta(const Frame& frame);
FramePtr make_pause_frame(const std::array<std::uint8_t, 6>& source, std::uint16_t quanta);

/// Pause frames by direction and kind.
struct PauseCounts {
    std::uint64_t xon_sent = 0, xoff_sent = 0, xon_received = 0, xoff_received = 0;
};

/// When a station that obeys may start a frame. Times asked for must not decrease.
class PauseGate {
public:
    /// A pause frame that asks for `duration` is whole at `at`, which may be still to come but not
    /// earlier than that of the one before. A frame that has started by then is finished.
    void receive(Ps at, Ps duration);
    [[nodiscard]] bool paused(Ps t) {
        settle(t);
        return t < until_;
    }
    /// The first time at or after `t` when a frame may start, as far as is known.
    [[nodiscard]] Ps earliest(Ps t);
    /// When the next frame that has been announced takes effect; `never` if there is none.
    [[nodiscard]] Ps next_change() const { return coming_.empty() ? never : coming_.front().at; }
    /// Time spent paused until `t`.
    [[nodiscard]] Ps total(Ps t);

private:
    struct Change {
        Ps at = 0;
        Ps until = 0;
    };
    void settle(Ps t);

    RingQueue<Change> coming_;
    Ps from_ = 0, until_ = 0;  ///< the present pause, or the last one
    Ps total_ = 0;             ///< of those before
};

/// Asks the partner to stop, repeats that before its pause runs out, and lets it go on.
class PauseSender : public sc_core::sc_module {
public:
    /// `send`: puts a pause frame of so many quanta on the wire.
    PauseSender(const sc_core::sc_module_name& name, Callback<std::uint16_t> send);

    /// 0: no link.
    void set_link(std::uint64_t bits_per_second) { rate_ = bits_per_second; }
    /// A pause is asked for `quanta` and again when `margin` of them are left; never again if it
    /// is not shorter.
    void set_times(std::uint16_t quanta, std::uint16_t margin);
    /// The partner shall stop. Without link nothing happens.
    void stop();
    /// It may go on; it is told so if `tell`, else it waits until its pause has run out.
    void go(bool tell);
    /// The partner or this station has forgotten everything (link loss, reset); no frame is sent.
    void forget();
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    void ask();

    Callback<std::uint16_t> send_;
    Alarm again_;
    std::uint64_t rate_ = 0;
    std::uint16_t quanta_ = 0, margin_ = 0;
    bool stopped_ = false;
};

}  // namespace nicsim::sim
