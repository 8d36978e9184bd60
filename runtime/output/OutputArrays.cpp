#include "runtime/output/OutputArrays.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace lmc {

namespace {

/// A column's name taken apart: "q[3][1]" is {"q", {3, 1}}.
struct Entry {
  std::string base;
  std::vector<std::int64_t> indices;
};

Entry takeApart(const std::string& name) {
  Entry entry;
  std::size_t end = name.size();
  while (end > 0 && name[end - 1] == ']') {
    const std::size_t open = name.rfind('[', end - 1);
    if (open == std::string::npos) break;
    std::int64_t index = 0;
    const char* const last = name.data() + end - 1;
    const auto [stop, error] = std::from_chars(name.data() + open + 1, last, index);
    if (error != std::errc() || stop != last) break;
    entry.indices.insert(entry.indices.begin(), index);
    end = open;
  }
  entry.base = name.substr(0, end);
  return entry;
}

/// Columns of one base name as one array, if their indices fill a box; nothing otherwise.
std::optional<OutputArray> box(const std::string& base, const std::vector<std::pair<std::size_t, Entry>>& members) {
  const std::size_t rank = members.front().second.indices.size();
  std::vector<std::int64_t> lo = members.front().second.indices, hi = lo;
  for (const auto& [column, entry] : members) {
    if (entry.indices.size() != rank) return std::nullopt;
    for (std::size_t d = 0; d < rank; ++d) {
      lo[d] = std::min(lo[d], entry.indices[d]);
      hi[d] = std::max(hi[d], entry.indices[d]);
    }
  }
  OutputArray array;
  array.name = base;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    array.shape.push_back(hi[d] - lo[d] + 1);
    count *= static_cast<std::size_t>(array.shape.back());
    if (count > members.size()) return std::nullopt;
  }
  if (count != members.size()) return std::nullopt;
  constexpr std::size_t unset = SIZE_MAX;
  array.columns.assign(count, unset);
  for (const auto& [column, entry] : members) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) at = at * array.shape[d] + entry.indices[d] - lo[d];
    std::size_t& place = array.columns[static_cast<std::size_t>(at)];
    if (place != unset) return std::nullopt;
    place = column;
  }
  return array;
}

} // namespace

std::vector<OutputArray> arraysOf(const std::vector<std::string>& columns) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::pair<std::size_t, Entry>>> groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Entry entry = takeApart(columns[i]);
    auto& group = groups[entry.base];
    if (group.empty()) order.push_back(entry.base);
    group.emplace_back(i, std::move(entry));
  }
  std::vector<OutputArray> arrays;
  for (const std::string& base : order) {
    const auto& members = groups[base];
    if (auto array = box(base, members)) {
      arrays.push_back(std::move(*array));
      continue;
    }
    for (const auto& [column, entry] : members) {
      OutputArray single;
      single.name = columns[column];
      single.columns = {column};
      arrays.push_back(std::move(single));
    }
  }
  return arrays;
}

} // namespace lmc
