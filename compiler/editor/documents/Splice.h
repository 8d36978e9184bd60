// The tree of a text that was changed within one statement: that statement is read anew, all else is kept.
#pragma once

#include "syntax/Ast.h"
#include "syntax/parser/Parser.h"

#include <optional>
#include <string_view>

namespace lmc::editor {

/// The tree of `after`, as reading all of it would give; `before` is that of `text`, read without any message. Nothing
/// where more than the inside of one statement has changed, or that statement has errors now: then all is to be read.
[[nodiscard]] std::optional<syntax::File> spliced(const syntax::File& before, std::string_view text,
                                                  std::string_view after, const syntax::ParseLimits& limits);

} // namespace lmc::editor
