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
    }
    void receive(const TlpPtr& tlp) override;

    [[nodiscard]] bool connected() const { return out_ != nullptr; }
    [[nodiscard]] unsigned bus() const { return index_ + 1U; }
    [[nodiscard]] const LinkConfig& config() const { return config_; }
    [[nodiscard]] BarSnoop& bars() { return bars_; }
    void send(const TlpPtr& tlp) { out_->send(tlp); }

private:
    RootComplex& owner_;
    unsigned index_;
    LinkConfig config_;
    LinkDirection* out_ = nullptr;
    LinkDirection* in_ = nullptr;
    BarSnoop bars_;
};

}  // namespace nicsim::pcie
