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

std::vector<Entry> Field::entries() const {
  Entry entry{name, {}};
  for (std::size_t d = 0; d < extents.size(); ++d) entry.index.push_back(d < first.size() ? first[d] : 1);
  const std::vector<std::int64_t> begin = entry.index;
  std::vector<Entry> list;
  const std::int64_t n = count();
  list.reserve(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) {
    list.push_back(entry);
    for (std::size_t d = extents.size(); d-- > 0;) {
      if (++entry.index[d] < begin[d] + extents[d]) break;
      entry.index[d] = begin[d];
    }
  }
  return list;
}

std::vector<std::string> namesOf(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& e : entries) names.push_back(e.name());
  return names;
}

} // namespace lmc::runtime
