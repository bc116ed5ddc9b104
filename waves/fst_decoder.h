// SPDX-License-Identifier: Apache-2.0
// The child process that runs fstapi, and the words it speaks over a pipe. fstapi trusts its input
// (offsets, lengths and counts of the file are used unchecked), so it may crash, hang or
// overwrite its own memory on a damaged file; in a process of its own with limits that is an error
// like any other. The parent trusts no word of the child either.
#pragma once

#include <cstdint>
#include <string>

#include "waves/wave_reader.h"

namespace nicsim::waves::fst {

/// Child to parent. All integers are in the machine's byte order: it is the same machine.
enum class Word : std::uint8_t {
    header = 'H',    ///< i32 exponent, u64 start time, u64 end time, u32 handles, text version
    variable = 'V',  ///< u8 kind, u32 width, u32 handle, text scopes, text name
    ready = 'R',     ///< the parent may send one byte per handle: wanted or not
    time = 'T',      ///< u64
    change = 'C',    ///< u32 handle, text value
    done = 'D',
    error = 'E',  ///< text, what is wrong with the file; the last word
};
// A text is u32 length and its bytes.

/// Runs in the child; never returns.
[[noreturn]] void decode(const std::string& file, int to_parent, int from_parent,
                         const ReaderOptions& options);

}  // namespace nicsim::waves::fst
