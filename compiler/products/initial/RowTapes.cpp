#include "products/initial/RowTapes.h"

#include "methods/phase/Phase.h"
#include "products/initial/ConstraintNames.h"
#include "sema/values/Tuples.h"

namespace lmc::products {

namespace {

/// The state, moved along its velocities for a time s, and the outputs of a function that writes it into `field`.
unit::UnitBuilder::Outputs movedState(mechanics::Layer& layer, const Layout& layout, const sym::Expr& s,
                                      const runtime::Field& field) {
  sym::Graph& g = layer.program().graph();
  methods::Phase phase(layer);
  sema::Tuple k;
  for (std::size_t v = 0; v < layer.model.order.size(); ++v) {
    const methods::PhaseSlot& slot = phase.slots()[v];
    sema::Tuple own = sema::zero(g, slot.algebraParts);
    if (layer.model.order[v].isFactor) {
      const sema::ArrayTuple& rate = layer.model.factors[layer.model.order[v].index].rate;
      const sema::Tuple way = sema::scale(g, s, sema::loads(g, rate, slot.index));
      std::copy(way.begin(), way.end(), own.begin());
    }
    k.insert(k.end(), own.begin(), own.end());
  }
  const sema::ArrayTuple moved = phase.storePoint(phase.act(k, phase.state()), "moved");
  unit::UnitBuilder::Outputs outputs;
  std::size_t next = 0;
  for (const methods::PhaseSlot& slot : phase.slots())
    for (const sym::Array* a : slot.state)
      outputs.push_back({moved[next++], field.role, field.offset + layout.of(a).offset});
  return outputs;
}

} // namespace

std::shared_ptr<const runtime::ConstraintRows> constraintRows(mechanics::Layer& layer, const Layout& layout) {
  if (!layer.system.constraints || layer.system.contacts) return nullptr;
  const mechanics::ConstraintEquations& c = *layer.system.constraints;
  sym::Program& p = layer.program();
  auto check = std::make_shared<runtime::ConstraintRows>();
  check->columns = c.columns;
  const ConstraintNames names{layer.model, c};
  for (std::int64_t row = 0; row < c.rows; ++row) check->names.push_back(names.nameOf(row));
  unit::UnitBuilder unit(p, false);
  unit.usePivots(lower::Lowering::Pivots::All);
  readModel(unit, layer.model, layout);
  const sym::Array* s = p.graph().newArray("s", {}, sym::Shape::scalar(), sym::Role::Param);
  unit.reads(s, unit.place(runtime::Role::Constants, "s", {s}));
  unit::UnitBuilder::Outputs outputs;
  const auto write = [&](const sym::Array* a) {
    const runtime::Field field = unit.place(runtime::Role::Output, a->name, {a});
    for (const lower::OutputBinding& o : unit::UnitBuilder::into(field, {a})) outputs.push_back(o);
    return field.offset;
  };
  check->inactive = write(c.inactive);
  if (c.blocks) {
    const sym::SparseJacobian& matrix = *c.blocks->matrix;
    check->nodeCount = matrix.nodeCount;
    check->blockCount = matrix.blockCount;
    check->nodes = write(matrix.nodes);
    check->blocks = write(matrix.blocks);
    check->numbers = write(matrix.values);
  } else {
    check->numbers = write(c.force);
  }
  const runtime::Field moved = unit.place(unit::numbersField(runtime::Role::Output, "moved", layout.stateSize));
  check->moved = moved.offset;
  check->rows = unit.function("rows of constraints", 1, std::move(outputs));
  check->move = unit.function("move", 1, movedState(layer, layout, p.graph().load(s, {}), moved));
  check->module = unit.build().module;
  return check;
}

} // namespace lmc::products
