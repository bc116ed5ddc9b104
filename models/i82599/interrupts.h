// SPDX-License-Identifier: Apache-2.0
// Causes, masks and vectors (datasheet 7.3, 8.2.3.5): EICR with its set, mask and auto registers,
// their extensions for 64 vectors, IVAR, and one EITR per vector. In MSI-X mode every vector has
// its own throttle; auto-clear (EIAC) and auto-mask (EIAM) act when the message is issued and not
// when the cause comes. Otherwise one interrupt (MSI) behind EITR0 reports EICR & EIMS.
// The throttle is a minimum gap: loaded when an interrupt is issued, the first cause after it has
// run out interrupts at once, and no cause means no interrupt. When it runs out, write-backs that
// the vector's queues gathered go out.
// Bits 15:0 of the registers and of their extension 0 are the same bits. Vectors from 16 on are
// seen by no EICR bit, so they are cleared when issued, as if their EIAC were set.
// Not modelled: low-latency interrupts and their credits, the TCP timer, the vectors of virtual
// functions (EITRSEL), the level of a wired interrupt, EICS bits that delay an interrupt (EIMEN).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>

#include "models/common/interrupt_throttle.h"
#include "models/common/register_file.h"
#include "models/common/rx_rings.h"
#include "models/common/tx_interrupt.h"
#include "models/i82599/registers.h"
#include "sim/callback.h"
#include "sim/doors.h"
#include "sim/probe.h"
#include "sim/stat.h"

namespace nicsim::models::i82599 {

class Interrupts : public sc_core::sc_module, public TxInterruptIf, public RxInterruptIf {
public:
    /// `queues`: that have a data path.
    Interrupts(const sc_core::sc_module_name& name, unsigned queues, RegisterFile& registers);

    sc_core::sc_port<sim::InterruptIf> out{"out"};

    /// The counter of a vector ran out: gathered write-backs of these queues go out now.
    void on_flush(sim::Callback<unsigned> transmit, sim::Callback<unsigned> receive) {
        flush_tx_ = transmit;
        flush_rx_ = receive;
    }
    /// EICR bits that belong to no queue.
    void cause(std::uint32_t eicr_bits);

    // ---- TxInterruptIf, RxInterruptIf ----
    void tx_cause(unsigned queue) override { queue_cause(queue, tx); }
    [[nodiscard]] bool moderation_running(unsigned queue) const override;
    void rx_written(unsigned queue) override { queue_cause(queue, rx); }
    void rx_low(unsigned queue) override { queue_cause(queue, rx); }
    [[nodiscard]] bool rx_moderation_running(unsigned queue) const override;

    /// After RegisterFile::reset.
    void reset();
    void register_stats(sim::StatGroup& group);

private:
    /// Bytes of IVAR, in which order they stand.
    enum Direction : unsigned { rx = 0, tx = 1 };
    using Vectors = std::uint64_t;

    void map(RegisterFile& file);
    void map_extended(RegisterFile& file);
    [[nodiscard]] bool msix() const { return (gpie_->get() & gpie::MSIX_MODE) != 0; }
    [[nodiscard]] bool auto_mask() const { return (gpie_->get() & gpie::EIAME) != 0; }
    /// The IVAR entry of a queue: a vector, or -1.
    [[nodiscard]] int vector_of(unsigned queue, Direction direction) const;
    [[nodiscard]] int other_vector() const;
    [[nodiscard]] bool running(unsigned queue, Direction direction) const;
    void queue_cause(unsigned queue, Direction direction);
    void set_vectors(Vectors bits);
    /// Requests what is enabled of `bits`, withdraws what is not.
    void evaluate(Vectors bits);
    void evaluate_others();
    void evaluate_single();
    [[nodiscard]] bool wanted(unsigned vector) const;
    void mask_by(std::uint32_t causes);
    void on_issue(unsigned vector);
    void on_expired(unsigned vector);

    [[nodiscard]] std::uint32_t eicr() const;
    std::uint32_t read_eicr(unsigned);
    std::uint32_t peek_eicr(unsigned);
    void write_eicr(unsigned, std::uint32_t value);
    void write_eics(unsigned, std::uint32_t value);
    std::uint32_t read_eims(unsigned);
    void write_eims(unsigned, std::uint32_t value);
    void write_eimc(unsigned, std::uint32_t value);
    std::uint32_t read_eiam(unsigned);
    void write_eiam(unsigned, std::uint32_t value);
    void write_eics_ex(unsigned i, std::uint32_t value);
    std::uint32_t read_eims_ex(unsigned i);
    void write_eims_ex(unsigned i, std::uint32_t value);
    void write_eimc_ex(unsigned i, std::uint32_t value);
    std::uint32_t read_eiam_ex(unsigned i);
    void write_eiam_ex(unsigned i, std::uint32_t value);
    std::uint32_t read_eitr(unsigned vector);
    void write_eitr(unsigned vector, std::uint32_t value);
    std::uint32_t read_eitr_high(unsigned i) { return read_eitr(i + reg::eitr_low_count); }
    void write_eitr_high(unsigned i, std::uint32_t value) {
        write_eitr(i + reg::eitr_low_count, value);
    }

    unsigned queues_;
    std::array<std::unique_ptr<InterruptThrottle>, vectors> throttles_;
    sim::Callback<unsigned> flush_tx_;
    sim::Callback<unsigned> flush_rx_;
    Vectors pending_ = 0, enabled_ = 0, auto_masked_ = 0;            ///< RTxQ
    std::uint32_t others_ = 0, others_enabled_ = 0, others_am_ = 0;  ///< bits 30:16
    std::array<std::uint32_t, vectors> intervals_{};                 ///< EITR field, as written
    Register* gpie_ = nullptr;
    Register* eiac_ = nullptr;
    Register* ivar_ = nullptr;
    Register* ivar_misc_ = nullptr;
    std::array<std::uint64_t, vectors> causes_{};
    std::uint64_t masked_causes_ = 0;
    std::array<std::unique_ptr<sim::Probe>, vectors> counter_probes_;
};

}  // namespace nicsim::models::i82599
