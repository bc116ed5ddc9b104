// SPDX-License-Identifier: Apache-2.0
// Causes, masks and vectors (datasheet 7.3): ICR and EICR families, GPIE, IVAR and one EITR per
// vector. MSI-X mode gives every vector its own throttle, auto-mask (EIAM) and auto-clear (EIAC),
// applied when the message is issued and not when the cause comes. Otherwise one interrupt (MSI)
// behind EITR0 reports ICR & IMS and EICR & EIMS.
// Not modelled: low-latency interrupts, the TCP timer, the level of a wired interrupt.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>

#include "models/common/interrupt_throttle.h"
#include "models/common/register_file.h"
#include "models/common/rx_rings.h"
#include "models/common/tx_interrupt.h"
#include "models/i210/registers.h"
#include "sim/callback.h"
#include "sim/decision.h"
#include "sim/doors.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models::i210 {

class Interrupts : public sc_core::sc_module, public TxInterruptIf, public RxInterruptIf {
public:
    /// `throttle` makes what stands in place of an InterruptThrottle; empty: nothing does.
    Interrupts(const sc_core::sc_module_name& name, RegisterFile& registers,
               const ThrottleFactory& throttle = {});

    sc_core::sc_port<sim::InterruptIf> out{"out"};

    /// The counter of a vector expired: gathered write-backs of these queues go out now.
    void on_flush(sim::Callback<unsigned> transmit, sim::Callback<unsigned> receive) {
        flush_tx_ = transmit;
        flush_rx_ = receive;
    }

    /// ICR bits that belong to no queue.
    void cause(std::uint32_t icr_bits);
    // ---- TxInterruptIf ----
    void tx_cause(unsigned queue) override;
    [[nodiscard]] bool moderation_running(unsigned queue) const override;

    // ---- RxInterruptIf ----
    void rx_written(unsigned queue) override { queue_cause(queue, rx, icr::RXT0); }
    void rx_low(unsigned queue) override { queue_cause(queue, rx, icr::RXDMT0); }
    [[nodiscard]] bool rx_moderation_running(unsigned queue) const override;

    /// After RegisterFile::reset.
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    /// Bytes of IVAR0/1, in which order they stand.
    enum Direction : unsigned { rx = 0, tx = 1 };
    static constexpr std::uint32_t ivar_valid = 0x80;

    void map_icr(RegisterFile& file);
    void map_eicr(RegisterFile& file);
    [[nodiscard]] bool msix() const { return (gpie_->get() & gpie::MSIX_MODE) != 0; }
    [[nodiscard]] std::uint32_t ivar(unsigned queue, Direction direction) const;
    /// The throttle behind an IVAR byte, or null.
    [[nodiscard]] InterruptThrottleIf* throttle_of(std::uint32_t ivar_byte) const;
    [[nodiscard]] bool running(unsigned queue, Direction direction) const;
    void queue_cause(unsigned queue, Direction direction, std::uint32_t icr_bits);
    void route_other();
    void set_eicr(std::uint32_t bits);
    /// Requests what is enabled of `vectors_mask`, withdraws what is not.
    void evaluate(std::uint32_t vectors_mask);
    void evaluate_single();
    void on_issue(unsigned vector);
    void on_expired(unsigned vector);

    std::uint32_t read_icr(unsigned);
    void write_icr(unsigned, std::uint32_t value);
    void write_ics(unsigned, std::uint32_t value);
    std::uint32_t read_ims(unsigned);
    void write_ims(unsigned, std::uint32_t value);
    void write_imc(unsigned, std::uint32_t value);
    std::uint32_t read_eicr(unsigned);
    void write_eicr(unsigned, std::uint32_t value);
    void write_eics(unsigned, std::uint32_t value);
    std::uint32_t read_eims(unsigned);
    void write_eims(unsigned, std::uint32_t value);
    void write_eimc(unsigned, std::uint32_t value);
    std::uint32_t read_eitr(unsigned vector);
    void write_eitr(unsigned vector, std::uint32_t value);

    std::array<std::unique_ptr<InterruptThrottleIf>, vectors> throttles_;
    sim::Callback<unsigned> flush_tx_;
    sim::Callback<unsigned> flush_rx_;
    std::uint32_t icr_ = 0, ims_ = 0, eicr_ = 0, eims_ = 0;
    Register* gpie_ = nullptr;
    Register* iam_ = nullptr;
    Register* eiac_ = nullptr;
    Register* eiam_ = nullptr;
    Register* ivar_ = nullptr;
    Register* ivar_misc_ = nullptr;
    Register* ctrl_ext_ = nullptr;
    Register* eitr_ = nullptr;
    /// One a vector: between vectors there is no order. Value: the vector.
    std::array<std::unique_ptr<sim::Decision>, vectors> issued_;
    std::array<std::uint64_t, vectors> causes_{};
    std::uint64_t masked_causes_ = 0;
    std::array<std::unique_ptr<sim::Probe>, vectors> counter_probes_;
};

}  // namespace nicsim::models::i210
