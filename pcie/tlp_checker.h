// SPDX-License-Identifier: Apache-2.0
// A protocol checker that watches a link: put it on every link of every test. Independent of the
// models: it keeps its own account of tags, credits, ordering and completion progress.
// Rules (PCI Express Base Specification 2.2-2.4, 2.6): header form, length, byte enables, 4 KiB,
// MPS, MRRS, RCB, byte count and lower address of completions, tag reuse, credits, ordering.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pcie/link.h"

namespace nicsim::pcie {

struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class TlpChecker : public LinkObserver {
public:
    enum class Reaction { throw_error, record };
    explicit TlpChecker(Reaction reaction = Reaction::throw_error) : reaction_(reaction) {}

    /// MRRS as software has set it, if it is not the link's configuration.
    void set_max_read_request(std::uint32_t bytes) { max_read_request_ = bytes; }
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    /// Everything that a quiet link must have returned: requests answered, credits given back.
    /// Empty, or what is missing.
    [[nodiscard]] std::string unfinished() const;

    void attached(const LinkDirection& direction) override;
    void queued(const LinkDirection& direction, const Tlp& tlp) override;
    void sent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start, sim::Ps end) override;
    void delivered(const LinkDirection& direction, const Tlp& tlp) override;
    void drained(const LinkDirection& direction, const Tlp& tlp) override;
    void resent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start,
                sim::Ps end) override;
    void lost(const LinkDirection& direction, const Tlp& tlp) override;
    void link_down(const LinkDirection& direction) override;

private:
    /// A request that waits for completions.
    struct Open {
        std::uint64_t next_address = 0;  ///< of the first byte not yet completed
        std::uint32_t remaining = 0;     ///< bytes
        bool complete = false;           ///< the last completion is on its way
        bool given_up = false;           ///< a part was lost: the requester will time out
        TlpType type = TlpType::MRd;
    };
    struct Side {
        const LinkDirection* direction = nullptr;
        CreditLimits limits;
        std::array<std::uint32_t, flow_classes> header_used{};
        std::array<std::uint32_t, flow_classes> data_used{};
        std::uint64_t on_wire = 0;
        sim::Ps wire_free = 0;
        std::vector<const Tlp*> waiting;  ///< queued and not yet sent, in order
        std::array<std::uint64_t, flow_classes> undrained{};
        std::array<std::uint64_t, flow_classes> stale{};  ///< of them, from before a link loss
        std::map<std::uint32_t, Open> open;               ///< by requester ID and tag
    };

    Side& side(const LinkDirection& direction);
    Side& other(const Side& s) { return sides_[&s == &sides_[0] ? 1 : 0]; }
    void follow_read_request_size(const Tlp& tlp);
    void check_request(const Tlp& tlp);
    void check_byte_enables(const Tlp& tlp);
    void check_completion(Side& s, const Tlp& tlp);
    void check_order(Side& s, const Tlp& tlp);
    void check_wire(Side& s, const Tlp& tlp, sim::Ps start, sim::Ps end);
    void check_credits(Side& s, const Tlp& tlp);
    void open_request(Side& s, const Tlp& tlp);
    void violation(const Tlp& tlp, const std::string& what);

    Reaction reaction_;
    std::uint32_t max_payload_ = 0;
    std::uint32_t max_read_request_ = 0;
    std::uint32_t boundary_ = 64;
    std::array<Side, 2> sides_;
    std::vector<std::string> violations_;
};

}  // namespace nicsim::pcie
