// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "pcie/config_space.h"
#include "pcie/ordering.h"
#include "pcie/splitting.h"

namespace nicsim::pcie {
namespace {

std::uint32_t key(std::uint16_t requester, std::uint16_t tag) {
    return std::uint32_t{requester} << 16U | tag;
}

bool holes(std::uint8_t enables) {
    const unsigned run = enables >> std::countr_zero(enables);
    return (run & (run + 1U)) != 0;
}

}  // namespace

void TlpChecker::violation(const Tlp& tlp, const std::string& what) {
    std::string sentence = fmt::format(
        "{} at {} ps (address {:#x}, {} DW, requester {:#06x}, tag {}): {}", name_of(tlp.type),
        sim::now(), tlp.address, tlp.length_dw, tlp.requester_id, tlp.tag, what);
    if (reaction_ == Reaction::throw_error) throw ProtocolError(sentence);
    violations_.push_back(std::move(sentence));
}

TlpChecker::Side& TlpChecker::side(const LinkDirection& direction) {
    return sides_[sides_[0].direction == &direction ? 0 : 1];
}

void TlpChecker::attached(const LinkDirection& direction) {
    Side& s = sides_[sides_[0].direction == nullptr ? 0 : 1];
    s.direction = &direction;
    s.limits = direction.receiver_traits().credits;
    const LinkConfig& c = direction.config();
    max_payload_ = static_cast<std::uint32_t>(c.max_payload);
    max_read_request_ = static_cast<std::uint32_t>(c.max_read_request);
    boundary_ = static_cast<std::uint32_t>(c.read_completion_boundary);
}

void TlpChecker::queued(const LinkDirection& direction, const Tlp& tlp) {
    Side& s = side(direction);
    s.waiting.push_back(&tlp);
    if (tlp.is_completion())
        check_completion(s, tlp);
    else
        check_request(tlp);
    if (tlp.flow_class() == FlowClass::nonposted) open_request(s, tlp);
}

void TlpChecker::sent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start, sim::Ps end) {
    Side& s = side(direction);
    check_wire(s, tlp, start, end);
    check_order(s, tlp);
    check_credits(s, tlp);
    ++s.on_wire;
}

void TlpChecker::check_wire(Side& s, const Tlp& tlp, sim::Ps start, sim::Ps end) {
    if (start < s.wire_free) violation(tlp, "it starts before the TLP ahead of it has left");
    if (end < start) violation(tlp, "it ends before it starts");
    s.wire_free = end;
}

void TlpChecker::resent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start,
                        sim::Ps end) {
    check_wire(side(direction), tlp, start, end);
}

void TlpChecker::lost(const LinkDirection& direction, const Tlp& tlp) {
    Side& s = side(direction);
    std::erase(s.waiting, &tlp);
    auto& open = tlp.is_completion() ? other(s).open : s.open;
    if (tlp.flow_class() == FlowClass::posted) return;
    const auto found = open.find(key(tlp.requester_id, tlp.tag));
    if (found != open.end()) found->second.given_up = true;
}

/// Nothing of what was under way comes any more, and credits start anew.
void TlpChecker::link_down(const LinkDirection& direction) {
    Side& s = side(direction);
    s.stale = s.undrained;
    s.header_used = {};
    s.data_used = {};
    s.on_wire = 0;
    s.wire_free = 0;
    s.waiting.clear();
    s.open.clear();
}

void TlpChecker::delivered(const LinkDirection& direction, const Tlp& tlp) {
    Side& s = side(direction);
    if (s.on_wire == 0) violation(tlp, "it arrives without having been sent");
    --s.on_wire;
    ++s.undrained[static_cast<unsigned>(tlp.flow_class())];
    if (tlp.type == TlpType::CfgWr0) follow_read_request_size(tlp);
    if (!tlp.is_completion()) return;
    // The tag is free for the requester with the last completion.
    auto& open = other(s).open;
    const auto found = open.find(key(tlp.requester_id, tlp.tag));
    const std::uint32_t lead = tlp.lower_address & 3U;
    if (found != open.end() && found->second.complete &&
        (tlp.type == TlpType::Cpl || tlp.byte_count + lead <= tlp.data_bytes()))
        open.erase(found);
}

