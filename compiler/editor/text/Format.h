// The formatter: indentation and blanks of a text, nothing else.
//
// Lines break where their author broke them. Blanks follow precedence: products and powers are tight, sums and
// comparisons have blanks; between brackets of indices and in bounds `a..b` the author chooses for sums. What stands in
// columns stays in columns: signs `=` and `:` below one another, entries of tables, comments behind statements, lines
// of a statement that begin below a part of the line before. At most one line in a row is empty.
#pragma once

#include "base/Source.h"
#include "diagnostics/Diagnostics.h"

#include <optional>
#include <string>

namespace lmc::editor {

/// The text with other blanks and the same tokens, which is verified. Line ends are those of the first line, a mark of
/// UTF-8 stays. Nothing for a text with errors of syntax: they are in `diagnostics`. Formatting what was formatted
/// changes nothing. Throws std::logic_error where tokens would change: a defect.
[[nodiscard]] std::optional<std::string> formatted(const Sources& sources, SourceId id, Diagnostics& diagnostics);

} // namespace lmc::editor
