// SPDX-License-Identifier: Apache-2.0
// Exhaustive: every address within a page with every length up to 9000 bytes. What is left after a
// piece is again such a pair, so it is enough to check the first piece of every pair.
#include "pcie/splitting.h"

#include <gtest/gtest.h>

#include <vector>

namespace nicsim::pcie {
namespace {

constexpr std::uint64_t page = 0x1'0000'5000;

TEST(Splitting, ByteEnablesNameExactlyTheBytesOfTheRange) {
    for (std::uint32_t offset = 0; offset < 8; ++offset)
        for (std::uint32_t n = 1; n <= 9000; ++n) {
            const DwRange r = dw_range(page + offset, n);
            ASSERT_EQ(r.address % 4, 0U);
            ASSERT_EQ(r.last_be == 0, r.length_dw == 1);
            ASSERT_NE(r.first_be, 0);
            ASSERT_TRUE(contiguous(r));
            const ByteRange back = byte_range(r);
            ASSERT_EQ(back.address, page + offset);
            ASSERT_EQ(back.length, n);
            // Bits counted one by one: the enabled bytes are n.
            const std::uint32_t inner = r.length_dw > 2 ? (r.length_dw - 2) * 4 : 0;
            ASSERT_EQ(
                static_cast<std::uint32_t>(std::popcount(r.first_be) + std::popcount(r.last_be)) +
                    inner,
                n);
        }
}

TEST(Splitting, HolesAreSeen) {
    EXPECT_FALSE(contiguous({0, 1, 0b0101, 0}));
    EXPECT_FALSE(contiguous({0, 2, 0b0111, 0b1111}));
    EXPECT_FALSE(contiguous({0, 2, 0b1111, 0b1010}));
    EXPECT_TRUE(contiguous({0, 2, 0b1100, 0b0011}));
    EXPECT_TRUE(contiguous({0, 1, 0b0110, 0}));
    EXPECT_TRUE(contiguous({0, 1, 0b0000, 0})) << "a zero-length read";
    EXPECT_EQ(byte_range({0x100, 1, 0, 0}).length, 0U);
}

constexpr std::uint32_t longest = 9000;

/// Calls `legal(address, length)` for every pair and fails on the first that is not.
template <class Legal>
void for_every_pair(Legal legal) {
    for (std::uint32_t offset = 0; offset < 4096; ++offset)
        for (std::uint32_t length = 1; length <= longest; ++length)
            if (!legal(page + offset, length))
                FAIL() << "address " << page + offset << ", length " << length;
}

TEST(Splitting, RequestsKeepToLimitAndPageAndAreCutAtCacheLines) {
    for (const std::uint32_t limit : {128U, 256U, 512U, 1024U, 2048U, 4096U})
        for_every_pair([limit](std::uint64_t at, std::uint32_t length) {
            const std::uint32_t n = next_request(at, length, limit);
            const bool whole = n == length;
            return n >= 1 && n <= length && dw_range(at, n).length_dw * 4 <= limit &&
                   at / 4096 == (at + n - 1) / 4096 && (whole || (at + n) % 64 == 0);
        });
}

TEST(Splitting, AlignedRequestsAreNoMoreThanTheLengthNeeds) {
    for (const std::uint32_t limit : {128U, 512U, 4096U})
        for (std::uint32_t length = 1; length <= longest; ++length) {
            std::uint32_t pieces = 0;
            std::uint32_t done = 0;
            for (; done < length; ++pieces) done += next_request(page + done, length - done, limit);
            ASSERT_EQ(done, length);
            ASSERT_EQ(pieces, (length + limit - 1) / limit);
        }
}

void check_completions(std::uint32_t mps, std::uint32_t rcb, CompletionPolicy policy) {
    for_every_pair([=](std::uint64_t at, std::uint32_t length) {
        const std::uint32_t n = next_completion(at, length, mps, rcb, policy);
        const bool whole = n == length;
        const bool crosses = at / rcb != (at + length - 1) / rcb;
        bool legal = n >= 1 && n <= length && (at % 4 + n + 3) / 4 * 4 <= mps &&
                     (whole || (at + n) % rcb == 0) && (crosses || whole);
        if (policy == CompletionPolicy::every_boundary)
            legal = legal && at / rcb == (at + n - 1) / rcb;  // not over the next boundary
        else
            legal = legal && (whole || at % 4 + n + rcb > mps);  // could not be longer
        return legal;
    });
}

TEST(Splitting, LargestCompletionsKeepToMpsAndRcb) {
    for (const std::uint32_t mps : {128U, 256U, 512U, 4096U})
        for (const std::uint32_t rcb : {64U, 128U})
            check_completions(mps, rcb, CompletionPolicy::largest);
}

TEST(Splitting, CompletionsAtEveryBoundaryAreCutThereAndOnlyThere) {
    for (const std::uint32_t rcb : {64U, 128U})
        check_completions(256, rcb, CompletionPolicy::every_boundary);
}

}  // namespace
}  // namespace nicsim::pcie
