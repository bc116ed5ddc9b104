// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/statistics.h"

#include <array>

#include "models/i82599/registers.h"

namespace nicsim::models::i82599 {

Statistics::Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx,
                       const sim::PauseCounts& flow)
    : views_(registers) {
    map_rx(rx);
    map_tx(tx);
    map_flow(flow);
    map_zero();
}

void Statistics::map_rx(const RxCounts& rx) {
    views_.add("CRCERRS", 0x04000, rx.crc_errors);
    views_.add("RXMPC", 0x03FA0, rx.missed);
    views_.add("RNBC", 0x03FC0, rx.no_buffers);
    static constexpr std::array<const char*, frame_size_classes> sizes = {
        "PRC64", "PRC127", "PRC255", "PRC511", "PRC1023", "PRC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i)
        views_.add(sizes[i], 0x0405C + 4 * i, rx.by_size[i]);
    views_.add("GPRC", 0x04074, rx.good_packets);
    views_.add("BPRC", 0x04078, rx.broadcast);
    views_.add("MPRC", 0x0407C, rx.multicast);
    views_.add_pair("GORCL", "GORCH", 0x04088, rx.good_octets);
    views_.add("RUC", 0x040A4, rx.undersize);
    views_.add("ROC", 0x040AC, rx.oversize);
    views_.add_pair("TORL", "TORH", 0x040C0, rx.total_octets);
    views_.add("TPR", 0x040D0, rx.total_packets);
    views_.add("RXDGPC", 0x02F50, rx.dma_packets);
    for (unsigned i = 0; i < statistics_counters; ++i) {
        const std::uint32_t at = reg::queue_stride * i;
        views_.add("QPRC", 0x01030 + at, rx.counter_packets[i]);
        views_.add_pair("QBRC_L", "QBRC_H", 0x01034 + at, rx.counter_octets[i]);
        views_.add("QPRDC", 0x01430 + at, rx.counter_drops[i]);
    }
}

void Statistics::map_tx(const TxCounts& tx) {
    views_.add("GPTC", 0x04080, tx.packets);
    views_.add_pair("GOTCL", "GOTCH", 0x04090, tx.octets);
    views_.add("TPT", 0x040D4, tx.packets);
    static constexpr std::array<const char*, frame_size_classes> sizes = {
        "PTC64", "PTC127", "PTC255", "PTC511", "PTC1023", "PTC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i)
        views_.add(sizes[i], 0x040D8 + 4 * i, tx.by_size[i]);
    views_.add("MPTC", 0x040F0, tx.multicast);
    views_.add("BPTC", 0x040F4, tx.broadcast);
    views_.add("TXDGPC", 0x087A0, tx.packets);
    for (unsigned i = 0; i < statistics_counters; ++i) {
        views_.add("QPTC", 0x06030 + reg::queue_stride * i, tx.counter_packets[i]);
        views_.add_pair("QBTC_L", "QBTC_H", 0x08700 + 8 * i, tx.counter_octets[i]);
    }
}

void Statistics::map_flow(const sim::PauseCounts& flow) {
    views_.add("LXONTXC", 0x03F60, flow.xon_sent);
    views_.add("LXOFFTXC", 0x03F68, flow.xoff_sent);
    views_.add("LXONRXCNT", 0x041A4, flow.xon_received);
    views_.add("LXOFFRXCNT", 0x041A8, flow.xoff_received);
}

void Statistics::map_zero() {
    views_.add_zeros({
        {"ILLERRC", 0x04004},      {"ERRBC", 0x04008},         {"MSPDC", 0x04010},
        {"MLFC", 0x04034},         {"MRFC", 0x04038},          {"RLEC", 0x04040},
        {"RFC", 0x040A8},          {"RJC", 0x040B0},           {"MNGPRC", 0x040B4},
        {"MNGPDC", 0x040B8},       {"MNGPTC", 0x0CF90},        {"XEC", 0x04120},
        {"SSVPC", 0x08780},        {"RXMPC", 0x03FA4, 7},      {"RNBC", 0x03FC4, 7},
        {"LXONRXC", 0x0CF60},      {"LXOFFRXC", 0x0CF68},      {"PXONTXC", 0x03F00, 8},
        {"PXOFFTXC", 0x03F20, 8},  {"PXONRXC", 0x0CF00, 8},    {"PXOFFRXC", 0x0CF20, 8},
        {"PXONRXCNT", 0x04140, 8}, {"PXOFFRXCNT", 0x04160, 8}, {"PXON2OFFCNT", 0x03240, 8},
        {"FDIRUSTAT", 0x0EE50},    {"FDIRFSTAT", 0x0EE54},     {"FDIRMATCH", 0x0EE58},
        {"FDIRMISS", 0x0EE5C},     {"FDIRLEN", 0x0EE4C},       {"FCCRC", 0x05118},
        {"FCOERPDC", 0x0241C},     {"FCLAST", 0x02424},        {"FCOEPRC", 0x02428},
        {"FCOEDWRC", 0x0242C},     {"FCOEPTC", 0x08784},       {"FCOEDWTC", 0x08788},
        {"B2OSPC", 0x041C0},       {"O2BGPTC", 0x041C4},       {"O2BSPC", 0x087B0},
        {"B2OGPRC", 0x02F90},
    });
}

}  // namespace nicsim::models::i82599
