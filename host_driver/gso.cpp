// SPDX-License-Identifier: Apache-2.0
#include "host_driver/gso.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace nicsim::host {
namespace {

constexpr std::uint8_t tcp_fin = 0x01;
constexpr std::uint8_t tcp_psh = 0x08;
constexpr std::uint8_t tcp_cwr = 0x80;

std::uint32_t get16(const std::uint8_t* p) {
    return (std::uint32_t{p[0]} << 8) | p[1];
}
void put16(std::uint8_t* p, std::uint32_t v) {
    p[0] = static_cast<std::uint8_t>(v >> 8);
    p[1] = static_cast<std::uint8_t>(v);
}
std::uint32_t get32(const std::uint8_t* p) {
    return (get16(p) << 16) | get16(p + 2);
}
void put32(std::uint8_t* p, std::uint32_t v) {
    put16(p, v >> 16);
    put16(p + 2, v & 0xffffU);
}
std::uint32_t fold(std::uint32_t sum) {
    while (sum >> 16) sum = (sum & 0xffffU) + (sum >> 16);
    return sum;
}
/// A checksum field that covers a 16-bit word which changes (RFC 1624), not complemented.
std::uint32_t replace_in_sum(std::uint32_t sum, std::uint32_t before, std::uint32_t after) {
    return fold(sum + (~before & 0xffffU) + after);
}

/// Walks the payload of a packet: the rest of the linear part, then the fragments.
class Payload {
public:
    Payload(const SkBuff& skb, std::uint32_t headers) : skb_(skb) {
        rest_ = {skb.linear.address + headers, skb.linear.length - headers};
    }
    /// Makes the next `bytes` the fragments of `part`.
    void take(SkBuff& part, std::uint32_t bytes) {
        while (bytes > 0) {
            while (rest_.length == 0) rest_ = skb_.frags.at(next_++);
            const std::uint32_t n = std::min(bytes, rest_.length);
            part.frags.at(part.frag_count++) = {rest_.address, n};
            rest_.address += n;
            rest_.length -= n;
            bytes -= n;
        }
    }

private:
    const SkBuff& skb_;
    Fragment rest_;
    unsigned next_ = 0;
};

}  // namespace

void GsoCutter::cut(Core& core, const SkbPtr& skb, std::vector<SkbPtr>& parts) {
    const std::uint32_t headers = skb->header_bytes();
    if (!skb->is_gso() || skb->l4 != L4::tcp) {
        parts.push_back(skb);
        return;
    }
    const std::uint8_t* source = memory_.at(skb->linear.address, skb->linear.length);
    if (headers > header_room || skb->linear.length < headers ||
        (source[skb->mac_header_bytes] >> 4) != 4)
        throw std::invalid_argument("software segmentation: not an IPv4 TCP packet");
    const std::uint32_t l4 = std::uint32_t{skb->mac_header_bytes} + skb->network_header_bytes;
    const std::uint32_t payload = skb->length - headers;
    const std::uint32_t whole_l4_length = skb->length - l4;
    Payload walk(*skb, headers);
    for (std::uint32_t done = 0, n = 0; done < payload; ++n) {
        const std::uint32_t bytes = std::min<std::uint32_t>(skb->gso_size, payload - done);
        const bool last = done + bytes == payload;
        core.charge(Op::gso_segment);
        SkbPtr part = skb_pool().make();
        part->linear = {headers_.take(), headers};
        std::uint8_t* const h = memory_.at(part->linear.address, headers);
        std::memcpy(h, source, headers);

        std::uint8_t* const ip = h + skb->mac_header_bytes;
        put16(ip + 2, headers - skb->mac_header_bytes + bytes);
        put16(ip + 4, get16(ip + 4) + n);
        put16(ip + 10, 0);
        std::uint32_t sum = 0;
        for (unsigned i = 0; i < skb->network_header_bytes; i += 2) sum += get16(ip + i);
        put16(ip + 10, ~fold(sum) & 0xffffU);

        std::uint8_t* const tcp = h + l4;
        put32(tcp + 4, get32(tcp + 4) + done);
        if (!last) tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~(tcp_fin | tcp_psh));
        if (n != 0) tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~tcp_cwr);
        // Partial checksum: the pseudo header's sum with this part's length.
        put16(tcp + 16,
              replace_in_sum(get16(tcp + 16), whole_l4_length & 0xffffU, headers - l4 + bytes));

        walk.take(*part, bytes);
        part->length = headers + bytes;
        part->truesize = part->length;
        part->mac_header_bytes = skb->mac_header_bytes;
        part->network_header_bytes = skb->network_header_bytes;
        part->transport_header_bytes = skb->transport_header_bytes;
        part->l4 = skb->l4;
        part->checksum_partial = skb->checksum_partial;
        part->priority = skb->priority;
        part->hash = skb->hash;
        part->queue = skb->queue;
        part->transmit_time = skb->transmit_time;
        part->handed_over = skb->handed_over;
        part->owner = this;
        part->parent = skb;
        parts.push_back(std::move(part));
        done += bytes;
    }
}

}  // namespace nicsim::host
