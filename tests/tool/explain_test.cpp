// `lmc explain`: every code has an entry, and what the entries of the run phase show as wrong is answered with them.
#include "acceptance/Diagnostics.h"
#include "acceptance/Tool.h"
#include "diagnostics/Diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace lmc::acceptance;

namespace {

bool reports(const Outcome& outcome, std::string_view code) {
  return outcome.err.find("[" + std::string(code) + "]") != std::string::npos;
}

} // namespace

TEST(Explain, KnowsEveryCode) {
  const Workspace w;
  const std::string list = w.lmc({"explain"}).out;
  for (const lmc::CodeInfo& entry : lmc::allCodes()) {
    const std::string name(entry.name);
    EXPECT_NE(list.find(name + "  " + std::string(entry.title)), std::string::npos) << name;
    const Outcome outcome = w.lmc({"explain", name});
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_TRUE(outcome.out.starts_with(name + ": " + std::string(entry.title) + "\n")) << outcome.out;
    EXPECT_FALSE(entry.explanation.empty()) << name;
  }
}

TEST(Explain, TakesCodesAsPeopleTypeThem) {
  const Workspace w;
  const std::string text = w.lmc({"explain", "LIE0601"}).out;
  for (const char* name : {"lie0601", "0601", "601"}) EXPECT_EQ(w.lmc({"explain", name}).out, text) << name;
  EXPECT_NE(text.find("Wrong:"), std::string::npos);
  EXPECT_NE(text.find("Right:"), std::string::npos);
}

TEST(Explain, AsJson) {
  const Workspace w;
  const auto list = parseJson(w.lmc({"explain", "--json"}).out);
  ASSERT_TRUE(list.is_object());
  EXPECT_EQ(list.at("codes").size(), lmc::allCodes().size());
  const auto one = parseJson(w.lmc({"explain", "LIE0601", "--json"}).out);
  ASSERT_TRUE(one.is_object());
  EXPECT_EQ(one.at("code"), "LIE0601");
}

TEST(Explain, ExamplesOfTheRunPhaseAreAsTheySay) {
  const Workspace w;
  int examples = 0;
  for (const lmc::CodeInfo& entry : lmc::allCodes()) {
    const bool ofRuns = entry.name.starts_with("LIE06") || entry.name.starts_with("LIE059");
    if (!ofRuns || !entry.bad.starts_with("model")) continue;
    ++examples;
    const std::string bad = w.write("bad.lie", std::string(entry.bad)).string();
    const std::string good = w.write("good.lie", std::string(entry.good)).string();
    const Outcome wrong = w.lmc({"run", bad, "--quiet"});
    EXPECT_TRUE(reports(wrong, entry.name)) << entry.name << "\n" << wrong.err;
    EXPECT_EQ(wrong.status, wrong.err.find(": error[") != std::string::npos ? 1 : 0);
    const Outcome right = w.lmc({"run", good, "--quiet"});
    EXPECT_EQ(right.status, 0) << entry.name << "\n" << right.err;
    EXPECT_EQ(right.err, "") << entry.name;
  }
  EXPECT_EQ(examples, 18);
}

TEST(Explain, TablesOfStatesAreAnsweredWithTheirLine) {
  const Workspace w;
  const std::string file = example("spherical_pendulum");
  const auto derive = [&](const std::string& table) {
    w.write("s.csv", table);
    return w.lmc({"derive", file, "--at", "s.csv"});
  };
  const Outcome column = derive("t,q[1],q[2],q[3],w[1],w[2]\n0,1,0,0,0,1\n");
  EXPECT_EQ(column.status, 1);
  EXPECT_TRUE(reports(column, "LIE0610")) << column.err;
  EXPECT_NE(column.err.find("`w[3]`"), std::string::npos) << column.err;
  const std::string header = "t,q[1],q[2],q[3],w[1],w[2],w[3]\n";
  const Outcome word = derive(header + "0,1,0,0,0,1,0\n1,1,0,zero,0,1,0\n");
  EXPECT_EQ(word.status, 1);
  EXPECT_NE(word.err.find("s.csv:3:7: error[LIE0611]"), std::string::npos) << word.err;
  const Outcome cells = derive(header + "0,1,0\n");
  EXPECT_NE(cells.err.find("s.csv:2:1: error[LIE0611]"), std::string::npos) << cells.err;
  const Outcome right = derive(header + "0,1,0,0,0,1,0\n\n");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_TRUE(right.out.starts_with("t,w'[1],w'[2],w'[3]\n0,")) << right.out;
}
