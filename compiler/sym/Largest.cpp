#include "sym/Largest.h"

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
  // running[1] = each[1], running[i] = max(running[i-1], each[i])
  const Array* each = g.newArray(name + ".each", {extent}, Shape::scalar(), Role::Temp);
  const Array* running = g.newArray(name + ".running", {extent}, Shape::scalar(), Role::Temp);
  set(each, {{index, g.integer(1), g.integer(extent), false}}, {index}, value);
  set(running, {}, {g.integer(1)}, g.load(each, {g.integer(1)}));
  const Expr i = g.newIndex("i");
  set(running, {{i, g.integer(2), g.integer(extent), false}}, {i},
      g.function(Op::Max, g.load(running, {g.sub(i, g.integer(1))}), g.load(each, {i})));
  set(result, {}, {}, g.load(running, {g.integer(extent)}));
  return result;
}

} // namespace lmc::sym
