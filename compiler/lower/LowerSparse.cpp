#include "lower/LowerSparse.h"

namespace lmc::lower {

SparseLowering::Factors SparseLowering::place(const sym::SparseJacobian& s) {
  Factors f;
  if (const auto known = plans_.find(s.blocks); known != plans_.end()) {
    f.plan = known->second;
  } else {
    const Place &nodes = x_.places.at(s.nodes), &blocks = x_.places.at(s.blocks);
    const bool once = blocks.setup && !s_.inSetup();
    if (once) s_.enterSetup();
    Builder& b = s_.builder();
    f.plan = plans_[s.blocks] = x_.scratch("plan", s.planSize);
    b.kernel(tape::KernelId::SparsePlan, {nodes.buffer, blocks.buffer, f.plan},
             {b.integer(s.nodeCount), b.integer(s.blockCount), b.integer(s.entries)});
    if (once) s_.leaveSetup();
  }
  f.factors = x_.scratch("factors", s.factorSize);
  return f;
}

void SparseLowering::factor(const sym::SparseJacobian& s, const Factors& f) {
  Builder& b = s_.builder();
  b.kernel(tape::KernelId::SparseFactor,
           {f.plan, x_.places.at(s.blocks).buffer, x_.places.at(s.values).buffer, f.factors},
           {b.integer(s.nodeCount), b.integer(s.blockCount)});
}

void SparseLowering::forget() {
  std::erase_if(plans_, [&](const auto& entry) { return !x_.places.contains(entry.first); });
}

} // namespace lmc::lower
