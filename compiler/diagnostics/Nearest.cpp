#include "diagnostics/Diagnostics.h"

#include <algorithm>

namespace lmc {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Damerau-Levenshtein distance (optimal string alignment), in half units: a change of case alone costs one half.
unsigned distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<unsigned> before(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) above[j] = static_cast<unsigned>(2 * j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<unsigned>(2 * i);
    for (std::size_t j = 1; j < width; ++j) {
      unsigned change = 2;
      if (a[i - 1] == b[j - 1])
        change = 0;
      else if (lower(a[i - 1]) == lower(b[j - 1]))
        change = 1;
      row[j] = std::min({above[j] + 2, row[j - 1] + 2, above[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 2);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// What is still a slip of the pen: nothing for one letter, one letter in short names, a third of longer ones.
unsigned threshold(std::size_t length) {
  if (length <= 1) return 1;
  if (length <= 4) return 2;
  return static_cast<unsigned>(2 * ((length + 1) / 3));
}

} // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return {};
  std::string best;
  unsigned bestDistance = threshold(name.size()) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t gap = std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (candidate == name || 2 * gap >= bestDistance) continue;
    const unsigned d = distance(name, candidate);
    // A short name is not meant by another one with which it shares no letter.
    if (d < bestDistance && d < 2 * std::max(name.size(), candidate.size())) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

} // namespace lmc
