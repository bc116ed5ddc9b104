// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/config.h"

#include "sim/mac_address.h"
#include "sim/units.h"

namespace nicsim::models::ar8151 {

using sim::assumed;
using sim::driver;
using sim::Unit;

namespace {

template <class Config>
using Table = sim::ParamTableBuilder<Config>;

template <class Config>
void add_board(Table<Config>& table, const std::vector<double>& speeds,
               const sim::Source& speed_source) {
    table
        .add("link_speed", &Config::link_speed,
             {.unit = Unit::bit_rate,
              .allowed = speeds,
              .sentence = "Speed of the link, full duplex.",
              .source = speed_source})
        .add("mac_address", &Config::mac_address,
             {.text_check = sim::mac_address_error,
              .sentence = "Ethernet address that MAC_STA_ADDR holds after power-up.",
              .source = assumed("a locally administered address; boards have their own")})
        .add("auto_negotiation_time", &Config::auto_negotiation_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e12,
              .sentence = "From a restart of the link to link up; 0 keeps the link up.",
              .source = assumed("seconds on a board, in which nothing of interest happens")});
}

template <class Config>
void add_die(Table<Config>& table, const sim::Source& reads, const sim::Source& tx_fifo,
             const sim::Source& rx_fifo) {
    table
        .add("register_access_time", &Config::register_access_time,
             {.unit = Unit::time,
              .min = 0,
              .max = 10e6,
              .sentence = "From a register access at the device to its answer.",
              .source = assumed("not published; it is small beside the way over PCIe")})
        .add("tpd_cache", &Config::tpd_cache,
             {.min = 16,
              .max = 128,
              .sentence = "Transmit descriptors on the die, per queue.",
              .source = assumed("SRAM_TRD_ADDR of the sibling AR8152 leaves 32 places of 8 bytes "
                                "for two queues; more, so that a packet of 18 fragments fits")})
        .add("rfd_cache", &Config::rfd_cache,
             {.min = 8,
              .max = 64,
              .sentence = "Receive free descriptors on the die, per queue.",
              .source = driver("Linux atl1c, atl1c_configure_des_ring (SRAM_RFD0_INFO of the "
                               "sibling AR8152: 32 places of 8 bytes)")})
        .add("tx_data_reads_in_flight", &Config::tx_data_reads_in_flight,
             {.min = 1,
              .max = 128,
              .sentence = "Read requests for packet data in flight at once.",
              .source = reads})
        .add("tx_fifo", &Config::tx_fifo,
             {.unit = Unit::bytes,
              .min = 2048,
              .max = 1 << 20,
              .sentence = "Transmit FIFO (SRAM_TXF_LEN); a frame is fetched when it has room.",
              .source = tx_fifo})
        .add("rx_fifo", &Config::rx_fifo,
             {.unit = Unit::bytes,
              .min = 2048,
              .max = 1 << 20,
              .sentence = "Receive FIFO (SRAM_RXF_LEN); a frame without room is lost and counted.",
              .source = rx_fifo})
        .add("rx_phy_latency", &Config::rx_phy_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From the wire through the PHY to the MAC.",
              .source = assumed("not published")})
        .add("rx_store_latency", &Config::rx_store_latency,
             {.unit = Unit::time,
              .min = 0,
              .max = 100e6,
              .sentence = "From a frame's last bit in the MAC to the start of its DMA.",
              .source = assumed("not published; the frame is stored completely first")});
}

template <class Config>
void add_moderation(Table<Config>& table) {
    ModerationStart Config::*const start = &Config::moderation_start;
    table.add_choice(
        "moderation_start", start,
        {{ModerationStart::interrupt, "interrupt"},
         {ModerationStart::acknowledge, "acknowledge"},
         {ModerationStart::unmask, "unmask"}},
        {.sentence = "When the moderation interval of a cause begins: with the message that tells "
                     "of it, when the driver has acknowledged it, or when it unmasks it at the "
                     "end of its poll.",
         .source =
             assumed("no document says it. Of the measured figures (G. Peisenieks, netdev, 12 May "
                     "2021) \"only 500 tx interrupts/sec\" with tx_imt 1000 speaks against "
                     "`unmask`, the latency with rx_imt 200 against `interrupt`")});
}

