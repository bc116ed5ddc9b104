// SPDX-License-Identifier: Apache-2.0
// A downstream port of the root complex: where a link is attached. Inside of the root complex only.
#pragma once

#include "pcie/root_complex.h"

namespace nicsim::pcie {

class RootComplex::Port : public LinkPartner {
public:
    Port(RootComplex& owner, unsigned index) : owner_(owner), index_(index) {}

    [[nodiscard]] ReceiverTraits receiver_traits() const override;
    void attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) override {
        config_ = config;
        out_ = &out;
        in_ = &in;
        if (config.ecrc)
            capability_[aer::control] |= aer::ecrc_generation_enable | aer::ecrc_check_enable;
    }
    void receive(const TlpPtr& tlp) override;
    void link_error(LinkError error) override;
    void link_down() override;

    [[nodiscard]] bool connected() const { return out_ != nullptr; }
    [[nodiscard]] unsigned bus() const { return index_ + 1U; }
    [[nodiscard]] const LinkConfig& config() const { return config_; }
    [[nodiscard]] PortSnoop& snoop() { return snoop_; }
    void send(const TlpPtr& tlp) {
        tlp->digest = errors_.generates_ecrc();
        out_->send(tlp);
    }
    void drained(const Tlp& tlp) { in_->drained(tlp); }
    [[nodiscard]] bool up() const { return out_->up(); }
    void report(AerError error, const Tlp* tlp, bool advisory = false);
    [[nodiscard]] Aer& errors() { return errors_; }

private:
    RootComplex& owner_;
    unsigned index_;
    LinkConfig config_;
    LinkDirection* out_ = nullptr;
    LinkDirection* in_ = nullptr;
    PortSnoop snoop_;
    // The port's error registers; no configuration space of it can be seen yet. Everything that is
    // reported is enabled.
    std::array<std::uint32_t, aer::dwords> capability_{
        0, 0, 0, aer::default_severity, 0, aer::default_correctable_mask};
    std::uint32_t device_control_ = 0xf;
    std::uint32_t command_ = 0;
    Aer errors_{AerRegisters{capability_.data(), &device_control_, &command_}};
};

}  // namespace nicsim::pcie
