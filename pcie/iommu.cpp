// SPDX-License-Identifier: Apache-2.0
#include "pcie/iommu.h"

#include <algorithm>

namespace nicsim::pcie {

const sim::ParamTable& IommuConfig::params() {
    using C = IommuConfig;
    static const sim::Source knee = sim::measured(
        "pcie-bench/data, Xeon E5-2637 v3 with 4 KiB pages: no effect up to a window of 256 KiB, "
        "240 to 270 ns longer reads beyond, 19.2 M reads/s of a 64 MiB window");
    static const sim::ParamTable table =
        sim::ParamTableBuilder<C>()
            .add("enabled", &C::enabled,
                 {.sentence = "Requests of devices are translated.",
                  .source = sim::assumed("off or in passthrough, as most performance tests")})
            .add("entries", &C::entries,
                 {.min = 1,
                  .max = 4096,
                  .sentence = "Translations that the IOTLB holds.",
                  .source = knee})
            .add(
                "page_size", &C::page_size,
                {.unit = sim::Unit::bytes,
                 .allowed = {4096, 2097152, 1073741824},
                 .sentence = "Bytes that one translation covers.",
                 .source = sim::datasheet("Intel Virtualization Technology for Directed I/O, 3.6")})
            .add("walk_time", &C::walk_time,
                 {.unit = sim::Unit::time,
                  .max = 1e8,
                  .sentence = "One walk of the page tables.",
                  .source = knee})
            .add("walkers", &C::walkers,
                 {.min = 1, .max = 64, .sentence = "Walks under way at once.", .source = knee})
            .build();
    return table;
}

namespace {
enum WalkersState : std::size_t { walker_free, all_walking };
}

Iommu::Iommu(const IommuConfig& config)
    : config_(config),
      walkers_({{"walker_free", sim::ActivityKind::starved, "a page walker has nothing to do"},
                {"all_walking", sim::ActivityKind::busy, "every page walker is at work"}}) {
    if (!config_.enabled) return;
    entries_.resize(config_.entries);
    walker_free_.assign(config_.walkers, 0);
}

sim::Ps Iommu::translate(sim::Ps t, std::uint64_t address, std::uint32_t length) {
    if (!config_.enabled) return t;
    sim::Ps done = t;
    const std::uint64_t last = (address + std::max(length, 1U) - 1) / config_.page_size;
    for (std::uint64_t page = address / config_.page_size; page <= last; ++page)
        done = std::max(done, translate_page(t, page));
    wait_time_ += done - t;
    return done;
}

sim::Ps Iommu::translate_page(sim::Ps t, std::uint64_t page) {
    if (entries_[last_hit_].page != page) {
        const auto at = std::find_if(entries_.begin(), entries_.end(),
                                     [page](const Entry& e) { return e.page == page; });
        if (at == entries_.end()) {
            ++misses_;
            const auto walker = std::min_element(walker_free_.begin(), walker_free_.end());
            const auto victim =
                std::min_element(entries_.begin(), entries_.end(),
                                 [](const Entry& a, const Entry& b) { return a.used < b.used; });
            *walker = std::max(t, *walker) + config_.walk_time;
            const sim::Ps first_free = *std::min_element(walker_free_.begin(), walker_free_.end());
            if (first_free > sim::now()) walkers_.enter_until(all_walking, first_free, walker_free);
            *victim = {page, ++clock_, *walker};
            last_hit_ = static_cast<std::size_t>(victim - entries_.begin());
            return *walker;
        }
        last_hit_ = static_cast<std::size_t>(at - entries_.begin());
    }
    Entry& e = entries_[last_hit_];
    e.used = ++clock_;
    ++hits_;
    return std::max(t, e.ready);
}

}  // namespace nicsim::pcie
