// SPDX-License-Identifier: Apache-2.0
#include "pcie/host_cache.h"

#include <algorithm>

namespace nicsim::pcie {

const sim::ParamTable& HostCacheConfig::params() {
    using C = HostCacheConfig;
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add_choice("model", &C::model,
                        sim::ChoiceNames<CacheModel>{{CacheModel::hit, "hit"},
                                                     {CacheModel::miss, "miss"},
                                                     {CacheModel::modelled, "modelled"}},
                        {.sentence = "Which DMA reads are served from the last-level cache: all, "
                                     "none, or those whose lines cores and devices put there.",
                         .source = sim::assumed("all: descriptors and payload were just written "
                                                "by a core")})
            .add("size", &C::size,
                 {.unit = sim::Unit::bytes,
                  .min = 65536,
                  .max = double(std::uint64_t{1} << 30),
                  .sentence = "Last-level cache; for `modelled` only.",
                  .source = sim::assumed("a desktop of about 2020")})
            .add("ways", &C::ways,
                 {.min = 1,
                  .max = 64,
                  .sentence = "Ways of the last-level cache; for `modelled` only.",
                  .source = sim::assumed("a desktop of about 2020")})
            .add("ddio_ways", &C::ddio_ways,
                 {.max = 64,
                  .sentence = "Ways that writes of devices may allocate in; 0: they go to memory. "
                              "For `modelled` only.",
                  .source = sim::measured("Farshin et al., USENIX ATC 2020: the default mask has 2 "
                                          "of 11 ways")})
            .build();
    return table;
}

std::string HostCacheConfig::check() const {
    if (ddio_ways > ways) return "ddio_ways: more than the cache has ways";
    if (size % (ways * HostCache::line_bytes) != 0)
        return "size: not a multiple of ways times 64 bytes";
    return {};
}

HostCache::HostCache(const HostCacheConfig& config) : config_(config), sets_(0) {
    if (config_.model != CacheModel::modelled) return;
    sets_ = config_.size / line_bytes / config_.ways;
    lines_.resize(sets_ * config_.ways);
}

HostCache::Line* HostCache::find(std::uint64_t line) {
    Line* const set = &lines_[line % sets_ * config_.ways];
    for (std::uint64_t w = 0; w < config_.ways; ++w)
        if (set[w].tag == line + 1) return &set[w];
    return nullptr;
}

/// Puts the line in one of the first `ways` ways, in place of the one used longest ago.
void HostCache::allocate(std::uint64_t line, std::uint64_t ways) {
    Line* const set = &lines_[line % sets_ * config_.ways];
    Line* victim = set;
    for (std::uint64_t w = 0; w < ways; ++w)
        if (set[w].used < victim->used) victim = &set[w];
    *victim = {line + 1, ++clock_};
}

void HostCache::touched(std::uint64_t address, std::uint64_t length) {
    if (config_.model != CacheModel::modelled || length == 0) return;
    for (std::uint64_t l = address / line_bytes; l <= (address + length - 1) / line_bytes; ++l) {
        if (Line* line = find(l))
            line->used = ++clock_;
        else
            allocate(l, config_.ways);
    }
}

void HostCache::flush() {
    std::fill(lines_.begin(), lines_.end(), Line{});
}

void HostCache::device_write(std::uint64_t address, std::uint32_t length) {
    if (config_.model != CacheModel::modelled || length == 0) return;
    for (std::uint64_t l = address / line_bytes; l <= (address + length - 1) / line_bytes; ++l) {
        if (Line* line = find(l))
            line->used = ++clock_;
        else if (config_.ddio_ways > 0)
            allocate(l, config_.ddio_ways);
    }
}

bool HostCache::device_read(std::uint64_t address, std::uint32_t length) {
    bool hit = config_.model == CacheModel::hit;
    if (config_.model == CacheModel::modelled) {
        hit = true;
        const std::uint64_t last = (address + std::max(length, 1U) - 1) / line_bytes;
        for (std::uint64_t l = address / line_bytes; l <= last; ++l) {
            if (Line* line = find(l))
                line->used = ++clock_;
            else
                hit = false;
        }
    }
    ++(hit ? hits_ : misses_);
    return hit;
}

}  // namespace nicsim::pcie
