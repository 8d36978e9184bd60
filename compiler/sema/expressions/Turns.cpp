#include "sema/expressions/Turns.h"

#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

Turns turnsOf(sym::Graph& graph, const std::vector<sym::Loop>& around, std::unordered_set<const sym::Node*> needed) {
  Turns t;
  for (auto it = around.rbegin(); it != around.rend(); ++it) {
    if (!needed.contains(it->index.node())) continue;
    needed.merge(freeIndices(it->lo));
    needed.merge(freeIndices(it->hi));
    t.loops.insert(t.loops.begin(), *it);
  }
  for (const sym::Loop& loop : t.loops) {
    const auto range = sym::bounds(loop.index, t.loops);
    const std::int64_t lo = range ? range->lo : 1;
    const std::int64_t hi = range ? std::max(range->hi, lo) : 1;
    t.extents.push_back(hi - lo + 1);
    t.index.push_back(lo == 1 ? loop.index : graph.add(loop.index, graph.integer(1 - lo)));
  }
  return t;
}

} // namespace lmc::sema
