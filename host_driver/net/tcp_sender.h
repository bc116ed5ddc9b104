// SPDX-License-Identifier: Apache-2.0
// The sending half of a TCP connection, free of cores, devices and events: the write queue, what
// may be sent and in which pieces, acknowledgements, loss recovery, send-buffer accounting.
//
// After Linux' tcp_output.c and tcp_input.c, without SACK (three duplicate acknowledgements or a
// timeout start recovery as in NewReno, with proportional rate reduction). Not modelled: urgent
// data, ECN, F-RTO, tail-loss probes (a SACK feature), zero-window probes (the far end always
// reads), MTU probing, Fast Open, closing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host_driver/net/page_store.h"
#include "host_driver/net/payload_pattern.h"
#include "host_driver/net/tcp_config.h"
#include "host_driver/net/tcp_congestion.h"
#include "host_driver/net/tcp_rtt.h"
#include "host_driver/net/tcp_segment.h"
#include "sim/histogram.h"

namespace nicsim::host {

/// What the sender needs of the world around it.
class TcpOutput {
public:
    virtual ~TcpOutput() = default;
    /// Local time of whoever runs the stack now.
    virtual sim::Ps clock() = 0;
    /// Makes a clone of `segment` and hands it to the device's queue discipline.
    virtual void transmit(TcpSegment& segment) = 0;
    /// A block for headers, `tcp_headers_length` bytes or more, in host memory.
    virtual std::uint64_t take_header() = 0;
};

/// Why nothing (more) was sent.
enum class SendBlock : std::uint8_t {
    application,     ///< everything written is sent
    congestion,      ///< congestion window
    receive_window,  ///< the peer's window
    small_queue,     ///< tcp_limit_output_bytes: too much not yet freed by the driver
    coalescing,      ///< Nagle, autocorking or TSO deferral wait for more data
    pacing,          ///< the pacing timer
};
constexpr unsigned send_blocks = 6;

class TcpSender {
public:
    struct Shape {
        std::uint32_t mss = 1448;
        std::uint64_t gso_max_bytes = 65'536;  ///< of the device; 0: no segmentation offload
        std::uint32_t gso_max_segments = 65'535;
        std::uint64_t initial_sequence = 0;  ///< of the first payload byte
    };
    TcpSender(const TcpConfig& config, const Shape& shape, PageSource& pages, TcpOutput& output);

    // ---- the connection ----
    /// The peer answered the SYN; `mss` is what it takes (payload, options deducted).
    void establish(std::uint64_t rtt_us, std::uint64_t window, std::uint32_t mss);

    // ---- the application ----
    /// Bytes that an skb is filled up to (tcp_send_mss).
    [[nodiscard]] std::uint32_t size_goal() const;
    /// Room for a new skb in the send buffer.
    [[nodiscard]] bool has_buffer() const { return queued_charge_ < send_buffer_; }
    /// Copies up to `length` bytes of the stream into the last skb or one new skb. Returns how many
    /// (0: no send buffer). The caller then calls pushed_full_skb or end_of_write as sendmsg does.
    std::uint32_t write(const PayloadPattern& pattern, std::uint32_t length);
    [[nodiscard]] bool last_skb_full() const;
    /// Bytes in the last skb not yet sent; 0 if there is none.
    [[nodiscard]] std::uint32_t last_length() const {
        return unsent_.empty() ? 0 : unsent_.back()->length;
    }
    [[nodiscard]] std::uint32_t mss() const { return shape_.mss; }
    void full_skb();         ///< an skb reached the size goal and more data follow
    void end_of_write();     ///< the write call ends (tcp_push)
    void wait_for_buffer();  ///< the writer is about to sleep for send buffer
    /// Whether small writes are collected until the driver frees something (autocorking).
    [[nodiscard]] bool corked() const;

    // ---- the driver ----
    /// A clone of `segment` that was charged `truesize` left the host. True: the small-queue limit
    /// held something back, so small_queue_released() is to be called from a tasklet.
    [[nodiscard]] bool freed(TcpSegment& segment, std::uint32_t truesize);
    void small_queue_released();

