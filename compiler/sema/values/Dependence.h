// On which kinds of data the values of a program depend.
#pragma once

#include "sym/Program.h"

#include <unordered_map>

namespace lmc::sema {

/// A set of kinds of data.
enum Depends : unsigned {
  OnTime = 1U,
  OnPoints = 2U,     ///< points of factors
  OnVelocities = 4U, ///< velocities of factors
  OnStates = 8U,     ///< points of state variables
  OnInputs = 16U,
  OnRandom = 32U,
  OnDerived = 64U,        ///< energy, momenta of a Lagrangian, accelerations: known only after derivation
  OnMomenta = 128U,       ///< momenta of a Hamiltonian: of factors, and states in the dual of an algebra
  OnAccelerations = 256U, ///< beside OnDerived: rates of velocities, momenta and states
  OnDiscrete = 512U,      ///< discrete variables, which only resets change
};

/// Finds what an expression depends on, through the equations of a program.
class Dependence {
public:
  explicit Dependence(const sym::Program& program) : program_(program) {}
  /// Says what reading an array means, in addition to what its equations read.
  void mark(const sym::Array* array, unsigned kinds) { marks_[array] |= kinds; }
  [[nodiscard]] unsigned of(sym::Expr e);
  /// Every array that the expression reads, directly or through equations.
  [[nodiscard]] std::unordered_set<const sym::Array*> arrays(sym::Expr e) const;

private:
  const sym::Program& program_;
  std::unordered_map<const sym::Array*, unsigned> marks_;
};

} // namespace lmc::sema
