// SPDX-License-Identifier: Apache-2.0
// A function on bus 1 with its bus at the level of registers: configuration space as plain bytes,
// a log of register writes and answers after a round trip. What registers do is the derived
// device's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "pcie/host_ports.h"
#include "sim/time.h"
#include "sim/timed_fifo.h"

namespace nicsim::host::testing {

class FakePciDevice : public sc_core::sc_module, public pcie::HostBusIf {
public:
    explicit FakePciDevice(const sc_core::sc_module_name& name) : sc_module(name) {}

    struct Write {
        sim::Ps time;
        std::uint32_t reg;
        std::uint32_t value;
        unsigned size;
    };
    sim::Ps round_trip = 800 * sim::ps_per_ns;
    std::vector<Write> writes;
    std::vector<std::uint32_t> reads;  ///< offsets

    /// Values written to `reg`, in order.
    [[nodiscard]] std::vector<std::uint32_t> written_to(std::uint32_t reg) const {
        std::vector<std::uint32_t> values;
        for (const Write& w : writes)
            if (w.reg == reg) values.push_back(w.value);
        return values;
    }
    [[nodiscard]] std::uint64_t bar(unsigned i) const { return config32(0x10 + 4 * i) & ~15U; }
    [[nodiscard]] std::uint32_t config32(unsigned offset) const {
        std::uint32_t v = 0;
        for (unsigned i = 4; i-- > 0;) v = v << 8 | config_[offset + i];
        return v;
    }

    // ---- HostBusIf
    void mmio_write(std::uint64_t address, unsigned size, std::uint64_t value) override {
        if (wrote_elsewhere(address, static_cast<std::uint32_t>(value))) return;
        const auto offset = static_cast<std::uint32_t>(address - bar(0));
        writes.push_back({sim::now(), offset, static_cast<std::uint32_t>(value), size});
        write_register(offset, static_cast<std::uint32_t>(value));
    }
    void mmio_read(std::uint64_t address, unsigned, ReadDone done) override {
        const auto offset = static_cast<std::uint32_t>(address - bar(0));
        reads.push_back(offset);
        answer(std::move(done), read_register(offset));
    }
    void config_read(pcie::Bdf f, unsigned offset, unsigned size, ReadDone done) override {
        std::uint64_t value = ~std::uint64_t{0};
        if (f == pcie::Bdf{1, 0, 0}) {
            value = 0;
            for (unsigned i = size; i-- > 0;) value = value << 8 | config_[offset + i];
        }
        answer(std::move(done), value);
    }
    void config_write(pcie::Bdf f, unsigned offset, unsigned size, std::uint32_t value,
                      std::function<void()> done) override {
        if (f == pcie::Bdf{1, 0, 0}) {
            for (unsigned i = 0; i < size; ++i)
                if (offset + i >= 4)
                    config_[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
            mask_bars();
        }
        answer([d = std::move(done)](std::uint64_t) { d(); }, 0);
    }

protected:
    /// A write to another BAR than 0; false if it was none.
    virtual bool wrote_elsewhere(std::uint64_t address, std::uint32_t value) {
        (void)address, (void)value;
        return false;
    }
    virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;
    virtual std::uint32_t read_register(std::uint32_t offset) = 0;
    /// Puts back what a configuration write may not change.
    virtual void mask_bars() = 0;

    void put32(unsigned offset, std::uint32_t value) {
        for (unsigned i = 0; i < 4; ++i)
            config_[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
    }

private:
    struct Answer {
        ReadDone done;
        std::uint64_t value = 0;
    };
    void answer(ReadDone done, std::uint64_t value) {
        answers_.push(sim::now() + round_trip, {std::move(done), value});
    }
    void deliver(const Answer& a) { a.done(a.value); }

    std::array<std::uint8_t, 4096> config_{};
    sim::TimedFifo<Answer> answers_{
        "answers", sim::TimedFifo<Answer>::Action::to<&FakePciDevice::deliver>(this)};
};

}  // namespace nicsim::host::testing
