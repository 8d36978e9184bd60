#include "editor/text/LineChanges.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::editor {

namespace {

using Lines = std::vector<std::string_view>;

bool isEmpty(std::string_view line) {
  return line.find_first_not_of(" \t\r\n\f") == std::string_view::npos;
}

std::vector<std::size_t> filled(const Lines& lines) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!isEmpty(lines[i])) numbers.push_back(i);
  return numbers;
}

/// Adds a change, to the one before where they touch.
void add(std::vector<LineChange>& changes, const LineChange& change) {
  if (change.before == change.beforeEnd && change.after == change.afterEnd) return;
  if (!changes.empty() && changes.back().beforeEnd == change.before && changes.back().afterEnd == change.after) {
    changes.back().beforeEnd = change.beforeEnd;
    changes.back().afterEnd = change.afterEnd;
    return;
  }
  changes.push_back(change);
}

/// Empty lines between two filled ones: those that are equal from the first on stay.
void addEmpty(std::vector<LineChange>& changes, const Lines& before, const Lines& after, LineChange gap) {
  while (gap.before < gap.beforeEnd && gap.after < gap.afterEnd && before[gap.before] == after[gap.after]) {
    ++gap.before;
    ++gap.after;
  }
  add(changes, gap);
}

} // namespace

std::vector<std::string_view> splitLines(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::vector<LineChange> lineChanges(const Lines& before, const Lines& after) {
  const std::vector<std::size_t> old = filled(before), now = filled(after);
  std::vector<LineChange> changes;
  if (old.size() != now.size()) {
    std::size_t first = 0, same = 0;
    const std::size_t shorter = std::min(before.size(), after.size());
    while (first < shorter && before[first] == after[first]) ++first;
    while (same < shorter - first && before[before.size() - 1 - same] == after[after.size() - 1 - same]) ++same;
    add(changes, {first, before.size() - same, first, after.size() - same});
    return changes;
  }
  std::size_t b = 0, a = 0;
  for (std::size_t k = 0; k < old.size(); ++k) {
    addEmpty(changes, before, after, {b, old[k], a, now[k]});
    b = old[k] + 1;
    a = now[k] + 1;
    if (before[old[k]] != after[now[k]]) add(changes, {old[k], b, now[k], a});
  }
  addEmpty(changes, before, after, {b, before.size(), a, after.size()});
  return changes;
}

std::string unifiedDifference(const std::string& name, std::string_view before, std::string_view after) {
  constexpr std::size_t around = 3;
  const Lines old = splitLines(before), now = splitLines(after);
  const std::vector<LineChange> changes = lineChanges(old, now);
  if (changes.empty()) return {};
  std::string out = fmt::format("--- {}\n+++ {} (formatted)\n", name, name);
  const auto show = [&](char sign, std::string_view line) {
    out += sign;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  };
  for (std::size_t k = 0; k < changes.size();) {
    std::size_t last = k;
    while (last + 1 < changes.size() && changes[last + 1].before - changes[last].beforeEnd <= 2 * around) ++last;
    const std::size_t lead = std::min(around, changes[k].before);
    const std::size_t trail = std::min(around, old.size() - changes[last].beforeEnd);
    const std::size_t begin = changes[k].before - lead, end = changes[last].beforeEnd + trail;
    const std::size_t nowBegin = changes[k].after - lead, nowEnd = changes[last].afterEnd + trail;
    const auto side = [](std::size_t from, std::size_t to) {
      return fmt::format("{},{}", from == to ? from : from + 1, to - from);
    };
    out += fmt::format("@@ -{} +{} @@\n", side(begin, end), side(nowBegin, nowEnd));
    std::size_t at = begin;
    for (; k <= last; ++k) {
      for (; at < changes[k].before; ++at) show(' ', old[at]);
      for (; at < changes[k].beforeEnd; ++at) show('-', old[at]);
      for (std::size_t i = changes[k].after; i < changes[k].afterEnd; ++i) show('+', now[i]);
    }
    for (; at < end; ++at) show(' ', old[at]);
  }
  return out;
}

} // namespace lmc::editor
