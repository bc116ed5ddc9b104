// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/ixgbe_config.h"

#include <algorithm>

#include "host_driver/drivers/ixgbe_itr.h"
#include "sim/time.h"

namespace nicsim::host {
namespace {

using Builder = sim::ParamTableBuilder<IxgbeConfig>;

void add_rings(Builder& table) {
    table
        .add("instance", &IxgbeConfig::instance,
             {.max = 31,
              .sentence = "Which of the 82599s that are found is driven.",
              .source = sim::assumed("a property of the scenario")})
        .add("queue_pairs", &IxgbeConfig::queue_pairs,
             {.min = 1,
              .max = 16,
              .sentence = "Transmit and receive queues, each pair with an interrupt vector.",
              .source = sim::driver("ixgbe_lib.c, ixgbe_set_rss_queues: as many as cores, at most "
                                    "16; ethtool -L combined")})
        .add("tx_ring", &IxgbeConfig::tx_ring,
             {.min = 64,
              .max = 4096,
              .sentence = "Descriptors of each transmit ring; a multiple of 8.",
              .source = sim::driver("ixgbe.h, IXGBE_DEFAULT_TXD, IXGBE_MIN_TXD, IXGBE_MAX_TXD")})
        .add("rx_ring", &IxgbeConfig::rx_ring,
             {.min = 64,
              .max = 4096,
              .sentence = "Descriptors of each receive ring; a multiple of 8.",
              .source = sim::driver("ixgbe.h, IXGBE_DEFAULT_RXD, IXGBE_MIN_RXD, IXGBE_MAX_RXD")})
        .add("tx_pthresh", &IxgbeConfig::tx_pthresh,
             {.min = 0,
              .max = 127,
              .sentence = "Prefetch threshold of transmit rings (TXDCTL.PTHRESH); with "
                          "tx_wthresh at most what the device has on its die.",
              .source = sim::driver("ixgbe_main.c, ixgbe_configure_tx_ring")})
        .add("tx_hthresh", &IxgbeConfig::tx_hthresh,
             {.min = 0,
              .max = 127,
              .sentence = "Host threshold of transmit rings (TXDCTL.HTHRESH).",
              .source = sim::driver("ixgbe_main.c, ixgbe_configure_tx_ring")})
        .add("tx_wthresh", &IxgbeConfig::tx_wthresh,
             {.min = 0,
              .max = 127,
              .sentence = "Write-back threshold of transmit rings (TXDCTL.WTHRESH) unless "
                          "interrupts come fast, when it is 1. 0: nothing is gathered, and only "
                          "the last descriptor of a packet, which asks for it (RS), is written.",
              .source = sim::driver("ixgbe_main.c, ixgbe_configure_tx_ring: 8; DPDK's "
                                    "ixgbe, IXGBE_DEFAULT_TX_WTHRESH: 0")});
}

void add_transmit(Builder& table) {
    table
        .add("tx_stop", &IxgbeConfig::tx_stop,
             {.min = 4,
              .max = 64,
              .sentence = "A transmit queue stops when fewer descriptors than this are free.",
              .source = sim::driver("ixgbe.h, DESC_NEEDED: MAX_SKB_FRAGS + 4")})
        .add("tx_wake", &IxgbeConfig::tx_wake,
             {.min = 4,
              .max = 4096,
              .sentence = "A stopped transmit queue runs again when as many are free.",
              .source = sim::driver("ixgbe_main.c, TX_WAKE_THRESHOLD: DESC_NEEDED * 2")})
        .add("tx_work_limit", &IxgbeConfig::tx_work_limit,
             {.min = 1,
              .max = 65535,
              .sentence = "Packets that one poll frees before it is called again.",
              .source = sim::driver("ixgbe.h, IXGBE_DEFAULT_TX_WORK")})
        .add("rx_refill_batch", &IxgbeConfig::rx_refill_batch,
             {.min = 1,
              .max = 64,
              .sentence = "Receive buffers that are given back at once while a poll goes on; the "
                          "rest follows at its end.",
              .source = sim::driver("ixgbe.h, IXGBE_RX_BUFFER_WRITE")})
        .add("tso", &IxgbeConfig::tso,
             {.sentence = "The device cuts large TCP packets (ethtool -K tso).",
              .source = sim::driver("ixgbe_main.c, ixgbe_probe: NETIF_F_TSO")})
        .add("tx_checksum", &IxgbeConfig::tx_checksum,
             {.sentence = "The device fills in checksums (ethtool -K tx).",
              .source = sim::driver("ixgbe_main.c, ixgbe_probe: NETIF_F_IP_CSUM")})
        .add("bql", &IxgbeConfig::bql,
             {.sentence = "Byte queue limits are used.",
              .source = sim::driver("ixgbe_main.c, ixgbe_tx_map, ixgbe_clean_tx_irq")})
        .add("service_task", &IxgbeConfig::service_task,
             {.sentence = "Every two seconds the statistics are read and all queues interrupt.",
              .source = sim::driver("ixgbe_main.c, ixgbe_service_task: always on")})
        .add_choice<IxgbeFlowControl>(
            "flow_control", &IxgbeConfig::flow_control,
            {{IxgbeFlowControl::none, "none"},
             {IxgbeFlowControl::rx_pause, "rx_pause"},
             {IxgbeFlowControl::tx_pause, "tx_pause"},
             {IxgbeFlowControl::full, "full"}},
            {.sentence = "Pause frames of the link (ethtool -A): obeyed with `rx_pause`, sent with "
                         "`tx_pause` when the receive packet buffer fills up, both with `full`. "
                         "With several queues and no sending, a queue without descriptors drops "
                         "its frames.",
             .source = sim::driver("ixgbe_main.c, ixgbe_sw_init: requested_mode ixgbe_fc_full; "
                                   "ixgbe_common.c, ixgbe_fc_enable_generic; "
                                   "ixgbe_set_rx_drop_en")})
        .add_choice<IxgbeDoorbell>(
            "doorbell", &IxgbeConfig::doorbell,
            {{IxgbeDoorbell::each_packet, "each_packet"}, {IxgbeDoorbell::more_hint, "more_hint"}},
            {.sentence = "When the tail register is written: after each packet, or after the last "
                         "one of a burst.",
             .source = sim::driver("ixgbe_main.c, ixgbe_tx_map: each packet until 3.17, "
                                   "xmit_more since")});
}

void add_moderation(Builder& table) {
    table
        .add_choice<IxgbeItrMode>("itr_mode", &IxgbeConfig::itr_mode,
                                  {{IxgbeItrMode::dynamic, "dynamic"},
                                   {IxgbeItrMode::fixed, "fixed"},
                                   {IxgbeItrMode::off, "off"}},
                                  {.sentence = "Interrupt moderation (rx-usecs 1, N or 0).",
                                   .source = sim::driver("ixgbe_main.c, ixgbe_sw_init: "
                                                         "rx_itr_setting 1")})
        .add_choice<IxgbeItrAlgorithm>(
            "itr_algorithm", &IxgbeConfig::itr_algorithm,
            {{IxgbeItrAlgorithm::bytes_per_us, "bytes_per_us"},
             {IxgbeItrAlgorithm::packets, "packets"}},
            {.sentence = "What itr_mode dynamic goes by: classes of bytes per microsecond, or the "
                         "packets of an interval.",
             .source = sim::driver("ixgbe_main.c, ixgbe_update_itr: until Linux 4.14, since "
                                   "4.15")})
        .add("itr_interval", &IxgbeConfig::itr_interval,
             {.unit = sim::Unit::time,
              .min = 2e6,
              .max = 1.022e9,
              .sentence = "Time between interrupts with itr_mode fixed; the device counts it in "
                          "whole units of 2.048 us.",
              .source = sim::driver("ixgbe_ethtool.c, ixgbe_set_coalesce: 2 to 1022 us")})
        .add("itr_bulk", &IxgbeConfig::itr_bulk,
             {.min = ixgbe::itr_20k,
              .max = 4080,
              .sentence = "Interval aimed at under bulk traffic with itr_mode dynamic, in quarter "
                          "microseconds.",
              .source = sim::driver("ixgbe.h, IXGBE_8K_ITR: 500; since 2015 IXGBE_12K_ITR: 336")});
}

}  // namespace

const sim::ParamTable& IxgbeConfig::params() {
    static const sim::ParamTable table = [] {
        Builder builder;
        add_rings(builder);
        add_transmit(builder);
        add_moderation(builder);
        return builder.build();
    }();
    return table;
}

std::string IxgbeConfig::check() const {
    if (tx_ring % 8 != 0) return "tx_ring: " + std::to_string(tx_ring) + " is not a multiple of 8";
    if (rx_ring % 8 != 0) return "rx_ring: " + std::to_string(rx_ring) + " is not a multiple of 8";
    if (tx_wake < tx_stop)
        return "tx_wake: " + std::to_string(tx_wake) + " is below tx_stop, " +
               std::to_string(tx_stop);
    if (tx_wake >= tx_ring)
        return "tx_wake: a ring of " + std::to_string(tx_ring) + " never has " +
               std::to_string(tx_wake) + " descriptors free";
    if (itr_algorithm == IxgbeItrAlgorithm::packets && itr_bulk != default_itr_bulk)
        return "itr_bulk: there is no such interval with itr_algorithm packets";
    return {};
}

std::uint32_t IxgbeConfig::first_itr() const {
    switch (itr_mode) {
        case IxgbeItrMode::off:
            return 0;
        case IxgbeItrMode::fixed:
            return static_cast<std::uint32_t>(itr_interval / sim::ps_per_us) << 2;
        case IxgbeItrMode::dynamic:
            break;
    }
    return ixgbe::itr_20k;
}

std::uint32_t IxgbeConfig::wthresh_for(std::uint32_t itr) const {
    constexpr std::uint32_t fast_without_bql = 8;
    const std::uint32_t fast = bql ? ixgbe::itr_100k : fast_without_bql;
    const auto set = static_cast<std::uint32_t>(tx_wthresh);
    return itr < fast ? std::min(set, 1U) : set;
}

}  // namespace nicsim::host
