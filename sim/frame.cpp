// SPDX-License-Identifier: Apache-2.0
#include "sim/frame.h"

namespace nicsim::sim {

Pool<Frame>& frame_pool() {
    static auto* pool = new Pool<Frame>;  // outlives every holder on purpose
    return *pool;
}

}  // namespace nicsim::sim
