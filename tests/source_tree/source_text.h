// The text of C++ and `.lie` sources, taken apart far enough to search it for names and includes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::test {

/// A string literal of a C++ source: its text without quotes, and the line that it starts in.
struct Literal {
  std::string text;
  std::size_t line = 0;
};

/// A C++ source without its comments: the code, with literals blanked and line breaks kept, and the literals.
struct CppText {
  std::string code;
  std::vector<Literal> literals;
};

[[nodiscard]] CppText splitCpp(std::string_view source);

/// The lines of its code.
[[nodiscard]] std::vector<std::string> codeLines(const CppText& text);

/// One `group`, `manifold`, `method`, `variational` or `tableau` of a `.lie` file.
struct Declared {
  std::string keyword;
  std::string name; ///< without exponent or arguments: `SO` of `SO(3)`
  std::string doc;  ///< the comment lines directly above
  std::filesystem::path file;
  std::size_t line = 0;
};

[[nodiscard]] std::vector<Declared> declarations(const std::filesystem::path& file);

/// The names between `<…>` or `"…"` of the `#include`s of a C++ source, comments not read.
[[nodiscard]] std::vector<std::string> includes(std::string_view source);

/// True if `word` occurs in `text` as a whole word.
[[nodiscard]] bool hasWord(std::string_view text, std::string_view word);

/// Files below `folder` (recursively, sorted) whose extension is one of `extensions`; none if it does not exist.
[[nodiscard]] std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder,
                                                            const std::set<std::string>& extensions);

[[nodiscard]] std::string readFile(const std::filesystem::path& file);

/// 1 + the number of line breaks in `text` before `position`.
[[nodiscard]] std::size_t lineAt(std::string_view text, std::size_t position);

} // namespace lmc::test
