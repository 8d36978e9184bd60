// The memory and the statuses that the compiler, its code and a run agree on.
#pragma once

#include <cstdint>

namespace lmc::tape {

/// Where a buffer lives. All buffers of one role are packed one after the other behind one base pointer.
enum class Role : std::uint8_t {
  Params,    ///< read only: parameters of the model (set by the host, changing them never recompiles)
  Constants, ///< written by `setup` from the parameters, read only afterwards
  State,     ///< the state y; a step reads and overwrites it
  Work,      ///< scratch memory of one thread
  Output,    ///< results (observables, derivatives, residuals)
};
inline constexpr int roleCount = 5;

/// A status returned by generated code; 0 is success. A Kernel whose status is not 0 returns it from the function.
enum Status : std::int32_t { Ok = 0, SingularMass = 1, SingularMatrix = 2, NoConvergence = 3, NonFinite = 4 };

/// Base pointers of a call, one per Role.
struct Bases {
  double* base[roleCount] = {nullptr, nullptr, nullptr, nullptr, nullptr};
};

} // namespace lmc::tape
