// SPDX-License-Identifier: Apache-2.0
// What the transmit side of a device asks of its interrupt unit.
#pragma once

namespace nicsim::models {

class TxInterruptIf {
public:
    virtual ~TxInterruptIf() = default;
    /// Descriptors of `queue` were written back.
    virtual void tx_cause(unsigned queue) = 0;
    /// The moderation counter of the queue's vector runs, so that its expiry will flush the queue's
    /// write-backs. While it does not, nothing is held back for WTHRESH.
    [[nodiscard]] virtual bool moderation_running(unsigned queue) const = 0;
};

}  // namespace nicsim::models
