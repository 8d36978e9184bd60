// How long a function takes at least, in cycles of a processor that is never out of units.
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace lmc::backends {

struct Duration {
  /// The longest chain of instructions each of which waits for the one before, in some turns of all loops: memory waits
  /// for nothing, and branches are foreseen. In cycles, with the latencies of recent x86-64 cores, which differ by one
  /// or two.
  int path = 0;
  int instructions = 0; ///< that take time at all
};
Duration durationOf(const llvm::Function& f);

} // namespace lmc::backends
