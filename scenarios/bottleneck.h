// SPDX-License-Identifier: Apache-2.0
// What limited a run, from the time accounts of its resources and nothing else.
//
// The resources stand in a chain, the last one (the wire) first. A resource that is busy nearly all
// of the time is the limit. One that spends its idle time blocked is limited by what blocks it. One
// that spends its idle time starved is fed too slowly, and the question goes to the next resource
// up the chain; so it does if it lacked work as often as the wire. If even the sources are starved,
// the offered load is the limit, unless a device lost frames that came in; so it is if all of them
// wait for their own set rate. A resource
// that has several things under way at once (reads in flight) is busy as long as one of them is, so
// that its being busy does not mean that it can do no more: then a resource further up that is
// saturated goes before it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/stat_view.h"

namespace nicsim::scenarios {

/// One step of the chain: resources side by side, by path; `*` stands for one path segment or a
/// part of it.
struct ChainLink {
    std::string pattern;
    std::string label;       ///< for sentences: `queue {} data fetch`; {} is what `*` stood for
    bool pipelined = false;  ///< several things are under way at once
    std::string own_choice = {};  ///< of a source: the state in which it does not want to send
};

struct ResourceAccount {
    std::string path;
    std::string label;
    std::string sentence;
    const sim::Activity* activity = nullptr;
    double busy = 0.0;
    double starved = 0.0;
    double blocked = 0.0;
    std::vector<StateShare> states;
};

struct Why {
    std::string limit;               ///< path of the limiting resource; empty: offered load
    std::string state;               ///< its state that tells why
    double share = 0.0;              ///< of the time in that state
    std::string sentence;            ///< the answer
    std::vector<std::string> steps;  ///< how it was found, one sentence per resource looked at
    std::vector<ResourceAccount> accounts;  ///< every resource of the run
};

Why explain(const sim::StatGroup& root, const std::vector<ChainLink>& chain);

}  // namespace nicsim::scenarios
