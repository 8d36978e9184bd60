// What the declaration of a method claims.
#pragma once

#include "sema/Compilation.h"

namespace lmc::orders {

/// The tableau that a method is constructed from; empty if there is none.
[[nodiscard]] Found tableauOf(Compilation& compilation, const ast::Declaration& method);

/// The statement `order p(q);` of a tableau; null if there is none.
[[nodiscard]] const ast::Statement* orderStatement(const ast::Declaration& tableau);

/// The order that a method, or else its tableau, declares; 0 if it is none or depends on parameters.
[[nodiscard]] int declaredOrder(Compilation& compilation, const ast::Declaration& method);

/// That of its second result: q of `order p(q)`.
[[nodiscard]] int declaredEmbeddedOrder(Compilation& compilation, const ast::Declaration& method);

/// The place of that claim, for messages.
[[nodiscard]] Range orderRange(const ast::Declaration& method);

} // namespace lmc::orders
