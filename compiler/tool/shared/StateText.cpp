#include "tool/shared/StateText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;

/// Numbers with the extents from `level` on, as the language writes them.
std::string nested(const std::vector<std::int64_t>& extents, std::size_t level, const double*& next) {
  if (level == extents.size()) return fmt::format("{:.17g}", *next++ + 0.0);
  std::string text = "[";
  for (std::int64_t k = 0; k < extents[level]; ++k) text += (k > 0 ? ", " : "") + nested(extents, level + 1, next);
  return text + "]";
}

ordered_json nestedObject(const std::vector<std::int64_t>& extents, std::size_t level, const double*& next) {
  if (level == extents.size()) return *next++ + 0.0;
  ordered_json list = ordered_json::array();
  for (std::int64_t k = 0; k < extents[level]; ++k) list.push_back(nestedObject(extents, level + 1, next));
  return list;
}

} // namespace

std::string initialText(const checks::StateSpace& space, const runtime::Problem& problem,
                        const std::vector<double>& state, const std::string& indent) {
  std::string text;
  const std::vector<checks::StateName> names = checks::stateNames(space);
  const std::vector<const runtime::Field*> fields = problem.all(runtime::FieldKind::State);
  for (std::size_t k = 0; k < fields.size() && k < names.size(); ++k) {
    const runtime::Field& f = *fields[k];
    const double* next = state.data() + f.offset;
    const std::string part = names[k].part.empty() ? "" : fmt::format(".{}", names[k].part);
    const auto own = static_cast<std::ptrdiff_t>(f.extents.size()) - f.rank; // those of the family
    const std::vector<std::int64_t> member(f.extents.begin() + own, f.extents.end());
    for (std::int64_t i = 1; i <= f.members(); ++i) {
      const std::string index = own > 0 ? fmt::format("[{}]", i) : "";
      text += fmt::format("{}initial {}{}{} = {};\n", indent, names[k].variable, index, part, nested(member, 0, next));
    }
  }
  return text;
}

std::string setText(const runtime::Field& field, const std::string& name, const std::vector<double>& memory) {
  const double* next = memory.data() + field.offset;
  const std::string value = nested(field.extents, 0, next);
  return field.extents.empty() ? fmt::format("--set {}={}", name, value) : fmt::format("--set \"{}={}\"", name, value);
}

ordered_json fieldObject(const runtime::Field& field, const std::vector<double>& memory) {
  const double* next = memory.data() + field.offset;
  return nestedObject(field.extents, 0, next);
}

ordered_json stateObject(const runtime::Problem& problem, const std::vector<double>& state) {
  ordered_json object = ordered_json::object();
  for (const runtime::Field* f : problem.all(runtime::FieldKind::State)) object[f->name] = fieldObject(*f, state);
  return object;
}

} // namespace lmc::tool
