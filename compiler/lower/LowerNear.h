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

private:
  int pointsOf(const sym::Equation& e, const DistanceBound& bound, bool second);
  int aboutOf(const DistanceBound& bound);
  int listFor(const DistanceBound& bound);

  Scalars& s_;
  ExpressionLowering& x_;
  tape::Module& module_;
  bool step_ = false;
  std::map<std::string, std::vector<int>> lists_; ///< by the sizes of what they list
  std::map<std::string, std::size_t> used_;       ///< how many of them the function in work has
};

} // namespace lmc::lower
