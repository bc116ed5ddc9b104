// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/tso_headers.h"

#include <cstdint>

namespace nicsim::host {
namespace {

std::uint32_t get16(const std::uint8_t* p) {
    return (std::uint32_t{p[0]} << 8) | p[1];
}
void put16(std::uint8_t* p, std::uint32_t v) {
    p[0] = static_cast<std::uint8_t>(v >> 8);
    p[1] = static_cast<std::uint8_t>(v);
}

}  // namespace

void prepare_tso_headers(HostMemory& memory, const SkBuff& skb, TsoIpLength ip_length) {
    std::uint8_t* const h = memory.at(skb.linear.address, skb.header_bytes());
    std::uint8_t* const ip = h + skb.mac_header_bytes;
    if (ip_length == TsoIpLength::clear) put16(ip + 2, 0);
    put16(ip + 10, 0);
    std::uint8_t* const tcp = ip + skb.network_header_bytes;
    const std::uint32_t l4_length = skb.length - skb.mac_header_bytes - skb.network_header_bytes;
    std::uint32_t sum = get16(tcp + 16) + (~l4_length & 0xffffU) + (~(l4_length >> 16) & 0xffffU);
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    put16(tcp + 16, sum);
}

}  // namespace nicsim::host
