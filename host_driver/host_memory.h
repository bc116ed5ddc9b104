// SPDX-License-Identifier: Apache-2.0
// The host's memory: one flat block of real bytes, and a simple allocator for what drivers and
// stacks keep in it. Bus addresses equal physical addresses.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "pcie/host_ports.h"

namespace nicsim::host {

class HostMemory final : public pcie::HostMemoryIf {
public:
    /// `size` bytes from `base` (both multiples of 4096). Pages cost nothing until they are
    /// touched.
    explicit HostMemory(std::uint64_t size = std::uint64_t{256} << 20,
                        std::uint64_t base = 0x1000'0000);

    [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length) const override;
    void read(std::uint64_t address, std::span<std::uint8_t> out) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> data) override;

    /// Direct access for code that runs on the host. Throws std::out_of_range outside of memory.
    [[nodiscard]] std::uint8_t* at(std::uint64_t address, std::uint64_t length);
    /// A trivially copyable value at any alignment.
    template <class T>
    [[nodiscard]] T load(std::uint64_t address) {
        T value{};
        std::memcpy(&value, at(address, sizeof(T)), sizeof(T));
        return value;
    }
    template <class T>
    void store(std::uint64_t address, const T& value) {
        std::memcpy(at(address, sizeof(T)), &value, sizeof(T));
    }
    /// `T` must be aligned at `address`.
    template <class T>
    [[nodiscard]] T& ref(std::uint64_t address) {
        return *reinterpret_cast<T*>(at(address, sizeof(T)));
    }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// A block that is never given back (rings, tables). `alignment` is a power of two.
    /// Throws std::bad_alloc when memory is full.
    std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 64);

    /// A pool of equal buffers inside host memory, e.g. 2 KiB receive buffers or 4 KiB pages.
    class Slab {
    public:
        Slab(HostMemory& memory, std::uint64_t object_bytes, std::uint64_t alignment);
        std::uint64_t take();
        void give(std::uint64_t address) { free_.push_back(address); }
        [[nodiscard]] std::uint64_t in_use() const { return made_ - free_.size(); }

    private:
        HostMemory& memory_;
        std::uint64_t object_bytes_;
        std::uint64_t alignment_;
        std::uint64_t made_ = 0;
        std::vector<std::uint64_t> free_;
    };

private:
    struct Unmap {
        explicit Unmap(std::uint64_t bytes) : size(bytes) {}
        std::uint64_t size;
        void operator()(std::uint8_t* p) const;
    };
    std::uint64_t base_;
    std::uint64_t size_;
    std::uint64_t next_;
    std::unique_ptr<std::uint8_t, Unmap> bytes_;
};

}  // namespace nicsim::host
