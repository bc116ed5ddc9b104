// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli_budget.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "pcie/nic_budget.h"
#include "scenarios/diagnostics.h"
#include "scenarios/runner.h"
#include "sim/units.h"

namespace nicsim::scenarios {
namespace {

constexpr std::uint32_t largest_size = 1U << 20;
const std::vector<std::uint32_t> default_sizes = {1,   16,  32,   60,   64,   128, 200,
                                                  256, 512, 1024, 1514, 2048, 4096};

struct Context {
    pcie::LinkConfig link;
    pcie::CompletionPolicy policy = pcie::CompletionPolicy::largest;
    pcie::TlpOverhead overhead;
    bool as_published = false;
};

Context context_of(const BudgetOptions& o) {
    Context c;
    c.link.generation = o.generation;
    c.link.width = o.width;
    c.link.max_payload = o.max_payload;
    c.link.max_read_request = o.max_read_request;
    c.link.read_completion_boundary = o.boundary;
    if (const std::string bad = c.link.validate(); !bad.empty())
        throw InputError("pcie-budget: " + bad);
    c.policy =
        o.every_boundary ? pcie::CompletionPolicy::every_boundary : pcie::CompletionPolicy::largest;
    c.overhead = pcie::overhead(!o.low_addresses);
    if (o.ecrc) c.overhead = {c.overhead.write + 4, c.overhead.read + 4, c.overhead.completion + 4};
    c.as_published = o.as_published;
    for (const std::uint32_t size : o.sizes)
        if (size == 0 || size > largest_size)
            throw InputError(fmt::format("pcie-budget: a size of {} is not from 1 to {} bytes",
                                         size, largest_size));
    return c;
}

struct Bulk {
    double write, read, both;
};
Bulk bulk(const Context& c, std::uint32_t size) {
    const pcie::WireBytes w = pcie::bulk_write(c.link, size, c.overhead);
    const pcie::WireBytes r = pcie::bulk_read(c.link, size, c.policy, c.overhead);
    pcie::WireBytes sum = w;
    sum += r;
    return {pcie::effective_rate(c.link, size, w), pcie::effective_rate(c.link, size, r),
            pcie::effective_rate(c.link, size, sum)};
}

pcie::NicBudget nic(const Context& c, pcie::NicModel model, std::uint32_t size) {
    return pcie::nic_budget(c.link, model, size, c.as_published, c.policy, c.overhead);
}

nlohmann::ordered_json json_of(const Context& c, const std::vector<std::uint32_t>& sizes) {
    nlohmann::ordered_json out;
    out["link"] = {{"generation", c.link.generation},
                   {"width", c.link.width},
                   {"max_payload", c.link.max_payload},
                   {"max_read_request", c.link.max_read_request},
                   {"usable_rate", c.link.usable_rate()},
                   {"dllp_limit_symbols", c.link.dllp_limit_symbols()},
                   {"tlp_capacity", pcie::tlp_capacity(c.link)}};
    out["as_published"] = c.as_published;
    for (const std::uint32_t size : sizes) {
        const Bulk b = bulk(c, size);
        nlohmann::ordered_json row = {
            {"size", size}, {"write", b.write}, {"read", b.read}, {"read_write", b.both}};
        for (unsigned m = 0; m < pcie::nic_models; ++m) {
            const auto model = static_cast<pcie::NicModel>(m);
            const pcie::NicBudget n = nic(c, model, size);
            row[pcie::name_of(model)] = {{"transmit_down", n.transmit.down},
                                         {"transmit_up", n.transmit.up},
                                         {"receive_down", n.receive.down},
                                         {"receive_up", n.receive.up},
                                         {"transmit", n.transmit_rate},
                                         {"receive", n.receive_rate},
                                         {"both", n.both_rate}};
        }
        out["sizes"].push_back(std::move(row));
    }
    return out;
}

void print_tables(const Context& c, const std::vector<std::uint32_t>& sizes) {
    constexpr double giga = 1e-9;
    fmt::print("PCIe generation {} x{}, MPS {} B, MRRS {} B, completions {}\n", c.link.generation,
               c.link.width, c.link.max_payload, c.link.max_read_request,
               c.policy == pcie::CompletionPolicy::largest
                   ? "as large as MPS"
                   : fmt::format("cut at every {} B", c.link.read_completion_boundary));
    fmt::print("after the line code {:.4f} Gbit/s; for TLPs {:.4f} Gbit/s each way\n",
               c.link.usable_rate() * giga, pcie::tlp_capacity(c.link) * giga);
    fmt::print("(ACK and UpdateFC every {} symbol times, SKP 4 in 1538)\n\n",
               c.link.dllp_limit_symbols());
    fmt::print("Useful Gbit/s of transfers of one size\n{:>8} {:>10} {:>10} {:>12}\n", "bytes",
               "write", "read", "read+write");
    for (const std::uint32_t size : sizes) {
        const Bulk b = bulk(c, size);
        fmt::print("{:>8} {:>10.4f} {:>10.4f} {:>12.4f}\n", size, b.write * giga, b.read * giga,
                   b.both * giga);
    }
    fmt::print("\nGbit/s of frames (size without FCS){}\n",
               c.as_published ? ", with the published receive fault" : "");
    fmt::print("{:>8}", "bytes");
    for (unsigned m = 0; m < pcie::nic_models; ++m)
        fmt::print("  {:<30}", fmt::format("{}: send, receive, both",
                                           pcie::name_of(static_cast<pcie::NicModel>(m))));
    fmt::print("\n");
    for (const std::uint32_t size : sizes) {
        fmt::print("{:>8}", size);
        for (unsigned m = 0; m < pcie::nic_models; ++m) {
            const pcie::NicBudget n = nic(c, static_cast<pcie::NicModel>(m), size);
            fmt::print("  {:>9.4f} {:>9.4f} {:>9.4f} ", n.transmit_rate * giga,
                       n.receive_rate * giga, n.both_rate * giga);
        }
        fmt::print("\n");
    }
}

}  // namespace

CLI::App* add_budget_command(CLI::App& app, BudgetOptions& o) {
    CLI::App* command = app.add_subcommand(
        "pcie-budget", "Print what a PCIe link can carry by the closed form of pcie-bench.");
    command->add_option("--generation,--gen", o.generation, "1 to 5 (default 3)");
    command->add_option("--width", o.width, "lanes: 1, 2, 4, 8, 16 (default 8)");
    command->add_option("--mps", o.max_payload, "Max_Payload_Size in bytes (default 256)");
    command->add_option("--mrrs", o.max_read_request,
                        "Max_Read_Request_Size in bytes (default 512)");
    command->add_option("--rcb", o.boundary, "read completion boundary, 64 or 128 (default 64)");
    command->add_flag("--every-boundary", o.every_boundary,
                      "the host cuts completions at every RCB");
    command->add_flag("--low-addresses", o.low_addresses, "3-DW headers: addresses below 4 GiB");
    command->add_flag("--ecrc", o.ecrc, "every TLP carries an ECRC");
    command->add_flag("--as-published", o.as_published,
                      "keep the published program's fault: NIC receive loses a read request");
    command->add_option("--sizes", o.sizes, "bytes, separated by commas")->delimiter(',');
    command->add_flag("--json", o.json, "JSON, rates in bit/s");
    return command;
}

int print_budget(const BudgetOptions& options) {
    const Context c = context_of(options);
    const std::vector<std::uint32_t>& sizes = options.sizes.empty() ? default_sizes : options.sizes;
    if (options.json)
        fmt::print("{}\n", json_of(c, sizes).dump(1));
    else
        print_tables(c, sizes);
    return exit_ok;
}

}  // namespace nicsim::scenarios
