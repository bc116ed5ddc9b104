// SPDX-License-Identifier: Apache-2.0
#include "pcie/link_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pcie/tlp.h"

namespace nicsim::pcie {
namespace {

constexpr const char* base_spec = "PCI Express Base Specification 4.0";

/// The allowance for TLP overhead in the ACK and UpdateFC limits.
constexpr double limit_overhead = 28.0;

/// AckFactor of the specification's latency-limit tables.
double ack_factor(std::uint64_t max_payload, std::uint64_t width) {
    if (max_payload >= 512) return width >= 12 ? 2.0 : 1.0;
    if (width >= 12) return 3.0;
    return width >= 8 ? 2.5 : 1.4;
}

/// Internal delay of the same tables, in symbol times.
double internal_delay(std::uint64_t generation) {
    if (generation == 1) return 19.0;
    return generation == 2 ? 70.0 : 115.0;
}

/// Above, a large TLP has no chance to arrive whole.
constexpr double highest_bit_error_rate = 1e-4;
/// From 16 GT/s on, without Extended Synch: 24,000 to 31,000 symbol times.
constexpr std::uint64_t simplified_replay_symbols = 24'000;
constexpr std::uint64_t first_simplified_generation = 4;

std::string join(const std::vector<double>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace

const sim::ParamTable& LinkConfig::params() {
    static const sim::ParamTable table =
        sim::ParamTableBuilder<LinkConfig>()
            .add("generation", &LinkConfig::generation,
                 {.allowed = {1, 2, 3, 4, 5},
                  .sentence = "Generation of the slot: 2.5, 5, 8, 16 or 32 GT/s per lane. The link "
                              "trains to the smaller of slot and device.",
                  .source = sim::datasheet(std::string(base_spec) + ", 4.2")})
            .add("width", &LinkConfig::width,
                 {.allowed = {1, 2, 4, 8, 16},
                  .sentence =
                      "Lanes of the slot. The link trains to the smaller of slot and device.",
                  .source = sim::datasheet(std::string(base_spec) + ", 4.2")})
            .add(
                "max_payload", &LinkConfig::max_payload,
                {.unit = sim::Unit::bytes,
                 .allowed = {128, 256, 512, 1024, 2048, 4096},
                 .sentence = "Largest payload of a TLP (MPS) that the port supports; firmware sets "
                             "the smaller of port and device in both.",
                 .source = sim::datasheet(std::string(base_spec) + ", 7.8.4")})
            .add("max_read_request", &LinkConfig::max_read_request,
                 {.unit = sim::Unit::bytes,
                  .allowed = {128, 256, 512, 1024, 2048, 4096},
                  .sentence = "Largest read request (MRRS) as firmware leaves it in the device.",
                  .source = sim::datasheet(std::string(base_spec) + ", 7.8.4")})
            .add("read_completion_boundary", &LinkConfig::read_completion_boundary,
                 {.unit = sim::Unit::bytes,
                  .allowed = {64, 128},
                  .sentence = "Multiples at which the root complex may cut completions (RCB).",
                  .source = sim::datasheet(std::string(base_spec) + ", 2.3.1.1")})
            .add_choice("dllp", &LinkConfig::dllp,
                        sim::ChoiceNames<DllpCharge>{{DllpCharge::none, "none"},
                                                     {DllpCharge::real, "real"},
                                                     {DllpCharge::closed_form, "closed_form"}},
                        {.sentence =
                             "How ACK, UpdateFC and SKP take time from the wire: not at all, "
                             "as traffic makes them due, or as a constant share.",
                         .source = sim::datasheet(std::string(base_spec) +
                                                  ", 2.6.1.2, 3.5.2 and 4.2.7; constant share: "
                                                  "pcie-bench/pcie-model")})
            .add(
                "propagation_delay", &LinkConfig::propagation_delay,
                {.unit = sim::Unit::time,
                 .max = 10e6,
                 .sentence = "From the last bit at one end's pins until the other end has the TLP.",
                 .source = sim::assumed("5 ns of trace and PHY; the rest of the round trip is in "
                                        "the latencies of both ends")})
            .add("bit_error_rate", &LinkConfig::bit_error_rate,
                 {.unit = sim::Unit::ratio,
                  .min = 0.0,
                  .max = highest_bit_error_rate,
                  .sentence = "Share of bits that arrive wrong, each direction on its own. The "
                              "specification asks for less than 1e-12.",
                  .source = sim::assumed("0: an error in 1e12 bits is none in a run")})
            .add("replay_buffer", &LinkConfig::replay_buffer,
                 {.unit = sim::Unit::bytes,
                  .max = 1e6,
                  .sentence = "TLP bytes that a sender can keep until they are acknowledged; 0 is "
                              "as much as it takes never to wait.",
                  .source = sim::datasheet(std::string(base_spec) +
                                           ", 3.5.2.1: should be large enough not to stall")})
            .add("retrain_time", &LinkConfig::retrain_time,
                 {.unit = sim::Unit::time,
                  .max = 24e9,
                  .sentence = "What a retraining takes (Recovery), as after the fourth replay "
                              "without progress.",
                  .source = sim::assumed("some microseconds; the specification bounds Recovery by "
                                         "24 ms for each of its states")})
            .add("ecrc", &LinkConfig::ecrc,
                 {.sentence = "Both ends add an end-to-end CRC of 4 bytes to every TLP and check "
                              "it.",
                  .source = sim::datasheet(std::string(base_spec) + ", 2.7.1; off by default")})
            .build();
    return table;
}

std::string LinkConfig::validate() const {
    for (const sim::ParamDecl& decl : params()) {
        if (decl.type != sim::ParamType::integer) continue;
        const auto value = static_cast<double>(std::get<std::uint64_t>(decl.get(this)));
        if (!decl.allowed.empty() &&
            std::find(decl.allowed.begin(), decl.allowed.end(), value) == decl.allowed.end())
            return fmt::format("{} is {}; allowed are {}", decl.name, value, join(decl.allowed));
        if (decl.max && value > *decl.max)
            return fmt::format("{} is {}; allowed is at most {}", decl.name, value, *decl.max);
    }
    if (!(bit_error_rate >= 0.0 && bit_error_rate <= highest_bit_error_rate))
        return fmt::format("bit_error_rate is {}; allowed are 0 to {}", bit_error_rate,
                           highest_bit_error_rate);
    if (replay_buffer != 0 && replay_buffer < max_payload + 28)
        return fmt::format(
            "replay_buffer is {}; one TLP of {} B payload needs {} (0 is enough "
            "for any)",
            replay_buffer, max_payload, max_payload + 28);
    return {};
}

double LinkConfig::symbol_time() const {
    // 8b/10b: ten bits a byte; 128b/130b: 130 bits for 16 bytes.
    static constexpr std::array<double, 5> byte_ps = {4000.0, 2000.0, 8125.0 / 8.0, 8125.0 / 16.0,
                                                      8125.0 / 32.0};
    return byte_ps[generation - 1];
}

double LinkConfig::usable_rate() const {
    return 8e12 / symbol_time() * static_cast<double>(width);
}

std::uint64_t LinkConfig::dllp_limit_symbols() const {
    return static_cast<std::uint64_t>(
        std::floor((static_cast<double>(max_payload) + limit_overhead) *
                       ack_factor(max_payload, width) / static_cast<double>(width) +
                   internal_delay(generation)));
}

sim::Ps LinkConfig::dllp_limit() const {
    return static_cast<sim::Ps>(
        std::llround(static_cast<double>(dllp_limit_symbols()) * symbol_time()));
}

sim::Ps LinkConfig::replay_timer() const {
    const std::uint64_t symbols = generation >= first_simplified_generation
                                      ? simplified_replay_symbols
                                      : 3U * dllp_limit_symbols();
    return static_cast<sim::Ps>(std::llround(static_cast<double>(symbols) * symbol_time()));
}

sim::Ps LinkConfig::flow_control_init_time() const {
    // Each end sends three InitFC1, and when it has the other's, three InitFC2.
    return 2U * (wire_time(std::uint64_t{3} * dllp_bytes) + propagation_delay);
}

std::uint64_t LinkConfig::byte_time_q32() const {
    double ps = symbol_time() / static_cast<double>(width);
    if (dllp == DllpCharge::closed_form) {
        const double limit = static_cast<double>(dllp_limit_symbols());
        ps /= 1.0 - 2.0 * dllp_bytes / limit -
              static_cast<double>(skp_symbols) / static_cast<double>(skp_interval_symbols);
    }
    return static_cast<std::uint64_t>(std::llround(ps * 0x1.0p32));
}

}  // namespace nicsim::pcie
