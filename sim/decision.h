// SPDX-License-Identifier: Apache-2.0
// Decisions that a block takes - whose data are fetched, whose frame is sent, when an interrupt is
// issued - offered to whoever writes them down. Unlike a Probe every one counts, also if it is the
// same as the one before. Costs one branch while nobody listens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.h"

namespace nicsim::sim {

/// Receives decisions in order of time.
class DecisionSink {
public:
    virtual ~DecisionSink() = default;
    virtual void decided(const std::string& path, Ps time, std::uint64_t value) = 0;
};

class Decision {
public:
    /// `path` is dotted and unique in the run; `value` of made() is said where it is declared.
    explicit Decision(std::string path);
    ~Decision();
    Decision(const Decision&) = delete;
    Decision& operator=(const Decision&) = delete;

    void made(std::uint64_t value) {
        if (sink_ != nullptr) sink_->decided(path_, now(), value);
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    void attach(DecisionSink* sink) { sink_ = sink; }

    /// Every one alive, in order of construction.
    static const std::vector<Decision*>& all();

private:
    std::string path_;
    DecisionSink* sink_ = nullptr;
};

}  // namespace nicsim::sim
