// Loops over pairs with a bounded distance: lists of the pairs that may keep the bound.
#pragma once

#include "lower/LowerContext.h"
#include "lower/builder/Distances.h"

#include <map>
#include <string>

namespace lmc::lower {

/// Where functions are called again and again, lists of near pairs are kept in memory of the run.
class NearLowering {
public:
  NearLowering(Scalars& scalars, ExpressionLowering& expressions, tape::Module& module)
      : s_(scalars), x_(expressions), module_(module) {}

  /// Pairs from so many on are worth a list.
  static constexpr std::int64_t fewest = 2048;

  bool wanted = false; ///< see Lowering::useLists
  /// A new function: `step` if it writes the state.
  void beginFunction(bool step);
  struct List {
    int buffer = -1; ///< none: all pairs are looked at
    std::int64_t firstRow = 0;
  };
  /// Before a loop over pairs: brings its list up to date.
  List list(const sym::Equation& e, const DistanceBound& bound);
  /// The inner loop, over the entries of a row.
  tape::Value beginLoop(tape::Value lo, tape::Value hi, const List& list, tape::Value outer);

  // Sums over all near pairs, such as an energy. The terms of a row, that is of one outer index, are added up first, in
  // an element of its own, so that threads may have rows (tape/Shares.h); then the rows in their order. So it is done
  // with a list and without one.

  /// Before the loops of sums: notes which of them are such.
  void beginTotals(const sym::Program& program, const NearSums& sums);
  /// Whether the sum of this equation is.
  [[nodiscard]] bool isTotal(std::size_t equation) const { return totals_.contains(equation); }
  /// In the loops: a term of it.
  void add(std::size_t equation, const std::vector<Scalar>& value, tape::Value outer);
  /// Behind the loops.
  void endTotals();

private:
  int pointsOf(const sym::Equation& e, const DistanceBound& bound, bool second);
  int aboutOf(const DistanceBound& bound, std::int64_t firstColumn);
  int listFor(const DistanceBound& bound, std::int64_t columns);
  [[nodiscard]] static bool isLong(const DistanceBound& bound) {
    return bound.outer.count() * bound.inner.count() >= fewest;
  }
  struct Total {
    const sym::Equation* equation = nullptr;
    int rows = -1; ///< memory
    std::int64_t first = 0, count = 0;
  };
  /// Number k of the element of a row.
  tape::Value numberOf(const Total& total, tape::Value row, std::size_t k);
  void end(const Total& total);

  Scalars& s_;
  ExpressionLowering& x_;
  tape::Module& module_;
  bool step_ = false;
  std::map<std::size_t, Total> totals_;           ///< by equation
  std::map<std::string, std::vector<int>> lists_; ///< by the sizes of what they list
  std::map<std::string, std::size_t> used_;       ///< how many of them the function in work has
};

} // namespace lmc::lower
