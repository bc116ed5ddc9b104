// SPDX-License-Identifier: Apache-2.0
// The pages that sockets copy payload into (sk_page_frag): filled from the front, shared by the
// skbs whose bytes they hold and used again when the last of these is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host_driver/host_memory.h"
#include "host_driver/net/tcp_segment.h"

namespace nicsim::host {

/// Where page-sized blocks come from.
class PageSource {
public:
    virtual ~PageSource() = default;
    virtual std::uint64_t take() = 0;
    virtual std::uint8_t* bytes(std::uint64_t address, std::uint64_t length) = 0;
};

class PageStore {
public:
    PageStore(PageSource& source, std::uint32_t page_bytes)
        : source_(source), page_bytes_(page_bytes) {}

    /// Room in the page being filled, taking a new one if there is none.
    std::uint32_t room();
    /// The address that the next bytes go to; valid after room().
    [[nodiscard]] std::uint64_t address() const { return pages_[current_].address + used_; }
    [[nodiscard]] std::uint8_t* bytes(std::uint32_t length) {
        return source_.bytes(address(), length);
    }
    /// Appends the next `length` bytes of the page to `segment`: one fragment grows or a new one
    /// is begun. False if the segment can hold no more fragments.
    bool append(TcpSegment& segment, std::uint32_t length);
    void hold(const PageFragment& f) { ++pages_[f.page].references; }
    void drop(const PageFragment& f);
    [[nodiscard]] std::size_t pages_in_use() const { return pages_.size() - free_.size(); }

private:
    struct Page {
        std::uint64_t address = 0;
        std::uint32_t references = 0;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    PageSource& source_;
    std::uint32_t page_bytes_;
    std::vector<Page> pages_;
    std::vector<std::uint32_t> free_;
    std::uint32_t current_ = none;
    std::uint32_t used_ = 0;
};

}  // namespace nicsim::host
