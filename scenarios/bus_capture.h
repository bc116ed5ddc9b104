// SPDX-License-Identifier: Apache-2.0
// `nicsim run --tlp FILE`: a capture of the bus into a file that is there whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pcie/tlp_capture.h"
#include "scenarios/machine.h"

namespace nicsim::scenarios {

class BusCapture {
public:
    /// Nothing at all if `path` is empty. Throws InputError if the filter is wrong, the name says
    /// no format, or the file cannot be written.
    BusCapture(const std::string& path, const std::string& filter);
    /// What was written goes away unless finish() came.
    ~BusCapture();
    BusCapture(const BusCapture&) = delete;
    BusCapture& operator=(const BusCapture&) = delete;

    void attach(Machine& machine);
    /// Puts the file in its place. Throws InputError.
    void finish(Machine& machine);

private:
    void write(std::string_view text);
    void flush();

    std::string path_;
    std::string temporary_;
    std::string buffer_;
    std::vector<std::string> filter_links_;
    int file_ = -1;
    int error_ = 0;  ///< of a write; told at the end, since the simulation cannot be left
    std::unique_ptr<pcie::TlpCapture> capture_;
};

}  // namespace nicsim::scenarios
