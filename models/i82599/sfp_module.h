// SPDX-License-Identifier: Apache-2.0
// An SFP+ module's serial memory behind the two wires of I2CCTL (datasheet 8.2.3.1.4, SFF-8472):
// the driver bangs the bits, this is the other end. Address 0xA0, current-address and random read,
// sequential reads; writes of data are acknowledged and ignored. The contents are those of a
// 10GBASE-SR module.
// Not modelled: the diagnostics at 0xA2, clock stretching, the rates of the bus.
#pragma once

#include <array>
#include <cstdint>

namespace nicsim::models::i82599 {

class SfpModule {
public:
    SfpModule();

    /// The wires as the host drives them; both high is idle.
    void set_wires(bool clock, bool data);
    /// What the data wire carries: low if host or module pulls it.
    [[nodiscard]] bool data() const { return host_data_ && module_data_; }
    [[nodiscard]] bool clock() const { return clock_; }

private:
    enum class State : std::uint8_t { idle, device, address, ignore, send };

    void begin();
    void on_clock_rise();
    void on_clock_fall();
    void on_byte();
    void load_byte();

    std::array<std::uint8_t, 256> memory_{};
    bool clock_ = true, host_data_ = true, module_data_ = true;
    State state_ = State::idle;
    unsigned bits_ = 0;  ///< of the byte; 8: the acknowledge is next
    std::uint8_t shift_ = 0;
    std::uint8_t pointer_ = 0;
};

}  // namespace nicsim::models::i82599
