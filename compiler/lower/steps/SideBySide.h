// Stages of a Runge–Kutta method that do not wait for each other: their numbers stand side by side, and one turn of a
// loop is one stage, so that processors with vectors evaluate all of them at once.
#pragma once

#include "lower/steps/Rows.h"

namespace lmc::lower {

/// Stages in blocks of the same s = c.size(), where each stage of a block reads those of the block before, all of it by
/// the same coefficients. Of a row of numbers, those of all stages of a block stand side by side: `points` and `rates`
/// are `size` times s numbers.
struct SideBySide {
  std::vector<std::vector<double>> a; ///< s rows of s
  std::vector<double> c;
  std::int64_t size = 0;   ///< of a row
  std::int64_t moving = 0; ///< so many numbers at its begin; the rates of the others are zero
  RowPlace begin;          ///< the state at the begin
  RowPlace coefficients;   ///< coefficientsOf() numbers, which `beginTurns` writes
  RowPlace points, rates;  ///< of a block
  RowPlace point, rate;    ///< of the function that evaluates one stage
  [[nodiscard]] std::int64_t width() const { return static_cast<std::int64_t>(c.size()); }
  [[nodiscard]] std::int64_t coefficientsOf() const { return width() * (width() + 1); }
};

/// `moving` of a function that evaluates a stage: the rates behind it are the number zero in its code.
[[nodiscard]] std::int64_t movingOf(const tape::Module& module, const SideBySide& s, int function);

// Functions of t and h. Places without a buffer get one.

/// What the turns begin with: `coefficients`, and all points at the begin.
[[nodiscard]] tape::Function beginTurns(tape::Module& module, const std::string& name, const SideBySide& s);
/// First `rates` at the begin and t, then so many turns: points = begin + h a rates, and rates at all points, at the
/// times t + c h, by a function of a time and h that reads `point` and writes `rate`. Where that is one block of code
/// without loops, it stands in a loop over the stages; else the loop calls it. Before the last turn the sums `before`.
[[nodiscard]] tape::Function turns(tape::Module& module, const std::string& name, const SideBySide& s, int function,
                                   std::int64_t count, const std::vector<RowSums::Sum>& before);
/// to = begin + h sum_j coefficients[j] rates[j] for each sum.
[[nodiscard]] tape::Function sumsOfTurn(tape::Module& module, const std::string& name, const SideBySide& s,
                                        const std::vector<RowSums::Sum>& sums);

} // namespace lmc::lower
