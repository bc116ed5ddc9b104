// SPDX-License-Identifier: Apache-2.0
// The registers of the transmit side: maps them, decodes them into TxSettings and tells the unit.
// TCTL, TIPG, TXPBSIZE, DTXMXPKTSZ, TQAVCTRL, TQAVARBCTRL, TQAVCC, TQAVHC, LAUNCH_OS0, DTXCTL,
// DMCTXTH, DTXTCPFLGL/H and, for each queue, TDBAL .. TDWBAH with their aliases.
// Stored but without effect: TIPG (must keep its default in Qav mode, datasheet 7.2.7.5.2),
// TQAVARBCTRL, DTXCTL, DMCTXTH, TXCTL, TDWBAL/H, the collision fields of TCTL.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_file.h"
#include "models/i210/tx_settings.h"

namespace nicsim::models::i210 {

/// Where a queue's ring is.
struct TxRing {
    std::uint64_t base = 0;
    std::uint32_t size = 0;  ///< descriptors
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
};
struct TxThresholds {
    unsigned prefetch = 0, host = 0, writeback = 0;
};
struct TxShaperSettings {
    std::uint64_t idle_slope = 0;  ///< bit/s
    std::uint64_t hi_credit = 0;   ///< bytes
    bool keep_credits = false;
};

class TxRegisterSink {
public:
    virtual ~TxRegisterSink() = default;
    /// The settings or the sizes of the packet buffers have changed.
    virtual void settings_changed() = 0;
    virtual void shaper_changed(unsigned queue, const TxShaperSettings& settings) = 0;
    virtual void thresholds_changed(unsigned queue, const TxThresholds& thresholds) = 0;
    virtual void queue_enabled(unsigned queue, const TxRing& ring) = 0;
    virtual void queue_disabled(unsigned queue) = 0;
    virtual void tail_written(unsigned queue, std::uint32_t tail) = 0;
    virtual void flush_written(unsigned queue) = 0;
    [[nodiscard]] virtual std::uint32_t head_of(unsigned queue) const = 0;
};

class TxRegisters {
public:
    TxRegisters(RegisterFile& file, TxSettings& settings, TxRegisterSink& sink);

    /// Sizes of the packet buffers in bytes, from TXPBSIZE.
    [[nodiscard]] std::array<std::uint32_t, queues> packet_buffer_bytes() const;
    /// Decodes everything anew (after RegisterFile::reset).
    void reload();

private:
    void map_common(RegisterFile& file);
    void map_queues(RegisterFile& file);
    void decode();
    void on_setting(unsigned, std::uint32_t) { decode(); }
    void on_shaper(unsigned queue, std::uint32_t);
    void on_txdctl(unsigned queue, std::uint32_t value);
    void on_tdt(unsigned queue, std::uint32_t value);
    std::uint32_t read_tdh(unsigned queue);

    TxSettings& settings_;
    TxRegisterSink& sink_;
    Register *tctl_ = nullptr, *txpbsize_ = nullptr, *dtxmxpktsz_ = nullptr;
    Register *tqavctrl_ = nullptr, *tqavcc_ = nullptr, *tqavhc_ = nullptr;
    Register *launch_os0_ = nullptr, *dtxtcpflgl_ = nullptr, *dtxtcpflgh_ = nullptr;
    Register *tdbal_ = nullptr, *tdbah_ = nullptr, *tdlen_ = nullptr, *tdh_ = nullptr;
    Register *tdt_ = nullptr, *txdctl_ = nullptr;
    std::array<bool, queues> enabled_{};
};

}  // namespace nicsim::models::i210
