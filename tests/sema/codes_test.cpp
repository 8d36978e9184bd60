// Every code of this phase: its bad example has exactly this error, its good example none.
#include "sema/Support.h"

#include <gtest/gtest.h>

using namespace lmc;
using namespace lmc::test;

namespace {

std::vector<CodeInfo> codesOfThisPhase() {
  std::vector<CodeInfo> result;
  for (const CodeInfo& c : allCodes()) {
    if (c.name >= "LIE0100" && c.name <= "LIE0399") result.push_back(c);
  }
  return result;
}

/// Those that one file can show; the others need several files or the command line and have tests of their own.
std::vector<CodeInfo> codesWithExamples() {
  std::vector<CodeInfo> result = codesOfThisPhase();
  std::erase_if(result, [](const CodeInfo& c) { return c.bad.empty(); });
  return result;
}

class CodeExample : public testing::TestWithParam<CodeInfo> {};

} // namespace

TEST(Codes, ExplainThemselves) {
  for (const CodeInfo& c : codesOfThisPhase()) {
    EXPECT_FALSE(c.title.empty()) << c.name;
    EXPECT_GT(c.explanation.size(), 30U) << c.name;
  }
}

TEST_P(CodeExample, BadHasThisErrorAndGoodHasNone) {
  const CodeInfo& code = GetParam();
  const Checked bad = check(std::string(code.bad));
  EXPECT_EQ(bad.codes(), std::vector<std::string>{std::string(code.name)}) << code.bad << bad.text();
  const bool imports = code.good.find("import") != std::string_view::npos;
  if (imports) return; // of a file that is not there
  const Checked good = check(std::string(code.good));
  EXPECT_EQ(good.text(), "") << code.good;
}

INSTANTIATE_TEST_SUITE_P(Codes, CodeExample, testing::ValuesIn(codesWithExamples()),
                         [](const auto& p) { return std::string(p.param.name); });
