// How long the next step is, by the errors of the last ones.
//
// Errors are in units of the tolerance; what is handed about are their squares e^2, so that nobody takes roots. With
// k = q + 1, q the lower of the two orders of a pair:
//   PI          h (0.85 e^(-0.85/k) e_last^(0.2/k)), the factor in [0.2, 5]; no growth after a rejection; accepted if e
//   <= 1.
//               K. Gustafsson, ACM Transactions on Mathematical Software 17 (1991) 533-554, with the coefficients of
//               DOPRI5: E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., section IV.2.
//   elementary  h (0.85 e^(-1/k)), no bounds; accepted if e <= 1.
//               Celledoni, Cokaj, Leone, Murari, Owren, "Lie group integrators for mechanical systems", International
//               Journal of Computer Mathematics 99 (2022), section 4.
//   clamped     h (0.85 e^(-1/k)), the factor in [0.5, 2]; accepted if e <= 1.2.
//               K. Engo, A. Marthinsen, "Application of geometric integration to some mechanical problems", 1997,
//               section 3.
// Where the error is known for any length before the step is made (Functions::series), as a sum of powers of h from k
// on, there is nothing to reject or to remember: the step is 0.8 times as long as the sum permits, and at most the
// law's largest factor longer than the last one. A. Jorba, M. Zou, Experimental Mathematics 14 (2005) 99-117,
// section 3.2, take 0.9 and the lengths at which the single terms reach the tolerance. The factor 0.85 is the safety of
// the law; a run may choose its own. With 0.9 methods of order 8 have up to one step in five rejected
// (bench/README.md). Powers are evaluated to eight digits, by arithmetic alone: the next step waits for them, and where
// a factor of 0.85 is chosen nobody wants more.
#pragma once

#include "runtime/contract/Controller.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace lmc::runtime {

/// Errors of steps from a state below this, in units of the tolerance, may be rounding of its numbers alone: shorter
/// steps do not make them smaller. Four roundings of the largest number of the state over what it is allowed.
/// `tolerances`: those of ErrorControl.
[[nodiscard]] double roundingOf(std::span<const double> tolerances, std::span<const double> state);

/// A step near h from t whose end t + h is a number of the machine, so that times are the sums of the steps that were
/// taken: rounding of many ends would add up to a shift of the whole run.
[[nodiscard]] inline double exactStep(double t, double h) {
  return (t + h) - t;
}

/// A step below this cannot be told from none, in a run of this length.
[[nodiscard]] inline double shortestStep(double t, double length) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return 4 * eps * std::max(std::abs(t), 1e-6 * length);
}

/// An accepted step of length h is as short as steps are, and the law wants a shorter one: its error is rounding, which
/// no length changes. A run would go on with such steps, and never end.
[[nodiscard]] inline bool tooShort(double h, double wanted, double shortest) {
  return wanted < shortest && h < 2 * shortest;
}

class StepController {
public:
  /// `order`: the lower order of the pair, at least 1. `safety`: the factor by which the next step stays below the one
  /// that the error permits, in (0, 1]; 0: that of the law. `rounding`: errors up to this one (roundingOf) neither have
  /// a step rejected nor make the next one shorter, which would go on without an end.
  StepController(ControllerKind kind, int order, double safety = 0, double rounding = 0);

  /// Whether a step with this squared error is accepted; not if that is no number.
  [[nodiscard]] bool accepts(double square) const { return square <= law_.accept; }
  /// The step after an accepted one of length h.
  [[nodiscard]] double afterAccepted(double h, double square);
  /// The step to try instead of a rejected one of length h; shorter than h.
  [[nodiscard]] double afterRejected(double h, double square);
  /// The step to make where a step of length h, that of the one before, would have this squared error, a sum of powers
  /// of its length from order + 1 up to `highest`.
  [[nodiscard]] double reach(double h, double square, int highest) const;

  /// What later steps depend on.
  struct Memory {
    double lastSquare = 0; ///< the squared error of the last accepted step; 0: none yet
    bool rejected = false; ///< the last trial was rejected
  };
  [[nodiscard]] const Memory& memory() const { return memory_; }
  void restore(const Memory& memory);

private:
  struct Law {
    double safety, smallest, largest;
    double accept; ///< a squared error
  };
  static Law lawOf(ControllerKind kind, double safety);

  Law law_;
  double rounding_;       ///< a squared error
  double ofKnown_;        ///< the safety where errors are known before
  double alone_;          ///< the power of e^2 that a step without a step before takes
  double own_, before_;   ///< of its own e^2, and of that of the step before
  bool remembers_;        ///< the law looks back: at the last error, and at a rejection
  double leastLogarithm_; ///< binary, of the least square that is remembered
  Memory memory_;
  double lastLogarithm_ = 0; ///< the same of memory_.lastSquare
};

/// Most of the squared error of a step of length h where that of a step of length `from` is `square`, a sum of powers
/// of the length from `lowest` to `highest`.
[[nodiscard]] double squareAt(double h, double from, double square, int lowest, int highest);

/// log2(x) to 2e-8, of a normal positive number.
[[nodiscard]] double binaryLogarithm(double x);
/// 2^x to 3e-9 of it, for |x| up to 1000.
[[nodiscard]] double binaryPower(double x);

} // namespace lmc::runtime
