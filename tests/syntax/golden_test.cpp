// The trees of whole files, compared with the listings beside them. LMC_UPDATE_GOLDEN=1 writes them anew.
#include "Support.h"

#include <cstdlib>

namespace lmc::test {

namespace {

TEST(Golden, treesOfExamples) {
  const std::filesystem::path golden = std::filesystem::path(LMC_SYNTAX_TESTS) / "golden";
  for (const auto& path : allFiles()) {
    const Parsed parsed(readFile(path));
    EXPECT_EQ(parsed.rendered(), "") << path;
    // The libraries change with their authors; pinned are the files that have a listing, and all beside them.
    const std::filesystem::path expected = golden / (path.stem().string() + ".tree");
    if (path.parent_path().filename() != "golden" && !std::filesystem::exists(expected)) continue;
    const std::string tree = syntax::print(parsed.file);
    if (std::getenv("LMC_UPDATE_GOLDEN") != nullptr) std::ofstream(expected, std::ios::binary) << tree;
    EXPECT_EQ(tree, readFile(expected)) << path;
  }
}

TEST(Golden, sameTextSameTree) {
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    EXPECT_EQ(syntax::print(Parsed(text).file), syntax::print(Parsed(text).file));
  }
}

TEST(Golden, lineEndsAndByteOrderMarkDoNotMatter) {
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Parsed parsed(windows);
    EXPECT_EQ(parsed.rendered(), "");
    EXPECT_EQ(syntax::print(parsed.file), syntax::print(Parsed(text).file)) << path;
  }
}

TEST(Golden, everyDecisionNeedsOneToken) {
  const std::string parser = readFile(std::filesystem::path(LMC_GENERATED_SYNTAX) / "LieParser.cpp");
  ASSERT_FALSE(parser.empty());
  EXPECT_EQ(parser.find("adaptivePredict"), std::string::npos) << "a decision of Lie.g4 needs more than one token";
}

TEST(Golden, antlrIsIncludedOnce) {
  std::vector<std::string> users;
  for (const char* folder : {"compiler", "runtime"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(LMC_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h") continue;
      if (readFile(entry.path()).find("antlr4-runtime.h") != std::string::npos)
        users.push_back(entry.path().filename().string());
    }
  EXPECT_EQ(users, std::vector<std::string>{"Parser.cpp"});
}

TEST(Golden, docCommentsStandDirectlyAbove) {
  const Parsed parsed("// far\n\n// one\n//  two\nmodel A { }\n/* no */\nmodel B { }  // behind\nmodel C { }\n");
  ASSERT_EQ(parsed.file.declarations.size(), 3U);
  EXPECT_EQ(parsed.file.declarations[0].doc, "one\n two");
  EXPECT_EQ(parsed.file.declarations[1].doc, "");
  EXPECT_EQ(parsed.file.declarations[2].doc, "");
}

} // namespace

} // namespace lmc::test
