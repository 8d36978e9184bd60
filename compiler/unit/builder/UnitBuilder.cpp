#include "unit/builder/UnitBuilder.h"

#include "tape/Shares.h"
#include "tape/Tiles.h"
#include "tape/pieces/Split.h"

#include <stdexcept>

namespace lmc::unit {

using runtime::Role;

runtime::Field fieldOf(std::string name, const sym::Array& a, std::vector<std::int64_t> first) {
  runtime::Field field;
  field.name = std::move(name);
  field.extents = a.extents;
  field.first = std::move(first);
  field.rank = a.shape.rank;
  if (a.shape.rank > 0) field.extents.push_back(a.shape.rows);
  if (a.shape.rank > 1) field.extents.push_back(a.shape.cols);
  return field;
}

runtime::Field numbersField(Role role, std::string name, std::int64_t count) {
  runtime::Field field;
  field.name = std::move(name);
  field.extents = {count};
  field.rank = 1;
  field.role = role;
  return field;
}

runtime::Field Placement::place(runtime::Field field) {
  std::int64_t& size = size_[static_cast<std::size_t>(field.role)];
  field.offset = size;
  size += field.count();
  fields.push_back(field);
  return field;
}

UnitBuilder::UnitBuilder(const sym::Program& program, bool setup)
    : program_(program), setup_(setup), next_(setup ? 1 : 0) {}

runtime::Field UnitBuilder::place(Role role, std::string name, const Arrays& arrays) {
  std::int64_t count = 0;
  for (const sym::Array* a : arrays) count += a->size();
  return place(numbersField(role, std::move(name), count));
}

std::size_t UnitBuilder::columnCount() const {
  std::int64_t n = 0;
  for (const runtime::Field& f : memory_.fields) n += f.written ? f.count() : 0;
  return static_cast<std::size_t>(n);
}

void UnitBuilder::reads(const sym::Array* array, const runtime::Field& field) {
  actions_.emplace_back(
      [array, role = field.role, offset = field.offset](lower::Lowering& lowering, const ZeroPattern& zeros) {
        const auto found = zeros.find(array->id);
        lowering.bindInput(array, role, offset, found == zeros.end() ? std::vector<bool>{} : found->second);
      });
}

void UnitBuilder::reads(const Arrays& arrays, const runtime::Field& field) {
  runtime::Field part = field;
  for (const sym::Array* a : arrays) {
    reads(a, part);
    part.offset += a->size();
  }
}

void UnitBuilder::readsLive(const sym::Array* array, const runtime::Field& field) {
  actions_.emplace_back([array, offset = field.offset](lower::Lowering& lowering, const ZeroPattern&) {
    lowering.bindLiveInput(array, offset);
  });
}

void UnitBuilder::readsLive(const Arrays& arrays, const runtime::Field& field) {
  runtime::Field part = field;
  for (const sym::Array* a : arrays) {
    readsLive(a, part);
    part.offset += a->size();
  }
}

void UnitBuilder::argument(const sym::Array* array, int position) {
  actions_.emplace_back(
      [array, position](lower::Lowering& lowering, const ZeroPattern&) { lowering.bindArgument(array, position); });
}

UnitBuilder::Outputs UnitBuilder::into(const runtime::Field& field, const Arrays& arrays) {
  Outputs list;
  std::int64_t offset = field.offset;
  for (const sym::Array* a : arrays) {
    list.push_back({a, field.role, offset});
    offset += a->size();
  }
  return list;
}

void UnitBuilder::beginLine(runtime::Role role) {
  constexpr std::int64_t line = 8; // numbers
  const std::int64_t end = memory_.size(role);
  if (end % line == 0) return;
  runtime::Field rest = numbersField(role, "unused", line - end % line);
  rest.comment = "the rest of a line of memory";
  (void)place(std::move(rest));
}

void UnitBuilder::report() {
  const auto add = [&](const char* name, const char* comment) {
    runtime::Field field;
    field.name = name;
    field.kind = runtime::FieldKind::Report;
    field.comment = comment;
    return place(std::move(field)).offset;
  };
  const std::int64_t offset = add("residual", "of equations that were not solved");
  (void)add("evaluations", "of the derivatives in implicit steps, added up");
  (void)add("iterations", "turns of Newton's method, added up");
  actions_.emplace_back(
      [offset](lower::Lowering& lowering, const ZeroPattern&) { lowering.bindReport(Role::Output, offset); });
}

int UnitBuilder::function(std::string name, int arguments, Outputs outputs, lower::Lowering::Use use) {
  const int number = next_++;
  actions_.emplace_back([number, arguments, use, name = std::move(name),
                         outputs = std::move(outputs)](lower::Lowering& lowering, const ZeroPattern&) {
    if (lowering.addFunction(name, arguments, outputs, use) != number)
      throw std::logic_error("functions of a unit are counted wrongly");
  });
  return number;
}

int UnitBuilder::calls(std::string name, std::vector<lower::PartOfStep> parts) {
  return later([name = std::move(name), parts = std::move(parts)](tape::Module& module) {
    return lower::callsOverParts(module, name, parts);
  });
}

int UnitBuilder::callsInOrder(std::string name, std::vector<lower::PartOfStep> parts, int arguments) {
  return later([name = std::move(name), parts = std::move(parts), arguments](tape::Module& module) {
    return lower::callsInOrder(module, name, parts, arguments);
  });
}

int UnitBuilder::rowSums(std::string name, lower::RowSums sums) {
  return later([name = std::move(name), sums = std::move(sums)](tape::Module& module) {
    return lower::rowSums(module, name, sums);
  });
}

int UnitBuilder::later(Make make) {
  const int number = next_++;
  actions_.emplace_back([number, make = std::move(make)](lower::Lowering& lowering, const ZeroPattern&) {
    if (lowering.add(make) != number) throw std::logic_error("functions of a unit are counted wrongly");
  });
  return number;
}

void UnitBuilder::usePivots(lower::Lowering::Pivots which, lower::Lowering::Rank rank,
                            const lower::Lowering::Dependent& dependent) {
  actions_.emplace_back([which, rank, dependent](lower::Lowering& lowering, const ZeroPattern&) {
    lowering.usePivots(which, rank, dependent);
  });
}

void UnitBuilder::useLists() {
  actions_.emplace_back([](lower::Lowering& lowering, const ZeroPattern&) { lowering.useLists(); });
}

void UnitBuilder::keepNotes() {
  actions_.emplace_back([](lower::Lowering& lowering, const ZeroPattern&) { lowering.keepNotes(); });
}

Unit UnitBuilder::build(const ZeroPattern& zeros, std::size_t longest) const {
  lower::Lowering lowering(program_, setup_);
  for (const Action& act : actions_) act(lowering, zeros);
  Unit unit;
  unit.module = lowering.finish(functions.step);
  tape::divideSums(unit.module);
  tape::divideMembers(unit.module);
  tape::markOwned(unit.module);
  if (longest > 0) tape::split(unit.module, longest);
  const std::string defect = tape::verify(unit.module);
  if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
  unit.problem.fields = memory_.fields;
  unit.problem.functions = functions;
  if (setup_) unit.problem.functions.setup = 0;
  for (int r = 0; r < runtime::roleCount; ++r)
    unit.problem.sizes[static_cast<std::size_t>(r)] = unit.module.roleSize[r];
  return unit;
}

} // namespace lmc::unit
