// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/igb_config.h"

#include <numeric>

namespace nicsim::host {
namespace {

constexpr std::uint64_t tx_memory = 24 * 1024;

sim::ChoiceNames<IgbItrMode> itr_modes() {
    return {{IgbItrMode::dynamic_conservative, "dynamic_conservative"},
            {IgbItrMode::dynamic, "dynamic"},
            {IgbItrMode::fixed, "fixed"},
            {IgbItrMode::off, "off"}};
}

}  // namespace

const sim::ParamTable& IgbConfig::params() {
    using sim::ParamSpec;
    const auto threshold = [](const char* sentence, const char* symbol) {
        return ParamSpec{.min = 0,
                         .max = 31,
                         .sentence = sentence,
                         .source = sim::driver(std::string("igb.h, ") + symbol)};
    };
    static const sim::ParamTable table =
        sim::ParamTableBuilder<IgbConfig>()
            .add("instance", &IgbConfig::instance,
                 {.max = 31,
                  .sentence = "Which of the I210s that are found is driven.",
                  .source = sim::assumed("a property of the scenario")})
            .add("queue_pairs", &IgbConfig::queue_pairs,
                 {.allowed = {1, 2, 3, 4},
                  .sentence = "Transmit and receive queues. With 3 or 4 each pair has an interrupt "
                              "vector, with 1 or 2 each queue.",
                  .source = sim::driver("igb_main.c, igb_init_queue_configuration: as many as "
                                        "cores, at most 4 (ethtool -L combined); "
                                        "igb_set_flag_queue_pairs")})
            .add("tx_ring", &IgbConfig::tx_ring,
                 {.min = 80,
                  .max = 4096,
                  .sentence = "Descriptors of each transmit ring; a multiple of 8.",
                  .source = sim::driver("igb.h, IGB_DEFAULT_TXD, IGB_MIN_TXD, IGB_MAX_TXD")})
            .add("rx_ring", &IgbConfig::rx_ring,
                 {.min = 80,
                  .max = 4096,
                  .sentence = "Descriptors of each receive ring; a multiple of 8.",
                  .source = sim::driver("igb.h, IGB_DEFAULT_RXD, IGB_MIN_RXD, IGB_MAX_RXD")})
            .add("tx_pthresh", &IgbConfig::tx_pthresh,
                 threshold("Prefetch threshold of transmit rings (TXDCTL.PTHRESH).",
                           "IGB_TX_PTHRESH"))
            .add("tx_hthresh", &IgbConfig::tx_hthresh,
                 threshold("Host threshold of transmit rings (TXDCTL.HTHRESH).", "IGB_TX_HTHRESH"))
            .add("tx_wthresh", &IgbConfig::tx_wthresh,
                 threshold("Write-back threshold of transmit rings (TXDCTL.WTHRESH).",
                           "IGB_TX_WTHRESH"))
            .add("rx_pthresh", &IgbConfig::rx_pthresh,
                 threshold("Prefetch threshold of receive rings (RXDCTL.PTHRESH).",
                           "IGB_RX_PTHRESH"))
            .add("rx_hthresh", &IgbConfig::rx_hthresh,
                 threshold("Host threshold of receive rings (RXDCTL.HTHRESH).", "IGB_RX_HTHRESH"))
            .add("rx_wthresh", &IgbConfig::rx_wthresh,
                 threshold("Write-back threshold of receive rings (RXDCTL.WTHRESH).",
                           "IGB_RX_WTHRESH"))
            .add("tx_stop", &IgbConfig::tx_stop,
                 {.min = 4,
                  .max = 64,
                  .sentence = "A transmit queue stops when fewer descriptors than this are free.",
                  .source = sim::driver("igb.h, DESC_NEEDED: MAX_SKB_FRAGS + 4")})
            .add("tx_wake", &IgbConfig::tx_wake,
                 {.min = 4,
                  .max = 4096,
                  .sentence = "A stopped transmit queue runs again when as many are free.",
                  .source = sim::driver("igb.h, TX_WAKE_THRESHOLD: DESC_NEEDED * 2")})
            .add("tx_work_limit", &IgbConfig::tx_work_limit,
                 {.min = 1,
                  .max = 4096,
                  .sentence = "Packets that one poll frees.",
                  .source = sim::driver("igb.h, IGB_DEFAULT_TX_WORK")})
            .add("rx_refill_batch", &IgbConfig::rx_refill_batch,
                 {.min = 1,
                  .max = 64,
                  .sentence =
                      "Receive buffers that are given back at once while a poll goes on; the "
                      "rest follows at its end.",
                  .source = sim::driver("igb.h, IGB_RX_BUFFER_WRITE")})
            .add("tso", &IgbConfig::tso,
                 {.sentence = "The device cuts large TCP packets (ethtool -K tso).",
                  .source = sim::driver("igb_main.c, igb_probe: NETIF_F_TSO")})
            .add("tx_checksum", &IgbConfig::tx_checksum,
                 {.sentence = "The device fills in checksums (ethtool -K tx).",
                  .source = sim::driver("igb_main.c, igb_probe: NETIF_F_HW_CSUM")})
            .add("bql", &IgbConfig::bql,
                 {.sentence = "Byte queue limits are used.",
                  .source = sim::driver("igb_main.c, igb_tx_map, igb_clean_tx_irq")})
            .add("watchdog", &IgbConfig::watchdog,
                 {.sentence = "Every two seconds the statistics are read, all queues interrupt and "
                              "queues that hang are looked for.",
                  .source = sim::driver("igb_main.c, igb_watchdog_task: always on")})
            .add_choice<IgbDoorbell>(
                "doorbell", &IgbConfig::doorbell,
                {{IgbDoorbell::more_hint, "more_hint"}, {IgbDoorbell::each_packet, "each_packet"}},
                {.sentence = "When the tail register is written: after the "
                             "last packet of a burst, or after each.",
                 .source = sim::driver("igb_main.c, igb_tx_map: "
                                       "netdev_xmit_more")})
            .add_choice<IgbItrMode>("itr_mode", &IgbConfig::itr_mode, itr_modes(),
                                    {.sentence = "Interrupt moderation (rx-usecs 3, 1, N or 0).",
                                     .source = sim::driver("igb.h, IGB_DEFAULT_ITR: 3")})
            .add("itr_interval", &IgbConfig::itr_interval,
                 {.unit = sim::Unit::time,
                  .min = 1e7,
                  .max = 8.191e9,
                  .sentence = "Time between interrupts with itr_mode fixed.",
                  .source = sim::driver("igb_ethtool.c, igb_set_coalesce: 10 to 8191 us")})
            .add_choice<IgbItrMode>(
                "tx_itr_mode", &IgbConfig::tx_itr_mode, itr_modes(),
                {.sentence = "Moderation of vectors that only transmit (tx-usecs 3, 1, N or 0).",
                 .source = sim::driver("igb.h, IGB_DEFAULT_ITR: 3")})
            .add("tx_itr_interval", &IgbConfig::tx_itr_interval,
                 {.unit = sim::Unit::time,
                  .min = 1e7,
                  .max = 8.191e9,
                  .sentence = "Time between their interrupts with tx_itr_mode fixed.",
                  .source = sim::driver("igb_ethtool.c, igb_set_coalesce: 10 to 8191 us")})
            .add("tx_packet_buffer", &IgbConfig::tx_packet_buffer,
                 {.unit = sim::Unit::bytes,
                  .min = 1024,
                  .max = 24 * 1024,
                  .min_items = 4,
                  .max_items = 4,
                  .sentence = "Transmit packet buffer of each queue in Qav mode, whole KiB, "
                              "together at most 24 KiB.",
                  .source = sim::driver("e1000_defines.h, I210_TXPBSIZE_PB0_6KB ...; before the "
                                        "patch of February 2021: 8, 8, 4, 4 KiB")})
            .add("max_tx_packet", &IgbConfig::max_tx_packet,
                 {.unit = sim::Unit::bytes,
                  .min = 64,
                  .max = 9728,
                  .sentence = "Largest packet that the device must be ready for in Qav mode "
                              "(DTXMXPKTSZ), a multiple of 64 bytes.",
                  .source = sim::driver("igb_main.c, igb_setup_tx_mode: (4096 - 1) / 64 units")})
            .build();
    return table;
}

std::string IgbConfig::check() const {
    if (tx_ring % 8 != 0) return "tx_ring: " + std::to_string(tx_ring) + " is not a multiple of 8";
    if (rx_ring % 8 != 0) return "rx_ring: " + std::to_string(rx_ring) + " is not a multiple of 8";
    if (!split_vectors() && tx_itr_mode != IgbItrMode::dynamic_conservative)
        return "tx_itr_mode: with " + std::to_string(queue_pairs) +
               " queue pairs transmit shares the vectors of receive, and itr_mode is for both";
    if (tx_wake < tx_stop)
        return "tx_wake: " + std::to_string(tx_wake) + " is below tx_stop, " +
               std::to_string(tx_stop);
    for (const std::uint64_t bytes : tx_packet_buffer) {
        if (bytes % 1024 != 0)
            return "tx_packet_buffer: " + std::to_string(bytes) +
                   " B is not a whole number of KiB, which TXPBSIZE counts in";
    }
    const std::uint64_t sum =
        std::accumulate(tx_packet_buffer.begin(), tx_packet_buffer.end(), std::uint64_t{0});
    if (sum > tx_memory)
        return "tx_packet_buffer: the four buffers take " + std::to_string(sum) +
               " B together; the device has " + std::to_string(tx_memory) + " B (24 KiB) for them";
    if (max_tx_packet % 64 != 0)
        return "max_tx_packet: " + std::to_string(max_tx_packet) +
               " B is not a multiple of 64 B, which DTXMXPKTSZ counts in";
    return {};
}

}  // namespace nicsim::host
