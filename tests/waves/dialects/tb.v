// SPDX-License-Identifier: Apache-2.0
// iverilog -g2005 -DDUMP='"icarus.vcd"' -o t.vvp tb.v && vvp -n t.vvp
// verilator --binary --trace --timing -Wno-fatal -DDUMP='"verilator.vcd"' --top tb tb.v && obj_dir/Vtb
// The same bench for Icarus and Verilator.
`timescale 1ns / 1ps
module counter (input clk, input rst, output reg [7:0] count, output carry);
  assign carry = &count[2:0];
  always @(posedge clk)
    if (rst) count <= 8'd0;
    else count <= count + 8'd3;
endmodule
module tb;
  reg clk, rst;
  wire [7:0] count;
  wire carry;
  reg [63:0] wide;
  counter dut (.clk(clk), .rst(rst), .count(count), .carry(carry));
  always #4 clk = ~clk;
  always @(posedge clk) wide <= {wide[55:0], count};
  initial begin
    $dumpfile(`DUMP);
    $dumpvars(0, tb);
    clk = 0;
    rst = 1;
    wide = 64'd0;
    #20 rst = 0;
    #400 $finish;
  end
endmodule
