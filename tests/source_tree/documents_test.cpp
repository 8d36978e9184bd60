// No comment and no page speaks of a page, a section or a heading that is not there; pages are wrapped.
#include "source_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace lmc::test;

namespace {

const fs::path root = LMC_SOURCE_DIR;

/// The page that a name means in a file; empty if there is none.
fs::path pageOf(const fs::path& file, const std::string& name) {
  for (const fs::path& base : {file.parent_path(), root, root / "docs", root / "docs/studies"})
    if (fs::path page = (base / name).lexically_normal(); fs::is_regular_file(page)) return page;
  return {};
}

/// A heading as links write it: small letters, blanks as hyphens, without other signs.
std::string slug(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '-' || c == '_' || u >= 0x80U) out += static_cast<char>(std::tolower(u));
    if (c == ' ') out += '-';
  }
  return out;
}

/// Headings of a page: as links, and the numbers that they begin with.
struct Headings {
  std::set<std::string> slugs, numbers;
};

Headings headings(const std::string& page) {
  Headings h;
  std::istringstream in(page);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with("#")) continue;
    const std::string text = line.substr(std::min(line.find_first_not_of("# "), line.size()));
    h.slugs.insert(slug(text));
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0)
      h.numbers.insert(text.substr(0, text.find_first_not_of("0123456789")));
  }
  return h;
}

/// What a text refers to in vain, a line each.
std::vector<std::string> dangling(const fs::path& file, const std::string& text) {
  static const std::regex reference(R"(([A-Za-z0-9_./-]+\.md)(#[A-Za-z0-9_-]+)?)");
  static const std::regex section(R"(^[\])\s]*(?:\([^)]*\))?,?[\s/*"\\n]*section[\s/*"\\n]+([0-9]+))");
  std::vector<std::string> wrong;
  for (std::sregex_iterator it(text.begin(), text.end(), reference), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const char before = at > 0 ? text[at - 1] : ' ';
    std::string name = it->str(1);
    if ((before == ':' && name.starts_with("//")) || before == '*' || name == "FILE.md") continue; // not of ours
    if (before == '$') name.erase(0, name.find('/')); // a folder in a variable
    name.erase(0, name.find_first_not_of('/'));
    const std::string where = "line " + std::to_string(lineAt(text, at)) + ": " + it->str();
    const fs::path page = pageOf(file, name);
    if (page.empty()) {
      wrong.push_back(where + " is no page");
      continue;
    }
    const Headings h = headings(readFile(page));
    if ((*it)[2].matched && !h.slugs.contains(it->str(2).substr(1))) wrong.push_back(where + " is no heading");
    std::smatch found;
    const std::string rest = text.substr(at + static_cast<std::size_t>(it->length()), 100);
    if (std::regex_search(rest, found, section) && !h.numbers.contains(found[1]))
      wrong.push_back(where + " has no section " + found.str(1));
  }
  return wrong;
}

std::vector<fs::path> texts() {
  std::vector<fs::path> all;
  const std::set<std::string> kinds = {".h",  ".hpp", ".cpp", ".c",     ".def", ".lie",
                                       ".g4", ".md",  ".txt", ".cmake", ".sh",  ".py"};
  for (const char* folder :
       {"compiler", "runtime", "stdlib", "grammar", "docs", "examples", "bench", "tools", "cmake", "tests"})
    for (const fs::path& file : filesBelow(root / folder, kinds)) all.push_back(file);
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md" || entry.path().filename() == "dev") all.push_back(entry.path());
  return all;
}

/// Lines of a page of more than 100 characters that could be broken; tables, headings and code cannot.
std::vector<std::string> longLines(const std::string& page) {
  constexpr std::size_t width = 100;
  static const std::regex span("`[^`]*`");
  std::vector<std::string> found;
  std::istringstream in(page);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.find("```") != std::string::npos) code = !code;
    const bool prose = !code && !line.starts_with("|") && !line.starts_with("#") && !line.starts_with("    ");
    const auto characters = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; // the first byte of each in UTF-8
    });
    const std::string words = std::regex_replace(line, span, "x"); // code between backticks is one word
    const std::size_t start = std::min(words.find_first_not_of(" *-"), words.size());
    const bool breaks =
        words.find(' ', start) != std::string::npos && !line.starts_with("![") && !line.starts_with("<");
    if (prose && breaks && characters > static_cast<std::ptrdiff_t>(width)) found.push_back(line);
  }
  return found;
}

} // namespace

TEST(Documents, PagesThatAreSpokenOfAreThere) {
  const auto all = texts();
  ASSERT_GT(all.size(), 500U);
  for (const fs::path& file : all) {
    if (file.filename() == "documents_test.cpp") continue;
    for (const std::string& line : dangling(file, readFile(file)))
      ADD_FAILURE() << fs::relative(file, root).generic_string() << ", " << line;
  }
}

TEST(Documents, LinksInsideAPageLeadToHeadings) {
  static const std::regex link(R"(\]\(#([^)\s]+)\))");
  for (const fs::path& file : texts()) {
    if (file.extension() != ".md") continue;
    const std::string text = readFile(file);
    const Headings h = headings(text);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
      EXPECT_TRUE(h.slugs.contains(it->str(1))) << fs::relative(file, root).generic_string() << ": " << it->str();
  }
}

/// The tables of docs/methods.md and their footnotes are made by `./dev orders`.
TEST(Documents, PagesAreWrapped) {
  for (const fs::path& file : texts()) {
    if (file.extension() != ".md" || file.filename() == "methods.md") continue;
    for (const std::string& line : longLines(readFile(file)))
      ADD_FAILURE() << fs::relative(file, root).generic_string() << " has a line of more than 100 characters: " << line;
  }
  const std::string word(101, 'x'), line = "a " + word;
  EXPECT_EQ(longLines(line).size(), 1U);
  EXPECT_EQ(longLines("| " + line + " |\n    " + line + "\n```\n" + line + "\n```\n# " + line + "\n" + word).size(),
            0U);
}

TEST(Documents, WhatIsMissingIsSeen) {
  const fs::path file = root / "compiler/sema/model/Model.h";
  EXPECT_EQ(dangling(file, "see nowhere.md").size(), 1U);
  EXPECT_EQ(dangling(file, "(conventions.md, section 4)").size(), 0U);
  EXPECT_EQ(dangling(file, "(docs/conventions.md,\n/// section 99)").size(), 1U);
  EXPECT_EQ(dangling(file, "[x](docs/tool.md#no-such-heading)").size(), 1U);
  EXPECT_EQ(dangling(file, "https://example.org/a.md").size(), 0U);
  EXPECT_EQ(slug("7 Manifolds and groups"), "7-manifolds-and-groups");
}
