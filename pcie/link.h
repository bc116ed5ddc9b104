// SPDX-License-Identifier: Apache-2.0
// A PCIe link: two directions that serialise TLPs at the rate of generation and width, gate them by
// flow-control credits and the ordering rules, and charge ACK, UpdateFC and SKP to the wire.
//
//   pcie::RootComplex rc("rc", rc_config, memory, interrupts, seed);
//   pcie::Endpoint ep("ep", device_identity);
//   pcie::Link link("link", link_config, rc, ep);   // trains to what both ends can do
//
// No event per DLLP and none per credit: DLLPs become due by time stamps that are looked at when
// the wire is used, and credits are collected when a sender needs them. A TLP costs one wake-up,
// its arrival. A sender that is blocked arms one alarm for the time of the next credit.
//
// A TLP that may go is put on the wire's schedule at once, up to one largest TLP ahead of the wire;
// a DLLP that becomes due behind such a TLP is taken to leave at the packet boundary before it.
// Acknowledgement, replay and link loss are in force on a link with a bit-error rate, faults or a
// bounded replay buffer (link_replay.cpp); on any other no TLP can be damaged, so that nothing of
// it costs an event. The link is up, with flow control set up, at time 0.
// Not modelled: power states, more than one virtual channel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "pcie/faults.h"
#include "pcie/flow_control.h"
#include "pcie/link_config.h"
#include "pcie/tlp.h"
#include "sim/activity.h"
#include "sim/alarm.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/timed_fifo.h"

namespace nicsim::pcie {

class LinkDirection;
class Link;
struct Replay;

/// What an end finds out about its link.
enum class LinkError : std::uint8_t {
    receiver_error,   ///< a TLP came that could not be told to be one
    bad_tlp,          ///< wrong LCRC, or a gap in the sequence numbers
    bad_dllp,         ///< wrong CRC
    replay_timeout,   ///< no acknowledgement came in time
    replay_rollover,  ///< the fourth replay without progress: the link retrains
    surprise_down,    ///< told to the upstream end only
};

/// What stands at an end of a link: an endpoint, a port of the root complex or of a switch.
class LinkPartner {
public:
    virtual ~LinkPartner() = default;
    /// Reduces generation, width and payload to what this end can do. Called at elaboration.
    virtual void negotiate(LinkConfig& config) const { (void)config; }
    [[nodiscard]] virtual ReceiverTraits receiver_traits() const = 0;
    /// The link is up with this configuration; `out` is where this end sends.
    virtual void attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) = 0;
    /// The last byte of a TLP has arrived. The end calls `in.drained(tlp)` when its buffer is free.
    virtual void receive(const TlpPtr& tlp) = 0;
    /// TLPs that had to queue have left: `out` has more room.
    virtual void room() {}
    virtual void link_error(LinkError error) { (void)error; }
    /// The link is lost: nothing sent and not yet received arrives, nothing can be sent. A
    /// downstream end is reset by it.
    virtual void link_down() {}
    /// It has trained again and flow control is set up, as at the start.
    virtual void link_up() {}
    /// The end nearer to the host may reset the link (a switch whose own link to the host may go
    /// down). Asked at elaboration.
    [[nodiscard]] virtual bool may_reset_link() const { return false; }
};

/// A link-layer packet as it leaves.
struct Dllp {
    enum class Kind : std::uint8_t { ack, nak, update_fc };
    Kind kind = Kind::ack;
    std::uint16_t sequence = 0;  ///< of ACK and NAK
    FlowClass flow = FlowClass::posted;
    std::uint32_t header = 0;  ///< credits given back
    std::uint32_t data = 0;
    sim::Ps start = 0;
};

