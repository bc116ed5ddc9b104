// SPDX-License-Identifier: Apache-2.0
// Writes down what passes a link, one line per TLP (and per DLLP, if asked for): when its first
// byte leaves and its last, direction, header, what it is for, the sender's credits of its class
// and TLPs waiting behind it. As text for people or as JSON lines for programs.
//
// Lines come in order of time: what becomes known late (DLLPs) or early (TLPs that are put on the
// wire ahead of time) is sorted within a window of lines. A capture changes nothing of the run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcie/link.h"
#include "pcie/tlp_filter.h"

namespace nicsim::pcie {

enum class CaptureFormat : std::uint8_t { text, json_lines };

class TlpCapture : public LinkObserver {
public:
    using Sink = std::function<void(std::string_view line)>;
    TlpCapture(CaptureFormat format, TlpFilter filter, Sink sink);

    /// Everything still kept for its order goes out.
    void finish();
    [[nodiscard]] std::uint64_t lines() const { return lines_; }

    void queued(const LinkDirection& direction, const Tlp& tlp) override;
    void sent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start, sim::Ps end) override;
    void resent(const LinkDirection& direction, const Tlp& tlp, sim::Ps start,
                sim::Ps end) override;
    void discarded(const LinkDirection& direction, const Tlp& tlp, const char* why) override;
    void lost(const LinkDirection& direction, const Tlp& tlp) override;
    void dllp(const LinkDirection& direction, const Dllp& dllp) override;
    void link_down(const LinkDirection& direction) override;

private:
    struct Line {
        sim::Ps time = 0;
        std::uint64_t number = 0;
        std::string text;
    };
    struct Request {
        std::uint64_t address = 0;
        std::uint64_t length = 0;
    };
    void event(CaptureEvent event, const LinkDirection& direction, const Tlp& tlp, sim::Ps start,
               sim::Ps end, const char* why);
    void add(sim::Ps time, std::string text);
    [[nodiscard]] std::optional<Request> request_of(const Tlp& tlp) const;

    CaptureFormat format_;
    TlpFilter filter_;
    Sink sink_;
    std::vector<Line> window_;  ///< heap, the earliest first
    std::uint64_t numbered_ = 0;
    std::uint64_t lines_ = 0;
    std::map<std::uint32_t, Request> requests_;  ///< by requester ID and tag
};

}  // namespace nicsim::pcie
