// Copies of a part of a program with other inputs: how f is evaluated at the stages of a method.
#pragma once

#include "sym/Rewrite.h"

#include <unordered_map>

namespace lmc::sym {

/// What the inputs of a copy are replaced by.
struct Replacement {
  std::unordered_map<const Array*, const Array*> arrays; ///< an array by another of the same extents and shape
  std::unordered_map<const Array*, Expr> scalars;        ///< a single value by an expression
  Knowledge knowledge;                                   ///< what is known of the new inputs; may be empty
};

/// Appends copies of the equations that `roots` need and that depend on replaced inputs; the rest is shared. Where the
/// iterate of an iteration is replaced, its solution does not depend on that.
/// Returns for each root its copy (or the root itself, if it depends on nothing that was replaced).
[[nodiscard]] std::vector<const Array*> inlineCopy(Program& program, const std::vector<const Array*>& roots,
                                                   const Replacement& replacement, const std::string& suffix);

/// Appends copies of the equations of another program (of the same graph) that `roots` need, with its inputs replaced.
/// Returns the copies of the roots.
[[nodiscard]] std::vector<const Array*> importCopy(Program& program, const Program& source,
                                                   const std::vector<const Array*>& roots,
                                                   const Replacement& replacement, const std::string& suffix);

} // namespace lmc::sym
