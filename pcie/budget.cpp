// SPDX-License-Identifier: Apache-2.0
#include "pcie/budget.h"

#include <algorithm>

#include "pcie/tlp.h"

namespace nicsim::pcie {
namespace {

std::uint64_t pieces(std::uint64_t bytes, std::uint64_t limit) {
    return (bytes + limit - 1) / limit;
}

}  // namespace

WireBytes& WireBytes::operator+=(const WireBytes& other) {
    up += other.up;
    down += other.down;
    return *this;
}

double tlp_capacity(const LinkConfig& link) {
    const auto limit = static_cast<double>(link.dllp_limit_symbols());
    const double skp = static_cast<double>(skp_symbols) / static_cast<double>(skp_interval_symbols);
    return link.usable_rate() * (1.0 - 2.0 * dllp_bytes / limit - skp);
}

double tlp_capacity_with(const LinkConfig& link, unsigned dllps) {
    const double interval =
        static_cast<double>(link.dllp_limit_symbols()) * static_cast<double>(link.width);
    const double skp = static_cast<double>(skp_symbols) / static_cast<double>(skp_interval_symbols);
    return link.usable_rate() * (1.0 - dllps * double{dllp_bytes} / interval - skp);
}

WireBytes bulk_write(const LinkConfig& link, std::uint32_t size, TlpOverhead o) {
    return {.up = size + pieces(size, link.max_payload) * o.write, .down = 0};
}

WireBytes bulk_read(const LinkConfig& link, std::uint32_t size, CompletionPolicy policy,
                    TlpOverhead o) {
    const std::uint64_t piece = policy == CompletionPolicy::every_boundary
                                    ? link.read_completion_boundary
                                    : std::min(link.max_payload, link.max_read_request);
    return {.up = pieces(size, link.max_read_request) * o.read,
            .down = size + pieces(size, piece) * o.completion};
}

double effective_rate(const LinkConfig& link, std::uint32_t size, const WireBytes& bytes) {
    return tlp_capacity(link) * size / static_cast<double>(std::max(bytes.up, bytes.down));
}

}  // namespace nicsim::pcie
