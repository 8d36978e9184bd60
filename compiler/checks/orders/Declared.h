// What the declaration of a method claims.
#pragma once

#include "sema/Compilation.h"

#include <optional>

namespace lmc::orders {

/// The tableau that a method is constructed from; empty if there is none.
[[nodiscard]] Found tableauOf(Compilation& compilation, const ast::Declaration& method);

/// The statement `order p(q);` of a tableau; null if there is none.
[[nodiscard]] const ast::Statement* orderStatement(const ast::Declaration& tableau);

/// The order that a method, or else its tableau, declares; 0 if it is none or depends on parameters.
[[nodiscard]] int declaredOrder(Compilation& compilation, const ast::Declaration& method);

/// That of its second result: q of `order p(q)`.
[[nodiscard]] int declaredEmbeddedOrder(Compilation& compilation, const ast::Declaration& method);

/// Evaluations of f that a step is written with: the stages of its tableau, or the calls of f in its body, 0 where they have
/// other names. Nothing where an iteration decides, or neither a tableau nor a body is there.
[[nodiscard]] std::optional<int> writtenStages(Compilation& compilation, const ast::Declaration& method);

/// The place of that claim, for messages.
[[nodiscard]] Range orderRange(const ast::Declaration& method);

} // namespace lmc::orders
