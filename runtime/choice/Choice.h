// Which method steps a model with the least work, at which tolerance: `method = auto; accuracy = …`.
//
// All that decides is counted (steps, operations of a step by tape::cost) or measured on numbers that every machine
// computes alike; no clock does. So the choice is the same on each machine and in each run.
//
// 1. The methods. A pilot, the first that gets on, goes as far as some hundred steps lead, at a tenth of the accuracy;
//    this is the trial interval. Every candidate integrates it at two tolerances. Its errors, against the pilot at a
//    much tighter tolerance, and its numbers of steps give the work that it takes to an error, by a power law between
//    the two. Orders are tried downwards until the work grows. Implicit methods are tried where the tolerance hardly
//    shows in the number of steps of an explicit one, as of stiff equations, or where no explicit one gets on.
// 2. The tolerance. The winner integrates the whole span at two tolerances, a factor ten apart, and at a third one that
//    is far below both, which they are held against. The error of a whole run goes with a power of the tolerance (close
//    to the first: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.4), so
//    two errors tell the tolerance at which it is a quarter of the accuracy. Trials move until it lies near them. The
//    third is of another method where one is known. A last trial is the run itself: its error is what is expected.
//    Spans for which that is too much work are integrated in part; the error is extrapolated by the law by which it
//    has grown, and less of the accuracy is used.
#pragma once

#include "runtime/contract/Problem.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lmc::runtime {

/// A method that may fit.
struct MethodCandidate {
  std::string name;
  int order = 0; ///< declared
  bool isImplicit = false;
  /// The problem with this method and adaptive steps. Null where it cannot step the model, or where one step takes more
  /// than so many operations; `why` then says so, as a sentence has it.
  std::function<std::unique_ptr<Problem>(double mostOperations, std::string& why)> build;
};

/// What comes of a choice.
struct MethodChoice {
  std::string method; ///< empty: none fits
  ChosenMethod how;
  std::string failure;  ///< why none fits, as a sentence has it
  double reachable = 0; ///< not 0: doubles cannot do better over this span, and that is why
};

/// The candidates' problems must have an interval of time; `accuracy` is finite and above zero.
[[nodiscard]] MethodChoice chooseMethod(std::vector<MethodCandidate> candidates, double accuracy);

} // namespace lmc::runtime
