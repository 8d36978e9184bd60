// Ordinary texts are split into tokens directly, others by the generated lexer: both give the same.
#include "Support.h"

#include <random>

namespace lmc::test {

namespace {

/// Parses the text twice, behind a short declaration. Before it stand two spaces, or a character of as many bytes that
/// is not of the language: it is left out with an error, and the lexer splits the text.
void expectSame(const std::string& text) {
  const Parsed direct("  fn before(x) = x;\n" + text);
  const Parsed byLexer("\xC2\xA0"
                       "fn before(x) = x;\n" +
                       text);
  if (byLexer.diagnostics.full()) return;                           // the error more is one less elsewhere
  if (byLexer.codes().find("LIE0001") != std::string::npos) return; // no text: other signs are not looked at
  EXPECT_EQ(syntax::print(direct.file), syntax::print(byLexer.file)) << text;
  EXPECT_EQ("1:1 LIE0004\n" + direct.codes(), byLexer.codes()) << text;
  const auto withoutFirst = [](std::vector<Diagnostic> list) {
    std::erase_if(list, [](const Diagnostic& d) { return d.range.begin == 0; });
    return list;
  };
  const auto a = withoutFirst(direct.diagnostics.sorted()), b = withoutFirst(byLexer.diagnostics.sorted());
  ASSERT_EQ(a.size(), b.size()) << text;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].range, b[k].range) << text;
    EXPECT_EQ(a[k].message, b[k].message) << text;
    EXPECT_EQ(a[k].suggestion, b[k].suggestion) << text;
  }
}

} // namespace

TEST(Scan, EveryFile) {
  for (const auto& path : allFiles()) expectSame(readFile(path));
}

TEST(Scan, EveryExampleOfTheMessages) {
  for (const CodeInfo& info : allCodes()) {
    expectSame(std::string(info.bad));
    expectSame(std::string(info.good));
  }
}

TEST(Scan, NumbersSignsAndComments) {
  for (const char* text : {"1..2",
                           "1.5..2e3",
                           "1e",
                           "1e+",
                           "1e+5x",
                           "2x",
                           "1.",
                           ".5",
                           "1.5.2",
                           "x'=3",
                           "a==b",
                           "a<=b>=c",
                           "a=-b",
                           "a*-b",
                           "a->b",
                           "a=>b",
                           "a:=b",
                           "a+=b",
                           "a**b",
                           "a&&b",
                           "a||b",
                           "!a",
                           "a!=b",
                           "a<>b",
                           "a~=b",
                           "a%b",
                           "# x",
                           "a/*b*/c",
                           "a//b",
                           "a//b\r\nc",
                           "/**/",
                           "/***/",
                           "/* * / **/x",
                           "/*/ x */y",
                           "/* x",
                           "\"a\"b",
                           "\"a\nb\"",
                           "\"",
                           "models",
                           "model_",
                           "model2",
                           "_x",
                           "x\ty\fz",
                           "x\vy",
                           "a...b",
                           "a....b",
                           "''",
                           "a<-b",
                           "<=>",
                           "==>",
                           "[1,2]",
                           "{}()",
                           "/* \xCE\xBB */ x",
                           "// \xCE\xBB\nx",
                           "\xCE\xBB = 1",
                           "x\xCE\xBB",
                           "a\xC3\x97"
                           "b",
                           "$",
                           "@",
                           "\\",
                           "?"})
    for (const char* frame : {"fn f(x) = ", "model M { let y = ", ""}) expectSame(std::string(frame) + text + ";\n}\n");
}

TEST(Scan, ChangedFiles) {
  std::mt19937 random(20240301); // NOLINT: the same run every time
  const std::string signs = "(){}[];,:.'=<>+-*/^\"!&|%#~ \n\t\r\f0123456789eExyz_";
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    for (int round = 0; round < 6; ++round) {
      std::string changed = text.substr(0, 3000);
      for (int i = 0; i < 3 && !changed.empty(); ++i)
        changed.insert(random() % changed.size(), 1, signs[random() % signs.size()]);
      expectSame(changed);
    }
  }
}

} // namespace lmc::test
