// SPDX-License-Identifier: Apache-2.0
// Published measurements beside what the simulator makes of them. Every record is simulated in a
// process of its own; records with the same scenario and overrides share one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/diagnostics.h"

namespace nicsim::scenarios {

struct Measurement {
    std::string id;
    std::string device;
    std::string unit;
    std::optional<double> measured;
    std::optional<double> goal;  ///< largest relative error allowed
    std::string kind;            ///< `calibrate` or `predict`
    std::string scenario;        ///< empty: the device is not modelled yet
    std::vector<std::string> sets;
    std::string stat;
    std::string note;

    // Filled in by `simulate`.
    std::optional<double> simulated;
    std::string failure;  ///< why there is no figure
    [[nodiscard]] std::optional<double> error() const;
    /// Nothing can be said of a record without a figure or a goal.
    [[nodiscard]] std::optional<bool> pass() const;
};

/// Reads the reference file. Throws InputError if it is not what it should be.
std::vector<Measurement> load_measurements(const std::string& path);

struct FidelityOptions {
    std::string device;  ///< empty: all
    bool json = false;
    bool markdown = false;  ///< the page of the documentation
    bool quiet = false;
    unsigned jobs = 0;      ///< 0: as many as the machine has cores
    std::string reference;  ///< file; empty: the shipped one
};
/// Simulated records as an array of objects, as a table for the terminal, and as a page.
std::string fidelity_json(const std::vector<Measurement>& records);
std::string fidelity_table(const std::vector<Measurement>& records);
std::string fidelity_markdown(const std::vector<Measurement>& records);

/// Returns the exit code. Throws InputError.
int run_fidelity(const FidelityOptions& options);

}  // namespace nicsim::scenarios
