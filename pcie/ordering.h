// SPDX-License-Identifier: Apache-2.0
// The ordering table (PCI Express Base Specification 4.0, table 2-40): may a later TLP pass an
// earlier one that travels in the same direction and traffic class?
#pragma once

#include "pcie/tlp.h"

namespace nicsim::pcie {

/// IDO compares who speaks: the requester of a request, the completer of a completion.
inline std::uint16_t stream_of(const Tlp& t) {
    return t.is_completion() ? t.completer_id : t.requester_id;
}

/// "Yes" of the table, whether it must be possible or only may.
inline bool may_pass(const Tlp& later, const Tlp& earlier) {
    const FlowClass column = earlier.flow_class();
    if (column == FlowClass::nonposted) return true;
    if (column == FlowClass::completion)  // only completions of the same request keep their order
        return !later.is_completion() || later.requester_id != earlier.requester_id ||
               later.tag != earlier.tag;
    // Past a posted TLP: with RO, or with IDO if another one speaks.
    if (later.id_based_ordering && stream_of(later) != stream_of(earlier)) return true;
    if (later.type == TlpType::MRd || later.type == TlpType::CfgRd0) return false;
    if (later.type == TlpType::Cpl) return true;  // I/O and configuration writes
    return later.relaxed_ordering;
}

}  // namespace nicsim::pcie
