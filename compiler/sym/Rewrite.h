// Simplification by what is known of a state: points satisfy their manifold's equations, velocities are horizontal.
//
// The rules are identities of real arithmetic once these equations hold, so they apply to values only: an expression
// that is still to be differentiated must not be rewritten.
#pragma once

#include "sym/Program.h"

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lmc::sym {

/// What is known when an element of an array is met: pairs (left, right) of equal expressions.
using Knowledge = std::function<std::vector<std::pair<Expr, Expr>>(const Array* array, const std::vector<Expr>& index)>;

/// Rebuilds expressions bottom-up with replaced leaves and known equations.
class Rewriter {
public:
  /// A replacement of a Load (its indices already rewritten), or an empty Expr to keep it. `self` rewrites what is
  /// written out.
  using Leaf = std::function<Expr(Rewriter& self, const Node& load, const std::vector<Expr>& index)>;
  Rewriter(Graph& graph, Leaf leaf, Knowledge knowledge)
      : g_(graph), leaf_(std::move(leaf)), knowledge_(std::move(knowledge)) {}
  /// One that goes on from another, of a program below, with leaves of its own.
  Rewriter(const Rewriter& below, Leaf leaf) : Rewriter(below) { leaf_ = std::move(leaf); }

  Expr operator()(Expr e);

private:
  Expr known(Expr e) const;
  /// The inner product if it is known to be a number; empty otherwise.
  Expr innerNumber(Expr a, Expr b);
  Expr improve(Expr e);
  Expr doubleCross(Expr a, Expr b, Expr c);
  Expr crossRule(Expr e);
  Expr innerRule(Expr e);
  Expr sumRule(Expr e);
  void learn(Expr load);

  Graph& g_;
  Leaf leaf_;
  Knowledge knowledge_;
  NodeTable<Expr> memo_;
  std::unordered_map<const Node*, Expr> known_;
  std::unordered_map<const Node*, bool> learned_;
};

/// A Leaf that replaces loads of defined arrays by their defining expression where that is a number, a load or small.
/// Only arrays with one equation for all elements qualify.
class Unfolding {
public:
  Unfolding(const Program& program, std::size_t limit) : p_(program), limit_(limit) {}
  /// The defining expression at an index, or an empty Expr. `rewrite` simplifies it first.
  Expr operator()(const Array* array, const std::vector<Expr>& index, const std::function<Expr(Expr)>& rewrite);

private:
  const Program& p_;
  std::size_t limit_;
};

} // namespace lmc::sym
