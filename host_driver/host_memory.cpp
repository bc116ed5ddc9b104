// SPDX-License-Identifier: Apache-2.0
#include "host_driver/host_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "sim/setting_error.h"

namespace nicsim::host {
namespace {

constexpr std::uint64_t page = 4096;

std::uint8_t* map(std::uint64_t size) {
    void* p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::uint8_t*>(p);
}

}  // namespace

void HostMemory::Unmap::operator()(std::uint8_t* p) const {
    (void)::munmap(p, size);
}

HostMemory::HostMemory(std::uint64_t size, std::uint64_t base)
    : base_(base), size_(size), next_(base), bytes_(nullptr, Unmap{size}) {
    if (size == 0 || size % page != 0)
        throw sim::SettingError("memory", size,
                                "host memory: " + std::to_string(size) +
                                    " B is no multiple of 4096 B, the size of a page");
    if (base % page != 0)
        throw std::invalid_argument("host memory: its base must be a multiple of 4096");
    bytes_.reset(map(size));
}

bool HostMemory::contains(std::uint64_t address, std::uint64_t length) const {
    return address >= base_ && length <= size_ && address - base_ <= size_ - length;
}

std::uint8_t* HostMemory::at(std::uint64_t address, std::uint64_t length) {
    if (!contains(address, length))
        throw std::out_of_range("host memory: no memory at address " + std::to_string(address));
    return bytes_.get() + (address - base_);
}

void HostMemory::read(std::uint64_t address, std::span<std::uint8_t> out) {
    std::memcpy(out.data(), at(address, out.size()), out.size());
}

void HostMemory::write(std::uint64_t address, std::span<const std::uint8_t> data) {
    std::memcpy(at(address, data.size()), data.data(), data.size());
}

std::uint64_t HostMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t start = (next_ + alignment - 1) & ~(alignment - 1);
    if (!contains(start, bytes)) throw std::bad_alloc();
    next_ = start + bytes;
    return start;
}

HostMemory::Slab::Slab(HostMemory& memory, std::uint64_t object_bytes, std::uint64_t alignment)
    : memory_(memory), object_bytes_(object_bytes), alignment_(alignment) {}

std::uint64_t HostMemory::Slab::take() {
    if (free_.empty()) {
        ++made_;
        return memory_.allocate(object_bytes_, alignment_);
    }
    const std::uint64_t address = free_.back();
    free_.pop_back();
    return address;
}

}  // namespace nicsim::host
