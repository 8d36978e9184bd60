// Invariants of the source tree (ARCHITECTURE.md): the compiler and the runtime know no manifold and no method
// by name; ANTLR and LLVM stay where they belong; files stay short; every library declaration says what it is.
#include "source_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace lmc::test;

namespace {

const fs::path root = LMC_SOURCE_DIR;
const std::set<std::string> cppFiles = {".h", ".cpp"};

/// Built-in constructors of methods: words of the language, not names of the library.
const std::set<std::string> languageWords = {"rkmk", "crouch_grossman", "projected", "compose"};

std::string shown(const fs::path& file) {
  return fs::relative(file, root).generic_string();
}

std::vector<Declared> library() {
  std::vector<Declared> all;
  for (const char* folder : {"stdlib", "runtime/steppers"})
    for (const auto& file : filesBelow(root / folder, {".lie"}))
      for (auto& d : declarations(file)) all.push_back(std::move(d));
  return all;
}

std::vector<fs::path> cppSources() {
  std::vector<fs::path> all;
  for (const char* folder : {"compiler", "runtime"})
    for (auto& file : filesBelow(root / folder, cppFiles)) all.push_back(std::move(file));
  return all;
}

/// Where `'…'` quotes a word in a text for people; texts for C, shells, gnuplot, NumPy and browsers quote as these do.
bool quotesWithApostrophes(const std::string& literal) {
  static const std::regex quoted("(^|[ (])'[^' ][^']*'($|[ ,.;:)?])");
  return std::regex_search(literal, quoted);
}

/// A line of code that looks for a text.
bool compares(const std::string& line) {
  for (const char* mark : {"==", "!=", "find(", "count(", "contains(", "starts_with(", "lookUp("})
    if (line.find(mark) != std::string::npos) return true;
  return false;
}

/// A one-letter name is a common identifier and a common text. It names a manifold only in a literal with an exponent
/// or an argument ("R^n", "S(2)"), or as all of a literal that something is compared with (== "R").
bool literalNamesLetter(const std::string& literal, const std::string& letter, const std::string& line) {
  if (literal == letter) return compares(line);
  for (const char* mark : {"^", "("}) {
    const std::size_t p = literal.find(letter + mark);
    if (p != std::string::npos && hasWord(literal.substr(0, p + 1), letter)) return true;
  }
  return false;
}

/// Places in one C++ source where a library name occurs: "line 12: RKMK4".
std::vector<std::string> libraryNamesIn(const std::string& source, const std::set<std::string>& names) {
  const CppText text = splitCpp(source);
  const std::vector<std::string> lines = codeLines(text);

  std::vector<std::string> places;
  for (const std::string& name : names) {
    const auto report = [&](std::size_t line) { places.push_back("line " + std::to_string(line) + ": " + name); };
    const bool letter = name.size() == 1;
    for (const Literal& l : text.literals)
      if (letter ? literalNamesLetter(l.text, name, lines[l.line - 1]) : hasWord(l.text, name)) report(l.line);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (!letter && hasWord(lines[i], name)) report(i + 1);
  }
  return places;
}

std::set<std::string> libraryNames() {
  std::set<std::string> names;
  for (const auto& d : library())
    if (languageWords.count(d.name) == 0) names.insert(d.name);
  return names;
}

/// True for a header of the ANTLR runtime, or one that ANTLR generates from a grammar in grammar/.
bool isAntlrHeader(const std::string& header) {
  if (header.rfind("antlr4", 0) == 0) return true;
  const std::string base = fs::path(header).stem().string();
  for (const auto& grammar : filesBelow(root / "grammar", {".g4"})) {
    std::string stem = grammar.stem().string();
    for (const std::string part : {"Lexer", "Parser"})
      if (stem.size() > part.size() && stem.ends_with(part)) stem.resize(stem.size() - part.size());
    for (const char* part : {"Lexer", "Parser", "Visitor", "BaseVisitor", "Listener", "BaseListener"})
      for (const std::string& generated : {stem + part, stem + "Parser" + part})
        if (base == generated) return true;
  }
  return false;
}

bool isLlvmHeader(const std::string& header) {
  return header.rfind("llvm/", 0) == 0 || header.rfind("llvm-c/", 0) == 0;
}

/// Files whose job it is to read what a user or a host program has typed, text of C or of JSON.
const std::set<std::string> readersOfText = {
    "compiler/api/Names.cpp",                          // members, in names that host programs give
    "compiler/checks/motions/Names.cpp",               // --free, --fix
    "compiler/editor/features/Completion.cpp",         // what is being typed
    "compiler/editor/features/Place.cpp",              // likewise
    "compiler/editor/features/Signatures.cpp",         // heads of declarations, as they were typed
    "compiler/products/ensembles/Variations.cpp",      // --vary
    "compiler/sema/session/Overrides.cpp",             // --set
    "compiler/sema/session/TableFile.cpp",             // headers of a file
    "compiler/tool/commands/models/Check.cpp",         // an array of JSON
    "compiler/tool/commands/reference/Completion.cpp", // words for shells
    "compiler/tool/support/SharedOptions.cpp",         // lists in options
    "runtime/input/formats/Csv.cpp",                   // headers of tables
};

/// Lines of a C++ source that look for a bracket in a text: so a name of an entry, "w[3]", is taken apart.
std::vector<std::size_t> bracketsSought(const std::string& source) {
  std::vector<std::size_t> found;
  std::size_t number = 0;
  for (std::size_t at = 0; at < source.size(); ++number) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(' ') != std::string::npos && line.compare(line.find_first_not_of(' '), 2, "//") == 0)
      continue;
    for (const std::string bracket : {"'['", "']'", "\"[\"", "\"]\""})
      for (const std::string sought : {"find(", "find_first_of(", "find_last_of(", "== ", "!= ", "case ", "ends_with("})
        if (line.find(sought + bracket) != std::string::npos) {
          found.push_back(number + 1);
          break;
        }
  }
  return found;
}

