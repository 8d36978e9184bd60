// Arrays that parameters alone decide.
#pragma once

#include "sym/Program.h"

#include <algorithm>

namespace lmc::lower {

class ParameterArrays {
public:
  explicit ParameterArrays(const sym::Program& program) : p_(program) {}

  bool operator()(const sym::Array* a) {
    const auto [known, fresh] = known_.try_emplace(a, a->role == sym::Role::Param || a->role == sym::Role::Temp);
    if (!fresh || a->role != sym::Role::Temp) return known->second; // one that reads itself is what else it reads
    const auto decided = [&](std::size_t k) {
      const auto& read = p_.reads(k);
      return std::all_of(read.begin(), read.end(), [&](const sym::Array* r) { return (*this)(r); });
    };
    const std::vector<std::size_t>& writers = p_.writers(a);
    return known_[a] = std::all_of(writers.begin(), writers.end(), decided);
  }

  /// It may change after all, though it is a parameter.
  void refuse(const sym::Array* a) { known_[a] = false; }

private:
  const sym::Program& p_;
  std::unordered_map<const sym::Array*, bool> known_;
};

} // namespace lmc::lower
