// SPDX-License-Identifier: Apache-2.0
// Layer-2 forwarding from one network device to another, as a bridge between two ports does it: in
// the receive softirq of the port that the frame came in by, on the core that takes its interrupt.
// The skb keeps its buffer; the sending driver maps it and its clean gives it back.
//
// Frames are handed to the other device's queue discipline in lists of at most `batch` packets,
// and what is left at the end of a poll: the discipline runs once per list and takes what byte
// queue limits allow in one bulk, with the more-packets hint on all but the last. With a batch of
// one, as Linux' bridge does it, bulks only arise when the queue had been stopped.
// Not modelled: address learning and look-up by address (everything goes to the other port),
// changes of the packet.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "host_driver/net_device.h"
#include "sim/param.h"
#include "sim/stat.h"

namespace nicsim::host {

struct ForwardConfig {
    std::string from;
    std::string to;
    std::uint64_t batch = 1;
    static const sim::ParamTable& params();
};

class Forwarder final : public RxHandler {
public:
    Forwarder(const ForwardConfig& config, NetDevice& from, NetDevice& to);
    ~Forwarder() override;

    /// Frames are forwarded from now on.
    void start();
    void begin_measurement();
    void receive(Core& core, SkbPtr skb) override;
    void receive_end(Core& core) override;
    void register_stats(sim::StatGroup& group);

    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] std::uint64_t forwarded() const { return forwarded_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    // Since begin_measurement.
    [[nodiscard]] std::uint64_t measured_forwarded() const {
        return forwarded_ - forwarded_before_;
    }
    [[nodiscard]] std::uint64_t measured_dropped() const { return dropped() - dropped_before_; }
    [[nodiscard]] double rate() const;      ///< packets per second
    [[nodiscard]] double bit_rate() const;  ///< of frames without FCS

private:
    void flush(Core& core);

    ForwardConfig config_;
    NetDevice& from_;
    NetDevice& to_;
    /// Members, not locals: a core may stand in the middle of a hand-over when the run ends.
    struct Lists {
        std::vector<SkbPtr> collected;
        std::vector<SkbPtr> handed_over;  ///< empty between hand-overs
    };
    std::deque<Lists> lists_of_cores_;  ///< a deque, as references have to last
    std::uint64_t received_ = 0;
    std::uint64_t forwarded_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t bytes_ = 0;  ///< received
    std::uint64_t lists_ = 0;
    std::uint64_t forwarded_before_ = 0;
    std::uint64_t dropped_before_ = 0;
    std::uint64_t bytes_before_ = 0;
    sim::Ps measured_from_ = 0;
};

}  // namespace nicsim::host
