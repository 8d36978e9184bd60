// Scratch memory of a thread, for compiled code that saves a large state before a step.
#include "runtime/contract/Memory.h"
#include "runtime/kernels/Kernels.h"

#include <vector>

static_assert(static_cast<int>(LMC_SINGULAR_MASS) == static_cast<int>(lmc::runtime::SingularMass));
static_assert(static_cast<int>(LMC_SINGULAR_MATRIX) == static_cast<int>(lmc::runtime::SingularMatrix));
static_assert(static_cast<int>(LMC_NO_CONVERGENCE) == static_cast<int>(lmc::runtime::NoConvergence));

double* lmc_scratch(std::int64_t n) noexcept {
  thread_local std::vector<double> memory;
  if (memory.size() < static_cast<std::size_t>(n)) memory.resize(static_cast<std::size_t>(n));
  return memory.data();
}
