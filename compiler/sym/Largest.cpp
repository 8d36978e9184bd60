#include "sym/Largest.h"

#include <algorithm>
#include <utility>

namespace lmc::sym {

const Array* largest(Program& program, const std::string& name, std::int64_t extent, Expr index, Expr value) {
  Graph& g = program.graph();
  const auto set = [&](const Array* a, std::vector<Loop> loops, std::vector<Expr> at, Expr e) {
    Equation equation;
    equation.array = a;
    equation.loops = std::move(loops);
    equation.index = std::move(at);
    equation.value = e;
    program.append(std::move(equation));
  };
  const Array* result = g.newArray(name, {}, Shape::scalar(), Role::Temp);
  if (extent == 0) {
    set(result, {}, {}, value);
    return result;
  }
  const Array* each = g.newArray(name + ".each", {extent}, Shape::scalar(), Role::Temp);
  set(each, {{index, g.integer(1), g.integer(extent), false}}, {index}, value);
  // As many strands as a vector has numbers, none of which waits for another: running[i] = max(running[i-8], each[i]).
  constexpr std::int64_t strands = 8;
  const Array* last = each;
  if (extent > strands) {
    const Array* running = g.newArray(name + ".running", {extent}, Shape::scalar(), Role::Temp);
    const Expr first = g.newIndex("i"), i = g.newIndex("i");
    set(running, {{first, g.integer(1), g.integer(strands), false}}, {first}, g.load(each, {first}));
    set(running, {{i, g.integer(strands + 1), g.integer(extent), false}}, {i},
        g.function(Op::Max, g.load(running, {g.sub(i, g.integer(strands))}), g.load(each, {i})));
    last = running;
  }
  // Of the strands' ends by pairs.
  std::vector<Expr> ends;
  for (std::int64_t k = std::max<std::int64_t>(1, extent - strands + 1); k <= extent; ++k)
    ends.push_back(g.load(last, {g.integer(k)}));
  while (ends.size() > 1) {
    std::vector<Expr> larger;
    for (std::size_t k = 0; k + 1 < ends.size(); k += 2) larger.push_back(g.function(Op::Max, ends[k], ends[k + 1]));
    if (ends.size() % 2 == 1) larger.push_back(ends.back());
    ends = std::move(larger);
  }
  set(result, {}, {}, ends[0]);
  return result;
}

} // namespace lmc::sym
