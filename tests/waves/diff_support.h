// SPDX-License-Identifier: Apache-2.0
// Comparing two VCD texts without files of one's own.
#pragma once

#include <functional>
#include <string>

#include "support.h"
#include "waves/diff.h"

namespace nicsim::waves::test {

using Set = std::function<void(DiffOptions&)>;

inline DiffResult compare_texts(const std::string& a, const std::string& b, const Set& set = {}) {
    const Folder folder;
    DiffOptions options;
    options.a = folder.file("a.vcd");
    options.b = folder.file("b.vcd");
    write_file(options.a, a);
    write_file(options.b, b);
    if (set) set(options);
    return diff_waves(options);
}

}  // namespace nicsim::waves::test