template <class Config>
void add_bus(Table<Config>& table) {
    table
        .add("posted_header_credits", &Config::posted_header_credits,
             {.min = 1,
              .max = 127,
              .sentence = "Posted-header credits that the device advertises.",
              .source = assumed("not published; doorbells must not stall at one per packet")})
        .add("posted_data_credits", &Config::posted_data_credits,
             {.min = 8,
              .max = 2047,
              .sentence = "Posted-data credits that the device advertises (16 bytes each).",
              .source = assumed("not published; register writes are all that comes")})
        .add("nonposted_header_credits", &Config::nonposted_header_credits,
             {.min = 1,
              .max = 127,
              .sentence = "Non-posted header credits that the device advertises, and as many for "
                          "data.",
              .source = assumed("not published")});
}

}  // namespace

const sim::ParamTable& Ar8151Config::params() {
    static const sim::ParamTable table = [] {
        Table<Ar8151Config> builder;
        add_board(builder, {1e7, 1e8, 1e9},
                  driver("Linux atl1c, atl1c_get_speed_and_duplex (GIGA_PSSR_SPEED)"));
        add_die(builder,
                assumed("not published; 64-byte frames at line rate are 672 ns apart and a read "
                        "takes less than 5 us"),
                assumed("not published; TSO up to 7 KB (TX_TSO_OFFLOAD_THRESH of Linux atl1c) with "
                        "checksums needs that much stored, the sibling AR8152 has 2 KB"),
                assumed("not published; two jumbo frames of 6 KB (MAX_JUMBO_FRAME_SIZE of Linux "
                        "atl1c), the sibling AR8152 has 5376 bytes"));
        add_moderation(builder);
        add_bus(builder);
        return builder.build();
    }();
    return table;
}

MikrotikConfig::MikrotikConfig() {
    variant = Variant::mikrotik;
    link_speed = 10'000'000'000;
    tpd_cache = 64;
    rfd_cache = 64;
    tx_data_reads_in_flight = 32;
    tx_fifo = 128 * 1024;
    rx_fifo = 512 * 1024;
    own_tx_interval = 100 * sim::ps_per_us;
    own_rx_interval = 100 * sim::ps_per_us;
}

const sim::ParamTable& MikrotikConfig::params() {
    static const sim::ParamTable table = [] {
        Table<MikrotikConfig> builder;
        add_board(builder, {1e9, 1e10, 2.5e10},
                  driver("Linux atl1c, REG_MT_SPEED; MikroTik: two SFP28 cages"));
        builder
            .add("queues", &MikrotikConfig::queues,
                 {.allowed = {1, 4},
                  .sentence = "Transmit queues, and as many receive queues; with 4 bit 0 of MODE "
                              "reads 1.",
                  .source = driver("Linux atl1c of 2021: 1 until May, then 4 (MT_MODE_4Q)")})
            .add(
                "own_tx_interval", &MikrotikConfig::own_tx_interval,
                {.unit = Unit::time,
                 .min = 0,
                 .max = 100e9,
                 .sentence = "Least time between two transmit interrupts, as `moderation_start` "
                             "counts it; tx_imt has no effect.",
                 .source = assumed("G. Peisenieks, netdev, May 2021: the card moderates by itself; "
                                   "its policy is not published. 1.7 Mpps with 1023 descriptors "
                                   "need less than 600 us")})
            .add("own_rx_interval", &MikrotikConfig::own_rx_interval,
                 {.unit = Unit::time,
                  .min = 0,
                  .max = 100e9,
                  .sentence = "The same for receive interrupts; rx_imt has no effect.",
                  .source = assumed("as own_tx_interval; 100 us is what FreeBSD's driver for this "
                                    "register layout chooses for reception")});
        add_die(builder,
                assumed("not published; a network processor of 2021, 64-byte frames at 10 Gbit/s "
                        "are 67 ns apart and a read takes less than 2 us"),
                assumed("not published; the card's processor has memory enough"),
                assumed("not published; the card's processor has memory enough"));
        add_moderation(builder);
        add_bus(builder);
        return builder.build();
    }();
    return table;
}

std::array<std::uint8_t, 6> Ar8151Config::mac_bytes() const {
    return sim::parse_mac_address(mac_address);
}

/// One read of transmit and one of receive descriptors for each queue.
unsigned Ar8151Config::tags() const {
    return static_cast<unsigned>(tx_data_reads_in_flight) + tx_queues() + rx_queues();
}

}  // namespace nicsim::models::ar8151
