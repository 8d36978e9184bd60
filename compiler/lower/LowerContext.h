// Shared state of lowering one module: where arrays live, and the scalars of expressions.
#pragma once

#include "lower/Lower.h"
#include "lower/builder/Product.h"
#include "lower/builder/Scalars.h"
#include "lower/builder/Schedule.h"

#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace lmc::lower {

/// Where the elements of an array are found.
struct Place {
  ArrayStorage storage = ArrayStorage::Memory;
  bool setup = false;    ///< computed by the setup function
  bool live = false;     ///< may change after setup, though it stands in Params
  int argument = -1;     ///< a scalar argument of the function
  int buffer = -1;       ///< Memory
  std::size_t depth = 0; ///< Memory: it gets its values in this one of the open blocks
  /// Memory: all first entries of the elements, then all second ones, …, so that loops over members find what they
  /// read side by side. Otherwise element after element.
  bool separate = false;
  std::vector<bool> zeros; ///< entries of an element that are zero; empty: none
  /// Registers: count * size values. Memory: the same, where straight-line code alone has written them, so that what is
  /// read at a constant index is known, zeros above all; `none` where it is not; else empty.
  std::vector<Scalar> registers;
  std::vector<Scalar> current; ///< Contracted: the value of this iteration
};

/// The scalars of nodes; where they stand does not change.
class LoweredNodes {
public:
  /// Null where there are none.
  [[nodiscard]] const std::vector<Scalar>* find(const sym::Node& n) const {
    const std::uint32_t k = numbers_[n];
    return k == sym::NodeNumbers::none ? nullptr : &values_[k];
  }
  void set(const sym::Node& n, std::vector<Scalar> v) {
    if (numbers_.add(n))
      values_.push_back(std::move(v));
    else
      values_[numbers_[n]] = std::move(v);
  }
  void clear() {
    if (values_.empty()) return;
    numbers_.clear();
    values_.clear();
  }

private:
  sym::NodeNumbers numbers_;
  std::deque<std::vector<Scalar>> values_;
};

/// Lowers expressions to scalars, given the places of arrays and the values of loop indices.
class ExpressionLowering {
public:
  ExpressionLowering(Scalars& s, tape::Module& module) : s_(s), module_(module) {}

  std::vector<Scalar> lower(sym::Expr e);
  Scalar scalar(sym::Expr e) { return lower(e)[0]; }

  void bindIndex(sym::Expr index, Scalar value) {
    indices_[index.node()] = value;
    forgetIndexed();
  }
  void forgetIndexed() { indexed_.clear(); }
  void forgetAll() {
    indexed_.clear();
    free_.clear();
    indices_.clear();
    rooted_.clear();
    stumpffArguments_.clear();
  }

  /// Tells of which numbers roots and Stumpff functions are taken, before expressions that may share them are lowered.
  void noteRoots(const std::vector<sym::Expr>& values);

  /// The function in work gives numbers to a reader, not a step to the next one: lengths and inverses are worked out
  /// without over- or underflow on the way, and with pivots. (What parameters decide is, in every function.)
  bool careful = false;

  std::unordered_map<const sym::Array*, Place> places;
  std::unordered_set<const sym::Array*> writing;  ///< arrays that the group in work writes
  bool indefinite = false;                        ///< small matrices may be: they are solved with pivots
  bool leastNorm = false;                         ///< those of Definite::Semi may be singular: the shortest solution
  std::map<std::int64_t, std::int64_t> dependent; ///< of these, by their size: rows that always follow from others

  /// The place of an array; one that no equation writes is zero.
  const Place& placeOf(const sym::Array* a);
  /// Number of an element: (i-1)*n2 + (j-1).
  Scalar position(const sym::Array* a, const std::vector<Scalar>& index);
  /// Place of entry k of that element in the array's buffer or registers.
  Scalar entry(const sym::Array* a, const Place& p, Scalar position, std::size_t k);
  /// The value at a constant place in memory, if straight-line code has written it and it can be used here.
  std::optional<Scalar> remembered(const Place& p, Scalar at);
  /// Writes it, or adds to it, perhaps in a branch that may not be taken.
  void writeRemembered(Place& p, Scalar at, Scalar v, bool sum, bool branch);
  /// A new scratch buffer.
  int scratch(const std::string& name, std::int64_t size);
  /// How the routine factors a symmetric matrix: its argument `definite`.
  enum class Factors : std::uint8_t { WithPivots, OfDefinite, OfSemidefinite };
  [[nodiscard]] Factors factorsOf(bool semidefinite, bool pivots) const {
    if (semidefinite && leastNorm) return Factors::OfSemidefinite;
    return pivots ? Factors::WithPivots : Factors::OfDefinite;
  }
  /// Factors a symmetric matrix in a buffer; the working memory of the factors.
  int factorSymmetric(int matrix, std::int64_t n, Factors how);