/// Software may allow a function longer reads than firmware left it (Device Control, bits 14:12).
/// Behind a switch the largest of all functions counts.
void TlpChecker::follow_read_request_size(const Tlp& tlp) {
    if (tlp.address != config::pcie_at + config::pcie_device_control || (tlp.first_be & 2U) == 0)
        return;
    const std::uint32_t bytes = 128U << (tlp.data()[1] >> 4U & 7U);
    max_read_request_ = std::max(max_read_request_, bytes);
}

void TlpChecker::drained(const LinkDirection& direction, const Tlp& tlp) {
    Side& s = side(direction);
    const auto c = static_cast<unsigned>(tlp.flow_class());
    if (s.undrained[c] > 0) --s.undrained[c];
    if (s.stale[c] > 0) {
        --s.stale[c];
        return;
    }
    if (s.header_used[c] < 1 || s.data_used[c] < tlp.data_credits()) {
        violation(tlp, "more credits are given back than were used");
        return;
    }
    s.header_used[c] -= 1;
    s.data_used[c] -= tlp.data_credits();
}

void TlpChecker::check_request(const Tlp& tlp) {
    if (tlp.type == TlpType::Msg) {
        if (tlp.length_dw != 0) violation(tlp, "a message without data has no length");
        return;
    }
    if (tlp.length_dw < 1 || tlp.length_dw > 1024)
        violation(tlp, "the length must be 1 to 1024 double words");
    if (tlp.type == TlpType::CfgRd0 || tlp.type == TlpType::CfgWr0) {
        if (tlp.length_dw != 1 || tlp.last_be != 0)
            violation(tlp, "a configuration request has one double word");
        if (tlp.address >= 4096 || (tlp.address & 3U) != 0)
            violation(tlp, "the register must be a double word of 4096 bytes");
        return;
    }
    if (!tlp.is_memory()) return;
    const std::uint32_t bytes = tlp.length_dw * 4U;
    if (tlp.type == TlpType::MRd && bytes > max_read_request_)
        violation(tlp, fmt::format("the request exceeds MRRS of {} bytes", max_read_request_));
    if ((tlp.address & 3U) != 0) violation(tlp, "the address must be a multiple of 4");
    if ((tlp.address & (request_boundary - 1U)) + bytes > request_boundary)
        violation(tlp, "it crosses a 4 KiB boundary");
    if (tlp.type == TlpType::MWr && bytes > max_payload_)
        violation(tlp, fmt::format("the payload exceeds MPS of {} bytes", max_payload_));
    check_byte_enables(tlp);
}

void TlpChecker::check_byte_enables(const Tlp& tlp) {
    if (tlp.length_dw == 1) {
        if (tlp.last_be != 0) violation(tlp, "last byte enables must be 0 with one double word");
        return;
    }
    if (tlp.first_be == 0 || tlp.last_be == 0) {
        violation(tlp, "first and last byte enables must not be 0 with several double words");
        return;
    }
    // Two DW on a quad-word boundary may have holes; otherwise the enabled bytes are one run.
    if (tlp.length_dw == 2 && (tlp.address & 7U) == 0) return;
    if (holes(tlp.first_be) || holes(tlp.last_be) || (tlp.first_be & 8U) == 0 ||
        (tlp.last_be & 1U) == 0)
        violation(tlp, "the enabled bytes must be contiguous");
}

void TlpChecker::open_request(Side& s, const Tlp& tlp) {
    Open o;
    o.type = tlp.type;
    if (tlp.type == TlpType::MRd) {
        const ByteRange b = byte_range({tlp.address, tlp.length_dw, tlp.first_be, tlp.last_be});
        o.next_address = b.address;
        o.remaining = std::max(b.length, 1U);
    } else {
        o.remaining = 4;
    }
    const auto [at, fresh] = s.open.emplace(key(tlp.requester_id, tlp.tag), o);
    if (fresh) return;
    if (at->second.given_up)
        at->second = o;
    else
        violation(tlp, "its tag is still in use");
}

