// SPDX-License-Identifier: Apache-2.0
#include "models/i82599/sfp_module.h"

namespace nicsim::models::i82599 {

namespace {
constexpr std::uint8_t device_address = 0xA0;
constexpr std::uint8_t read_bit = 1;
// SFF-8472 table 4-1.
constexpr unsigned identifier = 0, connector = 2, compliance_10g = 3, bit_rate = 12;
constexpr unsigned vendor_oui = 37;
}  // namespace

SfpModule::SfpModule() {
    memory_[identifier] = 0x03;      // SFP
    memory_[1] = 0x04;               // identified by its serial id
    memory_[connector] = 0x07;       // LC
    memory_[compliance_10g] = 0x10;  // 10GBASE-SR
    memory_[bit_rate] = 103;         // 100 Mbit/s
    memory_[vendor_oui + 1] = 0x1B;  // 00:1B:21, Intel
    memory_[vendor_oui + 2] = 0x21;
}

void SfpModule::set_wires(bool clock, bool data) {
    const bool old_clock = clock_, old_data = host_data_;
    clock_ = clock;
    host_data_ = data;
    if (old_clock && clock) {
        if (old_data && !data) begin();
        if (!old_data && data) {
            state_ = State::idle;
            module_data_ = true;
        }
    } else if (!old_clock && clock) {
        on_clock_rise();
    } else if (old_clock && !clock) {
        on_clock_fall();
    }
}

/// A start condition, also in the middle of a transfer.
void SfpModule::begin() {
    state_ = State::device;
    bits_ = 0;
    shift_ = 0;
    module_data_ = true;
}

void SfpModule::on_clock_rise() {
    if (state_ == State::idle) return;
    if (state_ == State::send) {
        // The ninth bit is the host's: a high one ends the transfer.
        if (bits_ == 8 && host_data_) state_ = State::idle;
        ++bits_;
        return;
    }
    if (bits_ < 8) shift_ = static_cast<std::uint8_t>(shift_ << 1 | (host_data_ ? 1 : 0));
    ++bits_;
}

/// Data change while the clock is low.
void SfpModule::on_clock_fall() {
    if (state_ == State::idle) {
        module_data_ = true;
        return;
    }
    if (bits_ == 9) {  // the acknowledge is over
        bits_ = 0;
        if (state_ == State::send)
            load_byte();
        else
            on_byte();
        if (state_ == State::send) {
            module_data_ = (shift_ & 0x80U) != 0;
            return;
        }
        module_data_ = true;
        shift_ = 0;
        return;
    }
    if (state_ == State::send)
        module_data_ = bits_ == 8 || (shift_ >> (7 - bits_) & 1U) != 0;
    else
        module_data_ =
            bits_ != 8 || (state_ == State::device && (shift_ & 0xFEU) != device_address);
}

/// A whole byte from the host, acknowledged.
void SfpModule::on_byte() {
    switch (state_) {
        case State::device:
            if ((shift_ & 0xFEU) != device_address) {
                state_ = State::idle;
            } else if ((shift_ & read_bit) != 0) {
                state_ = State::send;
                load_byte();
            } else {
                state_ = State::address;
            }
            break;
        case State::address:
            pointer_ = shift_;
            state_ = State::ignore;
            break;
        default:
            break;
    }
}

void SfpModule::load_byte() {
    shift_ = memory_[pointer_++];
}

}  // namespace nicsim::models::i82599
