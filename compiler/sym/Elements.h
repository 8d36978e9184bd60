// Single elements of arrays as closed expressions of the inputs: loops, recursions and sums written out.
#pragma once

#include "sym/Program.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lmc::sym {

/// Writes out what an expression reads. For small families; the result has no loop index and reads no array that
/// equations define, except those that are kept.
class Elements {
public:
  /// The replacement of a node whose arguments are written out already, or an empty Expr to keep it. It is asked for
  /// elements of defined arrays before their equations are looked at: what it replaces by itself is kept.
  using Leaf = std::function<Expr(Expr)>;
  /// `limit`: of nodes that may be made; more is given up.
  Elements(Program& program, Leaf leaf, std::size_t limit)
      : p_(program), g_(program.graph()), leaf_(std::move(leaf)), limit_(limit) {}

  /// `e`, which has no free loop index, written out. Empty if it has too many nodes, if an index or a guard depends on
  /// data, or if it needs a linear system or an iteration.
  Expr operator()(Expr e);

private:
  Expr written(Expr e);
  Expr element(const Array* array, const std::vector<Expr>& index);
  bool collect(const Equation& e, const Array* array, const std::vector<std::int64_t>& index, std::size_t loop,
               std::vector<std::pair<const Node*, Expr>>& at, std::vector<Expr>& terms);
  Expr substituted(Expr e, const std::vector<std::pair<const Node*, Expr>>& at);

  Program& p_;
  Graph& g_;
  Leaf leaf_;
  std::size_t limit_;
  std::size_t visited_ = 0;
  NodeTable<Expr> memo_;
  std::map<std::pair<const Array*, std::vector<std::int64_t>>, Expr> elements_;
};

} // namespace lmc::sym
