// Methods by their names, with arguments.
#pragma once

#include "sema/Compilation.h"

#include <optional>
#include <utility>

namespace lmc::methods {

/// A method's parameter of this name chooses the retraction that its body calls `retract`.
inline constexpr const char* retractionParameter = "retract";

/// Numbers; for `retract`, and where `auto` stands, a text.
using MethodArguments = std::vector<std::pair<std::string, sema::Value>>;

struct MethodReference {
  sema::Found found;
  MethodArguments arguments;
  bool adjoint = false;
};
/// Whether an argument is the word `auto`: its value follows from the run.
[[nodiscard]] bool isAutomatic(const syntax::Expr& e);
/// Nothing when there is no such method or an argument is wrong (reported).
[[nodiscard]] std::optional<MethodReference> resolveMethod(sema::Compilation& compilation,
                                                           const syntax::Expr& reference);

} // namespace lmc::methods
