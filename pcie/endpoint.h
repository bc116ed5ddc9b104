// SPDX-License-Identifier: Apache-2.0
// The PCIe side of a device: turns its DMA transactions into TLPs and TLPs into register accesses,
// holds its configuration space and MSI-X table. The device is bound to the doors of sim/doors.h.
// Modelled: cutting by MRRS, MPS and 4 KiB, tags, completions of several requests in any order,
// back-pressure by tags and by the egress buffers, interrupts strictly behind the posted writes
// that were taken before them, bus-master enable, BAR decoding, 1 and 2 DW register accesses,
// tags of 5, 8 and 10 bits, flushing reads, Unsupported Request and Completer Abort, poisoned and
// malformed TLPs, ECRC, completion timeout, error registers and messages, loss of the link.
// Writes with TLM byte enables go out as TLPs with byte enables. The loss of the link resets the
// configuration space, ends what is under way with errors and tells the device to reset itself.
// Not modelled: INTx, several MSI messages, several functions, function-level reset, power states.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "pcie/config_space.h"
#include "pcie/error_reporter.h"
#include "pcie/link.h"
#include "pcie/msix.h"
#include "pcie/splitting.h"
#include "sim/activity.h"
#include "sim/doors.h"
#include "sim/param.h"

namespace nicsim::pcie {

struct EndpointConfig {
    std::uint64_t posted_buffer = 4;     ///< TLPs that may wait for credits or the wire
    std::uint64_t nonposted_buffer = 4;  ///< the same for read requests
    bool update_fc_at_once = true;       ///< UpdateFC as soon as a buffer frees
    std::uint64_t tags = 0;              ///< reads in flight; 0: as many as the device has
    std::uint64_t tag_bits = 10;         ///< the widest tags that firmware enables
    bool error_reporting = true;         ///< firmware has enabled the error messages
    bool id_based_ordering = false;      ///< firmware has enabled IDO
    /// Empty, or "key: what is wrong".
    [[nodiscard]] std::string check() const;
    static const sim::ParamTable& params();
};

struct EndpointCounters : ErrorCounters {
    std::uint64_t reads = 0;            ///< DMA reads taken
    std::uint64_t writes = 0;           ///< DMA writes taken
    std::uint64_t messages = 0;         ///< MSI and MSI-X messages sent
    std::uint64_t interrupts_lost = 0;  ///< raised while messages or bus mastering was off
    std::uint64_t tag_stalls = 0;       ///< reads that had to wait for a tag
    std::uint64_t tag_stall_time = 0;   ///< ps
    std::uint64_t buffer_stalls = 0;    ///< requests that had to wait for room towards the link
    std::uint64_t unsupported = 0;      ///< requests that nothing here claims
    std::uint64_t poisoned = 0;         ///< TLPs dropped for their EP bit
    std::uint64_t unexpected = 0;       ///< completions without a request
    std::uint64_t failed_reads = 0;     ///< DMA reads answered with an error status
    std::uint64_t timeouts = 0;         ///< DMA reads without an answer
    std::uint64_t flushes = 0;          ///< zero-length reads sent
    std::uint64_t aborted = 0;          ///< requests that the device could not serve
    std::uint64_t error_messages = 0;   ///< sent to the root complex
    std::uint64_t link_losses = 0;
    std::uint64_t not_bus_master = 0;  ///< DMA requests refused, bus mastering off
};

class Endpoint : public sc_core::sc_module,
                 public LinkPartner,
                 public sim::InterruptIf,
                 private tlm::tlm_fw_transport_if<>,
                 private tlm::tlm_bw_transport_if<>,
                 private tlm::tlm_mm_interface {
public:
    tlm::tlm_target_socket<> dma;
    tlm::tlm_initiator_socket<> registers;
    sc_core::sc_export<sim::InterruptIf> interrupts;

    Endpoint(const sc_core::sc_module_name& name, const sim::DeviceIdentity& identity,
             const EndpointConfig& config = {});

    /// Called when the link comes up or is lost, and when software changes MPS, MRRS or bus
    /// mastering; at once too if the link is up already.
    void on_limits_changed(sim::Callback<const sim::BusLimits&> changed);
    [[nodiscard]] const sim::BusLimits& limits() const { return limits_; }
    /// As software sees it; valid once a link is attached.
    [[nodiscard]] ConfigSpace& config_space() { return *space_; }
    [[nodiscard]] const EndpointCounters& counters() const { return counters_; }
    /// When the link was lost last, if software has not set the function up again since: it may
    /// not master the bus. `never` otherwise.
    [[nodiscard]] sim::Ps down_since() const {
        return limits_.bus_master ? sim::never : link_lost_at_;
    }
    [[nodiscard]] unsigned reads_in_flight() const { return tags_in_use_; }
    [[nodiscard]] const Aer& errors() const { return errors_->aer(); }
    /// Tags that may be used at this moment: first number and how many.
    struct TagRange {
        std::uint16_t first = 0;
        std::uint16_t count = 0;
    };
    [[nodiscard]] TagRange tag_range() const;
    /// A read of no bytes: when `done` comes, earlier writes have reached the memory at `address`.
    /// False if no tag is free or the bus may not be mastered; then nothing happens.
    bool flush(std::uint64_t address, sim::Callback<bool> done);
    void register_stats(sim::StatGroup& group);

    // sim::InterruptIf
    void raise(unsigned vector) override;

    // LinkPartner
    void negotiate(LinkConfig& config) const override;
    [[nodiscard]] ReceiverTraits receiver_traits() const override;
    void attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) override;
    void receive(const TlpPtr& tlp) override;
    void room() override;
    void link_error(LinkError error) override { errors_->link_error(error); }
    void link_down() override;
    void link_up() override;  ///< software has to set the function up again

private:
    /// One DMA read of the device, cut into one or more requests; or a flush.
    struct Read {
        tlm::tlm_generic_payload* payload = nullptr;
        std::uint32_t remaining = 0;  ///< bytes not yet arrived
        bool failed = false;
        sim::Callback<bool> flushed;
    };
    /// One read request on the link.
    struct Tag {
        std::uint16_t read = 0;
        bool in_use = false;
        bool timed_out = false;
        std::uint8_t lower_address = 0;  ///< bits 6:0 of the next byte
        std::uint32_t offset = 0;        ///< into the read's data, of the next byte
        std::uint32_t remaining = 0;     ///< bytes of this request not yet arrived
        sim::Ps deadline = 0;  ///< when it times out, and later: when the tag is safe again
    };

