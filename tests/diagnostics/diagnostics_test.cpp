// Collecting, sorting and rendering diagnostics; positions in source texts; near names.
#include "diagnostics/Diagnostics.h"

#include <gtest/gtest.h>

namespace lmc {

namespace {

TEST(SourceText, positionsCountCharacters) {
  const Source source("a", "αβ = 1;\r\nsecond\n\nlast");
  EXPECT_EQ(source.lineCount(), 4U);
  EXPECT_EQ(source.line(1), "αβ = 1;");
  EXPECT_EQ(source.line(2), "second");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.position(0).column, 1U);
  EXPECT_EQ(source.position(2).column, 2U);
  EXPECT_EQ(source.position(4).column, 3U);
  EXPECT_EQ(source.position(11).line, 2U);
  EXPECT_EQ(source.position(11).column, 1U);
  EXPECT_EQ(source.position(1000).line, 4U);
  EXPECT_EQ(source.position(1000).column, 5U);
}

TEST(SourceText, byteOrderMarkIsNoCharacter) {
  const Source source("a", "\xEF\xBB\xBFmodel");
  EXPECT_EQ(source.line(1), "model");
  EXPECT_EQ(source.position(0).column, 1U);
  EXPECT_EQ(source.position(3).column, 1U);
  EXPECT_EQ(source.position(4).column, 2U);
}

TEST(SourceText, emptyText) {
  const Source source("a", "");
  EXPECT_EQ(source.lineCount(), 1U);
  EXPECT_EQ(source.line(1), "");
  EXPECT_EQ(source.position(0).line, 1U);
}

TEST(Collecting, nothingTwice) {
  Diagnostics d;
  d.error(Code::LIE0010, {0, 3, 5}, "one");
  d.error(Code::LIE0010, {0, 3, 5}, "other words");
  d.error(Code::LIE0011, {0, 3, 5}, "one");
  d.error(Code::LIE0011, {0, 3, 5}, "three").note("kept");
  d.warning(Code::LIE0010, {0, 4, 5}, "one");
  EXPECT_EQ(d.errorCount(), 2U);
  EXPECT_EQ(d.warningCount(), 1U);
  EXPECT_TRUE(d.hasErrors());
}

TEST(Collecting, limitAndOrder) {
  Diagnostics d(3);
  for (std::uint32_t i = 10; i > 0; --i) {
    d.error(Code::LIE0010, {0, i, i + 1}, "error " + std::to_string(i)).note("note").suggest("help");
    EXPECT_EQ(d.full(), i <= 8);
  }
  const auto list = d.sorted();
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].message, "error 8");
  EXPECT_EQ(list[2].message, "error 10");
  EXPECT_EQ(list[3].code, Code::LIE0099);
}

TEST(Rendering, placeCaretNotesHelpAndCount) {
  Sources sources;
  const SourceId a = sources.add("a.lie", "first line\n\tlet Ωx = αβγ + 1;\n");
  Diagnostics d;
  // The three Greek letters are six bytes.
  const std::uint32_t begin = 12 + 4 + 3 + 3;
  ASSERT_EQ(sources.text({a, begin, begin + 6}), "αβγ");
  d.error(Code::LIE0013, {a, begin, begin + 6}, "what").note("plain").note("placed", {a, 0, 5}).suggest("try");
  d.warning(Code::LIE0008, {a, 6, 14}, "over two lines");
  EXPECT_EQ(renderAll(d, sources, false), "a.lie:1:7: warning[LIE0008]: over two lines\n"
                                          "first line\n"
                                          "      ^~~~\n"
                                          "a.lie:2:11: error[LIE0013]: what\n"
                                          "\tlet Ωx = αβγ + 1;\n"
                                          "\t         ^~~\n"
                                          "note: plain\n"
                                          "a.lie:1:1: note: placed\n"
                                          "first line\n"
                                          "^~~~~\n"
                                          "help: try\n"
                                          "1 error, 1 warning\n");
  EXPECT_EQ(renderAll(Diagnostics(), sources, false), "");
  EXPECT_NE(renderAll(d, sources, true).find("\033["), std::string::npos);
}

