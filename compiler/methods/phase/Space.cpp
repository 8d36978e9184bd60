#include "methods/phase/Space.h"

namespace lmc::methods {

std::vector<sym::Loop> Component::loops(sym::Graph& g) const {
  if (extent == 0) return {};
  return {{index[0], g.integer(1), g.integer(extent), false}};
}

std::int64_t sizeOf(const Space& space) {
  std::int64_t n = 0;
  for (const Component& c : space) n += c.size();
  return n;
}

sema::ArrayTuple store(sym::Program& p, const Space& space, const sema::Tuple& value, const std::string& name,
                       sym::Expr margin) {
  sym::Graph& g = p.graph();
  sema::ArrayTuple arrays;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const Component& c = space[k];
    const sym::Array* a = g.newArray(name + "." + c.name, c.extents(), c.shape, sym::Role::Temp);
    sym::Equation e;
    e.array = a;
    e.loops = c.loops(g);
    e.index = c.index;
    e.value = value[k];
    if (k == 0 && margin) {
      e.positive = margin;
      e.near = true;
    }
    p.append(std::move(e));
    arrays.push_back(a);
  }
  return arrays;
}

void addSizes(sym::Program& p, const sym::Array* sum, const Component& part, sym::Expr value) {
  sym::Graph& g = p.graph();
  sym::Equation e;
  e.kind = sym::EquationKind::Accumulate;
  e.array = sum;
  e.loops = part.loops(g);
  e.value = g.number(0);
  for (const sym::Expr& entry : sema::entries(g, {value})) e.value = g.add(e.value, g.function(sym::Op::Abs, entry));
  p.append(std::move(e));
}

sema::Tuple load(sym::Graph& g, const Space& space, const sema::ArrayTuple& arrays) {
  sema::Tuple r;
  for (std::size_t k = 0; k < space.size(); ++k) r.push_back(g.load(arrays[k], space[k].index));
  return r;
}

} // namespace lmc::methods
