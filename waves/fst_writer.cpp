// SPDX-License-Identifier: Apache-2.0
#include "waves/fst_writer.h"

#include <fmt/format.h>
#include <fstapi.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "waves/fst/fst_library.h"

namespace nicsim::waves {
namespace {

fstVarType type_of(Kind kind) {
    switch (kind) {
        case Kind::real:
            return FST_VT_VCD_REAL;
        case Kind::string:
            return FST_VT_GEN_STRING;
        case Kind::event:
            return FST_VT_VCD_EVENT;
        default:
            return FST_VT_VCD_WIRE;
    }
}

/// Changes of one block of the file. The library sorts a block by signal, going through its changes
/// once for each: a block that fits the cache is sorted in a fraction of the time, and has to hold
/// so many that its own overhead is small.
constexpr std::uint64_t block_changes = 65'536;

}  // namespace

FstWriter::FstWriter(const std::string& file, int exponent) : pending_(file) {
    nicsim_fst_reset();
    errno = 0;
    context_ = fstWriterCreate(pending_.temporary().c_str(), 1);
    if (context_ == nullptr)
        throw WaveError(fmt::format("cannot write {}: {}", pending_.target(),
                                    errno != 0 ? std::strerror(errno) : "out of memory"));
    fstWriterSetTimescale(context_, exponent);
    fstWriterSetVersion(context_, "nicsim");
    // The date would make two equal runs leave different files.
    fstWriterSetDate(context_, "");
    fstWriterSetPackType(context_, FST_WR_PT_LZ4);
}

FstWriter::~FstWriter() {
    if (context_ != nullptr) fstWriterClose(context_);
}

void FstWriter::check() const {
    if (nicsim_fst_error() != 0)
        throw WaveError(fmt::format("cannot write {}: {}", pending_.target(),
                                    std::strerror(nicsim_fst_error())));
}

void FstWriter::begin() {
    handles_.resize(signals_.size());
    walk(
        [&](std::string_view scope) {
            fstWriterSetScope(context_, FST_ST_VCD_MODULE, std::string(scope).c_str(), nullptr);
        },
        [&] { fstWriterSetUpscope(context_); },
        [&](std::uint32_t i) {
            const Signal& signal = signals_[i];
            const unsigned width = signal.kind == Kind::event ? 1 : signal.width;
            handles_[i] = fstWriterCreateVar(context_, type_of(signal.kind), FST_VD_IMPLICIT, width,
                                             leaf(signal).c_str(), 0);
        });
}

void FstWriter::set_time(std::uint64_t ticks) {
    assert(!time_set_ || ticks >= time_);
    if (time_set_ && ticks == time_) return;
    time_set_ = true;
    time_ = ticks;
    if (changes_ >= block_changes) {
        fstWriterFlushContext(context_);
        changes_ = 0;
    }
    fstWriterEmitTimeChange(context_, ticks);
    // A full disk is noticed now and then, not at every step.
    if ((++times_ & 0xffffU) == 0) check();
}

void FstWriter::change(std::uint32_t id, std::string_view value) {
    ++changes_;
    const Signal& signal = signals_[id];
    if (signal.kind == Kind::string)
        fstWriterEmitVariableLengthValueChange(context_, handles_[id], value.data(),
                                               static_cast<std::uint32_t>(value.size()));
    else
        fstWriterEmitValueChange(context_, handles_[id],
                                 signal.kind == Kind::event ? "1" : value.data());
}

void FstWriter::change(std::uint32_t id, std::uint64_t value) {
    ++changes_;
    fstWriterEmitValueChange64(context_, handles_[id], signals_[id].width, value);
}

void FstWriter::close() {
    fstWriterClose(std::exchange(context_, nullptr));
    check();
    pending_.commit();
}

}  // namespace nicsim::waves
