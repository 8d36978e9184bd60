#include "methods/phase/Space.h"

#include "base/Integers.h"

#include <algorithm>

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

std::int64_t rowOf(const Space& space) {
  constexpr std::int64_t vector = 8;
  return roundUp(sizeOf(space), vector);
}

namespace {
/// The place of an entry of a component whose first number stands at `first`: those of all members side by side, so
/// that loops over members read and write neighbours.
sym::Expr placeOf(sym::Graph& g, const Component& c, std::int64_t first, std::int64_t entry) {
  if (c.index.empty()) return g.integer(first + entry);
  return g.add(c.index[0], g.integer(first - 1 + entry * c.extent));
}
} // namespace

const sym::Array* flat(sym::Program& p, const Space& space, const sema::Tuple& parts, const std::string& name) {
  sym::Graph& g = p.graph();
  const sym::Array* const numbers = g.newArray(name, {rowOf(space)}, sym::Shape::scalar(), sym::Role::Temp);
  std::int64_t first = 1;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const Component& c = space[k];
    const std::vector<sym::Expr> entries = sema::entries(g, {parts[k]});
    for (std::size_t e = 0; e < entries.size(); ++e) {
      sym::Equation number;
      number.array = numbers;
      number.loops = c.loops(g);
      number.index = {placeOf(g, c, first, static_cast<std::int64_t>(e))};
      number.value = entries[e];
      p.append(std::move(number));
    }
    first += c.size();
  }
  return numbers;
}

sema::Tuple unflat(sym::Graph& g, const Space& space, const sym::Array* numbers) {
  sema::Tuple parts;
  std::int64_t first = 1;
  for (const Component& c : space) {
    std::vector<sym::Expr> entries;
    entries.reserve(c.shape.size());
    for (int e = 0; e < c.shape.size(); ++e) entries.push_back(g.load(numbers, {placeOf(g, c, first, e)}));
    parts.push_back(sema::fromEntries(g, {{c.name, c.shape}}, entries)[0]);
    first += c.size();
  }
  return parts;
}

bool isWrittenOut(const Space& space) {
  constexpr std::int64_t most = 8; // members
  return std::all_of(space.begin(), space.end(), [](const Component& c) { return c.extent <= most; });
}

} // namespace lmc::methods