/// Sees everything that passes; the protocol checker and captures are observers.
class LinkObserver {
public:
    virtual ~LinkObserver() = default;
    virtual void attached(const LinkDirection&) {}
    virtual void queued(const LinkDirection&, const Tlp&) {}
    virtual void sent(const LinkDirection&, const Tlp&, sim::Ps start, sim::Ps end) {
        (void)start, (void)end;
    }
    virtual void delivered(const LinkDirection&, const Tlp&) {}
    virtual void drained(const LinkDirection&, const Tlp&) {}
    /// Sent again; `delivered` still comes once.
    virtual void resent(const LinkDirection&, const Tlp&, sim::Ps start, sim::Ps end) {
        (void)start, (void)end;
    }
    /// It will never arrive: lost before its wire, or with the link.
    virtual void lost(const LinkDirection&, const Tlp&) {}
    /// A transmission that the receiver threw away; the TLP comes again.
    virtual void discarded(const LinkDirection&, const Tlp&, const char* why) { (void)why; }
    virtual void dllp(const LinkDirection&, const Dllp&) {}
    virtual void link_down(const LinkDirection&) {}
};

/// Counted per direction.
struct LinkCounters {
    std::array<std::uint64_t, tlp_types> tlps{};
    std::array<std::uint64_t, tlp_types> tlp_bytes{};  ///< on the wire
    std::array<std::uint64_t, sim::dma_purposes> purpose_tlps{};
    std::array<std::uint64_t, sim::dma_purposes> purpose_bytes{};
    std::uint64_t all_tlps = 0;
    std::uint64_t all_tlp_bytes = 0;
    std::uint64_t delivered = 0;
    std::uint64_t acks = 0;
    std::uint64_t flow_control_updates = 0;
    std::uint64_t dllp_bytes = 0;
    std::uint64_t flow_control_refreshes = 0;  ///< of them, because the interval had passed
    std::uint64_t naks = 0;
    std::uint64_t skp_sets = 0;      ///< that took time from the wire
    std::uint64_t replays = 0;       ///< times that the sender began to repeat
    std::uint64_t resent_tlps = 0;   ///< transmissions beyond the first
    std::uint64_t resent_bytes = 0;  ///< on the wire
    std::uint64_t damaged_tlps = 0;  ///< transmissions that arrived wrong or not at all
    std::uint64_t damaged_dllps = 0;
    std::uint64_t duplicates = 0;  ///< arrived a second time and thrown away
    std::uint64_t retrains = 0;    ///< that this sender asked for
    std::uint64_t lost_tlps = 0;   ///< lost before the wire, or with the link
    std::array<std::uint64_t, flow_classes> credit_stalls{};
    std::uint64_t credit_stall_time = 0;  ///< ps with a TLP waiting, the wire free, no credit
};

class LinkDirection : public sc_core::sc_module {
public:
    LinkDirection(const sc_core::sc_module_name& name, const LinkConfig& config,
                  LinkPartner& sender, LinkPartner& receiver, Heading heading);
    ~LinkDirection() override;

    /// Queues the TLP; it leaves when wire, credits and ordering rules allow.
    void send(TlpPtr tlp);
    /// The receiver's buffer for this TLP is free: its credits start their way back.
    void drained(const Tlp& tlp);

    /// TLPs handed over and not yet on the wire's schedule.
    [[nodiscard]] std::size_t queued(FlowClass flow) const {
        return queues_[static_cast<unsigned>(flow)].size();
    }
    [[nodiscard]] std::size_t queued() const { return queued_; }
    [[nodiscard]] std::uint64_t in_flight() const {
        return counters_.all_tlps - counters_.delivered - cut_off_;
    }
    [[nodiscard]] bool up() const { return up_; }
    [[nodiscard]] Link& link() const { return *link_; }
    [[nodiscard]] Heading heading() const { return heading_; }
    /// Sent and not yet known to be acknowledged; 0 on a link that cannot lose anything.
    [[nodiscard]] std::size_t unacknowledged() const;
    /// As the sender knows them, without a look at updates that have arrived meanwhile.
    [[nodiscard]] const CreditAccount& account() const { return account_; }
    /// What the sender may still send of a class at this moment (finite classes only).
    [[nodiscard]] std::uint32_t header_credits(FlowClass flow);
    [[nodiscard]] std::uint32_t data_credits(FlowClass flow);
    [[nodiscard]] const ReceiverTraits& receiver_traits() const { return traits_; }
    [[nodiscard]] const LinkConfig& config() const { return config_; }
    [[nodiscard]] const LinkCounters& counters() const { return counters_; }
    /// When the last bit scheduled so far leaves the sender.
    [[nodiscard]] sim::Ps wire_free() const { return free_at_; }
    [[nodiscard]] sim::Activity& activity() { return activity_; }
    void register_stats(sim::StatGroup& group);

private:
    friend class Link;
    friend struct Replay;
    /// A completion that its sender holds back.
    struct Late {
        TlpPtr tlp;
        std::uint16_t epoch = 0;
    };
    struct DllpSlot {
        sim::Ps due = sim::never;
        std::uint32_t header = 0;
        std::uint32_t data = 0;
        // Of the last one of its kind: it says what is so when it leaves.
        sim::Ps leaves = 0;
        sim::Ps arrives = 0;
        void empty() {
            due = sim::never;
            header = 0;
            data = 0;
        }
    };
    struct CreditReturn {
        sim::Ps time = 0;
        FlowClass flow = FlowClass::posted;
        std::uint32_t header = 0;
        std::uint32_t data = 0;
    };
    /// A TLP on the wire.
    struct Transit {
        TlpPtr tlp;
        std::uint16_t sequence = 0;
        Damage damage = Damage::none;
        std::uint16_t epoch = 0;
    };
    static constexpr unsigned ack_slot = flow_classes;
    static constexpr unsigned nak_slot = flow_classes + 1;
    static constexpr unsigned nothing = flow_classes;
    // blocked + flow class
    enum State : std::size_t { starved, busy, blocked, resending = blocked + flow_classes, down };

