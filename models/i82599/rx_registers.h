// SPDX-License-Identifier: Apache-2.0
// The registers of the 128 receive rings (datasheet 8.2.3.8), decoded into the settings of RxRings.
// Stored but without effect: DCA_RXCTRL, RSCCTL (receive-side coalescing), header buffers.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_file.h"
#include "models/common/rx_rings.h"
#include "models/i82599/config.h"
#include "models/i82599/registers.h"
#include "models/i82599/rx_classifier.h"

namespace nicsim::models::i82599 {

class RxRegisters {
public:
    RxRegisters(const I82599Config& config, RegisterFile& registers, RxRings& rings,
                RxClassifier& classifier);

    /// Decodes everything anew (after RegisterFile::reset and RxRings::reset).
    void reload();

private:
    static constexpr unsigned half = max_queues / 2;
    /// Registers of queues 0-63 and 64-127.
    using Pair = std::array<Register*, 2>;
    [[nodiscard]] static std::uint32_t get(const Pair& pair, unsigned q) {
        return pair[q / half]->get(q % half);
    }
    static void set(const Pair& pair, unsigned q, std::uint32_t value) {
        pair[q / half]->set(q % half, value);
    }

    void map(RegisterFile& file);
    void srrctl_written(unsigned q);
    void rxdctl_written(unsigned q, std::uint32_t value);
    std::uint32_t rdh_of(unsigned q);
    void write_pfqde(unsigned, std::uint32_t value);

    template <unsigned base>
    void write_srrctl(unsigned i, std::uint32_t) {
        srrctl_written(base + i);
    }
    template <unsigned base>
    void write_rxdctl(unsigned i, std::uint32_t value) {
        rxdctl_written(base + i, value);
    }
    template <unsigned base>
    void write_rdt(unsigned i, std::uint32_t) {
        if (base + i < rings_.count()) rings_.set_tail(base + i, get(rdt_, base + i));
    }
    template <unsigned base>
    std::uint32_t read_rdh(unsigned i) {
        return rdh_of(base + i);
    }

    RxRings& rings_;
    RxClassifier& classifier_;
    unsigned prefetch_, writeback_;
    std::array<bool, max_queues> drop_enabled_{};  ///< PFQDE
    Pair rdbal_{}, rdbah_{}, rdlen_{}, srrctl_{}, rdh_{}, rdt_{}, rxdctl_{};
};

}  // namespace nicsim::models::i82599
