// How the elements of a group move vectors.
#include "sema/manifolds/Manifolds.h"

#include <algorithm>

namespace lmc::sema {

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

bool DeclaredManifold::checkAction(const syntax::Statement& s) {
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

} // namespace lmc::sema
