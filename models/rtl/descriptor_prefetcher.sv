// SPDX-License-Identifier: Apache-2.0
// When the descriptors of four rings are read, and when finished ones are written back, as logic:
// PTHRESH, HTHRESH, WTHRESH (I210 datasheet 7.2.2.5, 7.2.2.6). Twin of
// models/common/descriptor_queue.*.
//
// One read per clock for all rings: a ring with nothing to work on goes first and at once;
// otherwise the ring that is furthest below its PTHRESH, if HTHRESH descriptors wait in host memory
// and nothing of higher priority waits for the bus. A prefetch ends at a 64-byte line if it can.
// Inputs are sampled at the rising edge, decisions stand in registers from that edge on.
module descriptor_prefetcher (
    input logic clk,
    input logic rst,

    // ---- settings of each ring ----
    input logic [3:0]       enable,     // begins with an empty cache at `head`
    input logic [3:0]       disable_q,
    input logic [3:0][15:0] head,
    input logic [3:0][15:0] size,       // descriptors
    input logic [3:0][ 1:0] base_slot,  // where in a line the ring begins
    input logic [3:0][ 4:0] pthresh,
    input logic [3:0][ 4:0] hthresh,
    input logic [3:0][ 4:0] wthresh,
    input logic [5:0]       cache,      // descriptors that a ring may have here

    // ---- what goes on ----
    input logic [3:0][15:0] tail,
    input logic [3:0]       has_work,   // a complete packet is here
    input logic [3:0][ 5:0] consumed,   // descriptors given up in this clock
    input logic [3:0]       arrived,    // the read of the ring has ended
    input logic [3:0]       finished,   // a descriptor is done
    input logic [3:0]       report,     // ... and asked for a report
    input logic [3:0]       flush,      // write back what there is
    input logic             bus_ready,  // a descriptor read can be issued
    input logic             bus_above,  // something of higher priority waits for the bus

    // ---- decisions ----
    output logic             fetch,
    output logic [ 1:0]      fetch_queue,
    output logic [ 5:0]      fetch_count,
    output logic             fetch_urgent,
    output logic [3:0]       write_back,
    output logic [3:0][15:0] write_count,
    // ---- state ----
    output logic [3:0][ 5:0] cached
);
  localparam int unsigned Queues = 4;

  logic [Queues-1:0] active, active_now;
  logic [Queues-1:0][15:0] next, next_now, waiting;  // next to read; in host memory
  logic [Queues-1:0][5:0] in_flight, in_flight_now, cached_now;

  always_comb
    for (int unsigned q = 0; q < Queues; q++) begin
      active_now[q] = (active[q] || enable[q]) && !disable_q[q];
      next_now[q] = enable[q] ? head[q] : next[q];
      cached_now[q] = cached[q] - consumed[q];
      in_flight_now[q] = in_flight[q];
      if (arrived[q]) begin
        cached_now[q] += in_flight[q];
        in_flight_now[q] = '0;
      end
      if (enable[q] || disable_q[q]) begin
        cached_now[q] = '0;
        in_flight_now[q] = '0;
      end
      waiting[q] = tail[q] >= next_now[q] ? tail[q] - next_now[q] : tail[q] + size[q] - next_now[q];
    end

  // ---- whose turn, and how many ----
  logic any_urgent, any_wish, wants;
  logic [1:0] urgent_queue, wish_queue, queue_now;
  logic signed [6:0] depth, deepest;
  always_comb begin
    any_urgent = 1'b0;
    any_wish = 1'b0;
    urgent_queue = '0;
    wish_queue = '0;
    deepest = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      wants = active_now[q] && in_flight_now[q] == '0 && cached_now[q] < cache && waiting[q] != '0;
      depth = $signed({2'b0, pthresh[q]}) - $signed({1'b0, cached_now[q]});
      if (wants && !has_work[q] && !any_urgent) begin
        any_urgent = 1'b1;
        urgent_queue = q[1:0];
      end
      if (wants && depth > 0 && waiting[q] >= 16'(hthresh[q]) && (!any_wish || depth > deepest)) begin
        any_wish = 1'b1;
        wish_queue = q[1:0];
        deepest = depth;
      end
    end
    queue_now = any_urgent ? urgent_queue : wish_queue;
  end

  logic fetch_now;
  logic [15:0] until_wrap, begin_slot, end_line, most;
  logic [5:0] count_now;
  always_comb begin
    fetch_now = bus_ready && (any_urgent || (any_wish && !bus_above));
    until_wrap = size[queue_now] - next_now[queue_now];
    most = 16'(cache) - 16'(cached_now[queue_now]);
    if (waiting[queue_now] < most) most = waiting[queue_now];
    if (until_wrap < most) most = until_wrap;
    // In places of 16 bytes from the line that the ring begins in.
    begin_slot = next_now[queue_now] + 16'(base_slot[queue_now]);
    end_line = (begin_slot + most) & ~16'd3;
    count_now = 6'(most);
    if (!any_urgent && end_line > begin_slot) count_now = 6'(end_line - begin_slot);
  end

  // ---- write-back ----
  logic [Queues-1:0][15:0] unwritten, unwritten_now;
  logic [Queues-1:0][15:0] counted, counted_now;  // since the first with a report
  logic [Queues-1:0] write_now;
  always_comb
    for (int unsigned q = 0; q < Queues; q++) begin
      unwritten_now[q] = unwritten[q];
      counted_now[q] = counted[q];
      // Without a threshold only what asked for a report is written.
      if (finished[q] && (wthresh[q] != '0 || report[q] || unwritten[q] != '0)) begin
        unwritten_now[q] += 16'd1;
        if (report[q] || counted[q] != '0) counted_now[q] += 16'd1;
      end
      write_now[q] = (counted_now[q] != '0 && counted_now[q] >= 16'(wthresh[q])) ||
                     (flush[q] && unwritten_now[q] != '0);
      if (enable[q] || disable_q[q]) write_now[q] = 1'b0;
    end

  always_ff @(posedge clk) begin
    active <= active_now;
    fetch <= fetch_now && !rst;
    fetch_queue <= queue_now;
    fetch_count <= count_now;
    fetch_urgent <= any_urgent;
    write_back <= rst ? '0 : write_now;
    write_count <= unwritten_now;
    for (int unsigned q = 0; q < Queues; q++) begin
      cached[q] <= cached_now[q];
      next[q] <= next_now[q];
      in_flight[q] <= in_flight_now[q];
      unwritten[q] <= write_now[q] || enable[q] || disable_q[q] ? '0 : unwritten_now[q];
      counted[q] <= write_now[q] || enable[q] || disable_q[q] ? '0 : counted_now[q];
    end
    if (fetch_now) begin
      in_flight[queue_now] <= count_now;
      next[queue_now] <= 16'(count_now) == until_wrap ? '0 : next_now[queue_now] + 16'(count_now);
    end
    if (rst) begin
      active <= '0;
      cached <= '0;
      in_flight <= '0;
      next <= '0;
      unwritten <= '0;
      counted <= '0;
    end
  end
endmodule
