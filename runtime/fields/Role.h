// The parts of the memory behind compiled functions.
#pragma once

#include <cstdint>

namespace lmc::runtime {

/// Where a buffer lives. All buffers of one role are packed one after the other behind one base pointer.
enum class Role : std::uint8_t {
  Params,    ///< read only: parameters of the model (set by the host, changing them never recompiles)
  Constants, ///< written by `setup` from the parameters, read only afterwards
  State,     ///< the state y; a step reads and overwrites it
  Work,      ///< scratch memory of one thread
  Output,    ///< results (observables, derivatives, residuals)
};
inline constexpr int roleCount = 5;

} // namespace lmc::runtime
