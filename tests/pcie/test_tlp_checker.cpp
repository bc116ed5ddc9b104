// SPDX-License-Identifier: Apache-2.0
// Each rule of the checker is broken once.
#include "pcie/tlp_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ends.h"
#include "pcie/ordering.h"
#include "sim/time.h"

namespace nicsim::pcie::test {
namespace {

using testing::HasSubstr;
using namespace sim::literals;

struct Watched : Pair {
    explicit Watched(LinkConfig config = {}, ReceiverTraits traits = {}) : Pair(config, traits) {
        beside.excuse(anything);  // broken on purpose, and judged by the test
        link->observe(checker);
    }
    /// The device sends `tlp`; the only violation contains `sentence`.
    void expect_violation(const TlpPtr& tlp, const std::string& sentence) {
        checker_clear();
        device.out->send(tlp);
        ASSERT_EQ(checker.violations().size() - seen, 1U) << sentence;
        EXPECT_THAT(checker.violations().back(), HasSubstr(sentence));
    }
    void checker_clear() { seen = checker.violations().size(); }
    TlpChecker checker{TlpChecker::Reaction::record};
    std::size_t seen = 0;
};

TlpPtr edit(const TlpPtr& tlp, void (*change)(Tlp&)) {
    change(*tlp);
    return tlp;
}

TEST(TlpChecker, LegalTrafficPasses) {
    Watched w;
    w.device.out->send(write(256));
    w.device.out->send(read(1));
    w.run(10_us);
    w.top.out->send(completion(64, 1));
    w.run(10_us);
    EXPECT_TRUE(w.checker.violations().empty());
    EXPECT_EQ(w.checker.unfinished(), "");
}

TEST(TlpChecker, RequestsKeepToTheirForm) {
    Watched w;
    w.expect_violation(edit(write(64), [](Tlp& t) { t.address = 0x1002; }), "multiple of 4");
    w.expect_violation(edit(write(64), [](Tlp& t) { t.address = 0x1fe0; }), "4 KiB");
    w.expect_violation(write(512), "MPS of 256");
    w.expect_violation(edit(read(1), [](Tlp& t) { t.length_dw = 256; }), "MRRS of 512");
    w.expect_violation(edit(read(2), [](Tlp& t) { t.length_dw = 0; }), "1 to 1024");
    w.expect_violation(edit(write(4), [](Tlp& t) { t.last_be = 1; }), "must be 0 with one");
    w.expect_violation(edit(write(64), [](Tlp& t) { t.first_be = 0; }), "must not be 0");
    w.expect_violation(edit(write(64), [](Tlp& t) { t.last_be = 0; }), "must not be 0");
    w.expect_violation(edit(write(64), [](Tlp& t) { t.first_be = 0b0110; }), "contiguous");
    w.expect_violation(edit(write(64), [](Tlp& t) { t.last_be = 0b1001; }), "contiguous");
    w.expect_violation(edit(write(8),
                            [](Tlp& t) {
                                t.address = 0x1004;
                                t.first_be = 0b0101;
                            }),
                       "contiguous");
    w.expect_violation(edit(read(3),
                            [](Tlp& t) {
                                t.type = TlpType::CfgRd0;
                                t.address = 0;
                            }),
                       "one double word");
}

TEST(TlpChecker, HolesAreLegalInOneAndInTwoAlignedDoubleWords) {
    Watched w;
    w.device.out->send(edit(write(4), [](Tlp& t) { t.first_be = 0b1001; }));
    w.device.out->send(edit(write(8), [](Tlp& t) { t.first_be = 0b0101; }));
    w.device.out->send(edit(read(1), [](Tlp& t) {
        t.length_dw = 1;
        t.first_be = t.last_be = 0;
    }));
    EXPECT_TRUE(w.checker.violations().empty());
}

TEST(TlpChecker, CompletionsBelongToARequestAndMoveForward) {
    Watched w;
    w.expect_violation(completion(64, 7), "no request");
    const auto ask = [&w](std::uint16_t tag) {
        w.top.out->send(read(tag));
        w.run(10_us);
    };
    ask(1);
    w.expect_violation(edit(completion(64, 1), [](Tlp& t) { t.byte_count = 60; }), "byte count");
    ask(2);
    w.expect_violation(edit(completion(64, 2), [](Tlp& t) { t.lower_address = 4; }),
                       "lower address");
    ask(3);
    w.expect_violation(edit(completion(32, 3), [](Tlp& t) { t.byte_count = 64; }), "RCB");
    ask(4);
    w.expect_violation(edit(completion(64, 4), [](Tlp& t) { t.type = TlpType::Cpl; }),
                       "without data");
    TlpPtr large = read(5);
    large->length_dw = 128;
    w.top.out->send(large);
    w.run(10_us);
    w.expect_violation(completion(512, 5), "MPS");
}

TEST(TlpChecker, ATagIsNotUsedTwiceAtOnce) {
    Watched w;
    w.device.out->send(read(1));
    w.expect_violation(read(1), "tag is still in use");
    w.run(10_us);
    w.top.out->send(completion(64, 1));
    w.expect_violation(read(1), "tag is still in use");  // the completion has not arrived
    w.run(10_us);
    w.checker_clear();
    w.device.out->send(read(1));
    EXPECT_EQ(w.checker.violations().size(), w.seen);
}

TEST(TlpChecker, CreditsAndOrderAreItsOwnAccount) {
    ReceiverTraits traits;
    traits.credits.header[P] = 1;
    Watched w({}, traits);
    w.top.hold = true;
    LinkDirection& d = *w.device.out;
    // A sender that does not look: told to the checker directly.
    TlpPtr first = edit(write(64), [](Tlp& t) { t.order = 1; });
    TlpPtr second = edit(write(64), [](Tlp& t) { t.order = 2; });
    TlpPtr third = edit(read(9), [](Tlp& t) { t.order = 3; });
    TlpPtr fourth = edit(write(64), [](Tlp& t) { t.order = 4; });
    for (const TlpPtr& t : {first, second, third, fourth}) w.checker.queued(d, *t);
    w.checker.sent(d, *first, 0, 10);
    EXPECT_TRUE(w.checker.violations().empty());
    w.checker.sent(d, *third, 10, 20);
    ASSERT_EQ(w.checker.violations().size(), 1U);
    EXPECT_THAT(w.checker.violations().back(),
                HasSubstr("passes an earlier MWr, which the ordering table forbids"));
    w.checker.sent(d, *second, 20, 30);
    ASSERT_EQ(w.checker.violations().size(), 2U);
    EXPECT_THAT(w.checker.violations().back(), HasSubstr("without posted credits"));
    w.checker.drained(d, *first);
    w.checker.drained(d, *second);
    w.checker.drained(d, *fourth);
    ASSERT_EQ(w.checker.violations().size(), 3U);
    EXPECT_THAT(w.checker.violations().back(), HasSubstr("more credits are given back"));
    w.checker.sent(d, *fourth, 25, 40);
    ASSERT_EQ(w.checker.violations().size(), 4U);
    EXPECT_THAT(w.checker.violations().back(), HasSubstr("before the TLP ahead"));
    const TlpPtr fifth = write(64);
    const TlpPtr sixth = write(64);
    for (const TlpPtr& t : {fifth, sixth}) w.checker.queued(d, *t);
    w.checker.sent(d, *sixth, 40, 50);
    EXPECT_THAT(w.checker.violations()[4], HasSubstr("passes an earlier MWr"));
    w.checker.delivered(*w.top.out, *first);
    EXPECT_THAT(w.checker.violations().back(), HasSubstr("without having been sent"));
}

/// Rows of table 2-40 for all attributes, written out by hand.
TEST(Ordering, IsTheTableOfTheSpecification) {
    const auto make = [](TlpType type, bool ro, bool ido, std::uint16_t id, std::uint16_t tag) {
        TlpPtr t = write(4);
        t->type = type;
        t->relaxed_ordering = ro;
        t->id_based_ordering = ido;
        t->requester_id = t->is_completion() ? 0x0100 : id;
        t->completer_id = id;
        t->tag = tag;
        return t;
    };
    using T = TlpType;
    const TlpPtr posted = make(T::MWr, false, false, 0x0100, 0);
    for (const bool ro : {false, true})
        for (const bool ido : {false, true})
            for (const std::uint16_t id : {0x0100, 0x0200}) {
                const bool other = ido && id != 0x0100;
                const auto passes = [&](T type, const Tlp& earlier) {
                    return may_pass(*make(type, ro, ido, id, 1), earlier);
                };
                // Column "posted".
                EXPECT_EQ(passes(T::MWr, *posted), ro || other);
                EXPECT_EQ(passes(T::Msg, *posted), ro || other);
                EXPECT_EQ(passes(T::MRd, *posted), other) << "RO means nothing for a read request";
                EXPECT_EQ(passes(T::CfgWr0, *posted), ro || other);
                EXPECT_EQ(passes(T::CplD, *posted), ro || other);
                EXPECT_TRUE(passes(T::Cpl, *posted));
                // Columns "non-posted": everything may.
                for (const T column : {T::MRd, T::CfgRd0, T::CfgWr0})
                    for (const T row : {T::MWr, T::MRd, T::CfgWr0, T::CplD, T::Cpl, T::Msg})
                        EXPECT_TRUE(passes(row, *make(column, false, false, 0x0100, 7)));
                // Column "completion": completions of one request keep their order.
                for (const std::uint16_t tag : {1, 2}) {
                    const TlpPtr c = make(T::CplD, false, false, 0x0300, tag);
                    EXPECT_TRUE(passes(T::MWr, *c));
                    EXPECT_TRUE(passes(T::MRd, *c));
                    EXPECT_EQ(passes(T::CplD, *c), tag != 1);
                }
            }
}

TEST(TlpChecker, SaysWhatAQuietLinkStillOwes) {
    Watched w;
    w.device.out->send(read(1));
    EXPECT_THAT(w.checker.unfinished(), HasSubstr("1 requests are without"));
    w.run(10_us);
    w.top.out->send(completion(64, 1));
    w.run(10_us);
    EXPECT_EQ(w.checker.unfinished(), "");
    w.top.hold = true;
    w.device.out->send(write(64));
    EXPECT_THAT(w.checker.unfinished(), HasSubstr("on the wire"));
    w.run(10_us);
    EXPECT_THAT(w.checker.unfinished(), HasSubstr("1 header and 4 data credits of class posted"));
}

TEST(TlpChecker, ThrowsWithTheSentenceIfItIsToldTo) {
    Pair p;
    p.beside.excuse(anything);
    TlpChecker strict;
    p.link->observe(strict);
    EXPECT_THROW(p.device.out->send(write(512)), ProtocolError);
}

}  // namespace
}  // namespace nicsim::pcie::test
