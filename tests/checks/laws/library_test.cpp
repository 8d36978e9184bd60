// Every law holds for every declaration of the library, and for the good example of every diagnostic.
#include "Laws.h"

using namespace lmc;
using namespace lmc::test;

namespace {

std::vector<std::filesystem::path> libraryFiles() {
  std::vector<std::filesystem::path> list;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LMC_SOURCE_DIR "/stdlib"))
    if (entry.path().extension() == ".lie") list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<CodeInfo> codesOfLaws() {
  std::vector<CodeInfo> list;
  for (const CodeInfo& c : allCodes())
    if (c.name >= "LIE0570" && c.name <= "LIE0589" && !c.bad.empty()) list.push_back(c);
  return list;
}

class LibraryFile : public testing::TestWithParam<std::filesystem::path> {};
class CodeExample : public testing::TestWithParam<CodeInfo> {};

} // namespace

TEST_P(LibraryFile, AllLawsHold) {
  const Lawful found(GetParam());
  EXPECT_EQ(found.text(), "");
  for (const laws::Verification& v : found.verifications) {
    EXPECT_FALSE(v.members.empty()) << v.declaration.declaration->name << " has no member with sizes up to 4";
    for (const laws::Member& m : v.members) {
      EXPECT_TRUE(m.obstacle.empty()) << m.obstacle;
      EXPECT_GE(m.laws.size(), 8U);
      for (const laws::LawResult& r : m.laws) {
        EXPECT_EQ(r.outcome, laws::Outcome::Holds) << m.manifold->name() << ": " << r.law.name;
        // Round-off: a few hundred operations, relative to the size of what is added.
        EXPECT_LE(r.tests.defect(), 1e-12) << m.manifold->name() << ": " << r.law.name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryFile, testing::ValuesIn(libraryFiles()), [](const auto& p) {
  std::string name = p.param.stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST_P(CodeExample, BadHasThisErrorAndGoodHasNone) {
  const CodeInfo& code = GetParam();
  const Lawful bad{std::string(code.bad)}, good{std::string(code.good)};
  EXPECT_EQ(bad.codes(), std::vector<std::string>{std::string(code.name)}) << code.bad << bad.text();
  EXPECT_EQ(good.text(), "") << code.good;
}

INSTANTIATE_TEST_SUITE_P(Laws, CodeExample, testing::ValuesIn(codesOfLaws()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(Families, AreTestedForTheSizesThatFit) {
  const Lawful found(
      std::string("group Pair(n) {\n  element x : vec(n);\n  algebra v : vec(n);\n  identity = zeros(n);\n"
                  "  product(a, b) = a + b;\n  inverse(a) = -a;\n  bracket(u, v) = zeros(n);\n"
                  "  exp(v) = v;\n  log(x) = [x[1], x[n - 1]];\n}\n"));
  // log is a vector of two numbers: it fits n = 2 alone.
  ASSERT_EQ(found.verifications.size(), 1U);
  ASSERT_EQ(found.verifications[0].members.size(), 1U) << found.text();
  EXPECT_EQ(found.verifications[0].members[0].manifold->name(), "Pair(2)");
  EXPECT_EQ(found.codes(), std::vector<std::string>{"LIE0572"}) << found.text(); // and log is [x1, x1]
}

TEST(Families, AFailureNamesTheSizes) {
  const Lawful found(
      std::string("group Cyclic(n) {\n  element x : vec(n);\n  algebra v : vec(n);\n  identity = zeros(n);\n"
                  "  product(a, b) = a + b;\n  inverse(a) = (2 - n)*a - a/n;\n  bracket(u, v) = zeros(n);\n"
                  "  exp(v) = v;\n}\n"));
  EXPECT_NE(found.text().find("Cyclic(1): the inverse"), std::string::npos) << found.text();
  EXPECT_NE(found.text().find("the same for Cyclic(2), Cyclic(3), Cyclic(4)"), std::string::npos) << found.text();
}

TEST(Results, AreTheSameEveryTime) {
  const std::filesystem::path file = libraryFiles().front();
  const Lawful one(file), two(file);
  ASSERT_EQ(one.verifications.size(), two.verifications.size());
  for (std::size_t k = 0; k < one.verifications[0].members[0].laws.size(); ++k)
    EXPECT_EQ(one.verifications[0].members[0].laws[k].tests.defect(),
              two.verifications[0].members[0].laws[k].tests.defect());
}
