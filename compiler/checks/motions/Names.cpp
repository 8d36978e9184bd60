#include "checks/motions/Names.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace lmc::checks {

std::optional<TypedName> readName(const std::string& text) {
  TypedName name;
  name.text = text;
  std::size_t at = 0;
  const auto ofName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  while (at < text.size() && ofName(text[at])) name.base += text[at++];
  if (name.base.empty()) return std::nullopt;
  while (at < text.size()) {
    std::int64_t number = 0;
    if (text[at] != '[') return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    if (error != std::errc() || stop == text.data() + text.size() || *stop != ']') return std::nullopt;
    name.index.push_back(number);
    at = static_cast<std::size_t>(stop - text.data()) + 1;
  }
  return name;
}

namespace {

/// The numbers of an array of members with these extents each that the indices choose, from `first` on; the last
/// indices may be missing.
void choose(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& index, std::size_t first,
            std::vector<std::size_t>& list) {
  if (index.size() > extents.size()) return;
  std::size_t count = 1, place = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto extent = static_cast<std::size_t>(extents[k]);
    if (k >= index.size()) {
      count *= extent;
      place *= extent;
      continue;
    }
    if (index[k] < 1 || index[k] > extents[k]) return;
    place = place * extent + static_cast<std::size_t>(index[k] - 1);
  }
  for (std::size_t k = 0; k < count; ++k) list.push_back(first + place + k);
}

/// Of the parts of an algebra, with the numbers of all members one part after the other.
void chooseParts(const Variable& v, const std::string& whole, const TypedName& name, std::size_t first,
                 std::vector<std::size_t>& list) {
  const std::vector<sema::Part>& parts = v.manifold->algebra();
  for (const sema::Part& part : parts) {
    std::vector<std::int64_t> extents;
    if (v.extent > 0) extents.push_back(v.extent);
    if (part.shape.rank >= 1) extents.push_back(part.shape.rows);
    if (part.shape.rank >= 2) extents.push_back(part.shape.cols);
    const bool own = parts.size() > 1 && name.base == whole + "." + part.name;
    const bool entries = name.index.size() > (v.extent > 0 ? 1U : 0U);
    if (own || (name.base == whole && (parts.size() == 1 || !entries))) choose(extents, name.index, first, list);
    first += static_cast<std::size_t>(part.shape.size() * v.members());
  }
}

/// Numbers of the fields of a kind, by their places.
std::vector<std::size_t> numbersNamed(const runtime::Problem& problem, runtime::FieldKind kind,
                                      const std::vector<std::int64_t>& places, const TypedName& name) {
  std::vector<std::size_t> list;
  for (const runtime::Field* f : problem.all(kind)) {
    if ((kind == runtime::FieldKind::InputValue ? f->of : f->name) != name.base) continue;
    std::vector<std::size_t> numbers;
    std::vector<std::int64_t> index = name.index;
    for (std::size_t k = 0; k < index.size() && k < f->first.size(); ++k) index[k] -= f->first[k] - 1;
    choose(f->extents, index, static_cast<std::size_t>(f->offset), numbers);
    for (const std::size_t number : numbers) {
      const auto at = std::find(places.begin(), places.end(), static_cast<std::int64_t>(number));
      if (at != places.end()) list.push_back(static_cast<std::size_t>(at - places.begin()));
    }
  }
  return list;
}

} // namespace

std::vector<std::size_t> coordinatesNamed(const StateSpace& space, const TypedName& name) {
  const sema::Model& m = *space.system().model;
  std::vector<std::size_t> list;
  for (const Variable& v : space.variables()) {
    if (v.hasPoint()) chooseParts(v, v.name, name, v.points, list);
    if (v.hasFiber()) chooseParts(v, v.isFactor() ? m.factors[v.index].velocityName : v.name, name, v.fibers, list);
  }
  return list;
}

std::vector<std::size_t> inputsNamed(const runtime::LinearizedProblem& problem, const TypedName& name) {
  return numbersNamed(problem.problem, runtime::FieldKind::InputValue, problem.inputValues, name);
}

std::vector<std::size_t> parametersNamed(const runtime::LinearizedProblem& problem, const TypedName& name) {
  return numbersNamed(problem.problem, runtime::FieldKind::Parameter, problem.parameterPlaces, name);
}

std::vector<std::string> variableNames(const StateSpace& space) {
  const sema::Model& m = *space.system().model;
  std::vector<std::string> names;
  for (const Variable& v : space.variables()) {
    names.push_back(v.name);
    if (v.isFactor()) names.push_back(m.factors[v.index].velocityName);
  }
  return names;
}

std::vector<std::string> dataNames(const runtime::LinearizedProblem& problem) {
  std::vector<std::string> names;
  for (const runtime::Field* f : problem.problem.all(runtime::FieldKind::InputValue)) names.push_back(f->of);
  for (const runtime::Field* f : problem.problem.all(runtime::FieldKind::Parameter)) names.push_back(f->name);
  return names;
}

std::vector<StateName> stateNames(const StateSpace& space) {
  const sema::Model& m = *space.system().model;
  std::vector<StateName> names;
  const auto add = [&](const std::string& variable, const std::vector<sema::Part>& parts) {
    for (const sema::Part& part : parts) names.push_back({variable, parts.size() > 1 ? part.name : std::string()});
  };
  for (const Variable& v : space.variables()) {
    if (v.hasPoint()) add(v.name, v.manifold->point());
    if (v.hasFiber()) add(v.isFactor() ? m.factors[v.index].velocityName : v.name, v.manifold->algebra());
  }
  return names;
}

} // namespace lmc::checks
