// SPDX-License-Identifier: Apache-2.0
#include "models/common/packet_buffer.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace nicsim::models {

PacketBuffer::PacketBuffer(const std::string& path, unsigned queues, std::uint32_t granule)
    : granule_(granule), threshold_(queues, 0), size_(queues, 0), used_(queues, 0) {
    for (unsigned q = 0; q < queues; ++q)
        used_probes_.push_back(std::make_unique<sim::Probe>(
            path + ".queue" + std::to_string(q) + ".packet_buffer_bytes", 20));
}

void PacketBuffer::configure(std::span<const std::uint32_t> bytes, bool shared) {
    assert(bytes.size() == size_.size());
    std::copy(bytes.begin(), bytes.end(), size_.begin());
    shared_ = shared;
}

bool PacketBuffer::fetch_allowed(unsigned queue) const {
    return free_bytes(queue) > threshold_[queue];
}

std::uint32_t PacketBuffer::free_bytes(unsigned queue) const {
    const std::uint32_t size = shared_ ? size_[0] : size_[queue];
    const std::uint32_t used =
        shared_ ? std::accumulate(used_.begin(), used_.end(), std::uint32_t{0}) : used_[queue];
    return size > used ? size - used : 0;
}

void PacketBuffer::reserve(unsigned queue, std::uint32_t bytes) {
    used_[queue] += rounded(bytes);
    used_probes_[queue]->set(used_[queue]);
}

void PacketBuffer::release(unsigned queue, std::uint32_t bytes) {
    assert(used_[queue] >= rounded(bytes));
    used_[queue] -= rounded(bytes);
    used_probes_[queue]->set(used_[queue]);
}

void PacketBuffer::clear() {
    std::fill(used_.begin(), used_.end(), 0U);
    for (auto& probe : used_probes_) probe->set(0);
}

std::uint32_t PacketBuffer::rounded(std::uint32_t bytes) const {
    return (bytes + granule_ - 1) / granule_ * granule_;
}

}  // namespace nicsim::models
