// Text to syntax tree. The one place that knows ANTLR is Parser.cpp.
#pragma once

#include "base/Source.h"
#include "diagnostics/Diagnostics.h"
#include "syntax/Ast.h"

namespace lmc::syntax {

/// Size limits of one source text; what goes over them is an error, not a crash.
struct ParseLimits {
  std::size_t bytes = 4U << 20U;
  std::size_t tokens = 1'000'000;
  unsigned nesting = 256;
};

/// Reads one source text. Never fails: what cannot be read becomes Error nodes and diagnostics.
[[nodiscard]] File parse(const Sources& sources, SourceId id, Diagnostics& diagnostics, const ParseLimits& limits = {});

/// Reads a lone expression (of `--set NAME=EXPR`); an Error node if it cannot be read.
[[nodiscard]] ExprPtr parseExpression(const Sources& sources, SourceId id, Diagnostics& diagnostics,
                                      const ParseLimits& limits = {});

/// Reads a method reference as in `--method NAME(arg=value)`: a Name, or a Call whose arguments are Parts.
[[nodiscard]] ExprPtr parseMethodReference(const Sources& sources, SourceId id, Diagnostics& diagnostics);

} // namespace lmc::syntax