    // tlm_fw_transport_if, on `dma`
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    // tlm_bw_transport_if, on `registers`
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    // tlm_mm_interface: the payload of register accesses stays here.
    void free(tlm::tlm_generic_payload*) override {}

    // Requests of the device (endpoint_dma.cpp).
    void begin_request(tlm::tlm_generic_payload& payload);
    bool advance_write();
    bool advance_read();
    void note_room_stall();
    void note_tag_stall();
    void request_taken();
    void retry();
    [[nodiscard]] TlpPtr make_request(TlpType type, const DwRange& range) const;
    void send_write(std::uint64_t address, const DwRange& range,
                    std::span<const std::uint8_t> bytes);
    void send_read(std::uint64_t address, std::uint32_t length);
    void send_request(std::uint64_t address, const DwRange& range, std::uint32_t length);
    std::uint16_t new_read();
    void set_tags();
    void transmit(TlpPtr tlp);
    void complete(const Tlp& tlp);
    void fail_tag(std::uint16_t index);
    void release_tag(std::uint16_t tag);
    void finish_read(std::uint16_t index);
    void check_timeouts();
    void raise_now(unsigned vector);
    void flush_deferred_vectors();
    void send_message(const MsiMessage& message);

    // Requests of the host (endpoint_registers.cpp).
    static constexpr unsigned largest_register_access_dw = 2;
    void on_memory_write(const Tlp& tlp);
    void on_memory_read(const Tlp& tlp);
    void on_config(const Tlp& tlp);
    /// What became of a register access.
    enum class Outcome : std::uint8_t { done, unsupported, aborted };
    Outcome access(tlm::tlm_command command, const ConfigSpace::BarHit& hit,
                   std::span<std::uint8_t> bytes, sim::Ps& delay);
    [[nodiscard]] bool takes_line(const Tlp& tlp, const ConfigSpace::BarHit& hit) const;
    void write_line(const Tlp& tlp, const ConfigSpace::BarHit& hit);
    Outcome access_runs(tlm::tlm_command command, const Tlp& tlp, const ConfigSpace::BarHit& hit,
                        std::span<std::uint8_t> data, sim::Ps& delay);
    void access_msix(tlm::tlm_command command, std::uint64_t offset, std::span<std::uint8_t> bytes);
    void send_unmasked();
    Outcome device_access(tlm::tlm_command command, const ConfigSpace::BarHit& hit,
                          std::span<std::uint8_t> bytes, sim::Ps& delay);
    void answer(const Tlp& request, const TlpPtr& completion, sim::Ps delay);
    void answer_unsupported(const Tlp& request);
    void note_unsupported(const Tlp& tlp);
    void answer_aborted(const Tlp& request);
    void send_reply(TlpPtr tlp) { transmit(std::move(tlp)); }
    void config_changed();

