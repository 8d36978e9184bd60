// Which lines of a text another one replaces: for `diff` and for editors, which keep marks on lines that stay.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmc::editor {

/// Lines [before, beforeEnd) of one text become lines [after, afterEnd) of another; counted from 0.
struct LineChange {
  std::size_t before = 0, beforeEnd = 0;
  std::size_t after = 0, afterEnd = 0;
};

/// The lines of a text with their ends; the last one may have none. None of an empty text.
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text);

/// What has to change, in order, with lines that stay between any two. As few lines as can be where the texts differ in
/// blanks and empty lines only; else one change from the first line that differs to the last one.
[[nodiscard]] std::vector<LineChange> lineChanges(const std::vector<std::string_view>& before,
                                                  const std::vector<std::string_view>& after);

/// The changes as `diff -u` shows them, with three lines around each; empty for equal texts.
[[nodiscard]] std::string unifiedDifference(const std::string& name, std::string_view before, std::string_view after);

} // namespace lmc::editor
