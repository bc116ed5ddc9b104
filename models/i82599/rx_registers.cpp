// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/rx_registers.h"

namespace nicsim::models::i82599 {

namespace {

constexpr std::uint32_t rdlen_mask = 0x000F'FF80;
constexpr std::uint32_t srrctl_reset = 0x0000'0402;  // 2 KB, header buffer 256 B
constexpr unsigned smallest_ring_step = 64;          // RDMTS unit, descriptors

RegisterSpec spec(const char* name, std::uint32_t offset, std::uint32_t reset = 0) {
    RegisterSpec s;
    s.name = name;
    s.offset = offset;
    s.reset = reset;
    return s;
}

}  // namespace

RxRegisters::RxRegisters(const I82599Config& config, RegisterFile& registers, RxRings& rings,
                         RxClassifier& classifier)
    : rings_(rings),
      classifier_(classifier),
      prefetch_(static_cast<unsigned>(config.rx_prefetch)),
      writeback_(static_cast<unsigned>(config.rx_writeback)) {
    map(registers);
    reload();
}

void RxRegisters::map(RegisterFile& file) {
    const auto add = [&file](RegisterSpec s, std::array<WriteHook, 2> write = {},
                             std::array<ReadHook, 2> read = {}) {
        s.count = half;
        s.stride = reg::queue_stride;
        Pair pair{};
        for (unsigned i = 0; i < 2; ++i) {
            RegisterSpec one = s;
            one.offset += i * reg::rx_high;
            one.write = write[i];
            one.read = read[i];
            one.pure_read = true;
            pair[i] = &file.add(one);
        }
        return pair;
    };
    RegisterSpec s = spec("RDBAL", reg::RDBAL);
    s.write_mask = 0xFFFF'FF80;
    rdbal_ = add(s);
    rdbah_ = add(spec("RDBAH", reg::RDBAH));
    s = spec("RDLEN", reg::RDLEN);
    s.write_mask = rdlen_mask;
    rdlen_ = add(s);
    add(spec("DCA_RXCTRL", reg::DCA_RXCTRL, 0x0000'A200));
    s = spec("RDH", reg::RDH);
    s.write_mask = 0xFFFF;
    rdh_ = add(s, {},
               {ReadHook::to<&RxRegisters::read_rdh<0>>(this),
                ReadHook::to<&RxRegisters::read_rdh<half>>(this)});
    srrctl_ = add(spec("SRRCTL", reg::SRRCTL, srrctl_reset),
                  {WriteHook::to<&RxRegisters::write_srrctl<0>>(this),
                   WriteHook::to<&RxRegisters::write_srrctl<half>>(this)});
    s = spec("RDT", reg::RDT);
    s.write_mask = 0xFFFF;
    rdt_ = add(s, {WriteHook::to<&RxRegisters::write_rdt<0>>(this),
                   WriteHook::to<&RxRegisters::write_rdt<half>>(this)});
    s = spec("RXDCTL", reg::RXDCTL);
    s.write_mask = ~dctl::SWFLSH;
    rxdctl_ = add(s, {WriteHook::to<&RxRegisters::write_rxdctl<0>>(this),
                      WriteHook::to<&RxRegisters::write_rxdctl<half>>(this)});
    add(spec("RSCCTL", reg::RSCCTL));
    file.alias(reg::SRRCTL_LEGACY, reg::SRRCTL, 16, 4, reg::queue_stride);
    file.alias(reg::DCA_RXCTRL_LEGACY, reg::DCA_RXCTRL, 16, 4, reg::queue_stride);
    file.add({.name = "PFQDE",
              .offset = reg::PFQDE,
              .access = Access::write_only,
              .write = WriteHook::to<&RxRegisters::write_pfqde>(this)});
}

void RxRegisters::reload() {
    drop_enabled_ = {};
    for (unsigned q = 0; q < rings_.count(); ++q) {
        // RXDCTL of this device has no thresholds.
        rings_.ring(q).set_thresholds(prefetch_, 1, writeback_);
        srrctl_written(q);
    }
}

void RxRegisters::srrctl_written(unsigned q) {
    if (q >= rings_.count()) return;
    const std::uint32_t value = get(srrctl_, q);
    RxQueueSettings& s = rings_.settings(q);
    const std::uint32_t kib = value & srrctl::bsizepacket_mask;
    s.buffer_bytes = (kib == 0 ? 1 : kib) * 1024;  // 0 is not allowed
    s.low_threshold = (value >> srrctl::rdmts_shift & 7U) * smallest_ring_step;
    s.drop = (value & srrctl::DROP_EN) != 0 || drop_enabled_[q];
    s.legacy = (value >> srrctl::desctype_shift & 7U) == 0;
}

void RxRegisters::rxdctl_written(unsigned q, std::uint32_t value) {
    if (q >= rings_.count()) {
        set(rxdctl_, q, get(rxdctl_, q) & ~dctl::ENABLE);
        return;
    }
    DescriptorQueue& ring = rings_.ring(q);
    classifier_.set_vlan_strip(q, (value & dctl::VME) != 0);
    if ((value & dctl::SWFLSH) != 0) ring.flush();
    const bool enable = (value & dctl::ENABLE) != 0;
    if (enable && !ring.enabled()) {
        const std::uint64_t base =
            static_cast<std::uint64_t>(get(rdbah_, q)) << 32 | get(rdbal_, q);
        rings_.enable(q, base, get(rdlen_, q) / descriptor_bytes, get(rdh_, q), get(rdt_, q));
    } else if (!enable && ring.enabled()) {
        set(rdh_, q, ring.head());
        rings_.disable(q);
    }
}

std::uint32_t RxRegisters::rdh_of(unsigned q) {
    return q < rings_.count() && rings_.enabled(q) ? rings_.ring(q).head() : get(rdh_, q);
}

void RxRegisters::write_pfqde(unsigned, std::uint32_t value) {
    if ((value & pfqde::WE) == 0) return;
    const unsigned q = value >> pfqde::queue_shift & 0x7FU;
    drop_enabled_[q] = (value & pfqde::QDE) != 0;
    srrctl_written(q);
}

}  // namespace nicsim::models::i82599
