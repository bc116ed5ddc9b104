// SPDX-License-Identifier: Apache-2.0
// What stands at which key of a scenario file.
#include "scenarios/language.h"

#include <algorithm>
#include <filesystem>

#include "host_driver/far_end/far_end.h"
#include "pcie/endpoint.h"
#include "pcie/link_config.h"
#include "pcie/root_complex.h"
#include "pcie/switch.h"
#include "pcie/upstream_link.h"
#include "scenarios/data_folder.h"
#include "scenarios/host_config.h"
#include "scenarios/kinds.h"
#include "scenarios/pause_rules.h"
#include "scenarios/pcie_faults.h"
#include "scenarios/port_rules.h"
#include "scenarios/run_config.h"
#include "scenarios/scenario_rules.h"

namespace nicsim::scenarios {
namespace {

template <class Kind>
Field choice_of(const std::string& name, const std::string& sentence,
                const std::vector<Kind>& kinds, Field::Kind shape, bool required) {
    Field f;
    f.name = name;
    f.sentence = sentence;
    f.kind = shape;
    f.required = required;
    for (const Kind& k : kinds) f.alternatives.push_back({k.name, k.sentence, &k.block});
    return f;
}

Field plain(const std::string& name, const std::string& sentence, const Block& block) {
    Field f;
    f.name = name;
    f.sentence = sentence;
    f.block = &block;
    return f;
}

/// What the platform's side of PCIe sets in the devices follows from `pcie.link`.
const sim::ParamTable& pci_params_without_link() {
    static const sim::ParamTable table = [] {
        sim::ParamTable out;
        for (const sim::ParamDecl& d : host::PciConfig::params())
            if (d.name != "max_payload" && d.name != "max_read_request") out.push_back(d);
        return out;
    }();
    return table;
}

const Block& host_block() {
    static const Block core{{&host::CoreConfig::params()}, {}, {}};
    static const Block napi{{&host::NapiConfig::params()}, {}, {}};
    static const Block pci{{&pci_params_without_link()}, {}, {}};
    static const Block tcp{{&host::TcpConfig::params()}, {}, {}};
    static const Block ip{{&host::IpConfig::params()}, {}, {}};
    static const Block idle_state{{&host::IdleState::params()}, {}, {}};
    Field states =
        plain("states", "The core's table of idle states, shallowest first.", idle_state);
    states.kind = Field::Kind::list;
    states.max_items = 16;
    static const Block idle{
        {&host::IdleConfig::params()}, {states}, [](const BoundBlock& b) {
            const std::string bad = idle_config(b).check();
            const std::size_t colon = bad.find(": ");
            if (bad.empty()) return std::vector<Fault>{};
            return std::vector<Fault>{{bad.substr(0, colon), bad.substr(colon + 2)}};
        }};
    static const Block block{
        {&host::HostConfig::params()},
        {plain("core", "What work costs on a core.", core),
         plain("idle", "What idle cores do.", idle),
         plain("napi", "Budgets of polled receive and clean.", napi),
         plain("pci", "How the operating system sets up PCI functions.", pci),
         plain("ip", "Addresses of the host and of its peer.", ip),
         plain("tcp", "Settings of the sending TCP stack.", tcp)},
        [](const BoundBlock& b) {
            const auto config = b.as<host::HostConfig>();
            std::vector<Fault> faults;
            for (const std::uint64_t core_index : config.interrupt_affinity)
                if (core_index >= config.cores)
                    faults.push_back({"interrupt_affinity",
                                      "names core " + std::to_string(core_index) + " of " +
                                          std::to_string(config.cores) + " (the first is 0)"});
            return faults;
        }};
    return block;
}

/// A scenario has no switch unless it says so.
const sim::ParamTable& switch_params() {
    static const sim::ParamTable table = [] {
        sim::ParamTable out = pcie::SwitchConfig::params();
        for (sim::ParamDecl& d : out)
            if (d.name == "ports") d.default_value = std::uint64_t{0};
        return out;
    }();
    return table;
}

std::vector<Fault> switch_faults(const BoundBlock& b) {
    std::vector<Fault> faults = faults_of<pcie::SwitchConfig>(b);
    if (b.as<pcie::SwitchConfig>().ports == 0 &&
        b.child("upstream_link")->as<pcie::UpstreamLinkConfig>().differs())
        faults.push_back({"upstream_link", "has no effect without a switch (ports is 0)"});
    return faults;
}

const Block& pcie_block() {
    static const Block link{
        {&pcie::LinkConfig::params()}, {}, [](const BoundBlock& b) {
            const std::string bad = b.as<pcie::LinkConfig>().validate();
            return bad.empty() ? std::vector<Fault>{} : std::vector<Fault>{{"", bad}};
        }};
    static const Block root_complex{
        {&pcie::RootComplexConfig::params()}, {}, faults_of<pcie::RootComplexConfig>};
    static const Block cache{
        {&pcie::HostCacheConfig::params()}, {}, faults_of<pcie::HostCacheConfig>};
    static const Block iommu{{&pcie::IommuConfig::params()}, {}, {}};
    static const Block upstream_link{{&pcie::UpstreamLinkConfig::params()}, {}, {}};
    static const Block pcie_switch{
        {&switch_params()},
        {plain("upstream_link", "The link between host and switch, where it differs.",
               upstream_link)},
        switch_faults};
    static const Block endpoint{
        {&pcie::EndpointConfig::params()}, {}, faults_of<pcie::EndpointConfig>};
    static const Block block{
        {},
        {plain("link", "The link between root complex and device.", link),
         plain("root_complex", "The host's end of the bus.", root_complex),
         plain("cache", "The cache that DMA looks into.", cache),
         plain("iommu", "Translation of the addresses of DMA.", iommu),
         plain("switch", "A switch in front of the devices.", pcie_switch),
         plain("endpoint", "The bus interface of the device.", endpoint), pcie_faults_field()},
        {}};
    return block;
}

}  // namespace

const Block& scenario_grammar() {
    static const Block far_end{
        {&host::FarEndConfig::params(), &host::FarPortConfig::params()}, {}, far_end_faults};
    static const Block expect{{&ExpectConfig::params()}, {}, {}};
    static const Block grammar = [] {
        Field host =
            plain("host",
                  "The computer: cores, kernel, TCP. Its profile also sets what it makes of "
                  "the bus (`pcie`).",
                  host_block());
        host.profiles = "host";
        Field expectations = plain("expect", "What the run has to show.", expect);
        expectations.kind = Field::Kind::list;
        Block out;
        out.params = {&RunConfig::params()};
        out.fields = {host,
                      plain("pcie", "The bus.", pcie_block()),
                      choice_of("nic", "The network card.", nic_kinds(), Field::Kind::choice, true),
                      choice_of("driver", "The driver and its policies.", driver_kinds(),
                                Field::Kind::choice, true),
                      ports_field(),
                      choice_of("qdisc", "The queue discipline; the kernel's default without it.",
                                qdisc_kinds(), Field::Kind::choice, false),
                      choice_of("workloads", "What runs on the host.", workload_kinds(),
                                Field::Kind::choices, true),
                      generators_field(),
                      plain("far_end", "The machine at the other end of the cable.", far_end),
                      expectations};
        out.check = scenario_faults;
        return out;
    }();
    return grammar;
}

namespace {

/// A host is more than its cores: the `pcie` part of a host's profile goes below the scenario's.
void apply_bus_of_profile(Value& document, Problems& problems) {
    const Value* host = document.find("host");
    const Value* profile = host == nullptr ? nullptr : host->find("profile");
    if (profile == nullptr || profile->text.find('/') != std::string::npos) return;
    const auto path =
        std::filesystem::path(data_folder()) / "profiles" / "host" / (profile->text + ".yaml");
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return;  // the binder says so
    const Value lower = load_yaml(path.string(), Origin::profile, problems);
    const Value* bus = lower.find("pcie");
    if (bus == nullptr) return;
    if (Value* own = document.find("pcie"); own != nullptr && own->kind == Value::Kind::map)
        *own = merged(*bus, *own);
    else if (own == nullptr || own->kind == Value::Kind::nothing)
        document.put("pcie", bus->place, *bus);
}

/// The scenario under the settings, with all that is wrong then.
BoundBlock load_with(const std::string& path, const std::vector<std::string>& sets,
                     Problems& problems) {
    Value document = load_with_bases(path, problems);
    if (problems.empty())
        for (const std::string& assignment : sets) apply_set(document, assignment, problems);
    if (problems.empty()) apply_bus_of_profile(document, problems);
    BoundBlock bound;
    if (problems.empty())
        bound = bind_document(document, scenario_grammar(), data_folder(), problems);
    return bound;
}

bool has(const Problems& all, const Problem& p) {
    return std::any_of(all.list().begin(), all.list().end(), [&p](const Problem& q) {
        return q.path == p.path && q.message == p.message;
    });
}

/// What a setting made wrong, though it says nothing of it, is that setting's fault and not that of
/// the file, which is right without it: its place is the setting. Of several it is the last one.
Problems blamed(const Problems& all, const std::string& path,
                const std::vector<std::string>& sets) {
    std::vector<Problem> list = all.list();
    std::vector<bool> settled(list.size());
    for (std::size_t i = sets.size(); i-- > 0;) {
        std::vector<std::string> others = sets;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        Problems without;
        (void)load_with(path, others, without);
        // Problems of its own could hide the others.
        if (!std::all_of(without.list().begin(), without.list().end(),
                         [&all](const Problem& p) { return has(all, p); }))
            continue;
        for (std::size_t k = 0; k < list.size(); ++k) {
            Problem& p = list[k];
            if (settled[k] || p.place.line == 0 || has(without, p)) continue;
            settled[k] = true;
            p.message += " (" + text_of(p.place) + ")";
            p.place = {"--set " + printable(sets[i], 120)};
        }
    }
    Problems out;
    for (Problem& p : list) out.add(std::move(p.place), std::move(p.path), std::move(p.message));
    return out;
}

}  // namespace

BoundBlock load_scenario(const std::string& path, const std::vector<std::string>& sets) {
    Problems problems;
    BoundBlock bound = load_with(path, sets, problems);
    if (!problems.empty()) throw InputError(blamed(problems, path, sets).text());
    return bound;
}

}  // namespace nicsim::scenarios
