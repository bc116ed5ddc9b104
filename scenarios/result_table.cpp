// SPDX-License-Identifier: Apache-2.0
// The table on the terminal: what came through, what limited it, and how long things took.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/result_json.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {
namespace {

std::string scaled(double value, const char* const* suffixes, std::size_t count, double step) {
    std::size_t i = 0;
    while (i + 1 < count && std::abs(value) >= step) {
        value /= step;
        ++i;
    }
    return fmt::format("{:.{}f} {}", value,
                       std::abs(value) >= 100  ? 1
                       : std::abs(value) >= 10 ? 2
                                               : 3,
                       suffixes[i]);
}

std::string rate_text(double bit_per_s) {
    if (std::abs(bit_per_s) < 1e10) return fmt::format("{:.1f} Mbit/s", bit_per_s / 1e6);
    return fmt::format("{:.2f} Gbit/s", bit_per_s / 1e9);
}

std::string packet_rate_text(double per_second) {
    static const char* const suffixes[] = {"pps", "kpps", "Mpps"};
    return scaled(per_second, suffixes, 3, 1000.0);
}

std::string time_text(double ps) {
    static const char* const suffixes[] = {"ps", "ns", "us", "ms", "s"};
    return scaled(ps, suffixes, 5, 1000.0);
}

std::string value_text(double value, const std::string& unit) {
    if (unit == "bit/s") return rate_text(value);
    if (unit == "ps") return time_text(value);
    if (unit == "1") return fmt::format("{:.2f} %", value * 100.0);
    return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100.0);
}

/// Rows with columns as wide as their widest cell; the first column is flush left.
class Grid {
public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& r : rows_)
            for (std::size_t i = 0; i < r.size(); ++i) {
                if (widths.size() <= i) widths.push_back(0);
                widths[i] = std::max(widths[i], r[i].size());
            }
        std::string out;
        for (const auto& r : rows_) {
            std::string line;
            for (std::size_t i = 0; i < r.size(); ++i)
                line += i == 0 || (left_last_ && i + 1 == widths.size())
                            ? fmt::format("{}{:<{}}", i == 0 ? "" : "  ", r[i], widths[i])
                            : fmt::format("  {:>{}}", r[i], widths[i]);
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + "\n";
        }
        return out;
    }
    void left_last() { left_last_ = true; }

private:
    std::vector<std::vector<std::string>> rows_;
    bool left_last_ = false;
};

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t column = indent;
    for (std::size_t start = 0; start < text.size();) {
        std::size_t end = text.find(' ', start);
        if (end == std::string::npos) end = text.size();
        const std::string word = text.substr(start, end - start);
        if (column > indent && column + 1 + word.size() > width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        }
        if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        start = end + 1;
    }
    return out;
}

std::string workloads_text(const RunResult& r) {
    Grid grid;
    const double seconds = sim::to_seconds(r.scenario->as<RunConfig>().duration);
    grid.row({"workload", "type", "goodput", "packets", "per second", "lost", "wrong"});
    for (const Flow& f : r.flows)
        grid.row({f.name, f.type, rate_text(f.goodput), std::to_string(f.packets),
                  packet_rate_text(static_cast<double>(f.packets) / seconds),
                  std::to_string(f.lost), std::to_string(f.wrong)});
    return grid.text();
}

std::string losses_text(const RunResult& r) {
    std::string out;
    for (const Loss& l : r.losses)
        if (l.packets != 0)
            out += fmt::format("lost  {}{}  {} ({})\n", l.packets,
                               l.unit == "1" ? "" : " " + l.unit, l.cause, l.path);
    return out;
}