/// Files that may name the two arrays of an input, or spell the parts of a name.
const std::set<std::string> namesOfArrays = {
    "compiler/present/writers/Symbols.cpp",    // LaTeX
    "compiler/sema/model/ModelParameters.cpp", // gives "u.given" and "u.value" their names
    "compiler/sym/Print.cpp",                  // LaTeX
};

/// Lines that compose the name of an input's array, or look for the dot in a name: Parameter::input and Field::of say
/// what belongs to what.
std::vector<std::size_t> dotsSought(const std::string& source) {
  std::vector<std::size_t> found;
  std::size_t number = 0;
  for (std::size_t at = 0; at < source.size(); ++number) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(' ') != std::string::npos && line.compare(line.find_first_not_of(' '), 2, "//") == 0)
      continue;
    for (const char* sought : {"find('.'", "find(\".\"", "\".given\"", "\".value\""})
      if (line.find(sought) != std::string::npos) {
        found.push_back(number + 1);
        break;
      }
  }
  return found;
}

} // namespace

TEST(SourceText, FindsNamesOfInputsThatAreComposed) {
  EXPECT_EQ(dotsSought("x;\nname == input + \".given\"").front(), 2U);
  EXPECT_EQ(dotsSought("p.name.substr(0, p.name.rfind('.'))").size(), 1U);
  EXPECT_TRUE(dotsSought("  // \"u.given\", rfind('.')").empty());
  EXPECT_TRUE(dotsSought("a.name == p.input").empty());
}

TEST(Fields, OfInputsAreNotFoundByComposedNames) {
  std::set<std::string> used;
  for (const auto& file : cppSources()) {
    const std::string name = shown(file);
    if (name.rfind("compiler/syntax/", 0) == 0) continue;
    const std::vector<std::size_t> lines = dotsSought(readFile(file));
    if (lines.empty()) continue;
    if (namesOfArrays.count(name) > 0)
      used.insert(name);
    else
      ADD_FAILURE() << name << ":" << lines.front() << ": a name is composed or taken apart. Parameter::input and "
                    << "Field::of say what belongs to what";
  }
  EXPECT_EQ(used, namesOfArrays);
}

TEST(Units, AreMadeByTheirBuilderAlone) {
  for (const auto& file : cppSources()) {
    const std::string name = shown(file);
    if (name.rfind("compiler/lower/", 0) == 0 || name.rfind("compiler/unit/builder/", 0) == 0) continue;
    EXPECT_EQ(readFile(file).find("#include \"lower/Lower.h\""), std::string::npos)
        << name << " lowers by itself: compiler/unit/builder/UnitBuilder.h does that";
  }
}

TEST(SourceText, FindsNamesThatAreTakenApart) {
  EXPECT_EQ(bracketsSought("x;\nconst auto open = name.rfind('[', end);\n").front(), 2U);
  EXPECT_EQ(bracketsSought("while (name[end - 1] == ']') {").size(), 1U);
  EXPECT_EQ(bracketsSought("if (name.ends_with(\"]\"))").size(), 1U);
  EXPECT_TRUE(bracketsSought("text += '[' + std::to_string(i) + ']';").empty());
  EXPECT_TRUE(bracketsSought("  // name.find('[') is for users' texts").empty());
}

