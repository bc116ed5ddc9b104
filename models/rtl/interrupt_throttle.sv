// SPDX-License-Identifier: Apache-2.0
// The interrupt throttle of one vector as logic: a down counter of microseconds (I210 datasheet
// 7.3.4). Twin of models/common/interrupt_throttle.*.
//
// Loaded when an interrupt is issued (Intel EITR); with DELAY by the first cause after one, which
// is issued at zero (coalescing timers of simpler MACs). Inputs are sampled at the rising edge,
// decisions stand in registers from that edge on. Not in here: causes, masks, auto-clear.
module interrupt_throttle #(
    parameter int unsigned CYCLES_PER_US = 125,
    parameter bit DELAY = 1'b0
) (
    input logic clk,
    input logic rst,

    input logic [12:0] interval,     // us, loaded from now on
    input logic        set_counter,  // software writes the counter
    input logic [12:0] counter,      // us
    input logic        request,      // there is an enabled cause
    input logic        withdraw,     // there is none any more
    input logic        expect_zero,  // tell when the counter reaches zero

    output logic issue,    // an interrupt
    output logic expired,  // the counter reached zero and that was asked for
    output logic held,     // the request has to wait for the counter
    // the counter: microseconds, and clocks of the one that has begun
    output logic [12:0] left_us,
    output logic [$clog2(CYCLES_PER_US)-1:0] left_cycles
);
  localparam int unsigned Bits = $clog2(CYCLES_PER_US);

  logic waiting, expecting;
  logic waiting_now, expecting_now, zero, fire;
  logic [12:0] us_now;
  logic [Bits-1:0] cycles_now;

  always_comb begin
    us_now = left_us;
    cycles_now = left_cycles;
    if (cycles_now != '0) cycles_now -= Bits'(1);
    else if (us_now != '0) begin
      us_now -= 13'd1;
      cycles_now = Bits'(CYCLES_PER_US - 1);
    end
    if (set_counter) begin
      us_now = counter;
      cycles_now = '0;
    end
    if (DELAY && request && !waiting && us_now == '0 && cycles_now == '0) us_now = interval;
    zero = us_now == '0 && cycles_now == '0;
    waiting_now = (waiting || request) && !withdraw;
    expecting_now = expecting || expect_zero;
    fire = waiting_now && zero;
  end

  always_ff @(posedge clk) begin
    issue <= fire;
    expired <= expecting_now && zero;
    held <= request && !waiting && !zero;
    waiting <= waiting_now && !fire;
    expecting <= expecting_now && !zero;
    left_us <= (fire && !DELAY) ? interval : us_now;
    left_cycles <= cycles_now;
    if (rst) begin
      issue <= 1'b0;
      expired <= 1'b0;
      held <= 1'b0;
      waiting <= 1'b0;
      expecting <= 1'b0;
      left_us <= '0;
      left_cycles <= '0;
    end
  end
endmodule
