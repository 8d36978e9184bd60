// Sparse systems on the tape: a plan of elimination, made once, and the factors of a matrix.
#pragma once

#include "lower/LowerContext.h"

namespace lmc::lower {

class SparseLowering {
public:
  SparseLowering(Scalars& scalars, ExpressionLowering& expressions) : s_(scalars), x_(expressions) {}

  struct Factors {
    int plan = -1, factors = -1; ///< buffers
  };
  /// Buffers for the factors, and the plan: `setup` makes it where it has the pattern.
  [[nodiscard]] Factors place(const sym::SparseJacobian& s);
  /// Makes the factors of the present numbers.
  void factor(const sym::SparseJacobian& s, const Factors& f);
  /// Plans of patterns that stand nowhere any more are forgotten.
  void forget();

private:
  Scalars& s_;
  ExpressionLowering& x_;
  std::unordered_map<const sym::Array*, int> plans_; ///< by the arrays of blocks
};

} // namespace lmc::lower
