// What the tests of the syntax share.
#pragma once

#include "syntax/Print.h"
#include "syntax/parser/Parser.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace lmc::test {

/// A text with its tree and its diagnostics.
struct Parsed {
  explicit Parsed(std::string text, const syntax::ParseLimits& limits = {})
      : file(syntax::parse(sources, sources.add("test.lie", std::move(text)), diagnostics, limits)) {}

  [[nodiscard]] std::string rendered() const { return renderAll(diagnostics, sources, false); }

  /// `LINE:COL LIE####`, one a line.
  [[nodiscard]] std::string codes() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted()) {
      const Position at = sources[d.range.source].position(d.range.begin);
      out += std::to_string(at.line) + ":" + std::to_string(at.column) + " " + std::string(info(d.code).name) + "\n";
    }
    return out;
  }

  Sources sources;
  Diagnostics diagnostics;
  syntax::File file;
};

inline std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every `.lie` file of the project: models, manifolds, methods, and the tour of the language.
inline std::vector<std::filesystem::path> allFiles() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root = LMC_SOURCE_DIR;
  for (const char* folder : {"examples", "stdlib", "runtime/steppers", "tests/syntax/golden"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.path().extension() == ".lie") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The tree of a lone expression in prefix form.
inline std::string treeOf(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const syntax::ExprPtr e = syntax::parseExpression(sources, sources.add("test", text), diagnostics);
  return diagnostics.hasErrors() ? renderAll(diagnostics, sources, false) : syntax::printTree(*e);
}

} // namespace lmc::test
