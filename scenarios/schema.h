// SPDX-License-Identifier: Apache-2.0
// The scenario language described for others: as JSON Schema for editors, as reference pages and
// as text for the terminal. All are made from the grammar alone.
#pragma once

#include <string>

#include "scenarios/grammar.h"

namespace nicsim::scenarios {

/// JSON Schema (draft 2020-12) of a scenario file, indented, with a newline at its end.
std::string json_schema(const Block& grammar);

/// Every key with unit, default, range, sentence and source, as Markdown.
std::string markdown_reference(const Block& grammar);

/// The same for a terminal: the part named (`i210`, `igb`, `host`, `pcie`, a workload, ... or
/// `all`). Throws InputError with the nearest name if there is no such part.
std::string params_text(const Block& grammar, const std::string& part);

/// `1 to 16`, `64B or more`, `1, 2, 4`, `true or false`, ...
std::string range_text(const sim::ParamDecl& decl);

}  // namespace nicsim::scenarios