std::string resources_text(const Why& why) {
    Grid grid;
    grid.left_last();
    grid.row({"resource", "busy", "starved", "blocked", "mostly idle because"});
    for (const ResourceAccount& a : why.accounts) {
        if (a.busy < 0.0005 && a.blocked < 0.0005) continue;
        const StateShare* idle = nullptr;
        for (const StateShare& s : a.states)
            if (s.state->kind != sim::ActivityKind::busy &&
                (idle == nullptr || s.share > idle->share))
                idle = &s;
        grid.row({a.path, percent(a.busy), percent(a.starved), percent(a.blocked),
                  idle == nullptr || idle->share < 0.005 ? "" : idle->state->sentence});
    }
    return grid.text();
}

std::string latencies_text(const sim::StatGroup& stats) {
    Grid grid;
    grid.row({"latency", "count", "p50", "p90", "p99", "p99.9", "max"});
    bool any = false;
    for (const StatView& v : flatten(stats)) {
        if (v.path.compare(0, 8, "latency.") != 0 &&
            v.path.find(".latency.") == std::string::npos && v.path.find("generators.") != 0)
            continue;
        const auto* d = std::get_if<sim::DistributionStat>(&v.stat->value);
        if (d == nullptr || d->histogram->count() == 0) continue;
        any = true;
        const sim::Histogram& h = *d->histogram;
        const auto at = [&h](double q) { return time_text(static_cast<double>(h.percentile(q))); };
        grid.row({v.path.compare(0, 8, "latency.") == 0 ? v.path.substr(8) : v.path,
                  std::to_string(h.count()), at(0.5), at(0.9), at(0.99), at(0.999),
                  time_text(static_cast<double>(h.max()))});
    }
    return any ? grid.text() + "\n" : "";
}

std::string expectations_text(const std::vector<Expectation>& list) {
    if (list.empty()) return "";
    Grid grid;
    grid.row({"expected", "simulated", "wanted", "error", "met"});
    for (const Expectation& e : list) {
        std::string wanted;
        if (e.value)
            wanted = fmt::format("{} +- {}", value_text(*e.value, e.unit), percent(e.tolerance));
        if (e.min)
            wanted +=
                fmt::format("{}>= {}", wanted.empty() ? "" : ", ", value_text(*e.min, e.unit));
        if (e.max)
            wanted +=
                fmt::format("{}<= {}", wanted.empty() ? "" : ", ", value_text(*e.max, e.unit));
        grid.row({e.stat, value_text(e.simulated, e.unit), wanted,
                  e.error ? fmt::format("{:+.2f} %", *e.error * 100.0) : "", e.met ? "yes" : "NO"});
    }
    return grid.text() + "\n";
}

}  // namespace

std::string result_table(const RunResult& r, const sim::StatGroup& stats) {
    const auto run = r.scenario->as<RunConfig>();
    std::string out =
        fmt::format("{}  (seed {}, {} measured after {})\n\n", printable(run.name, 100), run.seed,
                    sim::format_quantity(static_cast<double>(run.duration), sim::Unit::time),
                    sim::format_quantity(static_cast<double>(run.warmup), sim::Unit::time));
    out += workloads_text(r) + losses_text(r) + "\n";
    out += "why   " + wrapped(r.why.sentence, 6, 100) + "\n\n";
    for (const auto& [port, port_why] : r.ports)
        if (port.packets != 0 && port_why.sentence != r.why.sentence)
            out +=
                port.name + "  " + wrapped(port_why.sentence, port.name.size() + 2, 100) + "\n\n";
    out += resources_text(r.why) + "\n";
    out += latencies_text(stats);
    out += expectations_text(r.expectations);
    for (const std::string& w : r.warnings) out += "warning  " + wrapped(w, 9, 100) + "\n";
    std::uint64_t unmodelled = 0;
    for (const UnmodelledRegister& u : r.unmodelled) unmodelled += u.reads + u.writes;
    out += fmt::format("{} packets on the wire, {:.1f} kernel wake-ups each", r.packets,
                       r.wakeups_per_packet);
    if (unmodelled != 0)
        out += fmt::format("; {} accesses to {} registers that are not modelled (see result.json)",
                           unmodelled, r.unmodelled.size());
    return out + "\n";
}

}  // namespace nicsim::scenarios