    // Errors (endpoint_errors.cpp).
    void report(AerError error, const Tlp* tlp, bool advisory = false) {
        errors_->report(error, tlp, advisory);
    }
    void send_error_message(std::uint8_t code);
    void fail_pending();
    [[nodiscard]] FunctionSettings settings() const;

    const sim::DeviceIdentity identity_;
    const EndpointConfig config_;
    std::optional<ConfigSpace> space_;
    std::optional<ErrorReporter> errors_;
    LinkConfig link_config_;
    std::uint32_t max_payload_ = 128;  ///< that a received TLP may have
    MsixTable msix_;
    LinkDirection* out_ = nullptr;
    LinkDirection* in_ = nullptr;
    sim::BusLimits limits_;
    bool limits_told_ = false;
    sim::Callback<const sim::BusLimits&> limits_changed_;
    sim::Ps completion_timeout_ = sim::never;
    sim::Ps link_lost_at_ = sim::never;
    int first_bar_ = -1;    ///< the first memory BAR
    std::uint16_t id_ = 0;  ///< captured from configuration writes

    // The request that is being cut or waits for a tag or room.
    tlm::tlm_generic_payload* pending_ = nullptr;
    std::uint32_t pending_offset_ = 0;
    std::uint16_t pending_read_ = 0;
    bool pending_deferred_ = false;  ///< answered TLM_ACCEPTED
    sim::Ps tag_wait_since_ = sim::never;
    bool waits_for_room_ = false;
    enum RequestState : std::size_t { no_request, waits_for_tag, waits_for_room };
    sim::Activity requests_{
        {{"none", sim::ActivityKind::starved, "no request of the device waits"},
         {"tags", sim::ActivityKind::blocked, "no tag is free for the next read"},
         {"room", sim::ActivityKind::blocked, "no room towards the link for the next request"}}};
    sim::DmaPurpose purpose_ = sim::DmaPurpose::other;
    bool relaxed_ordering_ = false;
    bool no_snoop_ = false;
    bool id_based_ordering_ = false;
    std::vector<unsigned> deferred_vectors_;  ///< raised behind a write that waits

    std::vector<Read> reads_;
    std::vector<std::uint16_t> free_reads_;
    std::vector<Tag> tags_;
    sim::RingQueue<std::uint16_t> free_tags_;
    TagRange tag_range_;
    unsigned tags_in_use_ = 0;
    sim::Alarm timeout_;

    tlm::tlm_generic_payload register_payload_;
    sim::RegisterBar register_bar_;
    sim::TimedFifo<TlpPtr> replies_;
    sim::Ps last_reply_ = 0;

    EndpointCounters counters_;
    sim::Probe probe_reads_;
};

}  // namespace nicsim::pcie
