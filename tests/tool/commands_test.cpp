// The pages that the tool makes of its table of commands tell the same: the help, the completions, the manual page.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace lmc::acceptance;

namespace {

struct Entry {
  std::string name, text;
};

/// The entries of one section of a page of help: the first word of each line with two blanks before it, and the rest.
std::vector<Entry> section(const std::string& help, const std::string& title) {
  std::vector<Entry> entries;
  std::istringstream in(help);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != ' ') inside = line == title + ":";
    if (!inside || !line.starts_with("  ")) continue;
    if (line[2] == ' ' && !entries.empty()) {
      entries.back().text += line.substr(line.find_first_not_of(' '));
      continue;
    }
    std::istringstream words(line);
    std::string name, rest;
    words >> name;
    std::getline(words, rest);
    entries.push_back({name, rest});
  }
  return entries;
}

std::vector<Entry> commands(const Workspace& w) {
  return section(w.lmc({"--help"}).out, "Subcommands");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Without what the manual page puts before a hyphen.
std::string plain(std::string page) {
  std::erase(page, '\\');
  return page;
}

} // namespace

TEST(Commands, AreListedOnce) {
  const Workspace w;
  const auto all = commands(w);
  ASSERT_GE(all.size(), 17U);
  EXPECT_EQ(all.front().name, "run"); // which is what `lmc model.lie` suggests
  std::set<std::string> names;
  for (const Entry& c : all) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GT(c.text.size(), 10U) << c.name << " has no summary";
  }
}

TEST(Commands, OptionsAreTheSameOnAllPages) {
  const Workspace w;
  const std::string manual = plain(w.lmc({"manual"}).out), bash = w.lmc({"completion", "bash"}).out,
                    zsh = w.lmc({"completion", "zsh"}).out;
  for (const Entry& c : commands(w)) {
    const std::string help = w.lmc({c.name, "--help"}).out;
    EXPECT_TRUE(contains(manual, ".SS \"lmc " + c.name)) << c.name;
    EXPECT_TRUE(contains(zsh, "'" + c.name + ":")) << c.name;
    std::istringstream lines(bash);
    std::string offered;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("      " + c.name + ") words=\"--")) offered = line;
    std::set<std::string> names;
    bool color = false;
    for (const Entry& o : section(help, "Options")) {
      const std::string name = o.name.substr(o.name.find("--"));
      EXPECT_TRUE(names.insert(name).second) << c.name << " has " << name << " twice";
      EXPECT_TRUE(contains(offered, name)) << c.name << " " << name;
      color = color || name == "--color";
      if (name == "--help") continue;
      EXPECT_TRUE(contains(manual, ".B " + name)) << c.name << " " << name;
      EXPECT_TRUE(contains(zsh, name + "[")) << c.name << " " << name;
    }
    EXPECT_TRUE(color) << c.name;
  }
}

TEST(Commands, NearNamesAreSuggested) {
  const Workspace w;
  for (const Entry& c : commands(w)) {
    const Outcome outcome = w.lmc({c.name + "x"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "did you mean `" + c.name + "`?")) << outcome.err;
  }
}

TEST(Commands, NearOptionsAreSuggested) {
  const Workspace w;
  const auto all = commands(w);
  for (const Entry& c : all) {
    const auto options = section(w.lmc({c.name, "--help"}).out, "Options");
    for (const Entry& o : c.name == all.front().name ? options : std::vector<Entry>{options.back()}) {
      const std::string name = o.name.substr(o.name.find("--"));
      const Outcome outcome = w.lmc({c.name, name + "q"});
      EXPECT_EQ(outcome.status, 2);
      EXPECT_TRUE(contains(outcome.err, "`" + c.name + "` has no option `" + name + "q`; did you mean `--"))
          << outcome.err;
    }
  }
}

TEST(Commands, ExamplesUseOptionsThatThereAre) {
  const Workspace w;
  for (const Entry& c : commands(w)) {
    const std::string help = w.lmc({c.name, "--help"}).out;
    std::set<std::string> names;
    for (const Entry& o : section(help, "Options")) {
      std::istringstream forms(o.name);
      for (std::string form; std::getline(forms, form, ',');) names.insert(form);
    }
    std::istringstream lines(help.substr(std::min(help.find("Examples:"), help.size())));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find('`'), std::string::npos) << line; // a shell would run what is between them
      std::istringstream words(line);
      for (std::string word; words >> word;)
        EXPECT_TRUE(!word.starts_with("-") || names.contains(word)) << c.name << ": " << line;
    }
  }
}
