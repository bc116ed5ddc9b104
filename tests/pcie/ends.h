// SPDX-License-Identifier: Apache-2.0
// Two bare ends on one link, and TLPs made by hand.
#pragma once

#include <optional>
#include <vector>

#include "beside.h"
#include "pcie/link.h"

namespace nicsim::pcie::test {

/// An end that notes what arrives and gives its credits back at once, or when told to.
class End : public LinkPartner {
public:
    ReceiverTraits traits;
    bool hold = false;
    LinkDirection* out = nullptr;
    LinkDirection* in = nullptr;
    struct Arrival {
        sim::Ps time;
        TlpPtr tlp;
    };
    std::vector<Arrival> arrivals;
    unsigned rooms = 0;
    struct Error {
        sim::Ps time;
        LinkError error;
    };
    std::vector<Error> errors;
    unsigned downs = 0;
    unsigned ups = 0;
    [[nodiscard]] std::size_t count(LinkError e) const {
        std::size_t n = 0;
        for (const Error& x : errors) n += x.error == e ? 1 : 0;
        return n;
    }

    [[nodiscard]] ReceiverTraits receiver_traits() const override { return traits; }
    void attach(const LinkConfig&, LinkDirection& o, LinkDirection& i) override {
        out = &o;
        in = &i;
    }
    void receive(const TlpPtr& tlp) override {
        arrivals.push_back({sim::now(), tlp});
        if (!hold) in->drained(*tlp);
    }
    void room() override { ++rooms; }
    void link_error(LinkError error) override { errors.push_back({sim::now(), error}); }
    void link_down() override { ++downs; }
    void link_up() override { ++ups; }
    /// Gives back the credits of the n-th arrival.
    void drain(std::size_t n) { in->drained(*arrivals[n].tlp); }
    [[nodiscard]] std::vector<unsigned> tags() const {
        std::vector<unsigned> t;
        for (const Arrival& a : arrivals) t.push_back(a.tlp->tag);
        return t;
    }
};

inline TlpPtr write(std::uint32_t bytes, std::uint16_t tag = 0, std::uint64_t address = 0x1000) {
    TlpPtr t = tlp_pool().make();
    t->type = TlpType::MWr;
    t->allocate(bytes / 4);
    t->address = address;
    t->first_be = 0xf;
    t->last_be = bytes > 4 ? 0xf : 0;
    t->tag = tag;
    return t;
}
inline TlpPtr read(std::uint16_t tag, std::uint64_t address = 0x1000) {
    TlpPtr t = tlp_pool().make();
    t->type = TlpType::MRd;
    t->length_dw = 16;
    t->address = address;
    t->first_be = 0xf;
    t->last_be = 0xf;
    t->tag = tag;
    return t;
}
inline TlpPtr completion(std::uint32_t bytes, std::uint16_t tag) {
    TlpPtr t = tlp_pool().make();
    t->type = TlpType::CplD;
    t->allocate(bytes / 4);
    t->byte_count = static_cast<std::uint16_t>(bytes);
    t->tag = tag;
    return t;
}

constexpr auto P = static_cast<unsigned>(FlowClass::posted);
constexpr auto N = static_cast<unsigned>(FlowClass::nonposted);
constexpr auto C = static_cast<unsigned>(FlowClass::completion);

struct Pair {
    explicit Pair(LinkConfig config = {}, ReceiverTraits top_traits = {},
                  std::vector<Fault> faults = {}, std::uint64_t seed = 1) {
        top.traits = top_traits;
        link.emplace("link", config, top, device, seed, std::move(faults));
        beside.watch(*link);
        device_sends = device.out;
    }
    static void run(sim::Ps t) { sc_core::sc_start(sim::to_sc_time(t)); }
    End top;
    End device;
    Beside beside{{nobody_asked}};
    std::optional<Link> link;
    LinkDirection* device_sends = nullptr;
};

}  // namespace nicsim::pcie::test
