// SPDX-License-Identifier: Apache-2.0
// The bytes of a stream: byte n of stream s is known to both ends, so that the far end can verify
// every byte with one comparison. The pattern is random with a prime period, which shares no factor
// with pages, segments or descriptors: data that lands in the wrong place does not go unnoticed.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nicsim::host {

class PayloadPattern {
public:
    static constexpr std::uint32_t period = 65521;
    static constexpr std::uint32_t max_piece = 65536;  ///< contiguous from any offset

    /// Both ends make it from the flow's destination port.
    explicit PayloadPattern(std::uint64_t stream);

    /// `length` bytes (at most max_piece) of the stream from `offset`.
    [[nodiscard]] const std::uint8_t* at(std::uint64_t offset) const {
        return bytes_.data() + offset % period;
    }
    void fill(std::uint64_t offset, std::uint8_t* out, std::uint32_t length) const {
        assert(length <= max_piece);
        std::memcpy(out, at(offset), length);
    }
    [[nodiscard]] bool matches(std::uint64_t offset, const std::uint8_t* bytes,
                               std::uint32_t length) const {
        assert(length <= max_piece);
        return std::memcmp(bytes, at(offset), length) == 0;
    }

private:
    std::vector<std::uint8_t> bytes_;
};

}  // namespace nicsim::host
