#include "checks/laws/elements/NumericFunction.h"

#include "mechanics/system/Geometry.h"
#include "unit/builder/UnitBuilder.h"

#include <limits>

namespace lmc::laws {

tape::Module NumericFunction::lowered(sym::Program& program, const std::vector<Arrays>& arguments,
                                      const sema::Tuple& value, Eigen::Index& size) {
  sym::Graph& g = program.graph();
  const std::vector<sym::Expr> list = sema::entries(g, value);
  size = static_cast<Eigen::Index>(list.size());
  sym::Equation e;
  e.array = g.newArray("value", {}, sym::Shape::vec(static_cast<int>(list.size())), sym::Role::Temp);
  e.value = g.vector(list);
  const sym::Array* result = e.array;
  program.append(std::move(e));
  unit::UnitBuilder unit(program, false);
  for (const Arrays& argument : arguments) unit.reads(argument, unit.place(runtime::Role::State, "argument", argument));
  (void)unit.function("value", 0,
                      unit::UnitBuilder::into(unit.place(runtime::Role::Output, "value", {result}), {result}));
  return unit.build().module;
}

NumericFunction::NumericFunction(sym::Program& program, const std::vector<Arrays>& arguments, const sema::Tuple& value)
    : calculator_(lowered(program, arguments, value, size_)) {}

Vector NumericFunction::operator()(const std::vector<Vector>& arguments) {
  std::vector<double>& memory = calculator_.at(runtime::Role::State);
  auto next = memory.begin();
  for (const Vector& a : arguments) next = std::copy(a.begin(), a.end(), next);
  if (calculator_.run(0, 0) != 0) return Vector::Constant(size_, std::numeric_limits<double>::quiet_NaN());
  return Eigen::Map<const Vector>(calculator_.at(runtime::Role::Output).data(), size_);
}

} // namespace lmc::laws
