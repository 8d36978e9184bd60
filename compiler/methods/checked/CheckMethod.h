// From the syntax of a method, and the library, to its checked form.
#pragma once

#include "methods/checked/CheckedMethod.h"
#include "sema/Compilation.h"

namespace lmc::methods {

/// A method as declared, with the defaults of its parameters; null when it has errors (reported at their places, and
/// once, however often it is checked).
[[nodiscard]] std::shared_ptr<const CheckedMethod> checkMethod(sema::Compilation& compilation,
                                                               const sema::Found& method);

/// The degree of a series where there is no tolerance to choose it by.
inline constexpr int usualDegree = 12;

/// A method as a model names it: `NAME`, `NAME(theta = 0.5)`, `adjoint(NAME)`. Reports unknown methods with the names
/// of those that there are. `automatic`: the value of parameters that are `auto`.
[[nodiscard]] std::optional<MethodUse> checkMethod(sema::Compilation& compilation, const syntax::Expr& reference,
                                                   int automatic = usualDegree);

} // namespace lmc::methods
