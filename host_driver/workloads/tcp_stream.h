// SPDX-License-Identifier: Apache-2.0
// A TCP sender in the manner of `iperf3 -c` or netperf TCP_STREAM: one connection, one task that
// writes blocks of a size for ever (or for a time, or a number of bytes). The protocol is
// net/tcp_sender; this adds what ties it to a machine: the connection's handshake, the task and its
// costs, who owns the socket, the backlog, timers, skbs and the small-queue tasklet.
//
// Small writes are acted on in groups that end where a segment does: each is charged in full, but
// the core's time is brought forward once per group.
#pragma once

#include <cstdint>
#include <string>

#include "host_driver/core.h"
#include "host_driver/host_memory.h"
#include "host_driver/net/ip_stack.h"
#include "host_driver/net/payload_pattern.h"
#include "host_driver/net/tcp_config.h"
#include "host_driver/net/tcp_sender.h"
#include "sim/activity.h"
#include "sim/param.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"

namespace nicsim::host {

struct TcpStreamConfig {
    std::uint64_t write_bytes = 131'072;  ///< of one write call
    std::uint64_t port = 5201;
    std::uint64_t local_port = 40'000;
    std::uint64_t priority = 0;
    std::uint64_t start = 0;             ///< ps
    std::uint64_t stop = 0;              ///< ps; 0 never
    std::uint64_t bytes = 0;             ///< to send; 0 no limit
    std::uint64_t initial_sequence = 1;  ///< of the SYN, 32 bits
    static const sim::ParamTable& params();
};

class TcpStream final : public Task,
                        public SkbOwner,
                        public PortHandler,
                        private TcpOutput,
                        private PageSource {
public:
    TcpStream(std::string name, const TcpStreamConfig& config, const TcpConfig& tcp, IpStack& stack,
              Core& core);
    ~TcpStream() override { disown_skbs(*this); }
    TcpStream(const TcpStream&) = delete;
    TcpStream& operator=(const TcpStream&) = delete;

    /// Connects at config.start (or at once if that has passed) and writes from then on.
    void start();
    void register_stats(sim::StatGroup& group);

    bool step(Core& core) override;
    void skb_freed(SkBuff& skb) override;
    void receive(Core& core, const ParsedPacket& packet) override;

    [[nodiscard]] const TcpSender& sender() const { return sender_; }
    [[nodiscard]] std::uint64_t bytes_written() const { return written_; }
    [[nodiscard]] bool established() const { return state_ == State::established; }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// What the connection spends its time on, see the .cpp for the states.
    [[nodiscard]] sim::Activity& activity() { return activity_; }

private:
    enum class State : std::uint8_t { closed, syn_sent, established };
    struct Ack {
        std::uint32_t number = 0;
        std::uint64_t window = 0;
    };

    // TcpOutput
    sim::Ps clock() override { return running_->local_time(); }
    void transmit(TcpSegment& segment) override;
    std::uint64_t take_header() override { return headers_.take(); }
    // PageSource
    std::uint64_t take() override { return page_slab_.take(); }
    std::uint8_t* bytes(std::uint64_t address, std::uint64_t length) override {
        return stack_.memory().at(address, length);
    }

    static TcpSender::Shape shape_of(const TcpStreamConfig& config, const TcpConfig& tcp,
                                     IpStack& stack);
    void connect(Core& core);
    void on_syn_ack(const ParsedPacket& packet);
    void take_ack(const Ack& ack);
    // Who holds the lock runs the protocol; what comes meanwhile from softirqs waits for unlock().
    void lock(Core& core);
    void unlock();
    void run_tasklet(Core& core);
    void on_timer(Core& core);
    void run_timers();
    void arm_timers();
    void after_work();
    bool write_small(Core& core);
    bool write_large(Core& core);
    bool sleep_for_buffer();
    void send_control(std::uint8_t flags);
    [[nodiscard]] std::uint64_t bytes_left() const;
    void finish_checksum(std::uint8_t* header, const TcpSegment& segment);
    void update_activity();

    std::string name_;
    TcpStreamConfig config_;
    TcpConfig tcp_;
    IpStack& stack_;
    Core& core_;
    PayloadPattern pattern_;
    HostMemory::Slab headers_;
    HostMemory::Slab controls_;  ///< headers of SYN and bare acknowledgements
    HostMemory::Slab page_slab_;
    FlowAddress flow_;
    TcpSender sender_;

    State state_ = State::closed;
    Core* running_;  ///< the core that runs this socket's code now
    bool locked_ = false;
    bool tasklet_deferred_ = false;
    bool timers_deferred_ = false;
    bool task_sleeps_ = false;
    bool wants_lock_ = false;       ///< the task found the socket locked
    bool in_write_ = false;         ///< a write call is not finished
    bool task_locked_ = false;      ///< the lock is the task's, held from step to step
    std::uint64_t write_left_ = 0;  ///< of the current call
    std::uint64_t written_ = 0;
    std::uint64_t writes_ = 0;
    std::uint64_t buffer_waits_ = 0;
    std::uint16_t ip_id_ = 1;
    std::uint8_t peer_window_scale_ = 0;
    std::uint32_t peer_sequence_ = 0;  ///< what we acknowledge
    std::uint32_t timestamp_recent_ = 0;
    sim::Ps syn_sent_at_ = 0;
    unsigned syn_tries_ = 0;
    bool checksum_offload_ = true;
    std::uint32_t hash_ = 0;
    std::uint64_t dropped_ = 0;  ///< skbs that the queue discipline refused
    sim::RingQueue<Ack> backlog_;
    Job tasklet_;
    Timer timer_;
    sim::Activity activity_;
    sim::Probe cwnd_probe_;
    sim::Probe in_flight_probe_;
    sim::Probe host_bytes_probe_;
};

}  // namespace nicsim::host
