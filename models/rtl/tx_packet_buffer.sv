// SPDX-License-Identifier: Apache-2.0
// The I210's transmit packet buffer as logic: room of the four partitions, the gate of the data
// fetch, and the arbiter that decides whose frame goes on the wire (datasheet 7.2.7.5, figure 7-12).
// One decision of each kind per clock. Twin of models/i210/tx_block_model.*.
//
// Inputs are sampled at the rising edge, decisions stand in registers from that edge on. Amounts of
// room are in granules of 64 bytes, times in 32 ns as SYSTIML[29:5] counts them.
//
// Not in here: the bytes of the frames, descriptors, the bus, TQAVARBCTRL (the order is 0 to 3).
module tx_packet_buffer (
    input logic clk,
    input logic rst,
    input logic clear,  // device reset: the buffer is empty; a frame on the wire is finished

    // ---- settings ----
    input logic            enabled,        // TCTL.EN
    input logic            shared,         // not TQAVCTRL.TransmitMode: one buffer, fetch order
    input logic            most_empty,     // DataFetchARB
    input logic            use_credit,     // DataTranARB
    input logic            use_launch,     // DataTranTIM
    input logic            sp_wait_sr,     // SP_WAIT_SR
    input logic [ 3:0][9:0] room,          // TXPBSIZE
    input logic [ 8:0]     max_packet,     // DTXMXPKTSZ
    input logic [15:0]     fetch_delta,    // FetchTimeDelta
    input logic [ 1:0]     sr,             // TQAVCC.QueueMode
    input logic [ 3:0]     high_priority,  // TXDCTL.Priority
    input logic [ 1:0][15:0] idle_slope,   // TQAVCC.IdleSlope, 16.384 kbit/s
    input logic [ 1:0][16:0] hi_credit,    // bytes
    input logic [ 1:0]     keep_credit,    // TQAVCC.KeepCredits
    input logic [ 1:0]     speed,          // 0: 1 Gbit/s, 1: 100 Mbit/s, 2: 10 Mbit/s

    // ---- what goes on ----
    input logic [24:0]     systim,         // SYSTIML[29:5]
    input logic [ 3:0]     offered,        // the queue has a complete packet to be fetched
    input logic [ 1:0][24:0] offered_launch,
    input logic            bus_ready,      // a frame's reads can be issued
    input logic            reserve,        // the fetch granted before begins: so much room is taken
    input logic [ 1:0]     reserve_queue,
    input logic [ 8:0]     reserve_room,
    input logic [24:0]     reserve_launch,
    input logic [ 3:0]     spoiled,        // the queue's oldest frame came with errors: throw it away
    input logic [ 3:0]     stored,         // the bytes of the queue's next frame are complete
    input logic            wire_free,      // the MAC takes a frame
    input logic            wire_active,    // the clock that ends now was of a frame and its gap
    input logic            sent,           // the gap after the frame is over: its room is free

    // ---- decisions ----
    output logic           grant,          // fetch the next frame of ...
    output logic [ 1:0]    grant_queue,
    output logic           send,           // put the oldest frame on the wire of ...
    output logic [ 1:0]    send_queue,
    // ---- why not ----
    output logic [ 3:0][1:0] fetch_state,  // 0 nothing offered, 1 time, 2 room, 3 may
    output logic [ 2:0]    wire_state,     // 0 nothing stored, 2 guard, 3 launch time, 4 credit
    output logic [ 3:0][11:0] used,
    output logic signed [1:0][47:0] credit // of 2^-7 x 16.384 kbit/s x 8 ns
);
  localparam int unsigned Queues = 4;
  localparam int unsigned SrQueues = 2;
  localparam int unsigned DepthBits = 10;  // 63 KiB hold at most 1008 frames
  localparam logic [24:0] Second = 25'd31_250_000;
  localparam logic [24:0] HalfSecond = 25'd15_625_000;
  // Credit: a byte, and a clock at 1 Gbit/s, are the same number, for a byte takes a clock.
  localparam logic signed [47:0] Byte = 48'sd7_812_500;

  localparam logic [2:0] Starved = 3'd0, Guard = 3'd2, LaunchTime = 3'd3, NoCredit = 3'd4;

  typedef struct packed {
    logic [24:0] launch;
    logic [15:0] number;  // order of fetch
    logic [8:0]  room;
  } frame_t;

  function automatic logic [24:0] minus(input logic [24:0] a, input logic [24:0] b);
    minus = (a >= b) ? a - b : a - b + Second;
  endfunction
  // Reached for half a second, modulo a second (datasheet 7.2.2.2.3).
  function automatic logic reached(input logic [24:0] at, input logic [24:0] now);
    reached = minus(now, at) < HalfSecond;
  endfunction

  // ---- the frames stored, oldest first ----
  frame_t frames[Queues << DepthBits];
  logic [Queues-1:0][DepthBits-1:0] first, last;  // last: one behind
  logic [Queues-1:0][DepthBits:0] held, ready;    // frames; of them complete
  logic [15:0] next_number;
  frame_t [Queues-1:0] front, oldest;              // oldest: behind one that is thrown away

  // ---- the frame on the wire ----
  logic on_wire, was_active;
  logic [1:0] on_wire_queue;
  logic [8:0] on_wire_room;

  logic [1:0] turn_high, turn_low;  // queue served last

  always_comb
    for (int unsigned q = 0; q < Queues; q++) begin
      front[q] = frames[{q[1:0], first[q]}];
      oldest[q] = frames[{q[1:0], first[q] + DepthBits'(spoiled[q])}];
    end

  // ---- room ----
  logic [Queues-1:0][11:0] used_now, free;
  logic [13:0] used_by_all;
  always_comb begin
    used_by_all = '0;
    for (int unsigned q = 0; q < Queues; q++) begin
      used_now[q] = used[q];
      if (reserve && reserve_queue == q[1:0]) used_now[q] += 12'(reserve_room);
      if (sent && on_wire_queue == q[1:0]) used_now[q] -= 12'(on_wire_room);
      if (spoiled[q]) used_now[q] -= 12'(front[q].room);
      used_by_all += 14'(used_now[q]);
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      if (shared) free[q] = (14'(room[0]) > used_by_all) ? 12'(14'(room[0]) - used_by_all) : '0;
      else free[q] = (12'(room[q]) > used_now[q]) ? 12'(room[q]) - used_now[q] : '0;
    end
  end

  // ---- data fetch ----
  logic [SrQueues-1:0] timed;
  assign timed = sr & {SrQueues{use_launch && !shared}};

  logic [Queues-1:0][1:0] fetch_now;
  logic [Queues-1:0] may_fetch, candidates;
  logic any_high;
  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      fetch_now[q] = 2'd3;
      if (free[q] <= 12'(max_packet)) fetch_now[q] = 2'd2;
      // The launch time is asked too: the fetch time ends to be reached FetchTimeDelta before it.
      if (q < SrQueues && timed[q[0]] &&
          !reached(minus(offered_launch[q[0]], 25'(fetch_delta)), systim) &&
          !reached(offered_launch[q[0]], systim))
        fetch_now[q] = 2'd1;
      if (!offered[q]) fetch_now[q] = 2'd0;
      may_fetch[q] = fetch_now[q] == 2'd3;
    end
    any_high = (may_fetch & high_priority) != '0;
    candidates = any_high ? may_fetch & high_priority : may_fetch;
  end

  logic grant_now, picked;
  logic [1:0] turn, grant_queue_now;
  always_comb begin
    grant_now = enabled && bus_ready && candidates != '0;
    turn = any_high ? turn_high : turn_low;
    grant_queue_now = '0;
    picked = 1'b0;
    if (most_empty) begin
      for (int unsigned q = 0; q < Queues; q++)
        if (candidates[q] && (!picked || free[q] > free[grant_queue_now])) begin
          picked = 1'b1;
          grant_queue_now = q[1:0];
        end
    end else begin
      for (int unsigned i = Queues; i > 0; i--)
        if (candidates[turn+i[1:0]]) grant_queue_now = turn + i[1:0];
    end
  end

  // ---- credit (IEEE 802.1Q 8.6.8.2) of the clock that ends now ----
  logic signed [SrQueues-1:0][47:0] credit_now;
  logic signed [47:0] kept, slope, limit, charge;
  logic backlog;
  always_comb begin
    unique case (speed)
      2'd0: charge = Byte;
      2'd1: charge = Byte / 48'sd10;
      default: charge = Byte / 48'sd100;
    endcase
    for (int unsigned q = 0; q < SrQueues; q++) begin
      // A frame that was taken and whose first bit is still to come waits, too.
      backlog = ready[q] != '0 || (on_wire && on_wire_queue == q[1:0] && !was_active);
      slope = 48'({idle_slope[q], 7'd0});
      kept = credit[q];
      if (!backlog && !keep_credit[q] && kept > 0) kept = '0;
      if (backlog) limit = 48'(hi_credit[q]) * Byte;
      else limit = keep_credit[q] && kept > 0 ? kept : '0;
      if (on_wire && on_wire_queue == q[1:0] && wire_active) credit_now[q] = credit[q] + slope - charge;
      else if (kept + slope <= limit) credit_now[q] = kept + slope;
      else credit_now[q] = kept > limit ? kept : limit;
    end
  end

  // ---- who may send ----
  logic [Queues-1:0][DepthBits:0] ready_now;
  logic [Queues-1:0] have;
  logic [24:0] guard_time, known_launch;
  logic known, guard_on;
  always_comb begin
    for (int unsigned q = 0; q < Queues; q++) begin
      ready_now[q] = ready[q] + 11'(stored[q]);
      have[q] = ready_now[q] != '0;
    end
    unique case (speed)
      2'd0: guard_time = 25'(max_packet) * 25'd16;
      2'd1: guard_time = 25'(max_packet) * 25'd160;
      default: guard_time = 25'(max_packet) * 25'd1600;
    endcase
    // The oldest packet of an SR queue that is known, wherever it is.
    guard_on = 1'b0;
    known = 1'b0;
    known_launch = '0;
    for (int unsigned q = 0; q < SrQueues; q++) begin
      known = 1'b1;
      if (held[q] > 11'(spoiled[q])) known_launch = oldest[q].launch;
      else if (reserve && reserve_queue == q[1:0]) known_launch = reserve_launch;
      else begin
        known = offered[q];
        known_launch = offered_launch[q];
      end
      if (sp_wait_sr && timed[q] && known && reached(minus(known_launch, guard_time), systim))
        guard_on = 1'b1;
    end
  end

  logic send_now;
  logic [1:0] send_queue_now;
  logic [2:0] wire_now;
  logic any_held;
  always_comb begin
    send_now = 1'b0;
    send_queue_now = '0;
    wire_now = Starved;
    any_held = 1'b0;
    if (shared) begin
      // The frame fetched first, ready or not.
      for (int unsigned q = 0; q < Queues; q++)
        if (held[q] > 11'(spoiled[q]) &&
            (!any_held || $signed(oldest[q].number - oldest[send_queue_now].number) < 0)) begin
          any_held = 1'b1;
          send_queue_now = q[1:0];
        end
      send_now = any_held && have[send_queue_now];
    end else begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (!send_now && have[q]) begin
          if (q >= SrQueues || !sr[q[0]]) begin
            if (guard_on) wire_now = Guard;
            else send_now = 1'b1;
          end else if (timed[q[0]] && !reached(oldest[q].launch, systim)) begin
            if (wire_now == Starved) wire_now = LaunchTime;
          end else if (use_credit && credit_now[q[0]] < 0) begin
            if (wire_now == Starved) wire_now = NoCredit;
          end else send_now = 1'b1;
          if (send_now) send_queue_now = q[1:0];
        end
      end
    end
    send_now = send_now && enabled && wire_free;
  end

  // ---- registers ----
  logic [Queues-1:0][1:0] taken;  // frames that leave the queue
  always_comb
    for (int unsigned q = 0; q < Queues; q++)
      taken[q] = 2'(spoiled[q]) + 2'(send_now && send_queue_now == q[1:0]);

  always_ff @(posedge clk) begin
    grant <= grant_now && !clear && !rst;
    grant_queue <= grant_queue_now;
    send <= send_now && !clear && !rst;
    send_queue <= send_queue_now;
    fetch_state <= fetch_now;
    wire_state <= wire_now;
    if (grant_now && !most_empty) begin
      if (any_high) turn_high <= grant_queue_now;
      else turn_low <= grant_queue_now;
    end
    if (reserve) begin
      frames[{reserve_queue, last[reserve_queue]}] <= {reserve_launch, next_number, reserve_room};
      last[reserve_queue] <= last[reserve_queue] + DepthBits'(1);
      next_number <= next_number + 16'd1;
    end
    for (int unsigned q = 0; q < Queues; q++) begin
      used[q] <= used_now[q];
      first[q] <= first[q] + DepthBits'(taken[q]);
      ready[q] <= ready_now[q] - 11'(send_now && send_queue_now == q[1:0]);
      held[q] <= held[q] + 11'(reserve && reserve_queue == q[1:0]) - 11'(taken[q]);
    end
    credit <= credit_now;
    if (wire_active) was_active <= 1'b1;
    if (sent) on_wire <= 1'b0;
    if (send_now) begin
      on_wire <= 1'b1;
      was_active <= 1'b0;
      on_wire_queue <= send_queue_now;
      on_wire_room <= oldest[send_queue_now].room;
    end
    if (clear || rst) begin
      used <= '0;
      first <= '0;
      last <= '0;
      held <= '0;
      ready <= '0;
      credit <= '0;
      on_wire <= 1'b0;
      on_wire_room <= '0;
    end
    if (rst) begin
      next_number <= '0;
      turn_high <= 2'd3;
      turn_low <= 2'd3;
      was_active <= 1'b0;
      on_wire_queue <= '0;
    end
  end
endmodule
