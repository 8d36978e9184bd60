// Forward and reverse derivatives of array programs; both append equations to the same program.
#pragma once

#include "sym/Program.h"

#include <map>
#include <unordered_map>

namespace lmc::sym {

/// d n / d args[0] of a scalar function of one scalar.
[[nodiscard]] Expr scalarDerivative(Graph& graph, const Node& n);

/// The change of n by those of its arguments (zeros of their shapes where they do not change), to first order.
[[nodiscard]] Expr change(Graph& graph, const Node& n, const std::vector<Expr>& changes);

/// d/ds exp(a + s change) at s = 0: the upper right block of exp([[a, change], [0, a]]).
[[nodiscard]] Expr exponentialDerivative(Graph& graph, Expr a, Expr change);

/// One forward pass: the derivative of expressions and arrays along given tangents of input arrays.
///
/// Tangents of defined arrays are made on demand, as arrays of the same loops. With `prefix` loops every tangent
/// array gets those indices in front, and many directions are propagated by one program.
///
/// What a Newton iteration finds is differentiated by the implicit function theorem at the solution, so that neither
/// the starting value nor the number of turns matters: J x' = -r', where r' is the derivative of the residual with
/// the iterate held fixed. The tangent of such a tangent is taken in the same way.
class Tangent {
public:
  /// The tangent of an input array's element at the given indices; an empty Expr for zero.
  using Seed = std::function<Expr(const std::vector<Expr>& index)>;

  explicit Tangent(Program& program, std::vector<Loop> prefix = {}) : p_(program), prefix_(std::move(prefix)) {}
  void seed(const Array* input, Seed seed) { seeds_[input] = std::move(seed); }
  /// Takes an expression for an independent variable with this tangent (empty: zero), wherever it occurs. Before all
  /// else; it must depend on a seeded input.
  void freeze(Expr e, Expr tangent) { memo_[e.node()] = tangent; }

  /// The directional derivative of an expression (its shape; zero when it depends on no seed).
  Expr of(Expr e);
  /// True if the array depends on a seeded input.
  bool active(const Array* a);

private:
  Expr compute(const Node& n);
  Expr load(const Node& n);
  const Array* tangentArray(const Array* a);
  void linearSolve(const Equation& source, const Array* tangent);
  bool newton(const Equation& source, const Array* tangent);
  void solveDense(const Equation& source, const Array* change, const Array* tangent);
  void solveByProducts(const Equation& source, const Array* change, const Array* tangent);
  const Array* prefixed(const std::string& name, const std::vector<std::int64_t>& own, const Shape& shape, Role role);
  void define(const Array* array, const std::vector<Loop>& own, const std::vector<Expr>& index, Expr value);
  std::vector<Expr> indexOf(const std::vector<Expr>& own) const;

  Program& p_;
  std::vector<Loop> prefix_;
  std::unordered_map<const Array*, Seed> seeds_;
  std::unordered_map<const Array*, const Array*> arrays_;
  std::unordered_map<const Array*, bool> active_;
  std::unordered_map<const Node*, Expr> memo_;
};

/// The gradient of a scalar with respect to elements of input arrays: per input an expression of its indices.
class Gradient {
public:
  /// d root / d input[index…], of the shape of the input's elements; zero where root does not depend on it.
  [[nodiscard]] Expr of(const Array* input, const std::vector<Expr>& index = {}) const;

private:
  friend class Reverse;
  struct Entry {
    std::vector<Expr> index; ///< canonical indices in `value`
    Expr value;              ///< empty: zero
  };
  Graph* graph_ = nullptr;
  std::unordered_map<const Array*, Entry> entries_;
};

/// One reverse pass from `root` (a real scalar outside of loops), or from several seeds at once.
/// Adjoint arrays are named name/dx.
[[nodiscard]] Gradient gradient(Program& program, Expr root, const std::vector<const Array*>& inputs,
                                const std::string& name = "d");

/// A term of a sum whose gradient is wanted: d/d input of  sum over loops of <seed, value>, seed held fixed.
struct SeededTerm {
  std::vector<Loop> loops;
  Expr guard;
  Expr value;
  Expr seed; ///< of the shape of value
};
[[nodiscard]] Gradient gradient(Program& program, const std::vector<SeededTerm>& terms,
                                const std::vector<const Array*>& inputs, const std::string& name = "d");

/// The vector-Jacobian product within one expression: adjoint contributions to each Load reached from `value`
/// that satisfies `wanted`, for the given adjoint of `value`. Used for linear maps such as T(g)^T.
[[nodiscard]] std::vector<std::pair<Expr, Expr>> pullback(Graph& graph, Expr value, Expr seed,
                                                          const std::function<bool(const Node&)>& wanted);

} // namespace lmc::sym
