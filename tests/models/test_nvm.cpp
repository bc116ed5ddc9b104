// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/common/nvm.h"

namespace nicsim::models {
namespace {

TEST(Nvm, AddsUpToBabaOnceSealed) {
    Nvm nvm(2048);
    nvm.set_mac({0x00, 0xA0, 0xC9, 0x01, 0x02, 0x03});
    nvm.set(0x10, 0xFFFF);
    nvm.seal();
    EXPECT_EQ(nvm.sum(), Nvm::checksum_sum);
    nvm.set(0x10, 0xFFFE);
    EXPECT_NE(nvm.sum(), Nvm::checksum_sum);
    nvm.seal();
    EXPECT_EQ(nvm.sum(), Nvm::checksum_sum);
}

TEST(Nvm, HoldsTheAddressLowByteFirstAndReadsErasedBeyondItsEnd) {
    Nvm nvm(64);
    nvm.set_mac({0x00, 0xA0, 0xC9, 0x01, 0x02, 0x03});
    EXPECT_EQ(nvm.word(0), 0xA000U);
    EXPECT_EQ(nvm.word(1), 0x01C9U);
    EXPECT_EQ(nvm.word(2), 0x0302U);
    EXPECT_EQ(nvm.word(64), 0xFFFFU);
}

}  // namespace
}  // namespace nicsim::models
