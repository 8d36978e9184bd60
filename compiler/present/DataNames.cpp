#include "present/DataNames.h"

#include <fmt/format.h>

namespace lmc::present {

std::string DataNames::nameOf(const TreePtr& value, std::int64_t extent) {
  const std::string key = fmt::format("{}|{}", extent, text(value));
  if (const auto it = byText_.find(key); it != byText_.end()) return it->second;
  static const char* const vectors[] = {"n", "b", "u", "p", "r"};
  std::string name;
  for (const char* candidate : vectors)
    if (name.empty() && value->shape.rank == 1 && taken_.insert(candidate).second) name = candidate;
  for (int k = 1; name.empty(); ++k)
    if (const std::string candidate = fmt::format("{}{}", value->shape.rank == 1 ? "n" : "N", k);
        taken_.insert(candidate).second)
      name = candidate;
  list_.emplace_back(name, std::pair(value, extent));
  return byText_[key] = name;
}

} // namespace lmc::present
