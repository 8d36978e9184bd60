// Stages of a Runge–Kutta method that do not wait for each other: their numbers stand side by side, and one turn of a
// loop is one stage, so that processors with vectors evaluate all of them at once.
#pragma once

#include "lower/steps/Rows.h"

#include <algorithm>

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
  /// Of sums over the stages of a turn, which stand side by side in `sums`, `size` times columns() numbers.
  std::vector<std::vector<double>> weights;
  RowPlace sums;
  [[nodiscard]] std::int64_t columns() const { return std::max(width(), static_cast<std::int64_t>(weights.size())); }
  /// Coefficients: `a`, `c`, and from weightsAt() on `weights`.
  [[nodiscard]] std::int64_t weightsAt() const { return width() * (width() + 1); }
  [[nodiscard]] std::int64_t coefficientsOf() const { return weightsAt() + width() * columns(); }
};

/// `moving` of a function that evaluates a stage: the rates behind it are the number zero in its code.
[[nodiscard]] std::int64_t movingOf(const tape::Module& module, const SideBySide& s, int function);

/// The sum to = begin + h sum_j weights[j] rates[j] with one of SideBySide::weights.
struct SumOfTurn {
  std::size_t weights = 0;
  RowPlace to;
};

// Functions of t and h. Places without a buffer get one.

/// What the turns begin with: `coefficients`, and all points at the begin.
[[nodiscard]] tape::Function beginTurns(tape::Module& module, const std::string& name, const SideBySide& s);
/// First `rates` at the begin and t, then so many turns: points = begin + h a rates, and rates at all points, at the
/// times t + c h, by a function of a time and h that reads `point` and writes `rate`. Where that is one block of code
/// without loops, it stands in a loop over the stages; else the loop calls it. Before the last turn the sums `before`.
[[nodiscard]] tape::Function turns(tape::Module& module, const std::string& name, const SideBySide& s, int function,
                                   std::int64_t count, const std::vector<SumOfTurn>& before);
/// Sums over the rates.
[[nodiscard]] tape::Function sumsOfTurn(tape::Module& module, const std::string& name, const SideBySide& s,
                                        const std::vector<SumOfTurn>& sums);

} // namespace lmc::lower
