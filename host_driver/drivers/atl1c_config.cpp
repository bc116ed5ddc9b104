// SPDX-License-Identifier: Apache-2.0
#include "host_driver/drivers/atl1c_config.h"

namespace nicsim::host {
namespace {

using Builder = sim::ParamTableBuilder<Atl1cConfig>;

void add_rings(Builder& table) {
    table
        .add("instance", &Atl1cConfig::instance,
             {.max = 31,
              .sentence = "Which of the AR8151s that are found is driven.",
              .source = sim::assumed("a property of the scenario")})
        .add("queues", &Atl1cConfig::queues,
             {.allowed = {1, 4},
              .sentence = "Queues each way; more than one needs MikroTik's card.",
              .source = sim::driver("atl1c_main.c, atl1c_set_mac_type: 4 on MikroTik's card since "
                                    "June 2021, 1 before and on all others")})
        .add("tx_ring", &Atl1cConfig::tx_ring,
             {.min = 32,
              .max = 65535,
              .sentence = "Descriptors (TPDs) of each transmit ring.",
              .source = sim::driver("atl1c_main.c, atl1c_sw_init: tpd_ring count 1024; the ring "
                                    "size register has 16 bits")})
        .add("rx_ring", &Atl1cConfig::rx_ring,
             {.min = 16,
              .max = 4095,
              .sentence = "Descriptors of each ring of free buffers (RFDs) and of each return ring "
                          "(RRDs).",
              .source = sim::driver("atl1c_main.c, atl1c_sw_init: rfd_ring count 512; the ring "
                                    "size registers have 12 bits")})
        .add("tpd_burst", &Atl1cConfig::tpd_burst,
             {.min = 1,
              .max = 15,
              .sentence = "Transmit descriptors that the device fetches at once.",
              .source = sim::driver("atl1c_hw.h, TXQ_NUM_TPD_BURST_DEF")})
        .add("rfd_burst", &Atl1cConfig::rfd_burst,
             {.min = 1,
              .max = 63,
              .sentence = "Receive descriptors that the device fetches at once.",
              .source = sim::driver("atl1c_hw.h, RXQ_NUM_RFD_PREF_DEF")})
        .add("promiscuous", &Atl1cConfig::promiscuous,
             {.sentence = "Frames for any address are received, as a port of a bridge does.",
              .source = sim::driver("atl1c_main.c, atl1c_set_multi: IFF_PROMISC")})
        .add("all_multicast", &Atl1cConfig::all_multicast,
             {.sentence = "Frames for any group are received, as a multicast router does.",
              .source = sim::driver("atl1c_main.c, atl1c_set_multi: IFF_ALLMULTI")})
        .add("statistics_interval", &Atl1cConfig::statistics_interval,
             {.unit = sim::Unit::time,
              .max = 1e15,
              .sentence = "How often somebody asks for the counters of the interface, for which 49 "
                          "registers are read; 0: nobody does.",
              .source = sim::driver("atl1c_main.c, atl1c_get_stats, atl1c_update_hw_stats")});
}

void add_interrupts(Builder& table) {
    table
        .add("tx_imt", &Atl1cConfig::tx_imt,
             {.min = 0,
              .max = 65535,
              .sentence = "Transmit interrupt moderation timer, in units of 2 us.",
              .source = sim::driver("atl1c_main.c, atl1c_sw_init: tx_imt 1000")})
        .add("rx_imt", &Atl1cConfig::rx_imt,
             {.min = 0,
              .max = 65535,
              .sentence = "Receive interrupt moderation timer, in units of 2 us.",
              .source = sim::driver("atl1c_main.c, atl1c_sw_init: rx_imt 200")})
        .add("interrupt_clear_timer", &Atl1cConfig::interrupt_clear_timer,
             {.min = 0,
              .max = 65535,
              .sentence = "Time after which the device raises an interrupt again whose cause still "
                          "stands, in units of 2 us.",
              .source = sim::driver("atl1c_main.c, atl1c_sw_init: ict 50000")})
        .add("threaded_napi", &Atl1cConfig::threaded_napi,
             {.sentence = "Poll functions run in threads instead of the softirq.",
              .source = sim::driver("atl1c_main.c, atl1c_probe: dev_set_threaded, April 2021")});
}

void add_transmit(Builder& table) {
    table
        .add_choice<Atl1cDoorbell>(
            "doorbell", &Atl1cConfig::doorbell,
            {{Atl1cDoorbell::each, "each"}, {Atl1cDoorbell::batched, "batched"}},
            {.sentence = "When the producer index is written: after each packet, or after the last "
                         "one of a burst.",
             .source = sim::driver("atl1c_main.c, atl1c_xmit_frame: each packet until 5.13, "
                                   "__netdev_tx_sent_queue since (patch of May 2021)")})
        .add("tso", &Atl1cConfig::tso,
             {.sentence = "The device cuts large TCP packets (ethtool -K tso).",
              .source = sim::driver("atl1c_main.c, atl1c_init_netdev: NETIF_F_TSO")})
        .add("tx_checksum", &Atl1cConfig::tx_checksum,
             {.sentence = "The device fills in checksums (ethtool -K tx).",
              .source = sim::driver("atl1c_main.c, atl1c_init_netdev: NETIF_F_HW_CSUM")})
        .add("bql", &Atl1cConfig::bql,
             {.sentence = "Byte queue limits are used.",
              .source = sim::driver("atl1c_main.c, atl1c_xmit_frame, atl1c_clean_tx")});
}

}  // namespace

const sim::ParamTable& Atl1cConfig::params() {
    static const sim::ParamTable table = [] {
        Builder builder;
        add_rings(builder);
        add_interrupts(builder);
        add_transmit(builder);
        return builder.build();
    }();
    return table;
}

std::string Atl1cConfig::check() const {
    if (tso && !tx_checksum) return "tso: needs tx_checksum";
    return {};
}

}  // namespace nicsim::host
