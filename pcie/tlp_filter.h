// SPDX-License-Identifier: Apache-2.0
// Which TLPs a capture shows. An expression is a list of terms that must all hold:
//   type=MWr,CplD direction=up address=0x1000-0x1fff time=1ms-2ms purpose=tx_data
//   requester=01:00.0 tag=3 event=resent,discarded link=link_to_switch dllp=yes
// Several values of a term are alternatives; a range includes its ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcie/faults.h"
#include "pcie/tlp.h"
#include "sim/time.h"

namespace nicsim::pcie {

enum class CaptureEvent : std::uint8_t { sent, resent, discarded, lost };
constexpr unsigned capture_events = 4;
const char* name_of(CaptureEvent event);

class TlpFilter {
public:
    /// Everything but DLLPs.
    TlpFilter() = default;
    /// Throws std::invalid_argument that says which term is wrong and what is allowed.
    explicit TlpFilter(const std::string& expression);

    /// `address` and `length` of the request; of a completion those of its request, if known.
    [[nodiscard]] bool shows(CaptureEvent event, Heading direction, const Tlp& tlp, sim::Ps time,
                             std::optional<std::uint64_t> address, std::uint64_t length) const;
    [[nodiscard]] bool shows_dllp(Heading direction, sim::Ps time) const;
    [[nodiscard]] bool shows_link(std::string_view name) const;
    [[nodiscard]] bool dllps() const { return dllps_; }
    /// Names that `link` gives.
    [[nodiscard]] const std::vector<std::string>& links() const { return links_; }

private:
    struct Range {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };
    void term(const std::string& text);
    void value(const std::string& key, const std::string& text);
    [[nodiscard]] bool in_time(sim::Ps time) const;

    // 0: all.
    std::uint32_t types_ = 0;
    std::uint32_t events_ = 0;
    std::uint32_t directions_ = 0;
    std::uint32_t purposes_ = 0;
    std::vector<Range> addresses_;
    std::vector<Range> times_;
    std::vector<std::uint16_t> requesters_;
    std::vector<std::uint64_t> tags_;
    std::vector<std::string> links_;
    bool dllps_ = false;
};

}  // namespace nicsim::pcie
