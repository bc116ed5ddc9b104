// SPDX-License-Identifier: Apache-2.0
// The last-level cache as a device sees it: which lines a DMA read finds in it. Lines come in when
// a core touches them (in all ways) and when a device writes them (in the few ways that DDIO may
// allocate in; a line that is there already is updated where it is). Reads of devices allocate
// nothing. Replacement is least recently used.
// Not modelled: slices and their hashing, write-back traffic, other sockets, partial lines.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/param.h"

namespace nicsim::pcie {

/// What DMA reads find in the cache.
enum class CacheModel : std::uint8_t {
    hit,       ///< everything
    miss,      ///< nothing
    modelled,  ///< what cores and devices have put there
};

struct HostCacheConfig {
    CacheModel model = CacheModel::hit;
    std::uint64_t size = std::uint64_t{16} << 20;  ///< bytes
    std::uint64_t ways = 16;
    std::uint64_t ddio_ways = 2;
    static const sim::ParamTable& params();
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
};

class HostCache {
public:
    static constexpr std::uint32_t line_bytes = 64;

    explicit HostCache(const HostCacheConfig& config);

    /// A core reads or writes the range: all of its lines are in the cache afterwards, unless the
    /// range is larger than the cache.
    void touched(std::uint64_t address, std::uint64_t length);
    /// A core has thrashed the cache.
    void flush();
    /// A device writes the range.
    void device_write(std::uint64_t address, std::uint32_t length);
    /// A device reads the range: true if every line of it is in the cache.
    bool device_read(std::uint64_t address, std::uint32_t length);

    [[nodiscard]] const std::uint64_t& hits() const { return hits_; }
    [[nodiscard]] const std::uint64_t& misses() const { return misses_; }

private:
    struct Line {
        std::uint64_t tag = 0;  ///< line number + 1; 0 is empty
        std::uint64_t used = 0;
    };
    Line* find(std::uint64_t line);
    void allocate(std::uint64_t line, std::uint64_t ways);

    HostCacheConfig config_;
    std::uint64_t sets_;
    std::vector<Line> lines_;  ///< set by set
    std::uint64_t clock_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
};

}  // namespace nicsim::pcie
