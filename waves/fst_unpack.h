// SPDX-License-Identifier: Apache-2.0
// An FST file that is packed as a whole (writers do so on request when they close it) as a plain
// one. It needs memory for the file as it is unpacked.
#pragma once

#include <cstdint>
#include <string>

namespace nicsim::waves {

/// A descriptor of the plain file: of `file` itself, or of anonymous memory with what was packed in
/// it, at most `most_bytes`, whose blocks are checked too. Throws WaveError.
int open_plain_fst(const std::string& file, std::uint64_t most_bytes);

/// A name by which an open file can be opened again; no other file has a name that begins with it.
std::string path_of(int fd);

}  // namespace nicsim::waves
