// SPDX-License-Identifier: Apache-2.0
#include "models/ar8151/statistics.h"

#include <array>

#include "models/ar8151/registers.h"

namespace nicsim::models::ar8151 {

namespace {

constexpr std::uint32_t rx_at(unsigned n) {
    return reg::MAC_RX_STATUS_BIN + 4 * n;
}
constexpr std::uint32_t tx_at(unsigned n) {
    return reg::MAC_TX_STATUS_BIN + 4 * n;
}

}  // namespace

Statistics::Statistics(RegisterFile& registers, const FrameCounts& tx, const RxCounts& rx)
    : views_(registers) {
    map_rx(rx);
    map_tx(tx);
}

void Statistics::map_rx(const RxCounts& rx) {
    views_.add("RX_OK", rx_at(0), rx.good.packets);
    views_.add("RX_BCAST", rx_at(1), rx.good.broadcast);
    views_.add("RX_MCAST", rx_at(2), rx.good.multicast);
    views_.add("RX_FCS_ERR", rx_at(5), rx.crc_errors);
    views_.add("RX_BYTE_CNT", rx_at(7), rx.good.octets);
    views_.add("RX_RUNT", rx_at(8), rx.undersize);
    static constexpr std::array<const char*, size_classes> sizes = {
        "RX_SZ_64",       "RX_SZ_65_127",    "RX_SZ_128_255", "RX_SZ_256_511",
        "RX_SZ_512_1023", "RX_SZ_1024_1518", "RX_SZ_1519_MAX"};
    for (unsigned i = 0; i < sizes.size(); ++i)
        views_.add(sizes[i], rx_at(10 + i), rx.good.by_size[i]);
    views_.add("RX_SZ_OV", rx_at(17), rx.oversize);
    views_.add("RX_RXF_OV", rx_at(18), rx.missed);
    views_.add("RX_BCAST_BYTE_CNT", rx_at(21), rx.good.broadcast_octets);
    views_.add("RX_MCAST_BYTE_CNT", rx_at(22), rx.good.multicast_octets);
    views_.add("RX_ERR_ADDR", rx_at(23), rx.filtered);
    views_.add_zeros({{"RX_PAUSE", rx_at(3)},
                      {"RX_CTRL", rx_at(4)},
                      {"RX_LEN_ERR", rx_at(6)},
                      {"RX_FRAG", rx_at(9)},
                      {"RX_RRD_OV", rx_at(19)},
                      {"RX_ALIGN_ERR", rx_at(20)}});
}

void Statistics::map_tx(const FrameCounts& tx) {
    views_.add("TX_OK", tx_at(0), tx.packets);
    views_.add("TX_BCAST", tx_at(1), tx.broadcast);
    views_.add("TX_MCAST", tx_at(2), tx.multicast);
    views_.add("TX_BYTE_CNT", tx_at(7), tx.octets);
    static constexpr std::array<const char*, size_classes> sizes = {
        "TX_SZ_64",       "TX_SZ_65_127",    "TX_SZ_128_255", "TX_SZ_256_511",
        "TX_SZ_512_1023", "TX_SZ_1024_1518", "TX_SZ_1519_MAX"};
    for (unsigned i = 0; i < sizes.size(); ++i) views_.add(sizes[i], tx_at(8 + i), tx.by_size[i]);
    views_.add("TX_BCAST_BYTE", tx_at(23), tx.broadcast_octets);
    views_.add("TX_MCAST_BYTE", tx_at(24), tx.multicast_octets);
    views_.add_zeros({{"TX_PAUSE", tx_at(3)},
                      {"TX_EXC_DEFER", tx_at(4)},
                      {"TX_CTRL", tx_at(5)},
                      {"TX_DEFER", tx_at(6)},
                      {"TX_1_COL", tx_at(15)},
                      {"TX_2_COL", tx_at(16)},
                      {"TX_LATE_COL", tx_at(17)},
                      {"TX_ABORT_COL", tx_at(18)},
                      {"TX_UNDERRUN", tx_at(19)},
                      {"TX_RD_EOP", tx_at(20)},
                      {"TX_LEN_ERR", tx_at(21)},
                      {"TX_TRUNC", tx_at(22)}});
}

}  // namespace nicsim::models::ar8151
