#include "runtime/fields/Field.h"

namespace lmc::runtime {

std::string Entry::name() const {
  std::string text = field;
  for (const std::int64_t i : index) text += '[' + std::to_string(i) + ']';
  return text;
}

std::int64_t Field::count() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : extents) n *= extent;
  return n;
}

std::int64_t Field::members() const {
  std::int64_t n = 1;
  for (std::size_t d = 0; d + static_cast<std::size_t>(rank) < extents.size(); ++d) n *= extents[d];
  return n;
}

Entry Field::entry(std::int64_t k) const {
  Entry e{name, std::vector<std::int64_t>(extents.size())};
  for (std::size_t d = extents.size(); d-- > 0; k /= extents[d])
    e.index[d] = (d < first.size() ? first[d] : 1) + k % extents[d];
  return e;
}

std::vector<Entry> Field::entries() const {
  std::vector<Entry> list;
  const std::int64_t n = count();
  list.reserve(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) list.push_back(entry(k));
  return list;
}

std::vector<std::string> namesOf(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& e : entries) names.push_back(e.name());
  return names;
}

} // namespace lmc::runtime
