// SPDX-License-Identifier: Apache-2.0
#include "models/i210/config.h"

#include "sim/mac_address.h"

namespace nicsim::models::i210 {

using sim::assumed;
using sim::datasheet;
using sim::driver;
using sim::Unit;

namespace {

void add_board(sim::ParamTableBuilder<I210Config>& table) {
    table
        .add("link_speed", &I210Config::link_speed,
             {.unit = Unit::bit_rate,
              .allowed = {10e6, 100e6, 1e9},
              .sentence = "Speed that auto-negotiation ends with, full duplex. Qav mode needs "
                          "100 Mbit/s or more.",
              .source = datasheet("I210 1.3.1 (p. 9)")})
        .add("mac_address", &I210Config::mac_address,
             {.text_check = sim::mac_address_error,
              .sentence = "Ethernet address in the NVM, loaded into RAL0/RAH0 at every reset.",
              .source = assumed("a locally administered address; boards have their own")})
        .add_choice("nvm", &I210Config::nvm, {{NvmKind::flash, "flash"}, {NvmKind::invm, "invm"}},
                    {.sentence = "Where the NVM words are: an external flash (device id 0x1533) or "
                                 "the on-die memory (0x157B).",
                     .source = datasheet("I210 3.3 and 6")})
        .add("auto_negotiation_time", &I210Config::auto_negotiation_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e12,
              .sentence = "From a PHY reset to link up; 0 keeps the link up over resets.",
              .source = assumed("1000BASE-T needs 2-3 s, in which nothing of interest happens")})
        .add("systim_start", &I210Config::systim_start,
             {.unit = Unit::time,
              .min = 0,
              .sentence = "What SYSTIM shows at simulated time 0.",
              .source = assumed("second 0, so that times of a scenario are launch times")});
}

void add_die(sim::ParamTableBuilder<I210Config>& table) {
    table
        .add("register_access_time", &I210Config::register_access_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e6,
              .sentence = "From a register access at the device to its answer.",
              .source = assumed("not published; it is small beside the way over PCIe")})
        .add("tx_descriptor_cache", &I210Config::tx_descriptor_cache,
             {.min = 1,
              .max = 24,
              .sentence = "On-die transmit descriptors per queue.",
              .source = datasheet("I210 7.2.1.3 (p. 286)")})
        .add("rx_descriptor_cache", &I210Config::rx_descriptor_cache,
             {.min = 1,
              .max = 16,
              .sentence = "On-die receive descriptors per queue.",
              .source = datasheet("I210 7.1.3.3 (p. 265)")})
        .add("tx_data_reads_in_flight", &I210Config::tx_data_reads_in_flight,
             {.min = 1,
              .max = 32,
              .sentence = "Read requests for packet data in flight at once.",
              .source = datasheet("I210 3.1.4.2.2 (p. 40)")})
        .add("max_read_request", &I210Config::max_read_request,
             {.unit = Unit::bytes,
              .allowed = {128, 256, 512, 1024, 2048},
              .sentence = "Longest read request, whatever larger value the bus allows.",
              .source = datasheet("I210 3.1.4.2.2 (p. 41)")})
        .add("rx_phy_latency", &I210Config::rx_phy_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From the wire through the PHY to the MAC.",
              .source = driver("Linux igb, IGB_I210_RX_LATENCY_1000 (at 100 Mbit/s: 2213 ns, "
                               "datasheet table 7-62)")})
        .add("rx_store_latency", &I210Config::rx_store_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From a frame's last bit in the MAC to the start of its DMA.",
              .source = assumed("not published; the frame is stored completely first")});
}

}  // namespace

const sim::ParamTable& I210Config::params() {
    static const sim::ParamTable table = [] {
        sim::ParamTableBuilder<I210Config> builder;
        add_board(builder);
        add_die(builder);
        return builder.build();
    }();
    return table;
}

std::array<std::uint8_t, 6> I210Config::mac_bytes() const {
    return sim::parse_mac_address(mac_address);
}

}  // namespace nicsim::models::i210
