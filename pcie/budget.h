// SPDX-License-Identifier: Apache-2.0
// Closed forms of what a link can carry, after Neugebauer et al., "Understanding PCIe performance
// for end host networking" (SIGCOMM 2018) and its public program pcie-bench/pcie-model. They know
// no latency, tags, credits or alignment: an upper bound beside which a simulation is read.
#pragma once

#include <cstdint>

#include "pcie/link_config.h"
#include "pcie/splitting.h"

namespace nicsim::pcie {

/// Wire bytes beside the payload: header, sequence, LCRC and framing.
struct TlpOverhead {
    std::uint32_t write = 24;
    std::uint32_t read = 24;
    std::uint32_t completion = 20;
};
constexpr TlpOverhead overhead(bool addresses_of_64_bit) {
    return addresses_of_64_bit ? TlpOverhead{} : TlpOverhead{20, 20, 20};
}

/// bit/s left for TLPs in each direction when ACK, UpdateFC and SKP are charged as constants.
double tlp_capacity(const LinkConfig& link);

/// The same for one direction that carries `dllps` ACKs and UpdateFCs in each interval of the
/// specification's limit, counted as the 8 bytes that they are on all lanes together. The form
/// above counts them once per lane.
double tlp_capacity_with(const LinkConfig& link, unsigned dllps);

/// Bytes on the wire of each direction for one transfer of `size` useful bytes.
struct WireBytes {
    std::uint64_t up = 0;    ///< device to host
    std::uint64_t down = 0;  ///< host to device
    WireBytes& operator+=(const WireBytes& other);
};
WireBytes bulk_write(const LinkConfig& link, std::uint32_t size, TlpOverhead o = {});
/// A completion is no longer than the request that it answers (the published program forgets that
/// where MRRS is less than MPS).
WireBytes bulk_read(const LinkConfig& link, std::uint32_t size, CompletionPolicy policy,
                    TlpOverhead o = {});

/// bit/s of useful bytes if `size` of them cost `bytes`.
double effective_rate(const LinkConfig& link, std::uint32_t size, const WireBytes& bytes);

}  // namespace nicsim::pcie
