#include "tape/TapeLanes.h"

#include "tape/TapeCost.h"

#include <algorithm>
#include <optional>

namespace lmc::tape {

std::int64_t kernelScratch(const Module& module) {
  std::int64_t most = 0;
  for (const Function& f : module.functions)
    for (const Block& b : f.blocks)
      for (const Instr& i : b.code) {
        if (i.op != Op::Kernel) continue;
        std::int64_t sum = 0;
        for (const std::int32_t k : i.buffers) sum += module.buffers[static_cast<std::size_t>(k)].size;
        most = std::max(most, sum);
      }
  return most;
}

namespace {

/// What a routine does, for a reader of messages.
std::string purposeOf(KernelId routine) {
  switch (routine) {
  case KernelId::CholeskyFactor:
  case KernelId::CholeskySolve:
    return "a mass matrix that is solved by a routine";
  case KernelId::LuFactor:
  case KernelId::LuSolve:
    return "a linear system that is solved by a routine";
  case KernelId::LuDeterminant:
    return "a determinant";
  case KernelId::MatrixExponential:
    return "the exponential of a matrix without a closed form";
  case KernelId::NewtonChange:
  case KernelId::NewtonFactor:
    return "an iteration with more than " + std::to_string(largestInLanes) + " unknowns";
  case KernelId::GmresBegin:
  case KernelId::GmresStep:
  case KernelId::GmresEnd:
    return "an iteration by GMRES";
  case KernelId::SparsePlan:
  case KernelId::SparseFactor:
  case KernelId::SparseSolve:
    return "a sparse system of constraints";
  default:
    return "lists of near pairs";
  }
}

} // namespace

std::string deviceObstacle(const Module& module) {
  for (const Function& f : module.functions) {
    std::vector<std::optional<std::int64_t>> constants(f.values);
    for (const Block& b : f.blocks)
      for (const Instr& i : b.code)
        if (i.op == Op::ConstInt) constants[i.result] = i.imm;
    for (const Block& b : f.blocks)
      for (const Instr& i : b.code) {
        if (i.op != Op::Kernel) continue;
        const auto routine = static_cast<KernelId>(i.imm);
        const bool small =
            routine == KernelId::NewtonChange && constants[i.args[0]].value_or(largestInLanes + 1) <= largestInLanes;
        if (!small) return purposeOf(routine);
      }
  }
  return {};
}

std::size_t longestFunction(const Module& module) {
  std::size_t longest = 0;
  for (const Function& f : module.functions) longest = std::max(longest, lengthOf(f));
  return longest;
}

} // namespace lmc::tape
