#include "sema/values/Dependence.h"

namespace lmc::sema {

std::unordered_set<const sym::Array*> Dependence::arrays(sym::Expr e) const {
  std::unordered_set<const sym::Array*> seen = sym::reads(e);
  std::vector<const sym::Array*> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const sym::Array* a = open.back();
    open.pop_back();
    for (const std::size_t k : program_.writers(a)) {
      for (const sym::Array* b : program_.reads(k)) {
        if (seen.insert(b).second) open.push_back(b);
      }
    }
  }
  return seen;
}

unsigned Dependence::of(sym::Expr e) {
  unsigned kinds = 0;
  for (const sym::Array* a : arrays(e)) {
    const auto it = marks_.find(a);
    if (it != marks_.end()) kinds |= it->second;
    if (a->role == sym::Role::Time) kinds |= OnTime;
    if (a->role == sym::Role::Random) kinds |= OnRandom;
  }
  return kinds;
}

} // namespace lmc::sema
