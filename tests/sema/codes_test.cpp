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

class CodeExample : public testing::TestWithParam<CodeInfo> {};

} // namespace

TEST_P(CodeExample, ExplainsItself) {
  EXPECT_FALSE(GetParam().title.empty());
  EXPECT_GT(GetParam().explanation.size(), 30U);
}

TEST_P(CodeExample, BadHasThisErrorAndGoodHasNone) {
  const CodeInfo& code = GetParam();
  if (code.bad.empty()) GTEST_SKIP() << "needs more than one file, or the command line";
  const Checked bad = check(std::string(code.bad));
  EXPECT_EQ(bad.codes(), std::vector<std::string>{std::string(code.name)}) << code.bad << bad.text();
  const bool imports = code.good.find("import") != std::string_view::npos;
  if (imports) return; // of a file that is not there
  const Checked good = check(std::string(code.good));
  EXPECT_EQ(good.text(), "") << code.good;
}

INSTANTIATE_TEST_SUITE_P(Codes, CodeExample, testing::ValuesIn(codesOfThisPhase()),
                         [](const auto& p) { return std::string(p.param.name); });
