// Does a run solve its mass equation? The residual of M xi' = r, and the sign of M, at a state.
#pragma once

#include "runtime/mass/MassCheck.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::runtime {

/// Whether the two sides of the mass equation, M xi' and r, ask for a look by MassMonitor: they differ by more than
/// rounding usually leaves, or no residual tells. Number k of a side stands at k*stride.
[[nodiscard]] bool isSuspicious(const MassCheck& check, const double* product, const double* rhs,
                                std::size_t stride = 1);

class MassMonitor {
public:
  /// The check must outlive it. `params` by the layout of the problem.
  MassMonitor(const MassCheck& check, std::span<const double> params);

  /// What is wrong at a state, as a sentence without a full stop: accelerations that do not solve the equation, or a
  /// matrix with other signs than when it was looked at before. Nothing where numbers are not finite: the run finds
  /// out.
  [[nodiscard]] std::optional<std::string> look(std::span<const double> state, double t);

  /// The largest part of its terms by which a component of M xi' = r is missed; NaN where numbers are not finite, and
  /// nothing where the matrix cannot be factored.
  [[nodiscard]] std::optional<double> missed(std::span<const double> state, double t);

  /// What can be said about the matrix near a state at which it cannot be factored: a sentence without a full stop.
  [[nodiscard]] std::string account(std::span<const double> state, double t);
  /// "; the mass matrix is nearly singular …" where it is, for the end of a message; else empty.
  [[nodiscard]] std::string hint(std::span<const double> state, double t);

private:
  struct Equation {
    std::vector<double> rates, rhs, terms;
    double off = 0; ///< how far points are off their manifolds
  };
  [[nodiscard]] std::optional<Equation> evaluate(std::span<const double> state, double t);
  [[nodiscard]] std::optional<std::vector<double>> product(const std::vector<double>& direction);
  [[nodiscard]] std::vector<double> forces(const Equation& e) const;
  void addMomenta(const Equation& e, std::vector<double>& size);
  void addForces(const Equation& e, std::span<const double> state, double t, std::vector<double>& size);
  struct Defect {
    double part = 0;       ///< of the terms; NaN where numbers are not finite
    std::size_t where = 0; ///< the acceleration
  };
  /// What is missed is not found exactly where it is at most `enough`.
  [[nodiscard]] Defect defect(const Equation& e, std::span<const double> state, double t, double enough);
  [[nodiscard]] std::optional<std::string> signs(double t);
  [[nodiscard]] std::vector<double> matrix();
  [[nodiscard]] std::string namesOf(const std::vector<std::int64_t>& numbers) const;
  [[nodiscard]] std::size_t factorOf(std::size_t number) const;
  [[nodiscard]] std::vector<double>& memory(Role role) { return memory_[static_cast<int>(role)]; }
  [[nodiscard]] std::int32_t run(int function, double t);

  const MassCheck& check_;
  std::size_t n_;
  double time_ = 0;
  std::vector<double> memory_[roleCount];
  Bases bases_;
  std::optional<std::int64_t> negative_; ///< eigenvalues below zero, when they were counted
  double counted_ = 0;                   ///< the time of that
};

} // namespace lmc::runtime
