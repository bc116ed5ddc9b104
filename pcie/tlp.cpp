// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp.h"

#include <array>

namespace nicsim::pcie {

const char* name_of(TlpType type) {
    static constexpr std::array<const char*, tlp_types> names = {"MRd", "MWr",  "CfgRd0", "CfgWr0",
                                                                 "Cpl", "CplD", "Msg"};
    return names[static_cast<unsigned>(type)];
}

const char* name_of(FlowClass flow) {
    static constexpr std::array<const char*, flow_classes> names = {"posted", "nonposted",
                                                                    "completion"};
    return names[static_cast<unsigned>(flow)];
}

void Tlp::recycle() {
    type = TlpType::MRd;
    first_be = 0;
    last_be = 0;
    traffic_class = 0;
    relaxed_ordering = false;
    id_based_ordering = false;
    no_snoop = false;
    poisoned = false;
    digest = false;
    ecrc_error = false;
    message_code = 0;
    status = CompletionStatus::successful;
    purpose = sim::DmaPurpose::other;
    requester_id = 0;
    completer_id = 0;
    tag = 0;
    length_dw = 0;
    address = 0;
    target = Bdf{};
    byte_count = 0;
    lower_address = 0;
    order = 0;
}

sim::Pool<Tlp>& tlp_pool() {
    static auto* pool = new sim::Pool<Tlp>;
    return *pool;
}

}  // namespace nicsim::pcie
