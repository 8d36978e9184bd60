// Every wrong program is answered with exactly the errors that it holds, in their places.
#include "acceptance/Diagnostics.h"
#include "acceptance/Tool.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

std::vector<std::string> wrongPrograms() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(errorFolder())) {
    if (entry.path().extension() == ".lie") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class WrongProgram : public testing::TestWithParam<std::string> {};

long errorsIn(const std::vector<Reported>& list) {
  return std::count_if(list.begin(), list.end(), [](const Reported& r) { return !r.warning; });
}

std::string lastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

constexpr const char* good = "model M {\n"
                             "  config x : R velocity v;\n"
                             "  lagrangian = 0.5*v^2 - 0.5*x^2;\n"
                             "  initial x = 1;\n"
                             "  simulate { method = RKMK4; time = 0..1; step = 0.1; }\n"
                             "}\n";

} // namespace

TEST_P(WrongProgram, IsAnsweredWithItsErrors) {
  const std::filesystem::path file = errorFolder() / (GetParam() + ".lie");
  const Expectations expected = parseExpectations(readFile(file));
  ASSERT_FALSE(expected.list.empty()) << "no expectations in " << file;
  const Workspace w;
  const Outcome outcome = w.lmc({expected.run ? "run" : "check", file.string()});
  const std::vector<Reported> reported = parseDiagnostics(outcome.err);
  EXPECT_EQ(compare(expected, reported), "") << outcome.err;
  const long errors = errorsIn(reported);
  EXPECT_EQ(outcome.status, errors > 0 ? 1 : 0) << outcome.err;
  if (errors > 0) {
    EXPECT_NE(lastLine(outcome.err).find(std::to_string(errors) + " error"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find('^'), std::string::npos) << "no caret";
  }
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << "colour, though standard error is no terminal";
}

INSTANTIATE_TEST_SUITE_P(Errors, WrongProgram, testing::ValuesIn(wrongPrograms()),
                         [](const auto& p) { return p.param; });

TEST(Diagnostics, AsObjects) {
  const Workspace w;
  const Outcome outcome = w.lmc({"check", (errorFolder() / "several.lie").string(), "--json"});
  EXPECT_EQ(outcome.status, 1);
  const nlohmann::json all = parseJson(outcome.out);
  ASSERT_FALSE(all.is_discarded()) << outcome.out;
  const nlohmann::json& list = all.is_array() ? all : all.at("diagnostics");
  ASSERT_EQ(list.size(), 4U);
  for (const nlohmann::json& d : list) {
    EXPECT_EQ(d.at("severity"), "error");
    EXPECT_TRUE(d.at("code").get<std::string>().starts_with("LIE"));
    for (const char* key : {"line", "column"}) EXPECT_GE(d.at(key).get<int>(), 1);
    EXPECT_FALSE(d.at("message").get<std::string>().empty());
    EXPECT_TRUE(d.contains("file"));
  }
  EXPECT_EQ(list[0].at("line"), 3);
}

TEST(Diagnostics, ShowTheLineAndACaretUnderTheWholeRange) {
  const Workspace w;
  const std::string file = (errorFolder() / "unknown_name.lie").string();
  const Outcome outcome = w.lmc({"check", file});
  EXPECT_TRUE(outcome.err.starts_with(file + ":4:")) << outcome.err;
  EXPECT_NE(outcome.err.find("lagrangian = 0.5*dot(Omega, J*Omgea);\n"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.find("^^^^^") != std::string::npos || outcome.err.find("^~~~~") != std::string::npos)
      << outcome.err;
}

TEST(Diagnostics, InColourWhenAsked) {
  const Workspace w;
  const std::string file = (errorFolder() / "unknown_name.lie").string();
  EXPECT_NE(w.lmc({"check", file, "--color", "always"}).err.find("\x1b["), std::string::npos);
  EXPECT_EQ(w.lmc({"check", file, "--color", "never"}).err.find("\x1b["), std::string::npos);
}

TEST(Diagnostics, OfSeveralFiles) {
  const Workspace w;
  const std::string first = (errorFolder() / "unknown_name.lie").string();
  const std::string second = (errorFolder() / "huge_number.lie").string();
  const Outcome outcome = w.lmc({"check", first, w.write("good.lie", good).string(), second});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(errorsIn(parseDiagnostics(outcome.err)), 2) << outcome.err;
  EXPECT_NE(outcome.err.find("unknown_name.lie:4:"), std::string::npos);
  EXPECT_NE(outcome.err.find("huge_number.lie:2:"), std::string::npos);
}

TEST(Diagnostics, OfAnImportedFileNameThatFile) {
  const Workspace w;
  w.write("lib.lie", "fn twice(a) = 2*b;\n");
  const std::string file = w.write("main.lie", std::string("import \"lib.lie\";\n") + good).string();
  const Outcome outcome = w.lmc({"check", file});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("lib.lie:1:17: error"), std::string::npos) << outcome.err;
}

TEST(Limits, NoInputCrashesTheTool) {
  const Workspace w;
  const std::string deep(20000, '(');
  const std::vector<std::pair<std::string, std::string>> inputs{
      {"empty", ""},
      {"blank", " \n\n"},
      {"binary", std::string("\x00\x01\xff\xfe model \x80", 13)},
      {"cut_short", "model M { config R : SO(3"},
      {"only_model", "model"},
      {"deep", "model M { lagrangian = " + deep + "; }"},
      {"deep_closed", "model M { lagrangian = " + deep + "1" + std::string(20000, ')') + "; }"},
      {"deep_blocks", "model M { " +
                          [] {
                            std::string s;
                            for (int i = 0; i < 5000; ++i) s += "for i in 1..2 { ";
                            return s;
                          }()},
      {"deep_if", "fn f(x) = " +
                      [] {
                        std::string s;
                        for (int i = 0; i < 5000; ++i) s += "if x > 0 then 1 else ";
                        return s + "0;";
                      }()},
      {"signs", "model M { param a = " + std::string(20000, '-') + "1; }"},
      {"powers", "fn f(x) = x" + [] {
         std::string s;
         for (int i = 0; i < 5000; ++i) s += "^x";
         return s + ";";
       }()}};
  for (const auto& [name, text] : inputs) {
    const Outcome outcome = w.lmc({"check", w.write(name + ".lie", text).string()});
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 1) << name << ": status " << outcome.status << "\n"
                                                            << outcome.err.substr(0, 2000);
    EXPECT_LE(errorsIn(parseDiagnostics(outcome.err)), 101) << name;
  }
}

