// SPDX-License-Identifier: Apache-2.0
// SYSTIM, the device's clock: seconds and nanoseconds (0..999,999,999), computed from simulated
// time whenever somebody asks. Datasheet 7.8.3 and 8.16: every 8 ns it grows by 8 ns plus or minus
// TIMINCA.Incvalue x 2^-32 ns; TIMADJ adds an offset; a write of SYSTIMH sets it.
// Not modelled: target time outputs, SDP events, time stamps of received and sent packets.
#pragma once

#include <cstdint>

#include "models/common/register_file.h"
#include "sim/callback.h"
#include "sim/time.h"

namespace nicsim::models::i210 {

class SystemTime {
public:
    /// What the clock shows at simulated time 0.
    explicit SystemTime(std::uint64_t start_ns = 0);

    static constexpr std::uint64_t ns_per_second = 1'000'000'000;
    /// The clock moves on at multiples of this in simulated time.
    static constexpr sim::Ps tick = 8 * sim::ps_per_ns;

    /// Nanoseconds since second 0, at simulated time `t` (not before the last change of the clock).
    [[nodiscard]] std::uint64_t nanoseconds_at(sim::Ps t) const;
    [[nodiscard]] std::uint32_t systiml_at(sim::Ps t) const {
        return static_cast<std::uint32_t>(nanoseconds_at(t) % ns_per_second);
    }
    /// The first simulated time at which the clock shows `nanoseconds` or more; in the past if it
    /// does so already (then only the order with other times means something); `never` if the clock
    /// is stopped before it.
    [[nodiscard]] sim::Ps time_of(std::uint64_t nanoseconds) const;

    // ---- launch time (datasheet 7.2.2.2.3, 7.2.7.5.3): only SYSTIML[29:5] is compared ----
    /// `launch_ns`: 32 x (LAUNCH_OS0 + launch time), nanoseconds inside the second. Reached while
    /// SYSTIML is within [launch, launch + 0.5 s) modulo 1 s.
    [[nodiscard]] bool reached(std::uint32_t launch_ns, sim::Ps t) const;
    /// When it will be (or was) reached as seen from `t`: at or before `t` if reached() is true.
    [[nodiscard]] sim::Ps launch_time(std::uint32_t launch_ns, sim::Ps t) const;

    /// Called after software has moved or slowed the clock: computed alarms must be computed again.
    void on_changed(sim::Callback<> changed) { changed_ = changed; }
    /// How often that happened.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }

    void set(std::uint64_t nanoseconds);
    void map(RegisterFile& file);

private:
    using Fixed = sim::Uint128;  ///< nanoseconds x 2^32
    [[nodiscard]] Fixed value_at(sim::Ps t) const;
    void rebase(Fixed value);
    std::uint32_t read_systimr(unsigned);
    std::uint32_t read_systiml(unsigned);
    std::uint32_t read_systimh(unsigned);
    void write_systimh(unsigned, std::uint32_t seconds);
    void write_timinca(unsigned, std::uint32_t value);
    void write_timadj(unsigned, std::uint32_t value);
    void write_tsauxc(unsigned, std::uint32_t value);
    void set_rate(std::uint32_t timinca, bool stopped);

    Fixed base_value_ = 0;
    sim::Ps base_time_ = 0;  ///< a multiple of `tick`
    std::uint64_t step_ = std::uint64_t{8} << 32;
    sim::Callback<> changed_;
    std::uint64_t changes_ = 0;
    Register* systiml_ = nullptr;
    Register* timinca_ = nullptr;
    Register* tsauxc_ = nullptr;
    std::uint64_t latched_ns_ = 0;
    bool latched_low_ = false;
    bool latched_high_ = false;
};

}  // namespace nicsim::models::i210
