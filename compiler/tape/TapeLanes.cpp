#include "tape/TapeLanes.h"

#include <algorithm>

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

std::size_t longestFunction(const Module& module) {
  std::size_t longest = 0;
  for (const Function& f : module.functions) {
    std::size_t length = 0;
    for (const Block& b : f.blocks) length += b.code.size();
    longest = std::max(longest, length);
  }
  return longest;
}

} // namespace lmc::tape
