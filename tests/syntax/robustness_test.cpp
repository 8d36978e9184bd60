// Any bytes in: a tree and diagnostics out, in bounded time.
#include "Support.h"

#include <ctime>
#include <random>

namespace lmc::test {

namespace {

std::string repeated(const std::string& text, std::size_t n) {
  std::string out;
  out.reserve(text.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

/// Parses, renders and prints; returns the number of errors.
std::size_t survive(const std::string& text) {
  const Parsed parsed(text);
  EXPECT_LE(parsed.diagnostics.errorCount(), Diagnostics::defaultLimit + 1);
  (void)parsed.rendered();
  (void)toJson(parsed.diagnostics, parsed.sources);
  (void)syntax::print(parsed.file);
  return parsed.diagnostics.errorCount();
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double slower = 15; // code under a sanitizer
#else
constexpr double slower = 1;
#endif

/// Of processor time, as far as the code under test takes it.
double seconds(const std::string& text) {
  const std::clock_t begin = std::clock();
  survive(text);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / slower;
}

TEST(Robustness, everyPrefixOfEveryFile) {
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    // Every prefix of short files, and a sample of the long ones.
    const std::size_t stride = 1 + text.size() / 400;
    for (std::size_t n = 0; n < text.size(); n += stride) survive(text.substr(0, n));
  }
}

TEST(Robustness, prefixesOfAModelGiveFewErrors) {
  const std::string text = readFile(std::filesystem::path(LMC_SOURCE_DIR) / "examples" / "heavy_top.lie");
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_LE(survive(text.substr(0, n)), 3U) << text.substr(0, n);
}

TEST(Robustness, mutatedBytes) {
  std::mt19937 random(20240229); // NOLINT: the same run every time
  const std::string signs = "(){}[];,:.'=<>+-*/^\"!&|%#@ \n\t\0\xC3\xFF"
                            "0123456789abcdefxyz";
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    for (int round = 0; round < 60; ++round) {
      std::string changed = text;
      const std::size_t count = 1 + random() % 8;
      for (std::size_t i = 0; i < count && !changed.empty(); ++i) {
        const std::size_t at = random() % changed.size();
        switch (random() % 4) {
        case 0:
          changed[at] = signs[random() % signs.size()];
          break;
        case 1:
          changed.erase(at, 1 + random() % 5);
          break;
        case 2:
          changed.insert(at, 1, signs[random() % signs.size()]);
          break;
        default:
          changed.insert(at, changed.substr(random() % changed.size(), random() % 30));
          break;
        }
      }
      survive(changed);
    }
  }
}

TEST(Robustness, randomTokens) {
  const std::vector<std::string> words = {
      "model", "M",     "{",      "}",     "(",     ")",   "[",     "]",      ";",        ",",        ":",     "..",
      ".",     "'",     "=",      "==",    "+",     "-",   "*",     "^",      "1",        "x",        "\"s\"", "if",
      "then",  "else",  "not",    "and",   "sum",   "in",  "where", "next",   "force",    "on",       "at",    "for",
      "i",     "group", "method", "solve", "param", "let", "fn",    "config", "simulate", "velocity", "\n"};
  std::mt19937 random(7); // NOLINT
  for (int round = 0; round < 1500; ++round) {
    std::string text = round % 3 == 0 ? "model M { " : round % 3 == 1 ? "method M { " : "";
    for (int i = 0; i < 40; ++i) text += words[random() % words.size()] + " ";
    survive(text);
  }
}

TEST(Robustness, randomBytes) {
  std::mt19937 random(11); // NOLINT
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const bool ascii = round % 2 == 0;
    for (int i = 0; i < 200; ++i) text += static_cast<char>(random() % (ascii ? 128 : 256));
    survive(text);
  }
}

TEST(Robustness, emptyAndOdd) {
  EXPECT_EQ(survive(""), 0U);
  EXPECT_EQ(survive("\n\n  // only a comment"), 0U);
  EXPECT_EQ(survive("\xEF\xBB\xBF"), 0U);
  EXPECT_EQ(survive(std::string(1, '\0')), 1U);
  EXPECT_EQ(survive(std::string(5000, '\0')), 1U);
  EXPECT_EQ(survive("\xFF\xFE m"), 1U);
  EXPECT_EQ(survive("model M { param \xE9 = 3; }"), 1U);
  EXPECT_EQ(survive("\xC3"), 1U);
  EXPECT_EQ(survive("\xED\xA0\x80"), 1U);
  EXPECT_EQ(survive("\xF4\x90\x80\x80"), 1U);
}

TEST(Robustness, tooLarge) {
  EXPECT_EQ(Parsed(std::string(5U << 20U, ' ')).codes(), "1:1 LIE0002\n");
  syntax::ParseLimits limits;
  limits.tokens = 10;
  EXPECT_EQ(Parsed("fn f(x) = 1 + 2 + 3 + 4;", limits).codes(), "1:1 LIE0002\n");
}

TEST(Robustness, deepNestingIsOneError) {
  const std::size_t n = 100000;
  const std::string head = "fn f(x) = ";
  const std::pair<std::string, std::string> nests[] = {{"(", ")"},
                                                       {"[", "]"},
                                                       {"-", ""},
                                                       {"not ", ""},
                                                       {"f(", ")"},
                                                       {"x[", "]"},
                                                       {"x^", ""},
                                                       {"2^-", ""},
                                                       {"if ", ""},
                                                       {"if x then ", ""},
                                                       {"if x then x else ", ""},
                                                       {"sum(i in 1..", ")"},
                                                       {"(R = ", ")"},
                                                       {"1 + (", ")"},
                                                       {"- - not ", ""}};
  for (const auto& [open, close] : nests) {
    const std::string deep = head + repeated(open, n) + "x" + repeated(close, n) + ";";
    const Parsed parsed(deep);
    ASSERT_EQ(parsed.diagnostics.errorCount(), 1U) << open;
    EXPECT_EQ(parsed.diagnostics.sorted()[0].code, Code::LIE0003) << open;
    survive(head + repeated(open, n));
  }
  for (const std::string postfix : {"'", "[1]", "(x)", ".a"}) {
    const Parsed parsed(head + "x" + repeated(postfix, n) + ";");
    ASSERT_EQ(parsed.diagnostics.errorCount(), 1U) << postfix;
    EXPECT_EQ(parsed.diagnostics.sorted()[0].code, Code::LIE0003) << postfix;
  }
  EXPECT_EQ(survive("model M { " + repeated("for i in 1..2 { ", n) + repeated("}", n) + "}"), 1U);
}

TEST(Robustness, allowedNestingWorks) {
  const std::size_t n = 200;
  const std::string head = "fn f(x) = ";
  EXPECT_EQ(survive(head + repeated("(", n) + "x" + repeated(")", n) + ";"), 0U);
  EXPECT_EQ(survive(head + repeated("-", n) + "x;"), 0U);
  EXPECT_EQ(survive(head + repeated("x^", n) + "x;"), 0U);
  EXPECT_EQ(survive(head + repeated("if x then x else ", n) + "x;"), 0U);
  EXPECT_EQ(survive(head + "x" + repeated("'", n) + ";"), 0U);
  EXPECT_EQ(survive(repeated("fn f(x) = (x + 1;\n", 90)), 90U);
}

TEST(Robustness, longFlatChains) {
  const std::size_t n = 100000;
  for (const std::string term : {" + x", " - 1", "*x", "/2", " and x", " + x[1]*2", " - f(x)^2"}) {
    const Parsed parsed("fn f(x) = 1" + repeated(term, n) + ";");
    EXPECT_EQ(parsed.rendered(), "") << term;
    const auto& value = *parsed.file.declarations.at(0).body.at(0)->value;
    EXPECT_EQ(syntax::leftSpine(value).size(), n) << term;
    EXPECT_GT(syntax::unparse(value).size(), n) << term;
    EXPECT_GT(syntax::printTree(value).size(), n) << term;
  }
  EXPECT_EQ(survive("fn f(x) = [1" + repeated(", 1", n) + "];"), 0U);
  EXPECT_EQ(survive("model M {" + repeated("param a = 1;\n", n) + "}"), 0U);
}

TEST(Robustness, timeGrowsLinearly) {
  // A quadratic parser would take minutes for each of these.
  const std::size_t n = 50000;
  EXPECT_LT(seconds("fn f(x) = " + repeated("(", n)), 5);
  EXPECT_LT(seconds("fn f(x) = " + repeated("(x + ", n)), 5);
  EXPECT_LT(seconds(repeated("fn f(x) = (((x;\n", n)), 20);
  EXPECT_LT(seconds("model M { " + repeated("x y;\n", n) + "}"), 20);
  EXPECT_LT(seconds("model M { " + repeated("param a = (1 2);\n", n) + "}"), 20);
  EXPECT_LT(seconds(repeated("/* ", n)), 5);
  EXPECT_LT(seconds(repeated("\"", n)), 5);
  EXPECT_LT(seconds(repeated("é", n)), 5);
  EXPECT_LT(seconds(repeated("é ", n)), 20);
  EXPECT_LT(seconds(repeated("}", n)), 5);
  EXPECT_LT(seconds(repeated("{", n)), 5);
  EXPECT_LT(seconds(repeated("1.", n)), 20);
}

TEST(Robustness, copiesOfLongChainsShareAndDie) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text = repeated("x + ", 100000) + "1";
  syntax::ExprPtr e = syntax::parseExpression(sources, sources.add("test", text), diagnostics);
  const syntax::ExprPtr inner = e->args[0]->args[0];
  const syntax::Expr copy = *e;
  e.reset();
  EXPECT_EQ(syntax::leftSpine(*inner).size(), 99998U);
  EXPECT_EQ(syntax::leftSpine(copy).size(), 100000U);
}

} // namespace

} // namespace lmc::test
