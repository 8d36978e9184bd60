// Small questions about values.
#pragma once

#include "sema/values/Value.h"

namespace lmc::sema {

/// "vec(3)", "int", "a velocity of SO(3)", …, as messages name it.
[[nodiscard]] std::string describe(const Value& v);
[[nodiscard]] std::string describe(sym::Expr e);

[[nodiscard]] Value element(ValueKind kind, const Manifold& manifold, Tuple parts);
/// True for a point, velocity or momentum of one part, and for a tensor.
[[nodiscard]] bool isOneTensor(const Value& v);
/// Whether two velocities, or two momenta, of different groups are single numbers, as those of R and of SO(2): then
/// they are compared, and have a sum and a difference, a plain number (`v - r*w`, of a wheel that rolls).
[[nodiscard]] bool areNumbersOfTwoSpaces(const Value& a, const Value& b);
/// The names of the parts of an element, or of a Parts value.
[[nodiscard]] std::vector<std::string> partNames(const Value& v);
/// The name of a part of a part: "X.R" of X, R.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts);
/// "R : mat(3,3), x : vec(3)"
[[nodiscard]] std::string listParts(const std::vector<Part>& parts);
/// An Int tensor as a real one.
[[nodiscard]] sym::Expr asReal(sym::Expr e);
/// "1 argument", "2 arguments"
[[nodiscard]] std::string counted(std::size_t n, const std::string& noun);
/// A suggestion: "did you mean `x`?"
[[nodiscard]] std::string didYouMean(const std::string& text);
/// "a", "a and b", "a, b and c"
[[nodiscard]] std::string listed(const std::vector<std::string>& items);

} // namespace lmc::sema
