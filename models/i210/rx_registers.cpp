// SPDX-License-Identifier: Apache-2.0
#include "models/i210/rx_registers.h"

namespace nicsim::models::i210 {

namespace {
constexpr std::uint32_t rdlen_mask = 0x000F'FF80;
constexpr std::uint32_t srrctl_reset = 0x0000'0400;
}  // namespace

RxRegisters::RxRegisters(RegisterFile& registers, RxRings& rings) : rings_(rings) {
    map(registers);
    reload();
}

void RxRegisters::map(RegisterFile& file) {
    const auto add = [&file](RegisterSpec spec) {
        spec.count = queues;
        spec.stride = reg::queue_stride;
        Register& r = file.add(spec);
        const std::uint32_t low = spec.offset - reg::RDBAL;
        file.alias(reg::rx_alias + low, spec.offset, queues, reg::alias_stride, reg::queue_stride);
        return &r;
    };
    rdbal_ = add({.name = "RDBAL", .offset = reg::RDBAL, .write_mask = 0xFFFF'FF80});
    rdbah_ = add({.name = "RDBAH", .offset = reg::RDBAH});
    rdlen_ = add({.name = "RDLEN", .offset = reg::RDLEN, .write_mask = rdlen_mask});
    srrctl_ = add({.name = "SRRCTL",
                   .offset = reg::SRRCTL,
                   .reset = srrctl_reset,
                   .write = WriteHook::to<&RxRegisters::write_srrctl>(this)});
    rdh_ = add({.name = "RDH",
                .offset = reg::RDH,
                .write_mask = 0xFFFF,
                .read = ReadHook::to<&RxRegisters::read_rdh>(this),
                .pure_read = true});
    add({.name = "RXCTL", .offset = reg::RXCTL});
    rdt_ = add({.name = "RDT",
                .offset = reg::RDT,
                .write_mask = 0xFFFF,
                .write = WriteHook::to<&RxRegisters::write_rdt>(this)});
    rxdctl_ = add({.name = "RXDCTL",
                   .offset = reg::RXDCTL,
                   .write_mask = ~dctl::SWFLSH,
                   .write = WriteHook::to<&RxRegisters::write_rxdctl>(this)});
}

void RxRegisters::set_default_buffer(std::uint32_t bytes) {
    default_buffer_ = bytes;
    reload();
}

void RxRegisters::reload() {
    for (unsigned q = 0; q < queues; ++q) write_srrctl(q, srrctl_->get(q));
}

void RxRegisters::write_srrctl(unsigned q, std::uint32_t value) {
    RxQueueSettings& s = rings_.settings(q);
    const std::uint32_t kib = value & srrctl::bsizepacket_mask;
    s.buffer_bytes = kib == 0 ? default_buffer_ : kib * 1024;
    s.low_threshold = (value >> srrctl::rdmts_shift & 0x1FU) * 16;
    s.drop = (value & srrctl::DROP_EN) != 0;
    s.timestamp = (value & srrctl::TIMESTAMP) != 0;
    s.legacy = (value >> srrctl::desctype_shift & 7U) == 0;
}

void RxRegisters::write_rxdctl(unsigned q, std::uint32_t value) {
    DescriptorQueue& ring = rings_.ring(q);
    ring.set_thresholds(value >> dctl::pthresh_shift & dctl::thresh_mask,
                        value >> dctl::hthresh_shift & dctl::thresh_mask,
                        value >> dctl::wthresh_shift & dctl::thresh_mask);
    if ((value & dctl::SWFLSH) != 0) ring.flush();
    const bool enable = (value & dctl::ENABLE) != 0;
    if (enable && !ring.enabled()) {
        const std::uint64_t base =
            static_cast<std::uint64_t>(rdbah_->get(q)) << 32 | rdbal_->get(q);
        rings_.enable(q, base, rdlen_->get(q) / descriptor_bytes, rdh_->get(q), rdt_->get(q));
    } else if (!enable && ring.enabled()) {
        rdh_->set(q, ring.head());
        rings_.disable(q);
    }
}

void RxRegisters::write_rdt(unsigned q, std::uint32_t) {
    rings_.set_tail(q, rdt_->get(q));
}

std::uint32_t RxRegisters::read_rdh(unsigned q) {
    return rings_.enabled(q) ? rings_.ring(q).head() : rdh_->get(q);
}

}  // namespace nicsim::models::i210
