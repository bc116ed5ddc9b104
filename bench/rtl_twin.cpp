// SPDX-License-Identifier: Apache-2.0
#include "bench/rtl_twin.h"

#include "models/rtl/blocks.h"
#include "tests/models/tx_bench.h"

namespace nicsim::bench {

using models::i210::TxBench;

Cost measure_transmit(bool rtl, std::uint32_t length, std::uint64_t frames) {
    return run_isolated([=] {
        constexpr unsigned queue = 3, ring = 256, igb_max_packet = 63;
        constexpr sim::Ps slice = 50 * sim::ps_per_us;
        TxBench bench(
            "bench", rtl ? models::rtl::i210_blocks({"tx_packet_buffer"}) : models::i210::Blocks{});
        bench.start();
        bench.use_pcie_like_bus(700 * sim::ps_per_ns);
        bench.bus.record = bench.wire.record = false;
        bench.qav({6, 6, 6, 6}, igb_max_packet,
                  models::i210::tqavctrl::TRANSMIT_MODE | models::i210::tqavctrl::DATA_TRAN_TIM |
                      models::i210::tqavctrl::SP_WAIT_SR);
        bench.make_sr(0);
        bench.enable_queue(queue, ring);
        const models::i210::Bytes frame = models::i210::make_frame(length, 1);
        const double before = cpu_seconds_now();
        while (bench.wire.frames < frames) {
            bench.clean(queue);
            while (bench.unused(queue) > 0) bench.post(queue, frame);
            bench.kick(queue);
            TxBench::run_for(slice);
        }
        Cost cost;
        cost.packets = bench.wire.frames;
        cost.cpu_seconds = cpu_seconds_now() - before;
        return cost;
    });
}

}  // namespace nicsim::bench
