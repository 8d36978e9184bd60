// Look-ups of tables as tapes of their own, by which a run that has failed finds out which one it has left.
#include "products/stages/Stages.h"

namespace lmc::products {

std::shared_ptr<const runtime::RangeCheck> rangeCheck(mechanics::Layer& layer, const Layout& layout,
                                                      const MassKind& kind) {
  const sema::Model& m = layer.model;
  if (m.lookUps.empty()) return nullptr;
  auto check = std::make_shared<runtime::RangeCheck>();
  unit::UnitBuilder unit(layer.program(), false);
  choosePivots(unit, kind);
  readModel(unit, m, layout);
  std::vector<const sym::Array*> numbers;
  for (const sema::LookUp& l : m.lookUps) {
    check->list.push_back({l.text, l.argument->size()});
    numbers.insert(numbers.end(), {l.argument, l.first, l.last, l.disorder});
  }
  const auto outputs = unit::UnitBuilder::into(unit.place(runtime::Role::Output, "looked up", numbers), numbers);
  check->function = unit.function("look-ups", 1, {outputs.begin(), outputs.end()});
  check->module = unit.build().module;
  return check;
}

} // namespace lmc::products
