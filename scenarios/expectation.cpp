// SPDX-License-Identifier: Apache-2.0
#include "scenarios/expectation.h"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

class Reader {
public:
    Reader(const BoundBlock& block, const StatReader& stats, Problems& problems)
        : block_(block), stats_(stats), problems_(problems) {}

    Expectation read() {
        const auto config = block_.as<ExpectConfig>();
        Expectation out;
        out.stat = config.stat;
        out.tolerance = config.tolerance;
        if (config.stat.empty()) {
            problem("stat", "is missing: the path of a statistic");
            return out;
        }
        if (const std::string bad = stats_.complaint(config.stat); !bad.empty()) {
            problem("stat", bad);
            return out;
        }
        out.unit = stats_.unit(config.stat);
        out.value = number("value", config.value, out.unit);
        out.min = number("min", config.min, out.unit);
        out.max = number("max", config.max, out.unit);
        if (config.value.empty() && config.min.empty() && config.max.empty())
            problem("stat", "needs `value` (with `tolerance`), `min` or `max`");
        if (out.min && out.max && *out.min > *out.max) problem("min", "is greater than max");
        return out;
    }

private:
    void problem(const std::string& key, const std::string& message) {
        const BoundValue* v = block_.find(key);
        problems_.add(v != nullptr && v->given ? v->place : block_.place, block_.path + "." + key,
                      message);
    }
    std::optional<double> number(const std::string& key, const std::string& text,
                                 const std::string& unit) {
        if (text.empty()) return std::nullopt;
        const sim::QuantityResult result = sim::parse_quantity(text, unit_of_statistic(unit));
        if (const auto* value = std::get_if<double>(&result)) return *value;
        problem(key, std::get<sim::QuantityError>(result).message);
        return std::nullopt;
    }

    const BoundBlock& block_;
    const StatReader& stats_;
    Problems& problems_;
};

}  // namespace

sim::Unit unit_of_statistic(const std::string& unit) {
    if (unit == "bit/s") return sim::Unit::bit_rate;
    if (unit == "ps") return sim::Unit::time;
    if (unit == "B") return sim::Unit::bytes;
    if (unit == "pps") return sim::Unit::packet_rate;
    if (unit == "Hz") return sim::Unit::frequency;
    if (unit == "1") return sim::Unit::ratio;
    return sim::Unit::none;
}

std::vector<Expectation> read_expectations(const BoundBlock& scenario, const StatReader& stats) {
    Problems problems;
    std::vector<Expectation> out;
    for (const BoundBlock& block : scenario.list("expect"))
        out.push_back(Reader(block, stats, problems).read());
    if (!problems.empty()) throw InputError(problems.text());
    return out;
}

void judge(std::vector<Expectation>& expectations, const StatReader& stats) {
    for (Expectation& e : expectations) {
        e.simulated = stats.read(e.stat).value_or(std::nan(""));
        e.met = std::isfinite(e.simulated);
        if (e.value) {
            e.error = *e.value == 0.0 ? std::abs(e.simulated)
                                      : (e.simulated - *e.value) / std::abs(*e.value);
            if (!(std::abs(*e.error) <= e.tolerance)) e.met = false;
        }
        if (e.min && !(e.simulated >= *e.min)) e.met = false;
        if (e.max && !(e.simulated <= *e.max)) e.met = false;
    }
}

}  // namespace nicsim::scenarios
