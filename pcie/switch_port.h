// SPDX-License-Identifier: Apache-2.0
// One port of a switch: the end of its link, its header, and the buffer of what has come in.
// Inside of the switch only.
#pragma once

#include <array>

#include "pcie/splitting.h"
#include "pcie/switch.h"
#include "sim/ring_queue.h"
#include "sim/timed_fifo.h"

namespace nicsim::pcie {

class Switch::Port : public sc_core::sc_module, public LinkPartner {
public:
    Port(const sc_core::sc_module_name& name, Switch& owner, unsigned number);

    // LinkPartner
    void negotiate(LinkConfig& config) const override;
    [[nodiscard]] ReceiverTraits receiver_traits() const override;
    void attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) override;
    void receive(const TlpPtr& tlp) override;
    void room() override { owner_.pump(); }
    void link_error(LinkError error) override { errors_.link_error(error); }
    void link_down() override { is_upstream() ? owner_.reset() : owner_.pump(); }
    void link_up() override;
    [[nodiscard]] bool may_reset_link() const override;

    [[nodiscard]] bool is_upstream() const { return number_ == 0; }
    [[nodiscard]] bool connected() const { return out_ != nullptr; }
    [[nodiscard]] bool up() const { return connected() && out_->up(); }
    [[nodiscard]] ErrorReporter& errors() { return errors_; }
    [[nodiscard]] const ErrorReporter& errors() const { return errors_; }
    [[nodiscard]] const LinkConfig& link() const { return link_; }
    [[nodiscard]] BridgeConfig& space() { return space_; }
    [[nodiscard]] const BridgeConfig& space() const { return space_; }
    [[nodiscard]] bool has_room(FlowClass flow) const {
        return out_->queued(flow) < owner_.config_.egress_queue;
    }
    void send(TlpPtr tlp) { out_->send(std::move(tlp)); }
    [[nodiscard]] std::size_t held() const;
    /// A downstream port's link goes into hot reset, and out of it.
    void hold_link();
    void release_link();
    /// The reset of the switch: loses what has come in, says how much, and forgets the header.
    std::size_t forget();
    /// Moves on what may move; true if anything did.
    bool forward();

private:
    /// A TLP in the ingress buffer with the port that it goes to.
    struct Waiting {
        TlpPtr tlp;
        Port* to = nullptr;  ///< null: nobody claims it
        bool mine = false;   ///< a configuration request for the switch itself
        bool counted = false;
        std::uint64_t order = 0;
        std::uint32_t epoch = 0;  ///< of the port, which a reset ends
    };
    /// An error of this port goes up as a message of its own function.
    void send_message(std::uint8_t code);
    void ready(Waiting waiting);
    bool forward_first(unsigned flow);
    [[nodiscard]] bool behind_posted(const Waiting& waiting) const;

    Switch& owner_;
    const unsigned number_;
    BridgeConfig space_;
    ErrorReporter errors_;
    LinkConfig link_;
    LinkDirection* out_ = nullptr;
    LinkDirection* in_ = nullptr;
    sim::TimedFifo<Waiting> line_;  ///< in the forwarding pipeline
    sim::Ps last_ready_ = 0;
    std::uint64_t order_ = 0;
    std::uint32_t epoch_ = 0;
    std::size_t lost_in_line_ = 0;  ///< of `line_`, from before a reset
    std::array<sim::RingQueue<Waiting>, flow_classes> queues_;
};

}  // namespace nicsim::pcie
