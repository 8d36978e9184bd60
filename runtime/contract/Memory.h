// The memory and the statuses that the compiler, its code and a run agree on.
#pragma once

#include "runtime/fields/Role.h"

#include <cstdint>

namespace lmc::runtime {

/// A status returned by generated code; 0 is success. A Kernel whose status is not 0 returns it from the function.
enum Status : std::int32_t {
  Ok = 0,
  SingularMass = 1,
  SingularMatrix = 2,
  NoConvergence = 3,
  NonFinite = 4,
  FarFromManifold = 5,  ///< a step in storage coordinates ended too far from the manifold to be put back
  EventsCrowd = 6,      ///< events without time between them
  ResetWrong = 7,       ///< a reset leaves manifolds or constraints
  ImpactEnergy = 8,     ///< an impact would add energy
  ContactUndecided = 9, ///< the laws of contact have no solution, or not one alone
  ContactLawWrong = 10, ///< restitution, friction or the speed of rest are outside of their ranges
  ContactOverlap = 11,  ///< a contact does not hold at the begin
};

/// Base pointers of a call, one per Role.
struct Bases {
  double* base[roleCount] = {nullptr, nullptr, nullptr, nullptr, nullptr};
};

} // namespace lmc::runtime
