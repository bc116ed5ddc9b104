// SPDX-License-Identifier: Apache-2.0
#include "scenarios/result_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "scenarios/data_folder.h"
#include "scenarios/run_config.h"

namespace nicsim::scenarios {

const char* const nicsim_version = NICSIM_VERSION;

namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers are written as such; what is not a number is null.
Json number(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == std::floor(value) && std::abs(value) < 9e15)
        return static_cast<std::int64_t>(value);
    return value;
}

/// Shares, rates and means to nine significant digits: what differs beyond is rounding.
Json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    return number(std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr));
}

Json value_json(const sim::ParamValue& value) {
    if (const auto* d = std::get_if<double>(&value)) return number(*d);
    Json out;
    std::visit([&out](const auto& v) { out = v; }, value);
    return out;
}

std::string place_text(const Place& place) {
    static const std::string folder = data_folder();
    Place shown = place;
    if (shown.file.compare(0, folder.size(), folder) == 0)
        shown.file = shown.file.substr(folder.size() + (shown.file.size() > folder.size() ? 1 : 0));
    return text_of(shown);
}

void add_configuration(const BoundBlock& block, Json& out) {
    if (!block.type.empty()) out[block.path + ".type"] = Json{{"value", block.type}};
    for (const BoundValue& v : block.values) {
        const sim::ParamDecl& d = *v.decl;
        Json entry{{"value", sim::format_value(d, v.value)},
                   {"base", value_json(v.value)},
                   {"unit", sim::base_unit_name(d.unit)},
                   {"given_by", provenance(v)}};
        if (v.given) entry["at"] = place_text(v.place);
        entry["source"] = Json{{"kind", sim::name_of(d.source.kind)}, {"text", d.source.text}};
        out[block.path.empty() ? d.name : block.path + "." + d.name] = std::move(entry);
    }
    for (const BoundBlock::Child& c : block.children)
        for (const BoundBlock& item : c.items) add_configuration(item, out);
}

Json distribution_json(const sim::Histogram& h) {
    Json out{{"count", h.count()}, {"min", h.min()}, {"mean", rounded(h.mean())}};
    for (const auto& [name, q] : percentiles()) out[name] = h.percentile(q);
    out["max"] = h.max();
    return out;
}

Json activity_json(const sim::Activity& activity) {
    Json out{{"busy", rounded(share_of(activity, sim::ActivityKind::busy))},
             {"starved", rounded(share_of(activity, sim::ActivityKind::starved))},
             {"blocked", rounded(share_of(activity, sim::ActivityKind::blocked))}};
    Json states = Json::object();
    for (const StateShare& s : shares(activity)) {
        const char* kind = s.state->kind == sim::ActivityKind::busy      ? "busy"
                           : s.state->kind == sim::ActivityKind::starved ? "starved"
                                                                         : "blocked";
        states[s.state->name] =
            Json{{"kind", kind}, {"share", rounded(s.share)}, {"sentence", s.state->sentence}};
    }
    out["states"] = std::move(states);
    return out;
}

Json stat_json(const sim::Stat& stat) {
    Json out;
    Json value;
    if (const auto* c = std::get_if<sim::CounterStat>(&stat.value)) {
        out["kind"] = "counter";
        value = Json{{"measured", c->measured()}, {"whole_run", c->whole_run()}};
    } else if (const auto* f = std::get_if<sim::FormulaStat>(&stat.value)) {
        out["kind"] = "figure";
        value = Json{{"value", rounded(f->value())}};
    } else if (const auto* d = std::get_if<sim::DistributionStat>(&stat.value)) {
        out["kind"] = "distribution";
        value = distribution_json(*d->histogram);
    } else {
        out["kind"] = "activity";
        value = activity_json(*std::get<sim::ActivityStat>(stat.value).activity);
    }
    out["unit"] = std::holds_alternative<sim::ActivityStat>(stat.value) ? "1" : stat.unit;
    out["sentence"] = stat.sentence;
    out.update(value);
    return out;
}

Json headline_json(const RunResult& r) {
    Json workloads = Json::array();
    const double seconds = sim::to_seconds(r.scenario->as<RunConfig>().duration);
    for (const Flow& f : r.flows)
        workloads.push_back(
            Json{{"name", f.name},
                 {"type", f.type},
                 {"goodput_bit_per_s", rounded(f.goodput)},
                 {"packets", f.packets},
                 {"packets_per_s", rounded(static_cast<double>(f.packets) / seconds)},
                 {"lost", f.lost},
                 {"wrong", f.wrong}});
    Json loss = Json::array();
    for (const Loss& l : r.losses)
        loss.push_back(Json{{"stat", l.path}, {"cause", l.cause}, {"packets", l.packets}});
    return Json{{"workloads", workloads}, {"loss_by_cause", loss}};
}

