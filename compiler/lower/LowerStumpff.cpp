// Stumpff functions of an argument that is four times another one, such as those of exp(w) beside exp(w/2).
#include "lower/LowerContext.h"

namespace lmc::lower {

using sym::Node;
using sym::Op;

void ExpressionLowering::noteStumpff(const Node& n) {
  stumpffArguments_.insert(n.args[0].node());
}

/// c_k(4x) by c_j(x), the formulas for the double angle, where the latter are taken as well: a few products in the
/// place of polynomials. None of them subtracts numbers of one size while θ is small. Empty where x is not taken, or
/// for other orders than 1 to 5.
std::optional<Scalar> ExpressionLowering::doubledStumpff(const Node& n) {
  if (n.imm < 1 || n.imm > 5) return std::nullopt;
  const sym::Expr quarter = n.graph->scale(sym::Number(1) / sym::Number(4), n.args[0]);
  if (!stumpffArguments_.contains(quarter.node())) return std::nullopt;
  const Scalar x = scalar(quarter);
  const auto c = [&](std::int64_t k) { return s_.pure(tape::Op::Stumpff, tape::Type::Real, {x}, k); };
  const auto scaled = [&](double f, Scalar a) { return s_.mul(s_.real(f), a); };
  switch (n.imm) {
  case 1:
    return s_.mul(c(1), s_.sub(s_.real(1), s_.mul(x, c(2)))); // c1 c0
  case 2:
    return scaled(0.5, s_.mul(c(1), c(1)));
  case 3:
    return scaled(0.25, s_.add(c(3), s_.mul(c(1), c(2))));
  case 4:
    return scaled(0.125, s_.add(c(3), s_.mul(c(1), c(3))));
  default:
    return scaled(0.0625, s_.add(c(5), s_.add(c(4), s_.mul(c(2), c(3)))));
  }
}

} // namespace lmc::lower
