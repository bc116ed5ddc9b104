// SPDX-License-Identifier: Apache-2.0
// A block verilated as a SystemC module, with its ports as signals, beside its twin of plain C++:
// the same random inputs, the same outputs after every edge. docs/rtl.md says why nicsim uses the
// latter.
#include <cstdint>
#include <cstdio>
#include <random>
#include <systemc>

#include "Vcc_interrupt_throttle.h"
#include "Vsc_interrupt_throttle.h"

namespace {

struct Inputs {
    bool rst, set_counter, request, withdraw, expect_zero;
    std::uint32_t interval, counter;
};

struct Outputs {
    bool issue, expired, held;
    std::uint32_t left_us, left_cycles;
    bool operator==(const Outputs&) const = default;
};

class Module {
public:
    Module() {
        top_.clk(clk_);
        top_.rst(rst_);
        top_.interval(interval_);
        top_.set_counter(set_counter_);
        top_.counter(counter_);
        top_.request(request_);
        top_.withdraw(withdraw_);
        top_.expect_zero(expect_zero_);
        top_.issue(issue_);
        top_.expired(expired_);
        top_.held(held_);
        top_.left_us(left_us_);
        top_.left_cycles(left_cycles_);
    }
    Outputs clock(const Inputs& in) {
        rst_ = in.rst;
        interval_ = in.interval;
        set_counter_ = in.set_counter;
        counter_ = in.counter;
        request_ = in.request;
        withdraw_ = in.withdraw;
        expect_zero_ = in.expect_zero;
        for (const bool level : {false, true}) {
            clk_ = level;
            sc_core::sc_start(4, sc_core::SC_NS);
        }
        return {issue_, expired_, held_, left_us_, left_cycles_};
    }

private:
    sc_core::sc_signal<bool> clk_, rst_, set_counter_, request_, withdraw_, expect_zero_;
    sc_core::sc_signal<std::uint32_t> interval_, counter_;
    sc_core::sc_signal<bool> issue_, expired_, held_;
    sc_core::sc_signal<std::uint32_t> left_us_, left_cycles_;
    Vsc_interrupt_throttle top_{"top"};
};

class Plain {
public:
    Outputs clock(const Inputs& in) {
        top_.rst = in.rst;
        top_.interval = static_cast<std::uint16_t>(in.interval);
        top_.set_counter = in.set_counter;
        top_.counter = static_cast<std::uint16_t>(in.counter);
        top_.request = in.request;
        top_.withdraw = in.withdraw;
        top_.expect_zero = in.expect_zero;
        for (const unsigned level : {0U, 1U}) {
            top_.clk = static_cast<std::uint8_t>(level);
            top_.eval();
        }
        return {top_.issue != 0, top_.expired != 0, top_.held != 0, top_.left_us, top_.left_cycles};
    }

private:
    Vcc_interrupt_throttle top_;
};

}  // namespace

int sc_main(int, char**) {
    static Module module;
    static Plain plain;
    std::mt19937 random(1);
    unsigned issued = 0, expired = 0;
    constexpr int clocks = 20'000;
    for (int n = 0; n < clocks; ++n) {
        Inputs in{};
        in.rst = n < 4;
        in.interval = random() % 4;
        in.set_counter = random() % 200 == 0;
        in.counter = random() % 3;
        in.request = random() % 20 == 0;
        in.withdraw = random() % 50 == 0;
        in.expect_zero = random() % 4 == 0;
        const Outputs a = module.clock(in);
        const Outputs b = plain.clock(in);
        if (!(a == b)) {
            std::printf("clock %d: the outputs differ\n", n);
            return 1;
        }
        issued += a.issue ? 1 : 0;
        expired += a.expired ? 1 : 0;
    }
    std::printf("%d clocks, %u interrupts, %u expiries: the same\n", clocks, issued, expired);
    return issued > 50 && expired > 20 ? 0 : 1;
}
