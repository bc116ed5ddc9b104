// SPDX-License-Identifier: Apache-2.0
#include "scenarios/device_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/kinds.h"
#include "sim/units.h"

namespace nicsim::scenarios {
namespace {

/// A value with the block that it belongs to.
struct Setting {
    const BoundBlock* block = nullptr;
    const BoundValue* value = nullptr;
    [[nodiscard]] std::uint64_t number() const { return std::get<std::uint64_t>(value->value); }
    [[nodiscard]] std::string path() const { return block->path + "." + value->decl->name; }
    [[nodiscard]] std::string text(std::uint64_t n) const {
        return value->decl->unit == sim::Unit::bytes ? fmt::format("{}B", n) : fmt::format("{}", n);
    }
    [[nodiscard]] std::string described() const {
        return fmt::format("{} {}", path(), text(number()));
    }
    [[nodiscard]] Fault fault(std::string message) const {
        return fault_at(*block, value->decl->name, std::move(message));
    }
};

Setting setting_at(const BoundBlock& scenario, const std::string& path) {
    const BoundBlock* block = &scenario;
    std::size_t from = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', from)) {
        block = block->child(path.substr(from, dot - from));
        from = dot + 1;
    }
    return {block, block->find(path.substr(from))};
}

class Check {
public:
    Check(const BoundBlock& scenario, const DeviceBound& bound)
        : bound_(bound), nic_(*scenario.child("nic")) {
        for (const std::string& path : bound.settings)
            settings_.push_back(setting_at(scenario, path));
        ability_ = {&nic_, nic_.find(bound.ability)};
        limit_ = ability_.value != nullptr ? ability_.number() : bound.otherwise;
    }

    std::vector<Fault> faults() const {
        if (limit_ == 0 || total() <= limit_) return {};
        const bool set = std::any_of(settings_.begin(), settings_.end(),
                                     [](const Setting& s) { return s.value->given; });
        if (!set && ability_.value != nullptr && ability_.value->given) return {too_little()};
        return {too_much()};
    }

private:
    [[nodiscard]] std::uint64_t total() const {
        return std::accumulate(settings_.begin(), settings_.end(), bound_.overhead,
                               [](std::uint64_t n, const Setting& s) { return n + s.number(); });
    }

    /// The device is built for less than its driver sets by itself.
    [[nodiscard]] Fault too_little() const {
        std::vector<std::string> needs;
        for (const Setting& s : settings_) needs.push_back(s.described());
        return ability_.fault(fmt::format("{} is too little for {}: at least {}",
                                          ability_.text(limit_), joined(needs, " and "),
                                          ability_.text(total())));
    }

    /// To blame is the last setting that somebody gave and that a smaller value would help.
    [[nodiscard]] Fault too_much() const {
        const Setting* blamed = &settings_.front();
        for (const Setting& s : settings_)
            if (s.value->given && total() - s.number() <= limit_) blamed = &s;
        std::string beside;
        for (const Setting& s : settings_)
            if (&s != blamed) beside += (beside.empty() ? " with " : " and ") + s.described();
        const std::uint64_t others = total() - blamed->number();
        const std::string has = fmt::format(fmt::runtime(bound_.has), limit_);
        return blamed->fault(fmt::format(
            "{} is more than '{}' takes{}: at most {}; {}{}", blamed->text(blamed->number()),
            nic_.type, beside, blamed->text(limit_ - std::min(limit_, others)), has,
            ability_.value == nullptr ? "" : " (" + ability_.path() + ")"));
    }

    const DeviceBound& bound_;
    const BoundBlock& nic_;
    std::vector<Setting> settings_;
    Setting ability_;
    std::uint64_t limit_ = 0;
};

/// Ports find their devices by number from the first one on.
void add_instance_fault(const BoundBlock& scenario, std::vector<Fault>& out) {
    const Setting instance = setting_at(scenario, "driver.instance");
    if (instance.value == nullptr || instance.number() == 0) return;
    const std::size_t ports = std::max<std::size_t>(1, scenario.list("ports").size());
    out.push_back(instance.fault(fmt::format(
        "{} is more than there are: at most 0; the machine has {}, and its ports take "
        "them from there on",
        instance.number(), ports == 1 ? "one device" : fmt::format("{} devices", ports))));
}

}  // namespace

std::vector<Fault> device_bound_faults(const BoundBlock& scenario) {
    const NicKind& nic = kind_named(nic_kinds(), scenario.child("nic")->type);
    const DriverKind& driver = kind_named(driver_kinds(), scenario.child("driver")->type);
    std::vector<DeviceBound> bounds = driver.bounds;
    bounds.push_back({{"host.ip.mtu"}, "", "it takes packets of {} bytes", nic.max_mtu});
    std::vector<Fault> out;
    for (const DeviceBound& bound : bounds)
        for (Fault& f : Check(scenario, bound).faults()) out.push_back(std::move(f));
    add_instance_fault(scenario, out);
    return out;
}

}  // namespace nicsim::scenarios
