#include "runtime/output/OutputArrays.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lmc::runtime {

namespace {

/// Columns of one field as one array, if their indices fill a box; nothing otherwise.
std::optional<OutputArray> box(const std::vector<Entry>& entries, const std::vector<std::size_t>& members) {
  std::vector<std::int64_t> lo = entries[members.front()].index, hi = lo;
  const std::size_t rank = lo.size();
  for (const std::size_t column : members) {
    const std::vector<std::int64_t>& index = entries[column].index;
    if (index.size() != rank) return std::nullopt;
    for (std::size_t d = 0; d < rank; ++d) {
      lo[d] = std::min(lo[d], index[d]);
      hi[d] = std::max(hi[d], index[d]);
    }
  }
  OutputArray array;
  array.name = entries[members.front()].field;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    array.shape.push_back(hi[d] - lo[d] + 1);
    count *= static_cast<std::size_t>(array.shape.back());
    if (count > members.size()) return std::nullopt;
  }
  if (count != members.size()) return std::nullopt;
  constexpr std::size_t unset = SIZE_MAX;
  array.columns.assign(count, unset);
  for (const std::size_t column : members) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * array.shape[d] + entries[column].index[d] - lo[d];
    std::size_t& place = array.columns[static_cast<std::size_t>(at)];
    if (place != unset) return std::nullopt;
    place = column;
  }
  return array;
}

} // namespace

std::vector<OutputArray> arraysOf(const std::vector<Entry>& columns) {
  std::vector<const std::string*> order;
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<std::size_t>& group = groups[columns[i].field];
    if (group.empty()) order.push_back(&columns[i].field);
    group.push_back(i);
  }
  std::vector<OutputArray> arrays;
  for (const std::string* const field : order) {
    const std::vector<std::size_t>& members = groups[*field];
    if (auto array = box(columns, members)) {
      arrays.push_back(std::move(*array));
      continue;
    }
    for (const std::size_t column : members) {
      OutputArray single;
      single.name = columns[column].name();
      single.columns = {column};
      arrays.push_back(std::move(single));
    }
  }
  return arrays;
}

} // namespace lmc::runtime