    // ---- the peer ----
    /// An acknowledgement: 32-bit number and the window in bytes.
    void acknowledge(std::uint32_t number, std::uint64_t window);

    // ---- time ----
    /// When the retransmission timer is due; `never` if it is not armed.
    [[nodiscard]] sim::Ps timeout_due() const { return timeout_due_; }
    void timeout();
    /// When pacing lets the next skb go; `never` if it does not hold anything.
    [[nodiscard]] sim::Ps pacing_due() const { return pacing_due_; }
    void pacing_released();

    /// The writer may be woken: a third of the send buffer is free.
    [[nodiscard]] bool writeable() const {
        return send_buffer_ >= queued_charge_ &&
               send_buffer_ - queued_charge_ >= queued_charge_ / 2;
    }
    void set_writer_waiting(bool waiting) { writer_waiting_ = waiting; }

    // ---- observers ----
    struct Counters {
        std::uint64_t skbs_sent = 0;
        std::uint64_t segments_sent = 0;
        std::uint64_t bytes_sent = 0;
        std::uint64_t retransmitted_segments = 0;
        std::uint64_t fast_recoveries = 0;
        std::uint64_t timeouts = 0;
        std::uint64_t duplicate_acks = 0;
        std::uint64_t acks = 0;
        std::uint64_t bytes_acked = 0;
        std::uint64_t small_queue_throttles = 0;
        std::uint64_t autocorks = 0;
        std::uint64_t tso_defers = 0;
        std::uint64_t skbs_cut = 0;
        std::uint64_t retransmits_in_host = 0;  ///< put off: still in the host's queue
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] const CongestionState& congestion() const { return cc_; }
    [[nodiscard]] const Congestion& congestion_control() const { return control_; }
    [[nodiscard]] const RttEstimator& rtt() const { return rtt_; }
    [[nodiscard]] SendBlock blocked_by() const { return block_; }
    [[nodiscard]] std::uint64_t wmem_alloc() const { return wmem_alloc_; }
    [[nodiscard]] std::uint64_t queued_charge() const { return queued_charge_; }
    [[nodiscard]] std::uint64_t send_buffer() const { return send_buffer_; }
    [[nodiscard]] std::uint32_t packets_out() const { return packets_out_; }
    [[nodiscard]] std::uint32_t packets_in_flight() const;
    [[nodiscard]] std::uint64_t snd_una() const { return cc_.snd_una; }
    [[nodiscard]] std::uint64_t snd_nxt() const { return cc_.snd_nxt; }
    [[nodiscard]] std::uint64_t write_seq() const { return write_seq_; }
    [[nodiscard]] std::uint32_t tso_segments() const;  ///< tcp_tso_autosize
    [[nodiscard]] std::uint64_t small_queue_limit(std::uint32_t truesize) const;
    [[nodiscard]] sim::Histogram& rtt_histogram() { return rtt_us_; }
    [[nodiscard]] sim::Histogram& segments_per_skb() { return skb_segments_; }
    [[nodiscard]] sim::Histogram& cwnd_histogram() { return cwnd_seen_; }
    [[nodiscard]] std::size_t segments_alive() const { return segments_.size() - spare_.size(); }
    [[nodiscard]] const PageStore& pages() const { return pages_; }
    [[nodiscard]] TcpSegment& segment(std::uint32_t index) { return *segments_[index]; }

private:
    enum class Phase : std::uint8_t { open, recovery, loss };
    enum class Nagle : std::uint8_t { normal, push };

    // tcp_sender_queue.cpp: memory of the queue
    TcpSegment* new_segment();
    void release(TcpSegment* s);
    void retire(TcpSegment* s);  ///< acknowledged
    void split(SegmentList& list, TcpSegment* s, std::uint32_t length);
    void set_packets(TcpSegment& s) const { s.packets = (s.length + shape_.mss - 1) / shape_.mss; }
    void expand_send_buffer();

