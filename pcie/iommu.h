// SPDX-License-Identifier: Apache-2.0
// The IOMMU's address translation as time: a translation buffer (IOTLB) and a few page walkers.
// A request whose page is in the buffer passes at once; one whose page is not waits for a walker
// and for the walk, and joins a walk of the same page that is under way.
// Not modelled: the tables themselves (addresses are mapped one to one), page-walk caches, faults,
// invalidation, ATS, interrupt remapping.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/activity.h"
#include "sim/param.h"
#include "sim/time.h"

namespace nicsim::pcie {

struct IommuConfig {
    bool enabled = false;
    std::uint64_t entries = 64;
    std::uint64_t page_size = 4096;     ///< bytes
    std::uint64_t walk_time = 250'000;  ///< ps
    std::uint64_t walkers = 5;
    static const sim::ParamTable& params();
};

class Iommu {
public:
    explicit Iommu(const IommuConfig& config);

    [[nodiscard]] bool enabled() const { return config_.enabled; }
    /// When a request that comes at `t` has its translation. Calls in order of time.
    sim::Ps translate(sim::Ps t, std::uint64_t address, std::uint32_t length);

    [[nodiscard]] const std::uint64_t& hits() const { return hits_; }
    [[nodiscard]] const std::uint64_t& misses() const { return misses_; }
    [[nodiscard]] const std::uint64_t& wait_time() const { return wait_time_; }
    [[nodiscard]] sim::Activity& walkers() { return walkers_; }

private:
    struct Entry {
        std::uint64_t page = ~std::uint64_t{0};
        std::uint64_t used = 0;
        sim::Ps ready = 0;  ///< when its walk is done
    };
    sim::Ps translate_page(sim::Ps t, std::uint64_t page);

    IommuConfig config_;
    std::vector<Entry> entries_;
    std::vector<sim::Ps> walker_free_;
    std::size_t last_hit_ = 0;
    std::uint64_t clock_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t wait_time_ = 0;
    sim::Activity walkers_;
};

}  // namespace nicsim::pcie