TEST(Fields, AreNeverReadBackFromNamesOfEntries) {
  std::set<std::string> used;
  for (const auto& file : cppSources()) {
    const std::string name = shown(file);
    if (name.rfind("compiler/syntax/", 0) == 0) continue;
    const std::vector<std::size_t> lines = bracketsSought(readFile(file));
    if (lines.empty()) continue;
    if (readersOfText.count(name) > 0)
      used.insert(name);
    else
      ADD_FAILURE() << name << ":" << lines.front()
                    << ": a text is searched for brackets. Entries have their field and "
                    << "indices (runtime/fields/Field.h); only what a user has typed is read";
  }
  EXPECT_EQ(used, readersOfText) << "files that are listed and read no text";
}

TEST(SourceText, SplitsCommentsAndLiterals) {
  const CppText t = splitCpp("a; // RKMK4\n/* CF4\n*/ f(\"x \\\" SO\", 'c', 1'000, R\"(raw \" CG3)\"); tail");
  EXPECT_FALSE(hasWord(t.code, "RKMK4"));
  EXPECT_FALSE(hasWord(t.code, "CF4"));
  EXPECT_FALSE(hasWord(t.code, "SO"));
  EXPECT_TRUE(hasWord(t.code, "tail"));
  ASSERT_EQ(t.literals.size(), 3U);
  EXPECT_EQ(t.literals[0].text, "x \\\" SO");
  EXPECT_EQ(t.literals[0].line, 3U);
  EXPECT_EQ(t.literals[2].text, "raw \" CG3");
}

TEST(SourceText, FindsLibraryNames) {
  const std::set<std::string> names = {"R", "S", "SO", "CF4"};
  EXPECT_EQ(libraryNamesIn("int R = 0; // CF4\nauto S = R;", names).size(), 0U);
  EXPECT_EQ(libraryNamesIn("if (x == \"R\") {", names), std::vector<std::string>{"line 1: R"});
  EXPECT_EQ(libraryNamesIn("table = {0x211D, \"R\"};", names).size(), 0U);
  EXPECT_EQ(libraryNamesIn("\nauto x = \"on S^2\";", names), std::vector<std::string>{"line 2: S"});
  EXPECT_EQ(libraryNamesIn("auto x = \"SO(3)\";", names), std::vector<std::string>{"line 1: SO"});
  EXPECT_EQ(libraryNamesIn("\n\nstep(CF4);", names), std::vector<std::string>{"line 3: CF4"});
  EXPECT_EQ(libraryNamesIn("step(CF4b); auto y = \"ERRORS: LIES(1)\";", names).size(), 0U);
}

TEST(Library, DeclaresWhatItShips) {
  const auto names = libraryNames();
  for (const char* name : {"R", "SO", "S", "LieEuler", "RKMK2", "RKMK3", "RKMK4", "RKMK4full", "CF2", "CF3", "CF3b",
                           "CF4", "CG3", "CG4", "Heun2", "Heun3", "Kutta3", "ClassicalRK4", "DormandPrince"})
    EXPECT_EQ(names.count(name), 1U) << name << " is not declared in stdlib/ or runtime/steppers/";
}

TEST(Library, EveryDeclarationIsDocumented) {
  for (const auto& d : library()) {
    EXPECT_FALSE(d.doc.empty()) << shown(d.file) << ":" << d.line << ": no comment directly above " << d.name;
    const bool needsSource = d.keyword != "group" && d.keyword != "manifold";
    EXPECT_TRUE(!needsSource || d.doc.find("Source: ") != std::string::npos)
        << shown(d.file) << ":" << d.line << ": the comment above " << d.name << " names no source";
  }
}

TEST(Invariants, NoManifoldOrMethodIsNamedInCpp) {
  const auto names = libraryNames();
  for (const auto& file : cppSources())
    for (const auto& place : libraryNamesIn(readFile(file), names))
      ADD_FAILURE() << shown(file) << ", " << place << " is a name of the library (stdlib/, runtime/steppers/)";
}

TEST(Invariants, NoJointIsNamedInCpp) {
  std::set<std::string> joints; // their names are common words: what counts is a call, or all of a text
  const std::string word = "\njoint ";
  for (const auto& file : filesBelow(root / "stdlib", {".lie"})) {
    const std::string text = readFile(file);
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      joints.insert(text.substr(at + word.size(), text.find('(', at) - at - word.size()));
  }
  EXPECT_GT(joints.size(), 20U);
  for (const auto& file : cppSources())
    for (const Literal& l : splitCpp(readFile(file)).literals)
      for (const std::string& name : joints)
        EXPECT_EQ((" " + l.text).find(" " + name + "("), std::string::npos)
            << shown(file) << ", line " << l.line << ": " << name << " is a joint of the library";
}

