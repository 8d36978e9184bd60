#include "runtime/contract/Problem.h"

#include <algorithm>

namespace lmc::runtime {

std::vector<Column> columnsOf(const Field& field) {
  std::vector<Column> list;
  std::int64_t offset = field.offset;
  for (Entry& entry : field.entries()) list.push_back({std::move(entry), field.role, offset++});
  return list;
}

namespace {

/// The numbers of the fields that are wanted, one field after the other.
template <class Wanted> std::vector<Column> columnsOf(const std::vector<Field>& fields, Wanted wanted) {
  std::vector<Column> list;
  for (const Field& f : fields) {
    if (!wanted(f)) continue;
    std::vector<Column> own = lmc::runtime::columnsOf(f);
    list.insert(list.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  return list;
}

} // namespace

int Functions::last() const {
  const int most =
      std::max({setup, observe, events, field, energy, step, series, trial, begin, start, ticks, contacts});
  return resets.empty() ? most : std::max(most, *std::max_element(resets.begin(), resets.end()));
}

const Field* Problem::field(FieldKind kind) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.kind == kind; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<const Field*> Problem::all(FieldKind kind) const {
  std::vector<const Field*> list;
  for (const Field& f : fields)
    if (f.kind == kind) list.push_back(&f);
  return list;
}

std::vector<Column> Problem::columns() const {
  return columnsOf(fields, [](const Field& f) { return f.written; });
}

std::size_t Problem::columnCount() const {
  std::int64_t n = 0;
  for (const Field& f : fields) n += f.written ? f.count() : 0;
  return static_cast<std::size_t>(n);
}

std::vector<Column> Problem::numbers(FieldKind kind) const {
  return columnsOf(fields, [kind](const Field& f) { return f.kind == kind; });
}

std::vector<EventOutput> Problem::events() const {
  std::vector<EventOutput> list;
  if (functions.events < 0) return list;
  std::size_t next = 0;
  for (const Field* f : all(FieldKind::Event)) {
    const EventRule rule = next < eventRules.size() ? eventRules[next] : EventRule{};
    ++next;
    int member = 0;
    for (Column& c : lmc::runtime::columnsOf(*f)) {
      const std::int64_t rate = rule.rate.there() ? rule.rate.offset + member : -1;
      list.push_back({std::move(c.entry), c.offset, rule.direction, rate, rule.goesOn, rule.reset, member + 1,
                      rule.cause, rule.contact < 0 ? -1 : rule.contact + member});
      ++member;
    }
  }
  return list;
}

bool Problem::jumps() const {
  if (!ticks.empty()) return true;
  return functions.events >= 0 &&
         std::any_of(eventRules.begin(), eventRules.end(), [](const EventRule& r) { return r.goesOn; });
}

std::vector<NamedArray> Problem::parameters() const {
  std::vector<NamedArray> list;
  for (const Field& f : fields) {
    if (f.kind != FieldKind::Parameter && f.kind != FieldKind::InputGiven && f.kind != FieldKind::InputValue) continue;
    const auto first = params.begin() + static_cast<std::ptrdiff_t>(f.offset);
    list.push_back({f.name, f.extents, {first, first + static_cast<std::ptrdiff_t>(f.count())}});
  }
  for (const auto& [name, value] : constants) list.push_back({name, {}, {static_cast<double>(value)}});
  return list;
}

} // namespace lmc::runtime