Json why_json(const Why& why) {
    Json resources = Json::array();
    for (const ResourceAccount& a : why.accounts)
        resources.push_back(Json{{"path", a.path},
                                 {"busy", rounded(a.busy)},
                                 {"starved", rounded(a.starved)},
                                 {"blocked", rounded(a.blocked)}});
    return Json{{"sentence", why.sentence},
                {"limit", why.limit.empty() ? Json(nullptr) : Json(why.limit)},
                {"state", why.state.empty() ? Json(nullptr) : Json(why.state)},
                {"share", rounded(why.share)},
                {"steps", why.steps},
                {"resources", resources}};
}

/// Each port with what limited what it sent; resources stand in `why`.
Json ports_json(const RunResult& r) {
    Json out = Json::array();
    for (const auto& [port, why] : r.ports)
        out.push_back(
            Json{{"name", port.name},
                 {"packets_sent", port.packets},
                 {"why", Json{{"sentence", why.sentence},
                              {"limit", why.limit.empty() ? Json(nullptr) : Json(why.limit)},
                              {"state", why.state.empty() ? Json(nullptr) : Json(why.state)},
                              {"share", rounded(why.share)},
                              {"steps", why.steps}}}});
    return out;
}

Json expectations_json(const std::vector<Expectation>& list) {
    const auto optional = [](const std::optional<double>& v) {
        return v ? rounded(*v) : Json(nullptr);
    };
    Json out = Json::array();
    for (const Expectation& e : list)
        out.push_back(Json{{"stat", e.stat},
                           {"unit", e.unit},
                           {"simulated", rounded(e.simulated)},
                           {"value", optional(e.value)},
                           {"tolerance", rounded(e.tolerance)},
                           {"error", optional(e.error)},
                           {"min", optional(e.min)},
                           {"max", optional(e.max)},
                           {"met", e.met}});
    return out;
}

Json unmodelled_json(const std::vector<UnmodelledRegister>& list) {
    Json out = Json::array();
    for (const UnmodelledRegister& u : list)
        out.push_back(Json{{"offset", fmt::format("0x{:05X}", u.offset)},
                           {"reads", u.reads},
                           {"writes", u.writes}});
    return out;
}

[[noreturn]] void cannot_write(const std::string& path, const char* what) {
    throw InputError(fmt::format("{}: {}: {}\n", path, what, std::strerror(errno)));
}

}  // namespace

Json result_json(const RunResult& r, const sim::StatGroup& stats) {
    const auto run = r.scenario->as<RunConfig>();
    Json out;
    out["schema"] = result_schema;
    out["nicsim"] = nicsim_version;
    out["name"] = run.name;
    out["description"] = run.description;
    out["seed"] = run.seed;
    out["warmup_ps"] = run.warmup;
    out["measured_ps"] = run.duration;
    out["headline"] = headline_json(r);
    out["why"] = why_json(r.why);
    if (!r.ports.empty()) out["ports"] = ports_json(r);
    out["warnings"] = r.warnings;
    out["expectations"] = expectations_json(r.expectations);
    out["kernel"] = Json{{"wakeups", r.wakeups},
                         {"packets", r.packets},
                         {"wakeups_per_packet", rounded(r.wakeups_per_packet)}};
    out["unmodelled_registers"] = unmodelled_json(r.unmodelled);
    Json configuration = Json::object();
    add_configuration(*r.scenario, configuration);
    out["configuration"] = std::move(configuration);
    Json statistics = Json::object();
    for (const StatView& v : flatten(stats)) statistics[v.path] = stat_json(*v.stat);
    out["statistics"] = std::move(statistics);
    return out;
}

void write_atomically(const std::string& folder, const std::string& name, const std::string& text) {
    const std::string path = folder + "/" + name;
    std::string temporary = folder + "/." + name + ".XXXXXX";
    const int file = mkstemp(temporary.data());
    if (file < 0) cannot_write(path, "cannot be written");
    const auto give_up = [&](const char* what) {
        const int error = errno;
        close(file);
        unlink(temporary.c_str());
        errno = error;
        cannot_write(path, what);
    };
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = write(file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) give_up("cannot be written");
        done += static_cast<std::size_t>(n);
    }
    if (fsync(file) != 0 && errno != EINVAL && errno != EROFS) give_up("cannot be written");
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file, 0666 & ~mask) != 0) give_up("cannot be given its permissions");
    if (close(file) != 0) cannot_write(path, "cannot be written");
    if (rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        unlink(temporary.c_str());
        errno = error;
        cannot_write(path, "cannot be put in place");
    }
}

}  // namespace nicsim::scenarios