    void arrive(const Transit& transit);
    void accept(const TlpPtr& tlp);
    void enqueue(TlpPtr tlp);
    void pump();
    void commit(TlpPtr tlp, sim::Ps t);
    struct Slot {
        sim::Ps start = 0;
        sim::Ps end = 0;
    };
    Slot take_wire(std::uint32_t bytes, sim::Ps t);
    [[nodiscard]] unsigned pick();
    [[nodiscard]] bool may_pass_posted(const Tlp& tlp) const;
    void enter_blocked(unsigned flow, sim::Ps t);
    void leave_blocked(sim::Ps t);
    void collect_credits(sim::Ps t);
    void return_credits(sim::Ps time, unsigned flow, std::uint32_t header, std::uint32_t data);
    [[nodiscard]] sim::Ps next_credit(sim::Ps t);
    void update_probes();

    // As the direction in which the other one's DLLPs travel.
    void schedule_dllp(unsigned slot, sim::Ps due, std::uint32_t header, std::uint32_t data);
    void settle(sim::Ps t) {
        if (next_dllp_ <= t) send_dllps(t);
    }
    void send_dllps(sim::Ps t);
    void emit_dllp(unsigned slot);
    void charge_skp(sim::Ps t);
    [[nodiscard]] sim::Ps boundary(sim::Ps due) const;
    [[nodiscard]] sim::Ps next_update() const;
    void charge_refresh(sim::Ps t);
    void note_update(unsigned flow, sim::Ps t) { last_update_[flow] = t; }

    // Acknowledgement, replay and loss (link_replay.cpp); all of it needs `replay_`.
    void protect(Link& link, std::uint64_t seed, FaultPlan* faults);
    void send_protected(TlpPtr tlp);
    void release_held(Late&& late);
    void keep(const TlpPtr& tlp, sim::Ps end);
    [[nodiscard]] bool buffer_full(const Tlp& tlp);
    Damage damage_of(const Tlp& tlp);
    [[nodiscard]] bool resend(sim::Ps t);
    void begin_replay(sim::Ps t);
    void arrive_protected(const Transit& transit);
    void want_again(sim::Ps t);
    void hear_of_dllp(bool nak, std::uint16_t sequence, sim::Ps arrival, bool damaged);
    bool dllp_is_damaged();
    void take_notices(sim::Ps t);
    void acknowledge(std::uint16_t sequence, sim::Ps t);
    void watch();
    void stall_wire(sim::Ps t, sim::Ps duration);
    void take_down(sim::Ps t);
    void bring_up(sim::Ps t);

    const LinkConfig config_;
    const Heading heading_;
    LinkPartner& sender_;
    LinkPartner& receiver_;
    LinkDirection* reverse_ = nullptr;
    Link* link_ = nullptr;
    ReceiverTraits traits_;
    std::vector<LinkObserver*> observers_;

