// SPDX-License-Identifier: Apache-2.0
#include "host_driver/sk_buff.h"

namespace nicsim::host {

sim::Pool<SkBuff>& skb_pool() {
    static auto* pool = new sim::Pool<SkBuff>;
    return *pool;
}

}  // namespace nicsim::host
