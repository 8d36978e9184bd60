// Newton's iteration as a loop of the tape.
#pragma once

#include "lower/LowerContext.h"

#include <optional>

namespace lmc::lower {

/// Where an iteration finds and leaves its data.
struct NewtonPlaces {
  Place start;
  int solution = -1; ///< buffer [n]
  int report = -1;   ///< buffer of Lowering::bindReport, or none
};

/// Emits one iteration: `begin` opens the loop and sets the places of the iterate's arrays. Then the caller lowers the
/// residual and, with a matrix, calls `beginJacobian`, lowers the Jacobian (or its columns, in loops over directions)
/// and calls `endJacobian`; for a large system it calls `beginProducts`, lowers the product of the Jacobian with a
/// direction, and calls `endProducts` (GMRES; with multipliers all columns and their factors). `end` moves the iterate,
/// decides and closes the loop.
/// A Jacobian near 1 is not made: `moveBySecants` takes the residual for the change, and mends it by what the turns
/// before have shown.
///
/// The Jacobian is kept for further turns while it is expected to shrink changes to `keepBelow` or less: simplified
/// Newton. The expected contraction is the slower of the two last rates of the changes (the rate of the first change is
/// its size relative to the iterate); right after a turn with a new Jacobian, times the last rate, by which the
/// distance that the Jacobian is off has become smaller.
///
/// The iteration ends when the change is small enough relative to the iterate (sums of absolute values): below the
/// tolerance if one is given. By default it goes on to round-off: until, with the expected contraction (GMRES: the
/// rate that the two last changes show and that squares in every turn), the next change would not be seen any more; or
/// until changes near round-off do not become smaller; of the multipliers of constraints (those of no array whose bit
/// is set in `counted`) the changes may then be larger. A turn more than the limit, or a number that is not finite, is
/// status NoConvergence.
class NewtonLowering {
public:
  NewtonLowering(Builder& builder, Scalars& scalars, ExpressionLowering& expressions,
                 const sym::NewtonIteration& newton, NewtonPlaces places)
      : b_(builder), s_(scalars), x_(expressions), newton_(newton), places_(std::move(places)) {}

  void begin();
  void beginJacobian(const Place& residual);
  void endJacobian(const Place& jacobian);
  /// A Jacobian by columns: after `beginJacobian` for each of `columns` the loop over its directions, in which its
  /// product is lowered, and the end.
  void beginColumns(const sym::JacobianColumns& columns);
  void endColumns(const sym::JacobianColumns& columns, const Place& product);
  void endJacobian();
  /// With the factors of a sparse matrix near the Jacobian, GMRES looks for what its inverse makes a change of.
  void beginProducts(const Place& residual, int plan = -1, int factors = -1);
  void endProducts(const Place& product);
  /// With a sparse Jacobian: `beginSparse`, then the factors are made, then `endSparse`. `inLoop`: the factors are
  /// those of turns, made in a branch; else they stand before the loop.
  void beginSparse(const Place& residual, bool inLoop);
  void endSparse(int plan, int factors, bool inLoop);
  /// With equations for the change: `beginFactors`, then the equations of factors are lowered, `endFactors`,
  /// then the change is lowered, `move`. Factors are kept for the next turns.
  void beginFactors(const Place& residual);
  void endFactors(const sym::Program& program, const std::vector<std::size_t>& equations);
  void move(const Place& change);
  /// With a Jacobian near 1: behind the residual, and nothing else.
  void moveBySecants(const Place& residual);
  /// The buffer of an array; a new one for what stands in values.
  int inMemory(const Place& p, const sym::Array* a);
  void end(std::optional<tape::Value> tolerance);

private:
  /// A sum over all n numbers: values where the numbers are written out, else memory.
  struct Sum {
    tape::Value value = tape::none;
    int buffer = -1;
  };

  /// Systems of at most this many numbers are written out.
  static constexpr std::int64_t writtenOut = 24;

  template <typename Turn> void repeat(std::int64_t count, Turn turn);
  /// turn(buffer, element in it, position among all numbers), for buffers like those of the iterate
  template <typename Turn> void forEach(const std::vector<int>& buffers, Turn turn);
  Sum sum();
  void add(Sum& s, tape::Value x);
  tape::Value total(const Sum& s);
  tape::Value element(const Place& p, tape::Value k);
  tape::Value shifted(tape::Value k, std::int64_t by);
  tape::Value absolute(tape::Value x);
  /// Makes room for the direction of a product where the code stands: a buffer for each of its arrays.
  std::vector<int> directionInMemory();
  /// Products with the Jacobian make all of its columns.
  [[nodiscard]] bool byAllColumns() const;
  [[nodiscard]] bool keepsJacobian() const { return newton_.product == nullptr || byAllColumns(); }
  void beginAllColumns();
  void endAllColumns(const Place& product);
  void report(const Place& residual);
  /// Relative size of changes that are rounding where they do not become smaller.
  [[nodiscard]] double roundOffHere() const;
  void copyResidual(const Place& residual);
  void solveSparse(int plan, int factors, int x);
  void invert(const Place& jacobian);
  void moveByInverse(const Place& residual);
  void moveByElimination(const Place& residual);
  [[nodiscard]] bool bySecants() const { return newton_.change == newton_.residual; }
  [[nodiscard]] bool alongFamily() const { return newton_.change != nullptr && !bySecants(); }
  tape::Value change(tape::Value k);
  tape::Value unseenNext(tape::Value changed, tape::Value size);
  tape::Value unseenNextSquared(tape::Value changed, tape::Value size);
  tape::Value done(tape::Value changed, tape::Value size, std::optional<tape::Value> tolerance,
                   std::optional<tape::Value> ownAtRest);

  Builder& b_;
  Scalars& s_;
  ExpressionLowering& x_;
  const sym::NewtonIteration& newton_;
  NewtonPlaces places_;
  std::vector<int> iterate_;        ///< buffers of newton.iterate
  std::vector<tape::Value> values_; ///< of J^-1 residual, where they are written out; else
  int change_ = -1;                 ///< buffer of the residual, then of J^-1 residual
  int matrix_ = -1;                 ///< buffer of J, or of its inverse
  int basis_ = -1, work_ = -1;      ///< buffers of GMRES
  int plan_ = -1, factors_ = -1;    ///< of a sparse matrix near the Jacobian
  int state_ = -1;                  ///< buffer, see State
  const Place* residual_ = nullptr;
  tape::Value fresh_ = tape::none; ///< whether the Jacobian is of this turn
  tape::Value turn_ = tape::none;
  tape::Value column_ = tape::none; ///< of beginColumns: the number of the direction that is 1
};

template <typename Turn> void NewtonLowering::repeat(std::int64_t count, Turn turn) {
  if (newton_.residual->size() <= writtenOut) {
    for (std::int64_t k = 0; k < count; ++k) turn(b_.integer(k));
    return;
  }
  turn(b_.beginLoop(b_.integer(0), b_.integer(count - 1), false));
  b_.endLoop();
}

template <typename Turn> void NewtonLowering::forEach(const std::vector<int>& buffers, Turn turn) {
  std::int64_t first = 0;
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    repeat(newton_.iterate[c]->size(), [&](tape::Value k) { turn(buffers[c], k, shifted(k, first)); });
    first += newton_.iterate[c]->size();
  }
}

} // namespace lmc::lower
