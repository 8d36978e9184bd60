// Sums of vectors with fewer products, for values that are computed and not differentiated any more.
//
//   a w + b x × v + c x × (x × v) + d x × (x × w) = a w + x × (b v + x × (c v + d w))
//
// A cross product costs six products, a factor three: with Horner's scheme in the operator x × each power of it costs
// one cross product, however many vectors it is applied to. Sums that contain another sum that is computed anyway start
// from that one.
#pragma once

#include "sym/Expr.h"

#include <unordered_map>
#include <vector>

namespace lmc::sym {

class Regrouping {
public:
  /// All expressions that are computed together: what one of them needs anyway costs the others nothing.
  explicit Regrouping(const std::vector<Expr>& roots);

  /// An expression of equal value; of one of the roots.
  Expr operator()(Expr root);

private:
  /// scale · x × (x × … v), `degree` times; the products on the way, the outermost first.
  struct Term {
    Expr scale, vector;
    int degree = 0;
    std::vector<const Node*> products;
  };

  void findParts(const std::vector<const Node*>& sums);
  /// Of all nodes below the roots, arguments before their users.
  void countUses(const std::vector<Expr>& roots, const std::vector<const Node*>& all);
  [[nodiscard]] std::vector<Expr> operands(const Node& n) const;
  template <typename Visit> void visitOperands(const Node& n, Visit visit) const;
  [[nodiscard]] int uses(const Node* n) const;
  [[nodiscard]] Term peel(Expr e, Expr x) const;
  /// How many products fewer the sum has when the terms with x × are grouped, and which terms they are.
  [[nodiscard]] int gain(const std::vector<Expr>& terms, Expr x, std::vector<bool>& grouped) const;
  Expr rebuilt(const Node& n);
  Expr sum(const std::vector<Expr>& terms, const Shape& shape);
  Expr horner(const std::vector<Term>& terms, Expr x);
  /// What a node has become; empty if that is not known yet.
  [[nodiscard]] Expr known(Expr e) const {
    const std::uint32_t k = numbers_[*e];
    return k < made_.size() ? made_[k] : Expr();
  }

  std::unordered_map<const Node*, const Node*> part_; ///< of a sum, the largest other sum that is contained in it
  NodeNumbers numbers_;
  std::vector<int> uses_;  ///< by these numbers
  std::vector<Expr> made_; ///< by these numbers
  bool any_ = false;       ///< there are sums of vectors
};

} // namespace lmc::sym
