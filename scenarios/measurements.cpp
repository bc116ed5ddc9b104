// SPDX-License-Identifier: Apache-2.0
// The reference file as records.
#include <fmt/format.h>

#include <cmath>

#include "scenarios/document.h"
#include "scenarios/fidelity.h"
#include "sim/units.h"

namespace nicsim::scenarios {
namespace {

class RecordReader {
public:
    RecordReader(const Value& record, Problems& problems) : record_(record), problems_(problems) {}

    Measurement read() {
        Measurement m;
        m.id = text("id", true);
        m.device = text("device", true);
        m.unit = text("unit", false);
        m.kind = text("kind", true);
        m.scenario = text("scenario", false);
        m.stat = text("stat", !m.scenario.empty());
        m.note = text("note", false);
        m.measured = number("measured");
        m.goal = number("goal");
        if (const Value* sets = record_.find("set"))
            for (const Value& s : sets->items) m.sets.push_back(s.text);
        if (m.kind != "calibrate" && m.kind != "predict")
            problems_.add(record_.place, m.id, "kind is neither calibrate nor predict");
        return m;
    }

private:
    std::string text(const std::string& key, bool required) {
        const Value* v = record_.find(key);
        if (v == nullptr && required) problems_.add(record_.place, key, "is missing");
        return v == nullptr ? "" : v->text;
    }
    std::optional<double> number(const std::string& key) {
        const Value* v = record_.find(key);
        if (v == nullptr) return std::nullopt;
        const sim::QuantityResult result = sim::parse_quantity(v->text, sim::Unit::none);
        if (const auto* value = std::get_if<double>(&result)) return *value;
        problems_.add(v->place, key, std::get<sim::QuantityError>(result).message);
        return std::nullopt;
    }

    const Value& record_;
    Problems& problems_;
};

}  // namespace

std::optional<double> Measurement::error() const {
    if (!simulated || !measured || *measured == 0.0) return std::nullopt;
    return (*simulated - *measured) / *measured;
}

std::optional<bool> Measurement::pass() const {
    if (!goal) return std::nullopt;
    if (scenario.empty()) return std::nullopt;
    const std::optional<double> e = error();
    return e && std::abs(*e) <= *goal;
}

std::vector<Measurement> load_measurements(const std::string& path) {
    Problems problems;
    const Value document = load_yaml(path, Origin::file, problems);
    std::vector<Measurement> out;
    const Value* records = document.find("records");
    if (problems.empty() && (records == nullptr || records->kind != Value::Kind::list))
        problems.add({path}, "records", "is missing: the list of measurements");
    if (problems.empty() && records != nullptr)
        for (const Value& record : records->items)
            out.push_back(RecordReader(record, problems).read());
    if (!problems.empty()) throw InputError(problems.text());
    return out;
}

}  // namespace nicsim::scenarios
