// SPDX-License-Identifier: Apache-2.0
#include "host_driver/sk_buff.h"

namespace nicsim::host {

sim::Pool<SkBuff>& skb_pool() {
    static auto* pool = new sim::Pool<SkBuff>;
    return *pool;
}

void disown_skbs(const SkbOwner& owner) {
    skb_pool().for_each([&owner](SkBuff& skb) {
        if (skb.owner == &owner) skb.owner = nullptr;
    });
}

}  // namespace nicsim::host
