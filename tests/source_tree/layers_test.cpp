// The rules of the folders (ARCHITECTURE.md): layers.txt lists what each may include, from the ground up.
#include "source_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace lmc::test;

namespace {

/// Units that a folder may have: a header with its source is one.
constexpr std::size_t mostUnits = 15;
/// So many units whose names begin with the same word are a folder of their own.
constexpr std::size_t fewUnits = 4;

/// One line of layers.txt.
struct Layer {
  std::string folder;
  std::set<std::string> folders, packages;
};

std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> all;
  for (std::string word; in >> word;) all.insert(word);
  return all;
}

std::vector<Layer> readLayers(const std::string& text) {
  std::vector<Layer> layers;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':'), bar = line.find('|');
    const std::string packages = bar == std::string::npos ? "" : line.substr(bar + 1);
    layers.push_back({line.substr(0, colon), words(line.substr(colon + 1, bar - colon - 1)), words(packages)});
  }
  return layers;
}

/// Files by their folders, with what they include.
struct Tree {
  std::map<std::string, std::vector<std::string>> files;              ///< names by folder
  std::map<std::string, std::map<std::string, std::string>> includes; ///< folder, file, text
};

Tree readTree(const fs::path& root) {
  Tree tree;
  for (const char* part : {"compiler", "runtime"})
    for (const fs::path& file : filesBelow(root / part, {".h", ".hpp", ".cpp", ".c", ".def"})) {
      const std::string folder = fs::relative(file.parent_path(), root).generic_string();
      tree.files[folder].push_back(file.filename().string());
      tree.includes[folder][file.filename().string()] = readFile(file);
    }
  return tree;
}

/// The folder that an include of a file in `from` means; empty for files of others.
std::string folderOf(const Tree& tree, const std::string& from, const std::string& include) {
  const fs::path path = include;
  for (const fs::path& base : {fs::path("compiler"), fs::path("compiler/include"), fs::path(), fs::path(from)}) {
    const fs::path file = (base / path).lexically_normal();
    const auto found = tree.files.find(file.parent_path().generic_string());
    if (found == tree.files.end()) continue;
    const auto& names = found->second;
    if (std::find(names.begin(), names.end(), file.filename().string()) != names.end()) return found->first;
  }
  return {};
}

/// The package of layers.txt that an include needs; empty: none.
std::string packageOf(const std::string& include) {
  static const std::vector<std::pair<std::string, std::string>> starts = {
      {"fmt/", "fmt"},     {"Eigen/", "Eigen"}, {"nlohmann/", "json"}, {"CLI/", "CLI"},
      {"boost/", "Boost"}, {"zlib.h", "ZLIB"},  {"zip.h", "ZIP"},      {"hdf5.h", "HDF5"},
      {"dlfcn.h", "dl"},   {"llvm/", "LLVM"},   {"antlr4", "ANTLR"},
  };
  for (const auto& [start, package] : starts)
    if (include.rfind(start, 0) == 0) return package;
  return {};
}

/// What is wrong with a tree, a line each.
std::vector<std::string> violations(const std::vector<Layer>& layers, const Tree& tree) {
  std::vector<std::string> wrong;
  std::set<std::string> below;
  std::map<std::string, const Layer*> byFolder;
  for (const Layer& layer : layers) {
    byFolder[layer.folder] = &layer;
    if (!tree.files.contains(layer.folder)) wrong.push_back(layer.folder + " has no files");
    for (const std::string& f : layer.folders)
      if (!below.contains(f)) wrong.push_back(layer.folder + " lists " + f + ", which is not above its line");
    below.insert(layer.folder);
  }
  for (const auto& [folder, files] : tree.includes) {
    if (!byFolder.contains(folder)) {
      wrong.push_back(folder + " is not in layers.txt");
      continue;
    }
    const Layer& layer = *byFolder[folder];
    std::set<std::string> usedFolders, usedPackages;
    for (const auto& [file, text] : files)
      for (const std::string& include : includes(text)) {
        const std::string of = folderOf(tree, folder, include), package = packageOf(include);
        if (!of.empty() && of != folder) {
          usedFolders.insert(of);
          if (!layer.folders.contains(of)) wrong.push_back(folder + "/" + file + " may not include " + include);
        }
        if (package.empty()) continue;
        usedPackages.insert(package);
        if (!layer.packages.contains(package))
          wrong.push_back(folder + "/" + file + " uses " + package + ": not listed");
      }
    for (const std::string& f : layer.folders)
      if (!usedFolders.contains(f)) wrong.push_back(folder + " lists " + f + " and does not use it");
    for (const std::string& p : layer.packages)
      if (!usedPackages.contains(p)) wrong.push_back(folder + " lists " + p + " and does not use it");
  }
  return wrong;
}

std::set<std::string> unitsOf(const std::vector<std::string>& files) {
  std::set<std::string> units;
  for (const std::string& f : files) units.insert(f.substr(0, f.find('.')));
  return units;
}

/// The first word of a name in capitals and small letters: Ensemble of EnsembleDraws.
std::string firstWord(const std::string& name) {
  std::size_t n = 1;
  while (n < name.size() && std::islower(static_cast<unsigned char>(name[n])) != 0) ++n;
  return name.substr(0, n);
}

const fs::path root = LMC_SOURCE_DIR;

} // namespace

TEST(Layers, IncludesAreListedAndListsAreUsed) {
  for (const std::string& line : violations(readLayers(readFile(root / "layers.txt")), readTree(root)))
    ADD_FAILURE() << line;
}

TEST(Layers, FoldersHaveAtMostFifteenUnits) {
  for (const auto& [folder, files] : readTree(root).files)
    EXPECT_LE(unitsOf(files).size(), mostUnits) << folder << " wants to be two folders";
}

TEST(Layers, UnitsWithOneFirstWordAreAFolder) {
  for (const auto& [folder, files] : readTree(root).files) {
    std::map<std::string, std::size_t> count;
    for (const std::string& u : unitsOf(files)) ++count[firstWord(u)];
    std::string own = fs::path(folder).filename().string();
    for (const auto& [word, n] : count) {
      std::string small = word;
      std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
      const bool ofFolder = own.rfind(small, 0) == 0 || small.rfind(own, 0) == 0;
      EXPECT_TRUE(n < fewUnits || ofFolder) << n << " units of " << folder << " begin with " << word;
    }
  }
}

TEST(Layers, ViolationsAreSeen) {
  const auto layers = readLayers("a: \nb: a | fmt\nc: a b\nd: e\ne:\n");
  Tree tree;
  const auto add = [&](const std::string& folder, const std::string& name, const std::string& text) {
    tree.files[folder].push_back(name);
    tree.includes[folder][name] = text;
  };
  add("a", "A.h", "#include \"c/C.h\"\n");
  add("b", "B.cpp", "#include \"a/A.h\"\n#include <Eigen/Core>\n");
  add("c", "C.h", "#include \"a/A.h\"\n// #include \"d/D.h\"\n");
  add("e", "E.h", "");
  add("x", "X.h", "");
  const std::vector<std::string> expected = {
      "a/A.h may not include c/C.h",
      "b/B.cpp uses Eigen: not listed",
      "b lists fmt and does not use it",
      "c lists b and does not use it",
      "d has no files",
      "d lists e, which is not above its line",
      "x is not in layers.txt",
  };
  const auto found = violations(layers, tree);
  for (const std::string& line : expected) EXPECT_NE(std::find(found.begin(), found.end(), line), found.end()) << line;
  EXPECT_EQ(found.size(), expected.size());
}
