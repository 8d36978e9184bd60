// The instructions of PTX that this machine carries out.
#pragma once

#include "Ptx.h"

namespace lmc::stub {

struct Row {
  Action action = nullptr;
  std::uint8_t operands = 0;
  std::uint8_t bytes = 8; ///< of memory
};
/// Of an instruction as it is written, "fma.rn.f64"; null: unknown.
[[nodiscard]] const Row* rowOf(const std::string& operation);

} // namespace lmc::stub
