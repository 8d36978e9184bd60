// How the elements of a group move vectors, and what `A*x` means for an element A.
#include "sema/ExpressionEvaluator.h"

#include <algorithm>

namespace lmc {

using sym::Expr;

bool DeclaredManifold::moves(int length) const {
  sym::Graph& g = session_.graph;
  const Expr x = g.load(g.newArray("x", {}, sym::Shape::vec(length), sym::Role::Temp));
  // That a length does not fit is no error of the user.
  const std::size_t before = session_.diagnostics.mark();
  const auto moved = apply("action", {dummies(ClauseKind::Point, "A"), {x}});
  session_.diagnostics.takeBack(before);
  return moved && moved->size() == 1 && (*moved)[0]->shape == x->shape;
}

std::optional<int> DeclaredManifold::actsOn() const {
  if (actsOn_) return *actsOn_;
  actsOn_.emplace(); // while it is looked for
  if (!isGroup_ || !gives("action")) return *actsOn_;
  int longest = 8; // the space may be larger than any part of the storage
  for (const Part& p : point_) longest = std::max({longest, p.shape.rows, p.shape.cols});
  for (int length = 1; length <= longest && !*actsOn_; ++length) {
    if (moves(length)) *actsOn_ = length;
  }
  return *actsOn_;
}

bool DeclaredManifold::checkAction(const ast::Statement& s) {
  if (actsOn()) return true;
  session_.diagnostics
      .error(Code::LIE0151, s.range, "there is no length of vectors x for which this is a vector of the same length")
      .note("`action(A, x)` of a group says where its element A takes the vector x");
  return false;
}

std::optional<FunctionRef> DeclaredManifold::helper(const std::string& name) const {
  const auto it = functions_.find(name);
  if (it == functions_.end()) return std::nullopt;
  // The names of its body are looked up in this declaration, as in `evaluate`.
  return FunctionRef{it->second, const_cast<DeclaredManifold*>(this)};
}

std::vector<std::string> DeclaredManifold::helpers() const {
  std::vector<std::string> names;
  for (const auto& [name, s] : functions_) names.push_back(name);
  return names;
}

/// A*x for an element A of a group that is not used as a matrix: the moved vector, or the product of two elements.
std::optional<Value> ExpressionEvaluator::multiplyByElement(const Value& a, const Value& b, const ast::Expr& e) {
  if (a.kind != ValueKind::Point || !a.manifold->isGroup()) return std::nullopt;
  const Manifold& group = *a.manifold;
  const bool oneTensor = isOneTensor(b);
  const auto length = group.actsOn();
  if (length && oneTensor && b.parts[0]->shape == sym::Shape::vec(*length) && b.manifold != &group) {
    const auto moved = group.apply("action", {a.parts, {b.parts[0]}});
    return moved ? Value::tensor((*moved)[0]) : Value::error();
  }
  const bool ofMatrices = a.parts.size() == 1 && a.parts[0]->shape.rank == 2;
  const bool number = oneTensor && b.parts[0]->shape.rank == 0;
  if (ofMatrices || (number && a.parts.size() == 1)) return std::nullopt;
  if (b.kind == ValueKind::Point && b.manifold == &group && (length || a.parts.size() > 1)) {
    const auto product = group.apply("product", {a.parts, b.parts});
    return product ? element(ValueKind::Point, group, *product) : Value::error();
  }
  if (length) {
    mismatch(e, describe(a) + " times " + describe(b) + ": " + group.name() + " acts on vec(" +
                    std::to_string(*length) + ")");
    return Value::error();
  }
  if (a.parts.size() == 1) return std::nullopt;
  mismatch(e, describe(a) + " times " + describe(b) + ": " + group.name() + " gives no `action` on vectors");
  return Value::error();
}

} // namespace lmc
