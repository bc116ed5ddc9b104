// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/config.h"

#include "sim/mac_address.h"

namespace nicsim::models::i82599 {

using sim::assumed;
using sim::datasheet;
using sim::driver;
using sim::Unit;

namespace {

using Table = sim::ParamTableBuilder<I82599Config>;

void add_board(Table& table) {
    table
        .add_choice("board", &I82599Config::board, {{Board::kx4, "kx4"}, {Board::sfp, "sfp"}},
                    {.sentence = "What the port is wired to: a backplane (device id 0x10F7) or an "
                                 "SFP+ cage with a short-range module (0x10FB).",
                     .source = driver("Linux ixgbe, ixgbe_type.h, IXGBE_DEV_ID_82599_*")})
        .add("link_speed", &I82599Config::link_speed,
             {.unit = Unit::bit_rate,
              .allowed = {1e9, 10e9},
              .sentence = "Speed of the link, full duplex.",
              .source = datasheet("82599 8.2.3.22.20 (LINKS)")})
        .add("mac_address", &I82599Config::mac_address,
             {.text_check = sim::mac_address_error,
              .sentence = "Ethernet address in the EEPROM, loaded into RAL0/RAH0 at every reset.",
              .source = assumed("a locally administered address; boards have their own")})
        .add("link_time", &I82599Config::link_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e12,
              .sentence = "From a restart of the link (AUTOC) to link up; 0 keeps the link up.",
              .source = assumed("milliseconds on a board, in which nothing of interest happens")});
}

void add_rings(Table& table) {
    table
        .add("queues", &I82599Config::queues,
             {.min = 1,
              .max = 128,
              .sentence = "Transmit queues, and as many receive queues, that carry traffic. The "
                          "registers of all 128 are there; ENABLE of the others stays 0.",
              .source = assumed("statistics and signals of 128 queues that no driver uses would "
                                "bury the rest; the device has 128")})
        .add("tx_descriptor_cache", &I82599Config::tx_descriptor_cache,
             {.min = 1,
              .max = 64,
              .sentence = "On-die transmit descriptors per queue.",
              .source = driver("Linux ixgbe, ixgbe_configure_tx_ring (PTHRESH + WTHRESH <= 40)")})
        .add("tx_waiting_hold_places", &I82599Config::tx_waiting_hold_places,
             {.sentence = "Finished descriptors that wait for write-back hold places of the "
                          "descriptor cache, and as many are kept for those being worked on as "
                          "WTHRESH lets wait.",
              .source = sim::datasheet("of the siblings, the 82599's was not read: 82598EB "
                                       "4.4.3.5.6, WTHRESH counts descriptors in the on-chip "
                                       "buffer; X550 (333369) 7.2.3.4.1, PTHRESH + WTHRESH must "
                                       "not be greater than that buffer")})
        .add("rx_descriptor_cache", &I82599Config::rx_descriptor_cache,
             {.min = 1,
              .max = 64,
              .sentence = "On-die receive descriptors per queue.",
              .source = assumed("not published; as on the transmit side")})
        .add("rx_prefetch", &I82599Config::rx_prefetch,
             {.min = 1,
              .max = 64,
              .sentence = "Receive descriptors are read ahead when fewer are on the die.",
              .source = assumed("not published, RXDCTL has no PTHRESH on this device; as the "
                                "driver sets it on the transmit side")})
        .add("rx_writeback", &I82599Config::rx_writeback,
             {.min = 1,
              .max = 32,
              .sentence = "Finished receive descriptors that are gathered for one write-back; EITR "
                          "flushes what is left.",
              .source = assumed("not published; 1 as the sibling 82598's default (its datasheet, "
                                "RXDCTL.WTHRESH)")});
}

void add_die(Table& table) {
    table
        .add("register_access_time", &I82599Config::register_access_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e6,
              .sentence = "From a register access at the device to its answer.",
              .source = assumed("not published; it is small beside the way over PCIe")})
        .add("tx_descriptor_reads_in_flight", &I82599Config::tx_descriptor_reads_in_flight,
             {.min = 1,
              .max = 32,
              .sentence = "Transmit-descriptor reads in flight, at most one for each queue.",
              .source = assumed("not published; one is enough for one queue at line rate")})
        .add("rx_descriptor_reads_in_flight", &I82599Config::rx_descriptor_reads_in_flight,
             {.min = 1,
              .max = 32,
              .sentence = "Receive-descriptor reads in flight, at most one for each queue.",
              .source = assumed("not published; as on the transmit side")})
        .add("tx_data_reads_in_flight", &I82599Config::tx_data_reads_in_flight,
             {.min = 1,
              .max = 256,
              .sentence = "Read requests for packet data in flight at once. DTXMXSZRQ limits their "
                          "bytes besides.",
              .source = assumed("not published; with descriptor reads it makes up the 32 tags of a "
                                "device without extended tags, and 24 reads in 1.6 us are 64-byte "
                                "line rate, which the device is known to reach")})
        .add("max_read_request", &I82599Config::max_read_request,
             {.unit = Unit::bytes,
              .allowed = {128, 256, 512, 1024, 2048, 4096},
              .sentence = "Longest read request, whatever larger value the bus allows.",
              .source = assumed("not published; as the sibling I210 (its datasheet, 3.1.4.2.2)")})
        .add("rx_phy_latency", &I82599Config::rx_phy_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From the wire through the PHY to the MAC.",
              .source = assumed("not published")})
        .add("rx_store_latency", &I82599Config::rx_store_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From a frame's last bit in the MAC to the start of its DMA.",
              .source = assumed("not published; the frame is stored completely first")});
}

void add_bus(Table& table) {
    table
        .add("posted_header_credits", &I82599Config::posted_header_credits,
             {.min = 1,
              .max = 127,
              .sentence = "Posted-header credits that the device advertises.",
              .source = assumed("not published; doorbells must not stall at one per packet")})
        .add("posted_data_credits", &I82599Config::posted_data_credits,
             {.min = 32,
              .max = 2047,
              .sentence = "Posted-data credits that the device advertises (16 bytes each).",
              .source = assumed("not published; two payloads of its largest size, 512 bytes")})
        .add("nonposted_header_credits", &I82599Config::nonposted_header_credits,
             {.min = 1,
              .max = 127,
              .sentence = "Non-posted header credits that the device advertises, and as many for "
                          "data.",
              .source = assumed("not published; as the sibling I210 (its datasheet, table 3-9)")});
}

}  // namespace

const sim::ParamTable& I82599Config::params() {
    static const sim::ParamTable table = [] {
        Table builder;
        add_board(builder);
        add_rings(builder);
        add_die(builder);
        add_bus(builder);
        return builder.build();
    }();
    return table;
}

std::array<std::uint8_t, 6> I82599Config::mac_bytes() const {
    return sim::parse_mac_address(mac_address);
}

}  // namespace nicsim::models::i82599
