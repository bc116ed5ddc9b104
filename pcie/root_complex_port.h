// SPDX-License-Identifier: Apache-2.0
// A downstream port of the root complex: where a link is attached. Inside of the root complex only.
#pragma once

#include "pcie/bridge_config.h"
#include "pcie/root_complex.h"

namespace nicsim::pcie {

class RootComplex::Port : public LinkPartner {
public:
    Port(RootComplex& owner, unsigned index);

    [[nodiscard]] ReceiverTraits receiver_traits() const override;
    void attach(const LinkConfig& config, LinkDirection& out, LinkDirection& in) override {
        config_ = config;
        out_ = &out;
        in_ = &in;
        space_.link_up(config);
    }
    void receive(const TlpPtr& tlp) override;
    void link_error(LinkError error) override { errors_.link_error(error); }
    void link_down() override;

    [[nodiscard]] bool connected() const { return out_ != nullptr; }
    [[nodiscard]] unsigned bus() const { return index_ + 1U; }
    [[nodiscard]] const LinkConfig& config() const { return config_; }
    [[nodiscard]] PortSnoop& snoop() { return snoop_; }
    void send(TlpPtr tlp) {
        tlp->digest = errors_.aer().generates_ecrc();
        out_->send(std::move(tlp));
    }
    void drained(const Tlp& tlp) { in_->drained(tlp); }
    [[nodiscard]] bool up() const { return out_->up(); }
    void report(AerError error, const Tlp* tlp, bool advisory = false) {
        errors_.report(error, tlp, advisory);
    }
    [[nodiscard]] Aer& errors() { return errors_.aer(); }
    /// Its own function on bus 0.
    [[nodiscard]] std::uint32_t read_config(unsigned offset) const;
    void write_config(unsigned offset, std::uint32_t value, unsigned byte_enables) {
        space_.write(offset, value, byte_enables);
    }

private:
    void on_message(std::uint8_t code, std::uint16_t requester_id);
    /// A port's own errors count as messages without a TLP.
    void own_message(std::uint8_t code) { on_message(code, id_of({0, bus_device(), 0})); }
    [[nodiscard]] std::uint8_t bus_device() const { return static_cast<std::uint8_t>(index_ + 1U); }

    RootComplex& owner_;
    unsigned index_;
    LinkConfig config_;
    LinkDirection* out_ = nullptr;
    LinkDirection* in_ = nullptr;
    PortSnoop snoop_;
    BridgeConfig space_;
    ErrorReporter errors_;
};

}  // namespace nicsim::pcie
