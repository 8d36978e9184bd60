// The formatter: what it writes, that it writes it once, and that no token changes. Tokens are compared here by a
// splitter of its own: the characters that are no blanks, in order, with strings and comments as they are.
#include "editor/text/Format.h"
#include "editor/text/LineChanges.h"
#include "syntax/Print.h"
#include "syntax/parser/Parser.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <sstream>

namespace lmc::editor {

namespace {

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> allModels() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = LMC_SOURCE_DIR;
  for (const char* folder : {"docs", "examples", "runtime", "stdlib", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".lie") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<std::string> format(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  return formatted(sources, sources.add("test.lie", text), diagnostics);
}

/// The text without blanks; whether words have run together is seen by the tree.
std::string withoutBlanks(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') out += c;
  return out;
}

/// The tree, which has no places.
std::string treeOf(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string tree = syntax::print(syntax::parse(sources, sources.add("test.lie", text), diagnostics));
  return std::regex_replace(tree, std::regex("[ \t]+\n"), "\n"); // of comments
}

/// Formats a text twice and looks at the results; false if it has errors.
bool expectGood(const std::string& text, const std::string& what) {
  const std::optional<std::string> once = format(text);
  if (!once) return false;
  EXPECT_EQ(withoutBlanks(*once), withoutBlanks(text)) << what;
  EXPECT_EQ(treeOf(*once), treeOf(text)) << what << "\n" << text;
  const std::optional<std::string> twice = format(*once);
  EXPECT_TRUE(twice.has_value()) << what;
  EXPECT_EQ(twice.value_or(""), *once) << what << "\n" << text;
  return true;
}

void expectFormat(const std::string& text, const std::string& expected) {
  const std::optional<std::string> result = format(text);
  ASSERT_TRUE(result.has_value()) << text;
  EXPECT_EQ(*result, expected);
  EXPECT_EQ(format(*result), expected);
}

} // namespace

TEST(Format, BlanksFollowPrecedence) {
  expectFormat("model   M{param a=1;let x=a * (2+ - a)/ 3 ^ -a;let y = if x>1 and not(a<2)then[1 , 2]else  [3,4] ;}",
               "model M { param a = 1; let x = a*(2 + -a)/3^-a; let y = if x > 1 and not (a < 2) then [1, 2] else "
               "[3,4]; }\n");
  expectFormat("fn  f ( x,y )=sum ( i in 1 .. 3 , j in i+1..4 where i<j :x [ i ] *y[j - 1] ') ;\n",
               "fn f(x, y) = sum(i in 1..3, j in i+1..4 where i < j: x[i]*y[j - 1]');\n");
  expectFormat("manifold S^( n-1 ){point P:mat( n,n );group SO( n );}\n",
               "manifold S^(n-1) { point P : mat(n,n); group SO(n); }\n");
  expectFormat("method A(theta:real=0.5)order 2 on  rigid_body{ next  Q=Q * exp( h*Omega ); }\n",
               "method A(theta: real = 0.5) order 2 on rigid_body { next Q = Q*exp(h*Omega); }\n");
}

TEST(Format, IndentationAndEmptyLines) {
  expectFormat("\n\nmodel M {\nparam a = 1;\n\n\n\n        for i in 1..2 {\nforce on q[i] = 1;\n}\n  }\n\n\n",
               "model M {\n  param a = 1;\n\n  for i in 1..2 {\n    force on q[i] = 1;\n  }\n}\n");
  expectFormat("", "");
  expectFormat("  \n\n", "");
  expectFormat("// nothing", "// nothing\n");
}

TEST(Format, LinesOfAStatementStayBelowWhatTheyStoodBelow) {
  expectFormat("model M {\n    lagrangian=dot(a, b)\n              + dot(c, d)\n        - 1;\n}\n",
               "model M {\n  lagrangian = dot(a, b)\n             + dot(c, d)\n      - 1;\n}\n");
}

TEST(Format, ColumnsStay) {
  expectFormat(
      "model M {\n  param a   = 1;     // one\n  param bcd =2;      // two\n  param efghijkl=3;  // three\n}\n",
      "model M {\n  param a   = 1;      // one\n  param bcd = 2;      // two\n  param efghijkl = 3; // three\n}\n");
  const std::string table = "tableau T {\n  a = [[0,    0,   0],\n       [1/4,  0,   0],\n       [0,   -1/2, 1]];\n}\n";
  expectFormat(table, table);
  const std::string remarks =
      "model M {\n  param a = 1;   // one\n                 // more of it\n  // next\n  param b = 2;\n}\n";
  expectFormat(remarks, remarks);
}

TEST(Format, CommentsInTheFirstColumnStayThere) {
  const std::string text = "model M {\n  param a = 1;\n//param b = 2;\n  /* c\n     d */\n}\n";
  expectFormat(text, text);
  expectFormat("model M {\n//one\nparam a = 1;\n}\n", "model M {\n  //one\n  param a = 1;\n}\n");
}

TEST(Format, LineEndsTabsAndMarks) {
  expectFormat("\xEF\xBB\xBFmodel M {\r\n\tparam \xCE\xB1 = 1;\t// \xCE\xB1\r\n\tparam b = 2;\t// b\r\n}",
               "\xEF\xBB\xBFmodel M {\r\n  param \xCE\xB1 = 1;    // \xCE\xB1\r\n  param b = 2;    // b\r\n}\r\n");
}

TEST(Format, ATextWithErrorsIsNotTouched) {
  EXPECT_FALSE(format("model M { param a = ; }"));
  EXPECT_FALSE(format("model M { param a = 1;"));
  EXPECT_FALSE(format("\xFF"));
}

TEST(Format, EveryFileTwice) {
  std::size_t good = 0;
  for (const auto& file : allModels()) good += expectGood(readFile(file), file.string()) ? 1 : 0;
  EXPECT_GT(good, 200U);
}

/// Files of the project with blanks, line ends, comments and signs put in, left out and exchanged.
TEST(Format, Mutants) {
  const std::vector<std::filesystem::path> files = allModels();
  std::mt19937 random(20260); // NOLINT: the same texts each time
  static const std::vector<std::string> inserted = {" ",       "  ",     "\t", "\n",    "\r\n",        "\r", "\n\n\n",
                                                    "/* c */", "// c\n", "-",  "\n   ", "/*\n  c\n*/", "(",  ")",
                                                    ";",       "{",      "}",  ",",     "\xCE\xB1",    "\f"};
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::size_t good = 0;
  constexpr int mutants = 5000;
  for (int k = 0; k < mutants; ++k) {
    std::string text = readFile(files[below(files.size())]).substr(0, 4000);
    const std::size_t changes = 1 + below(k % 4 == 0 ? 40 : 4);
    for (std::size_t c = 0; c < changes && !text.empty(); ++c) {
      const std::size_t at = below(text.size());
      const bool blanks = k % 4 != 1; // most keep the tokens: between two of them
      std::size_t place = blanks ? text.find_first_of(" \n;,(", at) : at;
      if (place == std::string::npos) place = at;
      if (below(3) == 0 && (text[place] == ' ' || text[place] == '\n' || !blanks))
        text.erase(place, 1);
      else
        text.insert(place, inserted[below(blanks ? 9 : inserted.size())]);
    }
    good += expectGood(text, "mutant " + std::to_string(k)) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(good, 1000U);
  RecordProperty("formatted", static_cast<int>(good));
}

TEST(LineChanges, AsFewAsThereAre) {
  const auto changes = [](const std::string& a, const std::string& b) {
    std::string out;
    const auto before = splitLines(a), after = splitLines(b);
    for (const LineChange& c : lineChanges(before, after))
      out += std::to_string(c.before) + "-" + std::to_string(c.beforeEnd) + ">" + std::to_string(c.after) + "-" +
             std::to_string(c.afterEnd) + " ";
    return out;
  };
  EXPECT_EQ(changes("a\nb\nc\n", "a\n b\nc\n"), "1-2>1-2 ");
  EXPECT_EQ(changes("a\n\n\n\nb\nc\n", "a\n\nb\nc\n"), "2-4>2-2 ");
  EXPECT_EQ(changes("a\nb", "a\nb\n"), "1-2>1-2 ");
  EXPECT_EQ(changes("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(changes("a b\nc\n", "a\nb\nc\n"), "0-1>0-2 ");
}

/// Whatever the texts, the changes make one of the other.
TEST(LineChanges, MakeOneTextOfTheOther) {
  std::mt19937 random(7); // NOLINT
  for (int k = 0; k < 2000; ++k) {
    const auto text = [&] {
      std::string t;
      for (std::size_t n = random() % 8; n > 0; --n)
        t += std::string(1, "ab \n"[random() % 4]) + (random() % 2 == 0 ? "\n" : "");
      return t;
    };
    const std::string a = text(), b = text();
    const auto before = splitLines(a), after = splitLines(b);
    std::string made;
    std::size_t at = 0;
    for (const LineChange& c : lineChanges(before, after)) {
      for (; at < c.before; ++at) made += before[at];
      for (std::size_t i = c.after; i < c.afterEnd; ++i) made += after[i];
      at = c.beforeEnd;
    }
    for (; at < before.size(); ++at) made += before[at];
    EXPECT_EQ(made, b) << a;
  }
}

} // namespace lmc::editor
