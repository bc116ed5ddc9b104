// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a device: the only user of its DMA socket. Clients queue jobs on channels; the
// engine cuts them into requests that the bus allows, keeps each channel's bound of reads in
// flight, and lets the channel of the highest priority go first whenever the bus takes a request.
//
// Modelled: request cutting (maximum request size, 4 KiB, cache lines), reads in flight for each
// channel, all requests of one job before the first of the channel's next, responses in any order,
// back-pressure of the bus, relaxed ordering, the bus-master enable.
// Not modelled: cycles of the engine itself; a request costs no device time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/callback.h"
#include "sim/doors.h"
#include "sim/probe.h"
#include "sim/ring_queue.h"
#include "sim/stat.h"
#include "sim/time.h"

namespace nicsim::models {

/// A piece of host memory.
struct DmaSegment {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
};

struct DmaChannelConfig {
    std::string name;  ///< `tx_data`
    sim::DmaPurpose purpose = sim::DmaPurpose::other;
    unsigned max_reads_in_flight = 1;
    unsigned priority = 0;  ///< 0 goes first
    bool relaxed_ordering = false;
};

struct DmaEngineConfig {
    std::uint32_t max_read_bytes = 2048;   ///< per request, whatever the bus allows
    std::uint32_t max_write_bytes = 4096;  ///< the same for writes
    std::uint32_t line_bytes = 64;         ///< a request that must be cut is cut at such a line
};

class DmaEngine : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
public:
    /// A job has ended: all data of a read are in place, or the bus has taken all of a write.
    /// `ok` is false if the bus reported an error for a part of it.
    using Done = sim::Callback<std::uint64_t /*cookie*/, bool /*ok*/>;
    using Channel = unsigned;

    DmaEngine(const sc_core::sc_module_name& name, const DmaEngineConfig& config);
    ~DmaEngine() override;

    tlm::tlm_initiator_socket<> socket{"socket"};

    Channel add_channel(const DmaChannelConfig& config);
    /// Called (from inside of other calls) whenever the channel may have become `ready`.
    void on_ready(Channel channel, sim::Callback<> callback);

    /// Reads the pieces one after the other into `destination`, which must stay valid until `done`.
    void read(Channel channel, std::span<const DmaSegment> pieces, std::uint8_t* destination,
              Done done, std::uint64_t cookie);
    /// Writes `data`, which is copied, into the pieces one after the other. `done` may be empty.
    void write(Channel channel, std::span<const DmaSegment> pieces,
               std::span<const std::uint8_t> data, Done done = {}, std::uint64_t cookie = 0);
    void write(Channel channel, std::uint64_t address, std::span<const std::uint8_t> data,
               Done done = {}, std::uint64_t cookie = 0);

    /// All requests of earlier read jobs of the channel are issued, and one more read may be.
    [[nodiscard]] bool ready(Channel channel) const;
    /// A request of a channel that goes before `channel` waits to be issued.
    [[nodiscard]] bool pending_above(Channel channel) const;
    [[nodiscard]] unsigned reads_in_flight(Channel channel) const;

    void set_limits(const sim::BusLimits& limits);
    /// Longest requests, whatever the bus allows (from now on).
    void set_max_read_bytes(std::uint32_t bytes) { config_.max_read_bytes = bytes; }
    void set_max_write_bytes(std::uint32_t bytes) { config_.max_write_bytes = bytes; }
    /// The channel's bound of reads in flight.
    void set_max_reads_in_flight(Channel channel, unsigned reads);
    [[nodiscard]] const sim::BusLimits& limits() const { return limits_; }
    /// Forgets every job; none of their callbacks comes. Reads in flight end unseen and count as
    /// in flight until they do.
    void reset();

    void register_stats(sim::StatGroup& group);

    // tlm_bw_transport_if
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

private:
    struct Job;
    struct Request;
    class RequestPool;
    struct ChannelState;

    Job* make_job(Channel channel, Done done, std::uint64_t cookie);
    void pump();
    ChannelState* next_channel();
    void issue(ChannelState& channel);
    void send(Request& request);
    [[nodiscard]] std::uint32_t cut(std::uint64_t address, std::uint32_t left,
                                    std::uint32_t limit) const;
    void complete(Request& request);
    void tell_ready();

    DmaEngineConfig config_;
    sim::BusLimits limits_;
    std::vector<std::unique_ptr<ChannelState>> channels_;
    std::vector<unsigned> order_;  ///< channels by priority
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_jobs_;
    std::unique_ptr<RequestPool> requests_;
    Request* waiting_ = nullptr;  ///< the request that the bus has not taken yet
    bool pumping_ = false;        ///< pump() may be entered again by callbacks
    bool again_ = false;
    std::uint64_t errors_ = 0;
};

}  // namespace nicsim::models
