// What stands in one file each (CONTRIBUTING.md, "How to add …"): commands of the tool, formats of output files.
// Nothing else in C++ knows one by its name.
#include "source_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace lmc::test;

namespace {

const fs::path root = LMC_SOURCE_DIR;

/// The files of a table, by the names of what stands in them.
std::map<std::string, fs::path> entries(const fs::path& folder) {
  std::map<std::string, fs::path> all;
  for (const fs::path& file : filesBelow(folder, {".cpp"})) {
    std::string name = file.stem().string();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_TRUE(all.emplace(name, file).second) << "two files are called " << name;
  }
  return all;
}

/// A line of code that something is compared in.
bool compares(const std::string& line) {
  for (const char* mark : {"==", "!=", "find(", "count(", "contains("})
    if (line.find(mark) != std::string::npos) return true;
  return false;
}

/// Lines of a source that compare something with a literal of exactly this text.
std::vector<std::size_t> comparisons(const std::string& source, const std::string& name) {
  const CppText text = splitCpp(source);
  const std::vector<std::string> lines = codeLines(text);
  std::vector<std::size_t> found;
  for (const Literal& l : text.literals)
    if (l.text == name && compares(lines[l.line - 1])) found.push_back(l.line);
  return found;
}

} // namespace

TEST(Tables, CommandsStandInFilesOfTheirNames) {
  const auto commands = entries(root / "compiler/tool/commands");
  ASSERT_GE(commands.size(), 17U);
  for (const auto& [name, file] : commands) {
    const std::string text = readFile(file);
    EXPECT_NE(text.find(".name = \"" + name + "\""), std::string::npos) << file;
    EXPECT_NE(text.find("extern const Command " + name + "Command = {"), std::string::npos) << file;
  }
}

TEST(Tables, NoCommandIsNamedOutsideItsFile) {
  const auto commands = entries(root / "compiler/tool/commands");
  for (const fs::path& file : filesBelow(root / "compiler/tool", {".h", ".cpp"})) {
    const std::string text = readFile(file);
    for (const auto& [name, own] : commands)
      for (const std::size_t line : comparisons(text, name))
        EXPECT_EQ(file, own) << file << ":" << line << " knows the command " << name;
  }
}

TEST(Tables, FormatsStandInFilesOfTheirNames) {
  const auto formats = entries(root / "runtime/output/formats");
  ASSERT_GE(formats.size(), 3U);
  for (const auto& [name, file] : formats) {
    const std::string text = readFile(file);
    EXPECT_NE(text.find(".name = \"" + name + "\""), std::string::npos) << file;
    EXPECT_NE(text.find("extern const OutputFormat " + name + "OutputFormat = {"), std::string::npos) << file;
  }
}

TEST(Tables, WhatIsReadStandsInFilesOfItsName) {
  const auto formats = entries(root / "runtime/input/formats");
  ASSERT_GE(formats.size(), 3U);
  for (const auto& [name, file] : formats) {
    const std::string text = readFile(file);
    EXPECT_NE(text.find(".name = \"" + name + "\""), std::string::npos) << file;
    EXPECT_NE(text.find("extern const InputFormat " + name + "InputFormat = {"), std::string::npos) << file;
  }
}

TEST(Tables, NoFormatIsNamedOutsideItsFile) {
  std::map<std::string, fs::path> words; // names and endings
  for (const auto& [name, file] : entries(root / "runtime/output/formats")) {
    words[name] = file;
    for (const Literal& l : splitCpp(readFile(file)).literals)
      if (l.text.starts_with(".") && l.text.size() <= 6 && l.text != ".part" && l.text != ".copy") words[l.text] = file;
  }
  EXPECT_GE(words.size(), 6U);
  for (const char* folder : {"compiler", "runtime"})
    for (const fs::path& file : filesBelow(root / folder, {".h", ".cpp"}))
      for (const Literal& l : splitCpp(readFile(file)).literals) {
        const auto found = words.find(l.text);
        // What reads a format is a file of the same name.
        const bool own =
            found == words.end() || found->second == file ||
            (file.parent_path() == root / "runtime/input/formats" && file.filename() == found->second.filename());
        EXPECT_TRUE(own) << file << ":" << l.line << " knows " << l.text;
      }
}

TEST(Tables, ComparisonsAreSeen) {
  EXPECT_EQ(comparisons("a;\nif (call.command == \"run\") b;", "run"), std::vector<std::size_t>{2});
  EXPECT_TRUE(comparisons("object[\"run\"] = 1; // == \"run\"\nf(\"runs\" == x);", "run").empty());
}
