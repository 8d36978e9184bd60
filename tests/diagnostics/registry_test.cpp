// The registry: complete entries, and for the codes of the syntax a bad example that gives exactly that code.
#include "syntax/parser/Parser.h"

#include <gtest/gtest.h>
#include <set>

namespace lmc {

namespace {

/// The codes that the syntax phase reports for a text.
std::set<std::string_view> codesOf(std::string_view text) {
  Sources sources;
  Diagnostics diagnostics;
  (void)syntax::parse(sources, sources.add("example.lie", std::string(text)), diagnostics);
  std::set<std::string_view> codes;
  for (const Diagnostic& d : diagnostics.sorted()) codes.insert(info(d.code).name);
  return codes;
}

TEST(Registry, everyEntryIsExplained) {
  std::set<std::string_view> names;
  for (const CodeInfo& code : allCodes()) {
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
    EXPECT_EQ(code.name.size(), 7U) << code.name;
    EXPECT_FALSE(code.title.empty()) << code.name;
    EXPECT_GT(code.explanation.size(), 20U) << code.name;
    EXPECT_EQ(code.bad.empty(), code.good.empty()) << code.name;
    EXPECT_EQ(info(code.code).name, code.name);
  }
}

TEST(Registry, examplesOfTheSyntax) {
  for (const CodeInfo& code : allCodes()) {
    if (code.name > "LIE0099" || code.bad.empty()) continue;
    EXPECT_EQ(codesOf(code.bad), std::set<std::string_view>{code.name}) << code.bad;
    EXPECT_TRUE(codesOf(code.good).empty()) << code.good;
  }
}

/// Whether an example is a program; those of a run may be a command or a table of data.
bool isProgram(std::string_view text) {
  for (const std::string_view word : {"model ", "group ", "manifold ", "method ", "tableau ", "variational ", "fn "})
    if (text.starts_with(word)) return true;
  return false;
}

TEST(Registry, examplesOfLaterPhasesParse) {
  for (const CodeInfo& code : allCodes()) {
    if (code.name <= "LIE0099") continue;
    for (const std::string_view text : {code.bad, code.good}) {
      if (!isProgram(text)) continue;
      EXPECT_TRUE(codesOf(text).empty()) << code.name << "\n" << text;
    }
  }
}

TEST(Registry, findsCodes) {
  for (const char* name : {"LIE0010", "lie0010", "0010", "10"}) {
    ASSERT_NE(findCode(name), nullptr) << name;
    EXPECT_EQ(findCode(name)->name, "LIE0010");
  }
  for (const char* name : {"", "LIE", "LIE9998", "XYZ0010", "00010"}) EXPECT_EQ(findCode(name), nullptr) << name;
}

} // namespace

} // namespace lmc
