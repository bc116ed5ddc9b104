// SPDX-License-Identifier: Apache-2.0
// The decisions about descriptor rings in another hand, such as a block in RTL: when to read how
// many descriptors for which ring, and when to write finished ones back. The rings themselves and
// their bytes stay with DescriptorQueue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace nicsim::models {

/// What the decisions are about; all of it is told to the DescriptorFetcher.
class DescriptorActionsIf {
public:
    virtual ~DescriptorActionsIf() = default;
    [[nodiscard]] virtual bool bus_ready() const = 0;  ///< a descriptor read can be issued
    [[nodiscard]] virtual bool bus_above() const = 0;  ///< something of higher priority waits
    virtual void fetch(unsigned queue, unsigned count, bool urgent) = 0;
    /// The oldest descriptor told by `finished` has been taken into account.
    virtual void take_finished(unsigned queue) = 0;
    /// Of those taken into account the oldest `count` are written back.
    virtual void write_back(unsigned queue, std::uint32_t count) = 0;
};

/// Told of everything that happens to a ring, by its index.
class DescriptorDecisionsIf {
public:
    virtual ~DescriptorDecisionsIf() = default;
    virtual void enabled(unsigned queue, std::uint64_t base, std::uint32_t size,
                         std::uint32_t head) = 0;
    virtual void disabled(unsigned queue) = 0;
    virtual void thresholds(unsigned queue, unsigned prefetch, unsigned host,
                            unsigned writeback) = 0;
    virtual void tail(unsigned queue, std::uint32_t tail) = 0;
    virtual void work(unsigned queue, bool has_work) = 0;
    virtual void consumed(unsigned queue, unsigned count) = 0;
    virtual void arrived(unsigned queue) = 0;
    virtual void finished(unsigned queue, bool report) = 0;
    virtual void flush(unsigned queue) = 0;
    /// The bus may be ready.
    virtual void evaluate() = 0;
};
/// `cache`: descriptors that a ring may have on the device.
using DescriptorDecisionsFactory =
    std::function<std::unique_ptr<DescriptorDecisionsIf>(DescriptorActionsIf&, unsigned cache)>;

}  // namespace nicsim::models
