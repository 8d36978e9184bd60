/// @file
/// Dense output.
#pragma once

#include "lmc/Run.hpp"

namespace lmc {
LMC_INLINE namespace v1 {

  /// The steps of a run, and the state at any time between them.
  ///
  /// The state between two steps is a partial step from the left one: it lies on the manifold and has the order of the
  /// method. Parameters and inputs are those of the run. One thread uses a trajectory at a time; copies are
  /// independent.
  class LMC_API Trajectory {
  public:
    /// An independent copy.
    Trajectory(const Trajectory&);
    /// An independent copy.
    Trajectory& operator=(const Trajectory&);
    /// The other one cannot be used any more.
    Trajectory(Trajectory&&) noexcept;
    /// The other one cannot be used any more.
    Trajectory& operator=(Trajectory&&) noexcept;
    ~Trajectory();

    /// What came of the run.
    [[nodiscard]] const RunResult& result() const noexcept;
    /// The times of the steps, the begin first.
    [[nodiscard]] Span<const double> times() const noexcept;
    /// The state at the k-th of these times. Throws Error of kind Misuse when there is none.
    [[nodiscard]] Span<const double> stateAtStep(std::size_t k) const;
    /// The state at a time from the first to the last of `times`; valid until the next call. Throws Error of kind
    /// Misuse outside, RunFailed when the partial step fails.
    [[nodiscard]] Span<const double> state(double time);
    /// The numbers of all columns (Model::columns) at a time; valid until the next call. Throws as `state`.
    [[nodiscard]] Span<const double> sample(double time);

  private:
    friend struct detail::Access;
    explicit Trajectory(std::unique_ptr<detail::TrajectoryData> impl) noexcept;
    std::unique_ptr<detail::TrajectoryData> impl_;
  };

} // namespace v1
} // namespace lmc
