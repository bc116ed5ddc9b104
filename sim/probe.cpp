// SPDX-License-Identifier: Apache-2.0
#include "sim/probe.h"

#include <algorithm>

namespace nicsim::sim {
namespace {

std::vector<Probe*>& registry() {
    static auto* probes = new std::vector<Probe*>;
    return *probes;
}

}  // namespace

Probe::Probe(std::string path, unsigned width_bits)
    : path_(std::move(path)), width_bits_(width_bits) {
    registry().push_back(this);
}

Probe::~Probe() {
    std::erase(registry(), this);
}

void Probe::attach(ProbeSink* sink) {
    sink_ = sink;
    if (sink_ == nullptr) return;
    id_ = sink_->declare(path_, width_bits_);
    sink_->change(id_, now(), value_);
}

const std::vector<Probe*>& Probe::all() {
    return registry();
}

}  // namespace nicsim::sim
