// SPDX-License-Identifier: Apache-2.0
// The transmit registers, decoded (datasheet 8.2.3.9): DMATXCTL, RTTDCS, MTQC, DTXMXSZRQ, TXPBSIZE,
// TXPBTHRESH, DTXTCPFLGL/H and, for each of the 128 queues, TDBAL .. TDWBAH.
// Stored but without effect: TIPG, DCA_TXCTRL.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_file.h"
#include "models/i82599/tx_settings.h"

namespace nicsim::models::i82599 {

/// Where a queue's ring is, and what is set for it.
struct TxRing {
    std::uint64_t base = 0;
    std::uint32_t size = 0;  ///< descriptors
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::uint64_t head_writeback = 0;  ///< address; 0: none
};
struct TxThresholds {
    unsigned prefetch = 0, host = 0, writeback = 0;
};

class TxRegisterSink {
public:
    virtual ~TxRegisterSink() = default;
    virtual void settings_changed() = 0;
    virtual void thresholds_changed(unsigned queue, const TxThresholds& thresholds) = 0;
    virtual void queue_enabled(unsigned queue, const TxRing& ring) = 0;
    virtual void queue_disabled(unsigned queue) = 0;
    virtual void tail_written(unsigned queue, std::uint32_t tail) = 0;
    virtual void flush_written(unsigned queue) = 0;
    [[nodiscard]] virtual std::uint32_t head_of(unsigned queue) const = 0;
};

class TxRegisters {
public:
    /// `queues`: that have a data path; the others cannot be enabled.
    TxRegisters(RegisterFile& file, unsigned queues, TxSettings& settings, TxRegisterSink& sink);

    /// Decodes everything anew (after RegisterFile::reset).
    void reload();

private:
    void map_common(RegisterFile& file);
    void map_queues(RegisterFile& file);
    void decode();
    void on_setting(unsigned, std::uint32_t) { decode(); }
    void on_txdctl(unsigned queue, std::uint32_t value);
    void on_tdt(unsigned queue, std::uint32_t value);
    std::uint32_t read_tdh(unsigned queue);

    unsigned queues_;
    TxSettings& settings_;
    TxRegisterSink& sink_;
    Register *dmatxctl_ = nullptr, *rttdcs_ = nullptr, *mtqc_ = nullptr, *dtxmxszrq_ = nullptr;
    Register *txpbsize_ = nullptr, *txpbthresh_ = nullptr;
    Register *dtxtcpflgl_ = nullptr, *dtxtcpflgh_ = nullptr;
    Register *tdbal_ = nullptr, *tdbah_ = nullptr, *tdlen_ = nullptr, *tdh_ = nullptr;
    Register *tdt_ = nullptr, *txdctl_ = nullptr, *tdwbal_ = nullptr, *tdwbah_ = nullptr;
    std::array<bool, max_queues> enabled_{};
};

}  // namespace nicsim::models::i82599
