// SPDX-License-Identifier: Apache-2.0
#include "models/i210/statistics.h"

#include <algorithm>
#include <array>

#include "models/i210/registers.h"

namespace nicsim::models::i210 {

Statistics::Statistics(RegisterFile& registers, const TxCounts& tx, const RxCounts& rx) {
    map_rx(registers, rx);
    map_tx(registers, tx);
    map_zero(registers);
}

std::uint32_t Statistics::View::read(unsigned) {
    const std::uint64_t value = *source - base;
    switch (part) {
        case Part::low:
            return static_cast<std::uint32_t>(value);
        case Part::high:
            base = low->base = *source;
            return static_cast<std::uint32_t>(value >> 32);
        case Part::whole:
            break;
    }
    base = *source;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xFFFF'FFFF));
}

Statistics::View& Statistics::add(RegisterFile& file, const char* name, std::uint32_t offset,
                                  const std::uint64_t& source, Part part) {
    View& view = views_.emplace_back();
    view.source = &source;
    view.part = part;
    file.add({.name = name,
              .offset = offset,
              .access = Access::read_clear,
              .read = ReadHook::to<&View::read>(&view)});
    return view;
}

void Statistics::add_pair(RegisterFile& file, const char* low_name, const char* high_name,
                          std::uint32_t offset, const std::uint64_t& source) {
    View& low = add(file, low_name, offset, source, Part::low);
    add(file, high_name, offset + 4, source, Part::high).low = &low;
}

void Statistics::map_rx(RegisterFile& file, const RxCounts& rx) {
    add(file, "CRCERRS", 0x4000, rx.crc_errors);
    add(file, "MPC", 0x4010, rx.missed);
    static constexpr std::array<const char*, 6> sizes = {"PRC64",  "PRC127",  "PRC255",
                                                         "PRC511", "PRC1023", "PRC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i) add(file, sizes[i], 0x405C + 4 * i, rx.by_size[i]);
    add(file, "GPRC", 0x4074, rx.good_packets);
    add(file, "BPRC", 0x4078, rx.broadcast);
    add(file, "MPRC", 0x407C, rx.multicast);
    add_pair(file, "GORCL", "GORCH", 0x4088, rx.good_octets);
    add(file, "RNBC", 0x40A0, rx.no_buffers);
    add(file, "RUC", 0x40A4, rx.undersize);
    add(file, "ROC", 0x40AC, rx.oversize);
    add_pair(file, "TORL", "TORH", 0x40C0, rx.total_octets);
    add(file, "TPR", 0x40D0, rx.total_packets);
    for (unsigned q = 0; q < queues; ++q) {
        add(file, "PQGPRC", reg::PQGPRC + 0x100 * q, rx.delivered[q]);
        add(file, "PQGORC", reg::PQGORC + 0x100 * q, rx.delivered_octets[q]);
        add(file, "PQMPRC", reg::PQMPRC + 0x100 * q, rx.delivered_multicast[q]);
    }
}

void Statistics::map_tx(RegisterFile& file, const TxCounts& tx) {
    add(file, "GPTC", 0x4080, tx.packets);
    add_pair(file, "GOTCL", "GOTCH", 0x4090, tx.octets);
    add_pair(file, "TOTL", "TOTH", 0x40C8, tx.octets);
    add(file, "TPT", 0x40D4, tx.packets);
    static constexpr std::array<const char*, 6> sizes = {"PTC64",  "PTC127",  "PTC255",
                                                         "PTC511", "PTC1023", "PTC1522"};
    for (unsigned i = 0; i < sizes.size(); ++i) add(file, sizes[i], 0x40D8 + 4 * i, tx.by_size[i]);
    add(file, "MPTC", 0x40F0, tx.multicast);
    add(file, "BPTC", 0x40F4, tx.broadcast);
    add(file, "TSCTC", 0x40F8, tx.tso_contexts);
    for (unsigned q = 0; q < queues; ++q) {
        add(file, "PQGPTC", reg::PQGPTC + 0x100 * q, tx.queue_packets[q]);
        add(file, "PQGOTC", reg::PQGOTC + 0x100 * q, tx.queue_octets[q]);
    }
}

void Statistics::map_zero(RegisterFile& file) {
    struct Zero {
        const char* name;
        std::uint32_t offset;
    };
    static constexpr Zero zeros[] = {
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
    };
    for (const Zero& z : zeros)
        file.add({.name = z.name, .offset = z.offset, .access = Access::read_clear});
}

void Statistics::reset() {
    for (View& view : views_) view.base = *view.source;
}

}  // namespace nicsim::models::i210
