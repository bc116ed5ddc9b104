// SPDX-License-Identifier: Apache-2.0
#include "waves/diff_write.h"

namespace nicsim::waves {

DiffWriter::DiffWriter(const std::string& file, int exponent,
                       const std::vector<PairedSignal>& pairs, const DiffMatcher& matcher)
    : writer_(WaveWriter::create(file, exponent)),
      pairs_(pairs),
      matcher_(matcher),
      different_(pairs.size(), 2) {
    // Three signals per pair: a, b, diff.
    for (const PairedSignal& pair : pairs_) {
        for (const char* scope : {"a.", "b."}) {
            Signal signal;
            signal.path = scope + pair.name;
            signal.kind = pair.kind;
            signal.width = pair.width;
            writer_->declare(std::move(signal));
        }
        Signal difference;
        difference.path = "diff." + pair.name;
        writer_->declare(std::move(difference));
    }
    writer_->begin();
}

void DiffWriter::write(std::uint32_t pair, unsigned which) {
    const char* room = matcher_.latest(pair, which);
    const std::uint32_t id = pair * 3 + which;
    if (pairs_[pair].kind == Kind::string)
        writer_->change(id, std::string_view(room + 9, static_cast<std::size_t>(room[8])));
    else
        writer_->change(id, std::string_view(room, room_of(pairs_[pair])));
}

void DiffWriter::write_difference(std::uint32_t pair) {
    const char different = matcher_.equal_now(pair) ? 0 : 1;
    if (different == different_[pair]) return;
    different_[pair] = different;
    writer_->change(pair * 3 + 2, std::string_view(different != 0 ? "1" : "0"));
}

void DiffWriter::begin(std::int64_t time) {
    writer_->set_time(static_cast<std::uint64_t>(time));
    for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) {
        if (pairs_[pair].kind == Kind::event) continue;
        write(pair, 0);
        write(pair, 1);
        write_difference(pair);
    }
}

void DiffWriter::step(std::int64_t time, const DiffSide* a, const DiffSide* b) {
    writer_->set_time(static_cast<std::uint64_t>(time));
    const DiffSide* sides[2] = {a, b};
    for (const unsigned which : {0U, 1U}) {
        if (sides[which] == nullptr) continue;
        for (const std::uint32_t pair : sides[which]->touched()) {
            write(pair, which);
            if (pairs_[pair].kind != Kind::event) write_difference(pair);
        }
    }
}

}  // namespace nicsim::waves
