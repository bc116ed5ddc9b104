// SPDX-License-Identifier: Apache-2.0
// Causes, mask and moderation: ISR, IMR, IRQ_MODRT_TIMER_INIT, INT_RETRIG_TIMER, one message.
// A message goes out when the interrupt line (ISR & IMR, while ISR's disable bit is clear) rises,
// and again when it has stayed up for INT_RETRIG_TIMER.
// Moderation: each transmit and each receive cause stands behind a timer of its own, and ISR shows
// the cause when the timer has run out. The first cause after that shows at once; without a cause
// nothing happens. `moderation_start` says what loads the timer: the message that tells of the
// cause (its acknowledgement, if it came without a message of its own); the acknowledgement in ISR;
// or the driver's letting the cause interrupt again, acknowledged in ISR, enabled in IMR. The
// latter two with the disable bit clear. With MASTER_CTRL's enable bit clear or a timer of 0 causes
// show at once. The MikroTik card has intervals of its own and ignores the host's. Other causes are
// not moderated. Not modelled: TINT_TPD_THRESH, the system-alive and manual timers, the level of a
// wired interrupt.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/ar8151/config.h"
#include "models/ar8151/registers.h"
#include "models/common/interrupt_throttle.h"
#include "models/common/register_file.h"
#include "models/common/tx_interrupt.h"
#include "sim/alarm.h"
#include "sim/doors.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models::ar8151 {

class Interrupts : public sc_core::sc_module, public TxInterruptIf {
public:
    Interrupts(const sc_core::sc_module_name& name, const Ar8151Config& config,
               RegisterFile& registers);

    sc_core::sc_port<sim::InterruptIf> out{"out"};

    /// MASTER_CTRL was written.
    void master_written(std::uint32_t value);
    /// Causes that are not moderated.
    void cause(std::uint32_t isr_bits);
    void rx_cause(unsigned queue) { event(rx_at(queue)); }

    // ---- TxInterruptIf ----
    void tx_cause(unsigned queue) override { event(tx_at(queue)); }
    /// There is no write-back to gather.
    [[nodiscard]] bool moderation_running(unsigned) const override { return false; }

    /// After RegisterFile::reset. The mask and the disable bit stay (inferred: atl1c resets MAC and
    /// DMA when the link is lost, writes neither again and waits for the interrupt of the next
    /// link).
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    /// A cause with its timer.
    struct Source {
        std::uint32_t bit = 0;  ///< of ISR
        bool transmit = false;
        std::uint64_t events = 0;
        std::unique_ptr<InterruptThrottle> throttle;
    };
    void map(RegisterFile& file);
    void add_source(std::uint32_t bit, bool transmit, unsigned number);
    /// Both transmit queues of the AR8151 report by the one cause that there is.
    [[nodiscard]] unsigned tx_at(unsigned queue) const { return config_.mikrotik() ? queue : 0; }
    [[nodiscard]] unsigned rx_at(unsigned queue) const { return first_rx_ + queue; }
    [[nodiscard]] bool moderated(const Source& source) const;
    void apply_intervals();
    void event(unsigned index);
    void on_issue(unsigned index) { show(sources_[index].bit); }
    void on_expired(unsigned) {}
    void show(std::uint32_t bits);
    void rearm();
    void start_timers(std::uint32_t causes);
    void evaluate();
    void raise();
    void arm_retrigger();
    void on_retrigger();

    std::uint32_t read_isr(unsigned);
    std::uint32_t peek_isr() const { return status_ | (disabled_ ? isr::DIS_INT : 0); }
    void write_isr(unsigned, std::uint32_t value);
    void write_imr(unsigned, std::uint32_t value);
    void write_timers(unsigned, std::uint32_t) { apply_intervals(); }

    const Ar8151Config config_;
    unsigned first_rx_ = 0;
    std::vector<Source> sources_;  ///< of transmission, then of reception
    std::uint32_t master_ = 0;
    std::uint32_t status_ = 0;
    std::uint32_t mask_ = 0;
    bool disabled_ = false;
    bool line_ = false;
    Register* timers_ = nullptr;
    Register* retrigger_ = nullptr;
    sim::Alarm retrigger_alarm_;          ///< due then or earlier
    sim::Ps retrigger_due_ = sim::never;  ///< when the message would be sent again
    std::uint64_t interrupts_ = 0, retriggered_ = 0, other_causes_ = 0;
    sim::Probe status_probe_, interrupts_probe_;
};

}  // namespace nicsim::models::ar8151