void TlpChecker::check_completion(Side& s, const Tlp& tlp) {
    auto& open = other(s).open;
    const auto found = open.find(key(tlp.requester_id, tlp.tag));
    if (found != open.end() && found->second.given_up) return;
    if (found == open.end() || found->second.complete) {
        violation(tlp, "no request with this requester ID and tag is open");
        return;
    }
    Open& o = found->second;
    if (tlp.type == TlpType::Cpl) {
        if (tlp.status == CompletionStatus::successful && o.type == TlpType::MRd)
            violation(tlp, "a memory read is answered without data");
        o.complete = true;
        return;
    }
    if (o.type != TlpType::MRd) {
        if (o.type == TlpType::CfgWr0 || tlp.length_dw != 1 || tlp.byte_count != 4)
            violation(tlp, "a configuration completion carries the one double word of a read");
        o.complete = true;
        return;
    }
    const std::uint32_t lead = tlp.lower_address & 3U;
    const std::uint32_t bytes =
        std::min(tlp.data_bytes() - std::min(lead, tlp.data_bytes()), o.remaining);
    if (tlp.data_bytes() > max_payload_)
        violation(tlp, fmt::format("the payload exceeds MPS of {} bytes", max_payload_));
    if (tlp.byte_count != o.remaining)
        violation(tlp, fmt::format("byte count is {} where {} bytes are missing", tlp.byte_count,
                                   o.remaining));
    if (tlp.lower_address != (o.next_address & 0x7fU))
        violation(tlp, fmt::format("lower address is {:#x} where {:#x} comes next",
                                   tlp.lower_address, o.next_address & 0x7fU));
    const std::uint64_t end = o.next_address + bytes;
    if (bytes < o.remaining && (end & (boundary_ - 1U)) != 0)
        violation(tlp, fmt::format("it ends off a multiple of RCB ({} bytes)", boundary_));
    o.next_address = end;
    o.remaining -= bytes;
    o.complete = o.remaining == 0;
}

/// Against every TLP that was handed over earlier and still waits.
void TlpChecker::check_order(Side& s, const Tlp& tlp) {
    for (const Tlp* earlier : s.waiting) {
        if (earlier == &tlp) break;
        if (!may_pass(tlp, *earlier))
            violation(tlp, fmt::format("it passes an earlier {}, which the ordering table forbids",
                                       name_of(earlier->type)));
    }
    std::erase(s.waiting, &tlp);
}

void TlpChecker::check_credits(Side& s, const Tlp& tlp) {
    const auto c = static_cast<unsigned>(tlp.flow_class());
    s.header_used[c] += 1;
    s.data_used[c] += tlp.data_credits();
    if ((s.limits.header[c] != 0 && s.header_used[c] > s.limits.header[c]) ||
        (s.limits.data[c] != 0 && s.data_used[c] > s.limits.data[c]))
        violation(tlp,
                  fmt::format("it is sent without {} credits", name_of(static_cast<FlowClass>(c))));
}

std::string TlpChecker::unfinished() const {
    for (const Side& s : sides_) {
        if (s.direction == nullptr) continue;
        const std::string where = s.direction->basename();
        const auto waiting = static_cast<std::size_t>(std::count_if(
            s.open.begin(), s.open.end(), [](const auto& o) { return !o.second.given_up; }));
        if (waiting != 0)
            return fmt::format("{}: {} requests are without their completions", where, waiting);
        if (s.on_wire != 0) return fmt::format("{}: {} TLPs are on the wire", where, s.on_wire);
        for (unsigned c = 0; c < flow_classes; ++c)
            if (s.header_used[c] != 0 || s.data_used[c] != 0)
                return fmt::format("{}: {} header and {} data credits of class {} are out", where,
                                   s.header_used[c], s.data_used[c],
                                   name_of(static_cast<FlowClass>(c)));
    }
    return {};
}

}  // namespace nicsim::pcie