  /// The entries of an equation's value get its name.
  void note(const sym::Equation& e, const std::vector<Scalar>& v, Builder& setup);

  /// The function in work ends with SingularMass (or `otherwise`) where the truth value is false; once per run where
  /// parameters decide.
  void requireRegular(const Scalar& regular, std::int32_t otherwise = runtime::SingularMass);
  /// `Equation::positive`, of a mass or of a point near its manifold.
  void requirePositive(sym::Expr e, bool near);

private:
  std::vector<Scalar> compute(const sym::Node& n);
  std::vector<Scalar> scaled(const sym::Node& n);
  std::optional<std::vector<Scalar>> byReciprocals(const sym::Node& n);
  bool isReciprocal(const Power& p) const;
  Scalar power(const Power& p);
  void noteStumpff(const sym::Node& n);
  std::optional<Scalar> doubledStumpff(const sym::Node& n);
  std::vector<Scalar> load(const sym::Node& n);
  std::vector<Scalar> integerOp(const sym::Node& n);
  std::vector<Scalar> scalarOp(const sym::Node& n);
  std::vector<Scalar> tensorOp(const sym::Node& n);
  std::vector<Scalar> component(const sym::Node& n);
  std::vector<Scalar> inverse(const std::vector<Scalar>& a, int n);
  std::vector<Scalar> inverseByCofactors(const std::vector<Scalar>& a, int n);
  std::vector<Scalar> inverseByPivots(std::vector<Scalar> a, int n);
  /// The scalars of an expression, if they were lowered and may be used here; else null.
  const std::vector<Scalar>* known(sym::Expr e);
  std::optional<Scalar> length(sym::Expr square);
  Scalar lengthOf(const std::vector<Scalar>& entries);
  [[nodiscard]] bool takesCare(const std::vector<Scalar>& a) const;
  [[nodiscard]] bool isNeeded(const sym::Node& n) const;
  std::vector<Scalar> exponential(const std::vector<Scalar>& a, int n);
  std::vector<Scalar> solve(const sym::Node& n);
  std::vector<Scalar> solveSymmetric(std::vector<Scalar> a, std::vector<Scalar> b, int n, int columns);
  std::vector<Scalar> solveByRoutine(const std::vector<Scalar>& a, const std::vector<Scalar>& b, int n, int columns,
                                     Factors how);
  std::vector<Scalar> solveGeneral(const std::vector<Scalar>& a, const std::vector<Scalar>& b, int n, int columns);
  int factorize(const std::vector<Scalar>& a, int n, int& pivots);
  Scalar determinant(const std::vector<Scalar>& a, int n);
  std::vector<Scalar> product(const std::vector<Scalar>& a, const std::vector<Scalar>& b, int m, int k, int n);
  bool isDiagonalTimes(sym::Expr e, sym::Expr w);
  std::vector<Scalar> gyroscopic(const std::vector<Scalar>& d, const std::vector<Scalar>& w);
  std::vector<Scalar> negated(std::vector<Scalar> a);
  std::vector<Scalar> turn(sym::Expr sum);
  std::vector<Scalar> rotated(const std::vector<Scalar>& a, int rows, sym::Expr sum);
  Scalar compare(sym::Op op, sym::Type operands, Scalar a, Scalar b);
  std::span<const sym::Expr> neededArguments(const sym::Node& n);
  const std::vector<Scalar>& value(sym::Expr e);
  bool usable(const std::vector<Scalar>& v);

  Scalars& s_;
  tape::Module& module_;
  sym::Expr root_;      ///< that is being lowered
  bool spared_ = false; ///< the linear system in work belongs to a branch that may not be taken
  RootedBases rooted_;
  std::unordered_set<const sym::Node*> stumpffArguments_; ///< arguments of Stumpff functions
  std::unordered_map<const sym::Node*, Scalar> indices_;
  LoweredNodes free_, indexed_; ///< the second: of what depends on indices of loops
};

} // namespace lmc::lower
