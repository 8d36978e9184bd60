#include "api/Access.h"

#include <charconv>
#include <fmt/format.h>

namespace lmc::v1 {

void Names::unknown(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [one, place] : places_) known.push_back(one);
  std::vector<std::string> parts;
  for (const std::string& one : known)
    if (one.starts_with(name + ".")) parts.push_back("`" + one + "`");
  if (!parts.empty())
    throw Error(Error::Kind::Misuse, fmt::format("`{}` has the parts {}", name, fmt::join(parts, ", ")));
  const std::string near = nearest(name, known);
  throw Error(Error::Kind::Misuse, fmt::format("there is no {} `{}`{}", what_, name,
                                               near.empty() ? std::string() : fmt::format("; is it `{}`?", near)));
}

Place Names::find(std::string_view name, std::int64_t& member) const {
  member = -1;
  if (const auto it = places_.find(name); it != places_.end()) return it->second;
  const std::size_t open = name.find('['), close = name.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) unknown(std::string(name));
  const std::string whole = std::string(name.substr(0, open)) + std::string(name.substr(close + 1));
  const auto it = places_.find(whole);
  if (it == places_.end()) {
    if (whole.find('[') != std::string::npos)
      throw Error(Error::Kind::Misuse,
                  fmt::format("`{}` has too many indices: a name may have that of a member", name));
    unknown(whole);
  }
  const std::string_view digits = name.substr(open + 1, close - open - 1);
  std::int64_t i = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), i);
  if (failed != std::errc() || end != digits.data() + digits.size())
    throw Error(Error::Kind::Misuse, fmt::format("`{}` is not the number of a member, in `{}`", digits, name));
  const Storage& storage = *it->second.storage;
  if (storage.extents.size() != 1)
    throw Error(Error::Kind::Misuse, storage.extents.empty()
                                         ? fmt::format("`{}` is no family; it has no member {}", whole, i)
                                         : fmt::format("`{}` has several indices; a member of it has no name", whole));
  const std::int64_t first = storage.first.empty() ? 1 : storage.first[0];
  if (i < first || i >= first + storage.extents[0])
    throw Error(Error::Kind::Misuse,
                fmt::format("`{}` has the members {} to {}, not {}", whole, first, first + storage.extents[0] - 1, i));
  member = i - first;
  return it->second;
}

} // namespace lmc::v1
