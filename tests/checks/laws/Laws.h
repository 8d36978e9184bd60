// Testing the laws of declarations in memory.
#pragma once

#include "checks/laws/Verify.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace lmc::test {

/// What `lmc verify` finds out about the groups and manifolds of a text.
struct Lawful {
  /// `files` are what imports find.
  explicit Lawful(const std::string& text, const std::map<std::string, std::string>& files = {}) {
    run([&](sema::Compilation& c) { return c.loadText("test.lie", text); }, files);
  }
  explicit Lawful(const std::filesystem::path& file) {
    run([&](sema::Compilation& c) { return c.load(file); });
  }

  [[nodiscard]] std::string text() const {
    return renderAll(compilation->diagnostics(), compilation->sources(), false);
  }
  [[nodiscard]] std::vector<std::string> codes() const {
    std::vector<std::string> list;
    for (const Diagnostic& d : compilation->diagnostics().sorted()) list.emplace_back(info(d.code).name);
    return list;
  }
  /// The source text under the n-th diagnostic.
  [[nodiscard]] std::string place(std::size_t n = 0) const {
    return std::string(compilation->sources().text(compilation->diagnostics().sorted().at(n).range));
  }

  std::unique_ptr<sema::Compilation> compilation;
  std::vector<laws::Verification> verifications;

private:
  template <class Load> void run(const Load& load, const std::map<std::string, std::string>& files = {}) {
    sema::CompilationOptions options;
    options.libraryRoot = LMC_SOURCE_DIR;
    if (!files.empty())
      options.readFile = [files](const std::filesystem::path& path) -> std::optional<std::string> {
        const auto it = files.find(path.string());
        return it == files.end() ? std::nullopt : std::optional(it->second);
      };
    compilation = sema::makeCompilation(std::move(options));
    if (!load(*compilation) || compilation->diagnostics().hasErrors()) return;
    verifications = laws::Verifier(*compilation).run();
    laws::report(verifications, compilation->diagnostics());
  }
};

/// Clauses of a declaration, to be replaced one at a time by wrong ones.
class Clauses {
public:
  using Changes = std::vector<std::pair<std::string, std::string>>;
  Clauses(std::string head, Changes list) : head_(std::move(head)), list_(std::move(list)) {}

  /// The declaration with other clauses; an empty one is left out, a new name adds one.
  [[nodiscard]] std::string with(const Changes& changes = {}) const {
    auto all = list_;
    for (const auto& [name, clause] : changes) {
      bool known = false;
      for (auto& [own, text] : all) {
        if (own != name) continue;
        text = clause;
        known = true;
      }
      if (!known) all.emplace_back(name, clause);
    }
    std::string text = head_ + " {\n";
    for (const auto& [name, clause] : all)
      if (!clause.empty()) text += "  " + clause + "\n";
    return text + "}\n";
  }

private:
  std::string head_;
  std::vector<std::pair<std::string, std::string>> list_;
};

/// A declaration with one mistake: its one diagnostic, where it points, and what it says.
struct Mistake {
  const char* name;
  std::vector<std::pair<std::string, std::string>> changes;
  const char* code;
  const char* place;
  std::vector<std::string> says;
};

inline void PrintTo(const Mistake& m, std::ostream* out) {
  *out << m.name;
}

inline void expectOneDiagnostic(const std::string& text, const Mistake& m) {
  const Lawful found(text);
  ASSERT_EQ(found.codes(), std::vector<std::string>{m.code}) << text << found.text();
  EXPECT_EQ(found.place(), m.place) << found.text();
  for (const std::string& part : m.says)
    EXPECT_NE(found.text().find(part), std::string::npos) << part << "\n" << found.text();
}

} // namespace lmc::test
