// Entries of mass matrices: equations that set them, and the solution of what they make.
#pragma once

#include "mechanics/system/Geometry.h"
#include "sym/Program.h"

namespace lmc::mechanics {

/// Largest dense system that is written out as straight-line code.
inline constexpr std::int64_t straightLineLimit = 24;

/// Adds equations to a program.
class MassEntries {
public:
  explicit MassEntries(sym::Program& program) : p_(program), g_(program.graph()) {}

  /// `positive`: by what the value divides, a mass that is one number and varies; empty: nothing.
  void set(const sym::Array* array, std::vector<sym::Loop> loops, std::vector<sym::Expr> index, sym::Expr value,
           sym::EquationKind kind = sym::EquationKind::Set, sym::Expr positive = {});
  /// s times the identity as a block of a matrix of n rows.
  void setDiagonal(std::vector<sym::Expr>& m, int n, int offset, int dimension, sym::Expr s);
  /// The same expressions at another member index.
  sema::Tuple at(const sema::Tuple& values, const std::vector<sym::Expr>& from, const std::vector<sym::Expr>& to);
  /// The size of M's own block, which need not be definite: of its diagonal and what stands beside it. Any number makes
  /// M regular where the block is empty.
  template <class Entry> sym::Expr isotropyScale(int dim, const Entry& entry) {
    sym::Expr size = g_.number(0);
    const auto add = [&](int a, int b) { size = g_.add(size, g_.function(sym::Op::Abs, entry(a, b))); };
    for (int a = 0; a < dim; ++a) {
      add(a, a);
      if (a + 1 < dim || dim > 2) add(a, (a + 1) % dim);
    }
    return size->isZero() ? g_.number(1) : g_.scale(sym::Number::ratio(1, dim), size);
  }
  /// True if the expression, or the array, is computed from parameters alone, perhaps through other arrays.
  [[nodiscard]] bool ofParameters(sym::Expr e) const;
  bool ofParameters(const sym::Array* a) const;
  /// Entry by entry where the solution is written out, so that zeros are seen.
  void copyMatrix(const sym::Array* from, const sym::Array* to, std::int64_t n);
  /// A copy of a large matrix that others read, since its factors take its place; a small one itself.
  const sym::Array* apart(const sym::Array* from, std::int64_t n);
  /// x = M^-1 r: written out when small, by a routine when large. `wanted`: where a small one is not, x is zero.
  void solveStacked(std::int64_t n, const sym::Array* mass, const sym::Array* rhs, const sym::Array* x,
                    sym::Definite definite = sym::Definite::Yes, sym::Expr wanted = {});

protected:
  sym::Program& p_;
  sym::Graph& g_;
};

} // namespace lmc::mechanics