    // tcp_sender.cpp: what is sent
    void write_queue_run(Nagle nagle, bool push_one);
    SendBlock run(Nagle nagle, bool push_one, std::uint32_t& sent, bool& cwnd_limited);
    [[nodiscard]] bool window_allows(const TcpSegment& s) const;
    [[nodiscard]] bool nagle_allows(const TcpSegment& s, Nagle nagle) const;
    /// Whether to wait for more window or data before cutting `s`, and for what.
    [[nodiscard]] bool should_defer(const TcpSegment& s, std::uint32_t max_segments,
                                    SendBlock& why) const;
    [[nodiscard]] std::uint32_t split_point(const TcpSegment& s, std::uint32_t max_segments,
                                            Nagle nagle) const;
    bool small_queue_blocks(const TcpSegment& s);
    bool pacing_blocks();
    void send_new(TcpSegment& s);
    void put_on_wire(TcpSegment& s);
    void validate_window(bool cwnd_limited);
    [[nodiscard]] bool cwnd_is_limit() const;
    void update_pacing_rate();
    void restart_after_idle(sim::Ps now);

    // tcp_sender_ack.cpp: what comes back, loss
    std::uint32_t clean_acked(std::uint64_t ack);
    void on_duplicate();
    void enter_recovery();
    void leave_recovery();
    void reduce_window(std::uint32_t newly_delivered);
    void mark_lost(TcpSegment& s);
    void mark_head_lost();
    void remove_duplicates(std::uint32_t acked);
    void on_forward(std::uint32_t acked, std::uint32_t prior_sacked);
    void retransmit_lost();
    bool retransmit(TcpSegment& s, std::uint32_t segments);
    void check_space();
    void rearm_timeout();
    [[nodiscard]] std::uint64_t now_us() const { return output_.clock() / sim::ps_per_us; }

    TcpConfig config_;
    Shape shape_;
    TcpOutput& output_;
    PageStore pages_;

    SegmentList sent_;  ///< unacknowledged
    std::uint32_t sent_skbs_ = 0;
    SegmentList unsent_;  ///< written, not sent
    std::vector<std::unique_ptr<TcpSegment>> segments_;
    std::vector<TcpSegment*> spare_;

    CongestionState cc_;
    Congestion control_;
    RttEstimator rtt_;
    Phase phase_ = Phase::open;

    std::uint64_t write_seq_ = 0;
    std::uint64_t pushed_seq_ = 0;
    std::uint64_t window_end_ = 0;  ///< right edge of the peer's window
    std::uint64_t window_ = 0;
    std::uint64_t max_window_ = 0;
    std::uint64_t data_segments_ = 0;  ///< put on the wire so far
    std::uint64_t small_end_ = 0;      ///< end of the last packet below one MSS (Minshall)
    std::uint32_t packets_out_ = 0;
    std::uint32_t sacked_out_ = 0;  ///< segments that duplicate acknowledgements speak for
    std::uint32_t lost_out_ = 0;
    std::uint32_t retrans_out_ = 0;
    std::uint64_t recovery_end_ = 0;
    std::uint32_t prior_cwnd_ = 0;
    std::uint32_t prr_delivered_ = 0;
    std::uint32_t prr_out_ = 0;

    // Congestion window validation
    bool cwnd_limited_ = false;
    std::uint32_t max_packets_out_ = 0;
    std::uint64_t cwnd_usage_seq_ = 0;
    std::uint32_t cwnd_used_ = 0;
    sim::Ps cwnd_stamp_ = 0;
    sim::Ps last_send_ = 0;

    std::uint64_t wmem_alloc_ = 0;     ///< charges of clones in the host (sk_wmem_alloc)
    std::uint64_t queued_charge_ = 0;  ///< charges of the write queue (sk_wmem_queued)
    std::uint64_t send_buffer_ = 0;
    bool throttled_ = false;
    bool writer_waiting_ = false;
    bool established_ = false;
    SendBlock block_ = SendBlock::application;

    sim::Ps timeout_due_ = sim::never;
    unsigned backoff_ = 0;
    sim::Ps next_departure_ = 0;
    sim::Ps pacing_due_ = sim::never;

    Counters counters_;
    sim::Histogram rtt_us_;
    sim::Histogram skb_segments_;
    sim::Histogram cwnd_seen_;
};

}  // namespace nicsim::host