TEST(Limits, LongFlatSumsAreNoNesting) {
  const Workspace w;
  std::string sum = "x";
  for (int i = 0; i < 2000; ++i) sum += " + x*" + std::to_string(i);
  const std::string text = "model M {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - (" + sum + ");\n}\n";
  const Outcome outcome = w.lmc({"check", w.write("sum.lie", text).string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err.substr(0, 2000);
}

TEST(Limits, ManyErrorsAreCutOff) {
  const Workspace w;
  std::string text = "model M {\n";
  for (int i = 0; i < 1000; ++i) text += "  observe o" + std::to_string(i) + " = unknown" + std::to_string(i) + ";\n";
  const Outcome outcome = w.lmc({"check", w.write("many.lie", text + "}\n").string()});
  EXPECT_EQ(outcome.status, 1);
  const long errors = errorsIn(parseDiagnostics(outcome.err));
  EXPECT_GE(errors, 20);
  EXPECT_LE(errors, 201);
}

TEST(Limits, AByteOrderMarkIsAccepted) {
  const Workspace w;
  EXPECT_EQ(w.lmc({"check", w.write("bom.lie", std::string("\xef\xbb\xbf") + good).string()}).status, 0);
  EXPECT_EQ(w.lmc({"check", w.write("crlf.lie", "// a comment\r\n" + std::string(good)).string()}).status, 0);
}
