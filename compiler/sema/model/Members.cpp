#include "sema/model/Members.h"

#include "sema/values/IndexMath.h"

#include <numeric>

namespace lmc::sema {

using sym::Expr;

Coverage::Coverage(std::vector<std::int64_t> extents, std::vector<std::int64_t> first)
    : extents_(std::move(extents)), first_(std::move(first)) {
  first_.resize(extents_.size(), 1);
  const std::int64_t count = std::accumulate(extents_.begin(), extents_.end(), std::int64_t{1}, std::multiplies<>());
  owner_.assign(static_cast<std::size_t>(count), 0);
}

std::int64_t Coverage::position(const std::vector<std::int64_t>& index) const {
  std::int64_t p = 0;
  for (std::size_t k = 0; k < extents_.size(); ++k) {
    const std::int64_t i = index[k] - first_[k];
    if (i < 0 || i >= extents_[k]) return -1;
    p = p * extents_[k] + i;
  }
  return p;
}

std::vector<std::int64_t> Coverage::indexAt(std::int64_t position) const {
  std::vector<std::int64_t> index(extents_.size());
  for (std::size_t k = extents_.size(); k-- > 0;) {
    index[k] = position % extents_[k] + first_[k];
    position /= extents_[k];
  }
  return index;
}

std::string Coverage::shown(std::int64_t position) const {
  std::string text;
  for (const std::int64_t i : indexAt(position)) text += (text.empty() ? "[" : ",") + std::to_string(i);
  return text.empty() ? text : text + "]";
}

std::optional<Coverage::Conflict> Coverage::markPosition(std::int64_t position, std::size_t owner) {
  if (position < 0) return std::nullopt;
  std::uint32_t& slot = owner_[static_cast<std::size_t>(position)];
  if (slot != 0) return Conflict{shown(position), owners_[slot - 1]};
  slot = static_cast<std::uint32_t>(owner);
  return std::nullopt;
}

std::optional<Coverage::Conflict> Coverage::mark(const MemberClause& clause) {
  owners_.push_back(clause.range);
  const std::size_t owner = owners_.size();
  std::optional<Conflict> conflict;
  if (clause.loops.loops.size() == 1 && clause.index.size() == 1 && clause.index[0] == clause.loops.loops[0].index) {
    const auto lo = constantInteger(clause.loops.loops[0].lo);
    const auto hi = constantInteger(clause.loops.loops[0].hi);
    for (std::int64_t k = lo.value_or(1); lo && hi && k <= *hi; ++k) {
      const auto found = markPosition(position({k}), owner);
      if (found && !conflict) conflict = found;
    }
    return conflict;
  }
  constexpr std::size_t most = 20000000;
  enumerate(clause.loops.loops, most, [&](const IndexValues& values) {
    std::vector<std::int64_t> index;
    for (const Expr& e : clause.index) index.push_back(integerAt(e, values).value_or(0));
    const auto found = markPosition(position(index), owner);
    if (found && !conflict) conflict = found;
    return true;
  });
  return conflict;
}

void Coverage::markMember(const std::vector<std::int64_t>& index, Range range) {
  owners_.push_back(range);
  markPosition(position(index), owners_.size());
}

bool Coverage::isMarked(const std::vector<std::int64_t>& index) const {
  const std::int64_t p = position(index);
  return p >= 0 && owner_[static_cast<std::size_t>(p)] != 0;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Coverage::gaps() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::size_t k = 0; k < owner_.size(); ++k) {
    if (owner_[k] != 0) continue;
    const auto p = static_cast<std::int64_t>(k);
    if (!runs.empty() && runs.back().second + 1 == p && extents_.size() <= 1)
      runs.back().second = p;
    else
      runs.emplace_back(p, p);
  }
  return runs;
}

std::vector<std::vector<std::int64_t>> Coverage::marked() const {
  std::vector<std::vector<std::int64_t>> members;
  for (std::size_t k = 0; k < owner_.size(); ++k) {
    if (owner_[k] != 0) members.push_back(indexAt(static_cast<std::int64_t>(k)));
  }
  return members;
}

} // namespace lmc::sema
