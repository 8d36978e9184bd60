// What the targets share: a text through parser and checker, within limits.
#pragma once

#include "base/Budget.h"
#include "sema/Compilation.h"

#include <string>

namespace lmc::fuzz {

/// Parses and checks a text; `data` is the content of every file that it reads. Every error must have a place.
inline void compile(const std::string& text, const std::string& data = {}) {
  sema::CompilationOptions options;
  options.libraryRoot = LMC_SOURCE_DIR;
  options.readFile = [&](const std::filesystem::path& path) -> std::optional<std::string> {
    if (path.extension() == ".csv") return data;
    return std::nullopt;
  };
  const auto compilation = sema::makeCompilation(std::move(options));
  Budget budget({4, 300'000, 1024, {}});
  const Budget::Scope scope(budget);
  try {
    if (compilation->loadText("case.lie", text)) (void)compilation->check();
  } catch (const BudgetSpent&) { // which is how such a text ends
  }
  (void)renderAll(compilation->diagnostics(), compilation->sources(), false);
  (void)toJson(compilation->diagnostics(), compilation->sources());
}

} // namespace lmc::fuzz
