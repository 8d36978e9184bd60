// The long-time energy test: whether the energy error of a run drifts or stays bounded.
//
// A symplectic or conjugate-symplectic method keeps the energy error bounded over exponentially long times, so a
// systematic drift proves that a method is neither. A bounded error proves nothing by itself.
// Source of the test: E. Faou, E. Hairer, T.-L. Pham, BIT 44 (2004) 699-709; G. Ortolan, A. Saccon, Int. J. Numer.
// Meth. Engng 90 (2012). They judge by eye; the numbers below make the same judgement reproducible.
#pragma once

#include "runtime/run/Run.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace lmc::study {

/// Means and central moments of points (t, e), added one by one or joined; nothing is lost to cancellation.
class Moments {
public:
  void add(double t, double e);
  void join(const Moments& other);
  [[nodiscard]] double meanError() const { return meanE_; }
  /// Of the least squares line e = a + s t; 0 for fewer than two different times.
  [[nodiscard]] double slope() const { return tt_ > 0 ? te_ / tt_ : 0; }
  /// Root mean square of the residuals of that line.
  [[nodiscard]] double residual() const;
  /// Root mean square of e about its mean.
  [[nodiscard]] double deviation() const;

private:
  double n_ = 0, meanT_ = 0, meanE_ = 0, tt_ = 0, te_ = 0, ee_ = 0;
};

/// What one run shows.
enum class Trend : std::uint8_t {
  Drift,        ///< the error grows steadily in one direction
  Bounded,      ///< it oscillates, and no trend is to be seen
  Exact,        ///< it is round-off
  Inconclusive, ///< none of these
};
[[nodiscard]] const char* name(Trend trend);

/// The numbers by which the energy errors e_k = E(t_k) - E(t_0), k = 1…N, of one run are judged.
struct Evidence {
  double slope = 0;                   ///< of the least squares line through all errors, per unit of time
  std::array<double, 2> halfSlopes{}; ///< the same for the first and the second half of the steps
  double drift = 0;                   ///< D = |slope| T / rms of the residuals of the line
  double spread = 0;                  ///< S = (largest - smallest mean of ten windows) / mean rms within a window
  int monotone = 0;                   ///< 0…9: more of the ascents or descents from window to window
  double smallestError = 0, largestError = 0; ///< of e_k, 0 included
  /// DRIFT: S >= 1, D >= 1, monotone >= 8 and the three slopes of one sign. BOUNDED: S <= 0.1 and D <= 0.1. EXACT:
  /// every |e_k| < 1e-15 N max(1, |E(t_0)|); it is tried first.
  Trend trend = Trend::Inconclusive;
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const { return (slope > 0) - (slope < 0); }
};

/// Collects energies and judges them. It needs memory for ten windows, however long the run.
class EnergyRecord {
public:
  /// `steps`: how many energies will be added.
  EnergyRecord(double begin, double energy, std::int64_t steps);
  void add(double t, double energy);
  [[nodiscard]] Evidence evidence() const;

private:
  static constexpr std::size_t windows = 10;
  double begin_, end_, first_;
  std::int64_t steps_, count_ = 0;
  double smallest_ = 0, largest_ = 0;
  std::array<Moments, windows> moments_;
};

/// Fewest steps that are worth a judgement: ten in each window.
inline constexpr std::int64_t fewestSteps = 100;

/// One run of the test.
struct EnergyRun {
  std::string method; ///< as given, with its arguments
  double step = 0;
  runtime::RunResult result;         ///< `failure`: the run ended before its end, and there is no evidence
  Evidence evidence;                 ///< empty after a failure
  std::vector<double> times, errors; ///< some of the errors, for a picture: about 4000, both ends included
};

/// Runs a problem with a fixed step and judges the energy after every step. The problem must have an energy.
/// `sampleEvery`: time between the errors that are kept.
[[nodiscard]] EnergyRun testEnergy(const runtime::Problem& problem, double step, double sampleEvery,
                                   runtime::Monitor* monitor);

/// The judgement over several steps.
enum class Outcome : std::uint8_t { Pass, Fail, Inconclusive };
[[nodiscard]] const char* name(Outcome outcome);
/// The outcome of a name ("PASS", "FAIL", "INCONCLUSIVE"); nothing for another text.
[[nodiscard]] std::optional<Outcome> outcomeOf(const std::string& name);

struct Judgement {
  /// FAIL: drift at the smallest step, and bounded at none of the larger ones. PASS: bounded or exact at all steps. Any
  /// run that failed makes it inconclusive.
  Outcome outcome = Outcome::Inconclusive;
  int sign = 0; ///< of the drift at the smallest step; 0 when there is none
  /// Power of the step with which the slope grows, from the two smallest steps; nothing unless both drift.
  std::optional<double> order;
};
/// `runs`: of one method, one for each step.
[[nodiscard]] Judgement judge(std::vector<const EnergyRun*> runs);

} // namespace lmc::study