// Of a megabyte in one line only what is shown is looked at: the caret stands under its character all the same.
TEST(Rendering, windowsOfAMegabyteInOneLine) {
  const std::string part = "α+é*λ-"; // 9 bytes
  std::string all;
  while (all.size() < (1U << 20U)) all += part;
  Sources sources;
  const SourceId a = sources.add("a.lie", all);
  for (const std::uint32_t begin : {6U, 9 * 50000U + 6, static_cast<std::uint32_t>(all.size()) - 3}) {
    Diagnostics d;
    d.error(Code::LIE0013, {a, begin, begin + 2}, "what");
    const std::string text = renderAll(d, sources, false);
    EXPECT_LT(text.size(), 1200U);
    const std::size_t caret = text.rfind('^');
    ASSERT_NE(caret, std::string::npos);
    const std::size_t line = text.rfind('\n', caret) + 1;
    std::size_t at = text.rfind('\n', line - 2) + 1;
    for (std::size_t k = line; k < caret; ++k) do
        ++at;
      while ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    EXPECT_EQ(text.substr(at, 2), "λ") << begin << "\n" << text;
  }
}

TEST(Rendering, longLinesShowAWindow) {
  Sources sources;
  const SourceId a = sources.add("a.lie", std::string(5000, 'x') + "BAD" + std::string(5000, 'y'));
  Diagnostics d;
  d.error(Code::LIE0013, {a, 5000, 5003}, "what");
  const std::string text = renderAll(d, sources, false);
  EXPECT_LT(text.size(), 600U);
  const std::size_t carets = text.rfind("^~~");
  ASSERT_NE(carets, std::string::npos);
  const std::size_t line = text.rfind('\n', carets) + 1;
  const std::size_t before = text.rfind('\n', line - 2) + 1;
  EXPECT_EQ(text.substr(before + (carets - line), 3), "BAD");
}

TEST(Rendering, endOfTextAndOddBytes) {
  Sources sources;
  const SourceId a = sources.add("a.lie", std::string("ab\0\x1B\xFF", 5));
  Diagnostics d;
  d.error(Code::LIE0013, {a, 5, 5}, "at the end");
  EXPECT_EQ(renderAll(d, sources, false), "a.lie:1:6: error[LIE0013]: at the end\nab??\xEF\xBF\xBD\n     ^\n1 error\n");
  const SourceId b = sources.add("b.lie", "");
  Diagnostics e;
  e.error(Code::LIE0013, {b, 0, 0}, "empty");
  EXPECT_EQ(renderAll(e, sources, false), "b.lie:1:1: error[LIE0013]: empty\n\n^\n1 error\n");
}

TEST(Rendering, json) {
  Sources sources;
  const SourceId a = sources.add("a.lie", "αβγ\nx");
  Diagnostics d;
  d.error(Code::LIE0013, {a, 2, 4}, "say \"no\"").note("n").note("p", {a, 7, 8}).suggest("s");
  EXPECT_EQ(toJson(d, sources), R"([
  {
    "code": "LIE0013",
    "column": 2,
    "end_column": 3,
    "end_line": 1,
    "file": "a.lie",
    "line": 1,
    "message": "say \"no\"",
    "notes": [
      {
        "message": "n"
      },
      {
        "column": 1,
        "end_column": 2,
        "end_line": 2,
        "file": "a.lie",
        "line": 2,
        "message": "p"
      }
    ],
    "severity": "error",
    "suggestion": "s"
  }
])");
  EXPECT_EQ(toJson(Diagnostics(), sources), "[]");
}

TEST(Nearest, slipsOfThePen) {
  const std::vector<std::string> names = {"lagrangian", "hamiltonian", "Omega", "omega", "chi", "m", "l", "RKMK4"};
  EXPECT_EQ(nearest("lagrangain", names), "lagrangian");
  EXPECT_EQ(nearest("Lagrangian", names), "lagrangian");
  EXPECT_EQ(nearest("hamiltonan", names), "hamiltonian");
  EXPECT_EQ(nearest("Omgea", names), "Omega");
  EXPECT_EQ(nearest("OMEGA", names), "Omega");
  EXPECT_EQ(nearest("chii", names), "chi");
  EXPECT_EQ(nearest("ch", names), "chi");
  EXPECT_EQ(nearest("RMKK4", names), "RKMK4");
  EXPECT_EQ(nearest("M", names), "m");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("velocity", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(1000, 'a'), names), "");
}

} // namespace

} // namespace lmc
