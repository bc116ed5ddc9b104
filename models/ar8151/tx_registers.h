// SPDX-License-Identifier: Apache-2.0
// The transmit registers, decoded: ring bases under one upper half, ring size, TXQ_CTRL, and the
// pairs of 16-bit producer and consumer indices. The queue of the lower address is the odd one.
// The MikroTik card has queues 2 and 3 at its own offsets, and MODE to turn them on.
#pragma once

#include <array>
#include <cstdint>

#include "models/ar8151/config.h"
#include "models/ar8151/registers.h"
#include "models/common/register_file.h"

namespace nicsim::models::ar8151 {

struct TxSettings {
    bool enabled = false;          ///< TXQ_CTRL.EN
    unsigned tpd_burst = 0;        ///< descriptors that one read fetches
    std::uint32_t data_burst = 0;  ///< bytes of one data read
};

struct TxRing {
    std::uint64_t base = 0;
    std::uint32_t size = 0;  ///< descriptors
};

class TxRegisterSink {
public:
    virtual ~TxRegisterSink() = default;
    virtual void settings_changed() = 0;
    virtual void producer_written(unsigned queue, std::uint32_t index) = 0;
    [[nodiscard]] virtual std::uint32_t consumer_of(unsigned queue) const = 0;
};

class TxRegisters {
public:
    TxRegisters(RegisterFile& file, const Ar8151Config& config, TxRegisterSink& sink);

    [[nodiscard]] const TxSettings& settings() const { return settings_; }
    /// Where the registers say that the ring of `queue` is.
    [[nodiscard]] TxRing ring(unsigned queue) const;
    /// Producer indices begin at 0 again.
    void clear_producers();
    /// Decodes everything anew (after RegisterFile::reset).
    void reload();

private:
    void map_mikrotik(RegisterFile& file);
    void on_txq_ctrl(unsigned, std::uint32_t) { reload(); }
    void on_producers(unsigned first_queue, std::uint32_t value);
    void on_producers_01(unsigned, std::uint32_t value) { on_producers(0, value); }
    void on_producers_23(unsigned, std::uint32_t value) { on_producers(2, value); }
    [[nodiscard]] std::uint32_t consumers(unsigned first_queue) const;
    std::uint32_t read_consumers_01(unsigned) { return consumers(0); }
    std::uint32_t read_consumers_23(unsigned) { return consumers(2); }

    RegisterFile& file_;
    unsigned queues_;
    TxRegisterSink& sink_;
    TxSettings settings_;
    Register *base_hi_ = nullptr, *ring_size_ = nullptr, *txq_ctrl_ = nullptr;
    std::array<Register*, max_queues> base_lo_{};
    Register *producers_01_ = nullptr, *producers_23_ = nullptr;
};

}  // namespace nicsim::models::ar8151
