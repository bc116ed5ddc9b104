// SPDX-License-Identifier: Apache-2.0
#include "models/i210/statistics.h"

#include <array>

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

Statistics::Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx)
    : views_(registers) {
    map_rx(rx);
    map_tx(tx);
    map_zero();
}

void Statistics::map_rx(const RxCounts& rx) {
    views_.add("CRCERRS", 0x4000, rx.crc_errors);
    views_.add("MPC", 0x4010, rx.missed);
    static constexpr std::array<const char*, 6> sizes = {"PRC64",  "PRC127",  "PRC255",
                                                         "PRC511", "PRC1023", "PRC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i) views_.add(sizes[i], 0x405C + 4 * i, rx.by_size[i]);
    views_.add("GPRC", 0x4074, rx.good_packets);
    views_.add("BPRC", 0x4078, rx.broadcast);
    views_.add("MPRC", 0x407C, rx.multicast);
    views_.add_pair("GORCL", "GORCH", 0x4088, rx.good_octets);
    views_.add("RNBC", 0x40A0, rx.no_buffers);
    views_.add("RUC", 0x40A4, rx.undersize);
    views_.add("ROC", 0x40AC, rx.oversize);
    views_.add_pair("TORL", "TORH", 0x40C0, rx.total_octets);
    views_.add("TPR", 0x40D0, rx.total_packets);
    for (unsigned q = 0; q < queues; ++q) {
        views_.add("PQGPRC", reg::PQGPRC + 0x100 * q, rx.delivered[q]);
        views_.add("PQGORC", reg::PQGORC + 0x100 * q, rx.delivered_octets[q]);
        views_.add("PQMPRC", reg::PQMPRC + 0x100 * q, rx.delivered_multicast[q]);
    }
}

void Statistics::map_tx(const TxCounts& tx) {
    views_.add("GPTC", 0x4080, tx.packets);
    views_.add_pair("GOTCL", "GOTCH", 0x4090, tx.octets);
    views_.add_pair("TOTL", "TOTH", 0x40C8, tx.octets);
    views_.add("TPT", 0x40D4, tx.packets);
    static constexpr std::array<const char*, 6> sizes = {"PTC64",  "PTC127",  "PTC255",
                                                         "PTC511", "PTC1023", "PTC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i) views_.add(sizes[i], 0x40D8 + 4 * i, tx.by_size[i]);
    views_.add("MPTC", 0x40F0, tx.multicast);
    views_.add("BPTC", 0x40F4, tx.broadcast);
    views_.add("TSCTC", 0x40F8, tx.tso_contexts);
    for (unsigned q = 0; q < queues; ++q) {
        views_.add("PQGPTC", reg::PQGPTC + 0x100 * q, tx.queue_packets[q]);
        views_.add("PQGOTC", reg::PQGOTC + 0x100 * q, tx.queue_octets[q]);
    }
}

void Statistics::map_zero() {
    views_.add_zeros({
        {"ALGNERRC", 0x4004}, {"SYMERRS", 0x4008}, {"RXERRC", 0x400C},  {"SCC", 0x4014},
        {"ECOL", 0x4018},     {"MCC", 0x401C},     {"LATECOL", 0x4020}, {"COLC", 0x4028},
        {"DC", 0x4030},       {"TNCRS", 0x4034},   {"SEC", 0x4038},     {"CEXTERR", 0x403C},
        {"RLEC", 0x4040},     {"XONRXC", 0x4048},  {"XONTXC", 0x404C},  {"XOFFRXC", 0x4050},
        {"XOFFTXC", 0x4054},  {"FCRUC", 0x4058},   {"RFC", 0x40A8},     {"RJC", 0x40B0},
        {"MGTPRC", 0x40B4},   {"MGTPDC", 0x40B8},  {"MGTPTC", 0x40BC},  {"TSCTFC", 0x40FC},
        {"IAC", 0x4100},      {"RPTHC", 0x4104},   {"DEBUG1", 0x4108},  {"DEBUG2", 0x410C},
        {"DEBUG3", 0x4110},   {"HGPTC", 0x4118},   {"DEBUG4", 0x411C},  {"RXDMTC", 0x4120},
        {"HTCBDPC", 0x4124},  {"HGORCL", 0x4128},  {"HGORCH", 0x412C},  {"HGOTCL", 0x4130},
        {"HGOTCH", 0x4134},   {"LENERRS", 0x4138}, {"SCVPC", 0x4228},   {"B2OGPRC", 0x4158},
        {"O2BSPC", 0x415C},   {"B2OSPC", 0x8FE0},  {"O2BGPTC", 0x8FE4},
    });
}

}  // namespace nicsim::models::i210