TEST(Invariants, AntlrIsIncludedInOneTranslationUnit) {
  std::vector<std::string> users;
  for (const auto& file : cppSources()) {
    const auto headers = includes(readFile(file));
    if (std::none_of(headers.begin(), headers.end(), isAntlrHeader)) continue;
    users.push_back(shown(file));
    EXPECT_EQ(file.extension(), ".cpp") << shown(file) << " brings ANTLR into whatever includes it";
  }
  EXPECT_LE(users.size(), 1U) << "ANTLR is included in " << testing::PrintToString(users);
}

TEST(Invariants, LlvmStaysInItsBackEnd) {
  for (const auto& file : cppSources()) {
    const std::string name = shown(file);
    if (name.rfind("compiler/backends/llvm/", 0) == 0) continue;
    for (const auto& header : includes(readFile(file)))
      EXPECT_FALSE(isLlvmHeader(header)) << name << " includes " << header;
  }
}

/// What a method says is read once: everything behind its checked form sees that form.
TEST(Invariants, TheSyntaxOfMethodsIsReadInOneFolder) {
  for (const char* folder : {"compiler/methods", "compiler/checks/orders", "compiler/checks/study"})
    for (const auto& file : filesBelow(root / folder, cppFiles)) {
      if (shown(file).rfind("compiler/methods/checked/", 0) == 0) continue;
      const CppText text = splitCpp(readFile(file));
      for (const char* word : {"StatementKind", "ExprKind", "Statement", "paramDefaults", "constructor", "kindName"})
        EXPECT_FALSE(hasWord(text.code, word)) << shown(file) << " reads the syntax of methods: " << word;
    }
}

TEST(Invariants, TheHostInterfaceNeedsNoOtherLibrary) {
  for (const auto& file : filesBelow(root / "compiler/include", cppFiles))
    for (const auto& header : includes(readFile(file)))
      EXPECT_FALSE(isLlvmHeader(header) || isAntlrHeader(header) || header.rfind("Eigen/", 0) == 0)
          << shown(file) << " includes " << header;
}

TEST(SourceText, FindsApostrophesThatQuote) {
  for (const char* text : {"there is no method 'RKM4'", "'x' is a name", "give 'address', or none", "found ('a b')"})
    EXPECT_TRUE(quotesWithApostrophes(text)) << text;
  for (const char* text : {"the method's word `x'`", "v' and `x''` are rates", "of the models' parts", "`it's`"})
    EXPECT_FALSE(quotesWithApostrophes(text)) << text;
}

TEST(Invariants, MessagesQuoteWithBackticks) {
  const std::set<std::string> ofOthers = {"compiler/backends/c/Source.cpp",
                                          "compiler/tool/film/Browser.cpp",
                                          "compiler/tool/plot/Gnuplot.cpp",
                                          "compiler/tool/view/Texts.cpp",
                                          "compiler/tool/commands/reference/Completion.cpp",
                                          "runtime/input/formats/Npz.cpp",
                                          "runtime/output/formats/Npz.cpp"};
  std::vector<fs::path> files = filesBelow(root / "compiler/diagnostics/codes", {".def"});
  for (const auto& file : cppSources()) files.push_back(file);
  for (const auto& file : files) {
    if (ofOthers.contains(shown(file))) continue;
    for (const Literal& l : splitCpp(readFile(file)).literals) {
      const bool isCommand = l.text.find("awk") != std::string::npos || l.text.find("`lmc ") != std::string::npos;
      EXPECT_FALSE(!isCommand && quotesWithApostrophes(l.text)) << shown(file) << ":" << l.line << ": " << l.text;
    }
  }
}

TEST(Invariants, FilesAreShort) {
  constexpr std::size_t limit = 500;
  const fs::path oneFile = root / "compiler/include/lmc/lmc.h"; // hosts in C include the whole interface
  for (const char* folder : {"compiler", "runtime", "stdlib", "grammar", "tests", "bench", "tools"})
    for (const auto& file : filesBelow(root / folder, {".h", ".cpp", ".def", ".lie", ".g4"})) {
      if (file == oneFile) continue;
      const std::string text = readFile(file);
      const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
      EXPECT_LE(lines, limit) << shown(file) << " is too long; split it";
    }
}