    // The wire.
    const std::uint64_t byte_time_q32_;
    sim::Ps lookahead_;
    sim::Ps free_at_ = 0;
    sim::Ps last_start_ = 0;
    std::uint64_t fraction_ = 0;  ///< of a picosecond, times 2^32, owed by the last TLP
    sim::TimedFifo<Transit> line_;
    bool up_ = true;
    std::uint16_t epoch_ = 0;  ///< of the link: what is older has gone down with it
    std::uint64_t cut_off_ = 0;
    std::unique_ptr<Replay> replay_;

    // Waiting TLPs and credits.
    std::array<sim::RingQueue<TlpPtr>, flow_classes> queues_;
    std::size_t queued_ = 0;
    std::uint64_t order_ = 0;
    bool pumping_ = false;
    CreditAccount account_;
    sim::RingQueue<CreditReturn> returns_;
    unsigned blocked_flow_ = nothing;
    sim::Ps blocked_since_ = 0;
    sim::Alarm alarm_;

    // DLLPs that this direction carries for the other one.
    std::array<DllpSlot, flow_classes + 2> dllps_{};
    std::array<sim::Ps, flow_classes> last_update_{};
    sim::Ps next_refresh_ = sim::never;
    sim::Ps next_dllp_ = sim::never;
    sim::Ps next_skp_ = 0;
    const sim::Ps dllp_limit_;
    const sim::Ps dllp_time_;
    const sim::Ps skp_interval_;
    const sim::Ps skp_time_;

    LinkCounters counters_;
    sim::Activity activity_;
    sim::Probe probe_queued_;
    std::array<sim::Probe, 2> probe_headers_;  ///< posted, nonposted
    sim::Probe probe_data_;                    ///< posted
};

/// Both directions. `upstream` is the end nearer to the host.
class Link : public sc_core::sc_module {
public:
    /// Throws std::invalid_argument with `LinkConfig::validate()`'s sentence, or if an end
    /// advertises less than the smallest legal credits. `seed` is for bit errors.
    Link(const sc_core::sc_module_name& name, const LinkConfig& config, LinkPartner& upstream,
         LinkPartner& downstream, std::uint64_t seed = 1, std::vector<Fault> faults = {});

    /// As trained.
    [[nodiscard]] const LinkConfig& config() const { return config_; }
    [[nodiscard]] LinkDirection& down() { return down_; }  ///< from the host
    [[nodiscard]] LinkDirection& up() { return up_; }      ///< to the host
    [[nodiscard]] const FaultPlan& faults() const { return faults_; }
    /// It can be lost: by a fault, or because its upstream end may reset it.
    [[nodiscard]] bool may_go_down() const { return may_go_down_; }
    /// Hot reset by its upstream end, which must have said that it may: the link is lost, without
    /// an error, until the end lets it go; then it trains. A fault that has it down keeps it down.
    void hold_in_reset();
    void release_from_reset();
    /// When it was lost last; sim::never if it never was.
    [[nodiscard]] sim::Ps lost_at() const { return lost_at_; }
    /// The observer sees both directions; it must outlive the link's last use.
    void observe(LinkObserver& observer);
    /// Lets every DLLP leave that is due, so that counters and observers know of it.
    void settle();
    /// Groups `up` and `down`.
    void register_stats(sim::StatGroup& group);

private:
    friend class LinkDirection;
    void retrain(sim::Ps t);
    void go_down(sim::Ps t, bool surprise);
    void initialise(sim::Ps t);
    void on_trained(sim::Ps t);
    void on_fault_alarm();
    void set_fault_alarm();

    LinkConfig config_;
    LinkPartner& upstream_;
    LinkPartner& downstream_;
    LinkDirection down_;
    LinkDirection up_;
    FaultPlan faults_;
    sim::Alarm fault_alarm_;
    sim::Ps up_again_ = sim::never;
    bool initialising_ = false;  ///< trained, and flow control is being set up
    const bool may_go_down_;
    bool in_reset_ = false;
    bool down_by_fault_ = false;
    sim::Ps lost_at_ = sim::never;
};

}  // namespace nicsim::pcie
