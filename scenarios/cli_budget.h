// SPDX-License-Identifier: Apache-2.0
// `nicsim pcie-budget`: what a link can carry by the closed form, for bulk transfers and for
// packets with three kinds of NIC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nicsim::scenarios {

struct BudgetOptions {
    std::uint64_t generation = 3;
    std::uint64_t width = 8;
    std::uint64_t max_payload = 256;
    std::uint64_t max_read_request = 512;
    std::uint64_t boundary = 64;
    bool every_boundary = false;
    bool low_addresses = false;
    bool ecrc = false;
    bool as_published = false;
    bool json = false;
    std::vector<std::uint32_t> sizes;
};

/// Adds the subcommand to the program's command line.
CLI::App* add_budget_command(CLI::App& app, BudgetOptions& options);
/// Prints the tables; returns the exit code. Throws InputError.
int print_budget(const BudgetOptions& options);

}  // namespace nicsim::scenarios
