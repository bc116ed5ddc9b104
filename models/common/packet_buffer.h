// SPDX-License-Identifier: Apache-2.0
// Space in a packet buffer that is split among queues or shared by all: who has how much, and
// whether the next fetch may begin.
//
// Modelled: granules, partitions, the rule that a fetch begins only while the free space of the
// partition is strictly above a threshold. Strictly: with "at least", a threshold equal to the
// partition would not silence a queue, which the I210 does (remark at DTXMXPKTSZ in the igb
// driver). Not modelled: the memory itself (frames keep their bytes), its bandwidth, headers inside
// of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/probe.h"

namespace nicsim::models {

/// The decisions of a packet buffer, so that another implementation (RTL) can take its place.
class PacketBufferIf {
public:
    virtual ~PacketBufferIf() = default;
    /// Sizes in bytes, one for each queue; with `shared` the first is for all of them. What is in
    /// the buffer stays accounted for.
    virtual void configure(std::span<const std::uint32_t> bytes, bool shared) = 0;
    /// A fetch needs more free space than this, in every partition.
    virtual void set_fetch_threshold(std::uint32_t bytes) = 0;
    /// The same for one partition.
    virtual void set_fetch_threshold(unsigned queue, std::uint32_t bytes) = 0;
    [[nodiscard]] virtual bool fetch_allowed(unsigned queue) const = 0;
    /// Bytes that are free to the queue; not below 0.
    [[nodiscard]] virtual std::uint32_t free_bytes(unsigned queue) const = 0;
    /// Takes room for `bytes`, rounded up to granules.
    virtual void reserve(unsigned queue, std::uint32_t bytes) = 0;
    /// Gives it back.
    virtual void release(unsigned queue, std::uint32_t bytes) = 0;
    /// Bytes of the queue in use, in whole granules.
    [[nodiscard]] virtual std::uint32_t used_bytes(unsigned queue) const = 0;
    virtual void clear() = 0;
};

class PacketBuffer : public PacketBufferIf {
public:
    PacketBuffer(const std::string& path, unsigned queues, std::uint32_t granule);

    void configure(std::span<const std::uint32_t> bytes, bool shared) override;
    void set_fetch_threshold(std::uint32_t bytes) override {
        threshold_.assign(threshold_.size(), bytes);
    }
    void set_fetch_threshold(unsigned queue, std::uint32_t bytes) override {
        threshold_[queue] = bytes;
    }
    [[nodiscard]] bool fetch_allowed(unsigned queue) const override;
    [[nodiscard]] std::uint32_t free_bytes(unsigned queue) const override;
    void reserve(unsigned queue, std::uint32_t bytes) override;
    void release(unsigned queue, std::uint32_t bytes) override;
    [[nodiscard]] std::uint32_t used_bytes(unsigned queue) const override { return used_[queue]; }
    void clear() override;

private:
    [[nodiscard]] std::uint32_t rounded(std::uint32_t bytes) const;

    std::uint32_t granule_;
    bool shared_ = true;
    std::vector<std::uint32_t> threshold_;
    std::vector<std::uint32_t> size_;
    std::vector<std::uint32_t> used_;
    std::vector<std::unique_ptr<sim::Probe>> used_probes_;
};

}  // namespace nicsim::models
