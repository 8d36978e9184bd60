// The rules of the folders (ARCHITECTURE.md): layers.txt lists what each may include, from the ground up.
#include "source_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
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
      {"mpi.h", "MPI"},    {"dlfcn.h", "dl"},   {"llvm/", "LLVM"},     {"antlr4", "ANTLR"},
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

/// The namespace of a folder's files: that of the first folder below `compiler`, `runtime` as a whole. What stands on
/// the ground is plainly lmc; the interface for hosts has that of its version; the three kinds of checks have their
/// own.
std::string namespaceOf(const fs::path& folder) {
  const std::vector<std::string> parts(folder.begin(), folder.end());
  if (parts.front() == "runtime") return "lmc::runtime";
  const std::string& room = parts.at(1);
  if (room == "base" || room == "diagnostics") return "lmc";
  if (room == "include") return "lmc";
  if (room == "api") return parts.size() > 2 ? "lmc::c" : "lmc::v1";
  if (room == "checks" && (parts.at(2) == "laws" || parts.at(2) == "orders" || parts.at(2) == "study"))
    return "lmc::" + parts.at(2);
  return "lmc::" + room;
}

/// Namespaces that a source opens outside others, without those that hold declarations of other files' types alone.
std::vector<std::string> namespacesOf(const std::string& source) {
  static const std::regex opening(R"((?:^|\n)namespace (lmc(?:::\w+)*) \{)");
  static const std::regex forward(R"((?:\s*(?:struct|class|enum class) \w+(?: : [\w:]+)?;)+\s*)");
  std::vector<std::string> found;
  const std::string code = splitCpp(source).code;
  for (std::sregex_iterator at(code.begin(), code.end(), opening), none; at != none; ++at) {
    const auto begin = static_cast<std::size_t>(at->position() + at->length());
    const std::string body = code.substr(begin, code.find('}', begin) - begin);
    if (!std::regex_match(body, forward)) found.push_back((*at)[1]);
  }
  return found;
}

const fs::path root = LMC_SOURCE_DIR;

} // namespace

TEST(Layers, NamespacesAreFolders) {
  for (const auto& [folder, files] : readTree(root).includes)
    for (const auto& [file, text] : files)
      for (const std::string& name : namespacesOf(text)) {
        const std::string own = namespaceOf(folder);
        EXPECT_TRUE(name == own || name.rfind(own + "::", 0) == 0)
            << folder << "/" << file << " opens " << name << " in place of " << own;
      }
  EXPECT_EQ(namespacesOf("namespace lmc::sym {\nstruct A;\n}\nnamespace lmc::sema {\nstruct B {};\n}\n"),
            std::vector<std::string>{"lmc::sema"});
}

TEST(Layers, TestsMirrorTheTree) {
  // Tests of the tool as a whole, of its harness and of the project itself.
  const std::set<std::string> whole = {"acceptance", "differential", "files",     "fuzz",        "mutants", "packaging",
                                       "python",     "recipes",      "reference", "source_tree", "view"};
  for (const fs::path& file : filesBelow(root / "tests", {".cpp", ".h"})) {
    const fs::path folder = fs::relative(file.parent_path(), root / "tests");
    const fs::path room = *folder.begin();
    if (whole.contains(room.string())) continue;
    EXPECT_TRUE(fs::is_directory(root / "compiler" / room) || fs::is_directory(root / room))
        << folder << ": neither of a room of the compiler nor of the runtime";
  }
}

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
