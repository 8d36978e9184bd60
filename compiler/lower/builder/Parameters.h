// What parameters alone decide.
#pragma once

#include "sym/Program.h"

#include <unordered_map>

namespace lmc::lower {

/// Tells of arrays whether parameters alone decide what they are.
class ParameterOnly {
public:
  explicit ParameterOnly(const sym::Program& program) : p_(program) {}

  bool operator()(const sym::Array* a) {
    const auto it = known_.find(a);
    if (it != known_.end()) return it->second;
    const bool parameter = a->role == sym::Role::Param;
    if (parameter && p_.writers(a).empty()) return known_[a] = true;
    if (!parameter && a->role != sym::Role::Temp) return known_[a] = false;
    known_[a] = true;
    bool result = true;
    for (const std::size_t k : p_.writers(a))
      for (const sym::Array* r : p_.reads(k)) result = result && (*this)(r);
    return known_[a] = result;
  }
  /// A parameter that may be set at any time counts as none.
  void setLive(const sym::Array* a) { known_[a] = false; }

private:
  const sym::Program& p_;
  std::unordered_map<const sym::Array*, bool> known_;
};

} // namespace lmc::lower
