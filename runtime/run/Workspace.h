// The memory in which one thread runs one problem.
#pragma once

#include "runtime/contract/Problem.h"

#include <memory>
#include <span>

namespace lmc::runtime {

/// Memory behind the five base pointers of a problem's functions, and calls of those functions on it.
///
/// One thread uses a workspace at a time; several workspaces of one problem may run at once. The problem must
/// outlive it. Every call returns a tape::Status.
class Workspace {
public:
  explicit Workspace(const Problem& problem);
  /// With the state in memory of somebody else, which must have room for it and outlive the workspace.
  Workspace(const Problem& problem, double* state);

  /// Loads parameters and the initial state, computes the constants.
  [[nodiscard]] std::int32_t start();
  /// Computes the constants from parameters that were changed through `params`.
  [[nodiscard]] std::int32_t setUp();
  /// The parameters, and what stands behind them (ErrorControl::tolerances).
  [[nodiscard]] std::span<double> params() { return span(Role::Params); }
  /// The base pointers, for who calls the functions himself.
  [[nodiscard]] double* const* bases() const { return bases_.data(); }
  /// Outputs (energy, observables, defects) of the current state at time t.
  [[nodiscard]] std::int32_t observe(double t);
  /// Values of the events at the current state and time t, into `output()`.
  [[nodiscard]] std::int32_t events(double t);
  /// The map f of the current state at time t, into `output()`.
  [[nodiscard]] std::int32_t field(double t);
  /// Steps first, …, first + n - 1 of length h, of which step k begins at t + k*h; `done` counts the completed ones. On
  /// failure the state is the last valid one.
  [[nodiscard]] std::int32_t advance(double t, double h, std::int64_t first, std::int64_t n, std::int64_t& done);

  /// Before the first trial from a state that none has left: finds what one begins with (Functions::begin).
  [[nodiscard]] std::int32_t beginTrials(double t);
  /// A step of length h over the state, with its squared errors in `output()`. The state is invalid after a failure.
  [[nodiscard]] std::int32_t trial(double t, double h);
  /// Its two halves, where errors are known before a step (Functions::series): the errors of a step of length h, and
  /// then steps from this state, which may be put back, of any lengths.
  [[nodiscard]] std::int32_t series(double t, double h);
  [[nodiscard]] std::int32_t alongSeries(double t, double h);
  /// Sizes, rates and changes at the state, into `output()`.
  [[nodiscard]] std::int32_t startRates(double t, double h);

  /// Any function of the code by its number, with its arguments; a negative number does nothing.
  [[nodiscard]] std::int32_t call(int function, double t);
  [[nodiscard]] std::int32_t call(int function, double t, double h);

  [[nodiscard]] std::span<double> state() { return span(Role::State); }
  [[nodiscard]] std::span<const double> state() const { return span(Role::State); }
  [[nodiscard]] std::span<const double> output() const { return span(Role::Output); }
  /// What the compiled iterations report (FieldKind::Report): evaluations of f in them and turns since `start`, and the
  /// residual (sum of absolute values) of the last turn.
  [[nodiscard]] std::int64_t iterationEvaluations() const;
  [[nodiscard]] std::int64_t iterationTurns() const;
  [[nodiscard]] double iterationResidual() const;
  /// The numbers of a field; none of one without a place.
  [[nodiscard]] std::span<double> numbers(const Field& field) const;
  /// Where the number of a column stands; valid as long as the workspace.
  [[nodiscard]] const double* place(const Column& column) const;
  /// True when every number of the state is finite.
  [[nodiscard]] bool finite() const;

private:
  [[nodiscard]] std::span<double> span(Role role) const;

  struct Free {
    void operator()(double* memory) const;
  };
  const Problem* problem_;
  std::unique_ptr<double[], Free> memory_;
  std::array<double*, roleCount> bases_{};
  const double* report_ = nullptr; ///< residual, evaluations, turns; null: there is no report
};

} // namespace lmc::runtime
