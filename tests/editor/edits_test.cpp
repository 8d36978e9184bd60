// The server survives: random edits of the project's files with requests in between. LMC_EDITS=N makes N of them.
#include "Support.h"

#include "editor/documents/Splice.h"
#include "syntax/Print.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace lmc::editor {

namespace {

constexpr const char* requests[] = {"hover",          "definition",   "references",          "documentHighlight",
                                    "prepareRename",  "rename",       "completion",          "signatureHelp",
                                    "documentSymbol", "foldingRange", "semanticTokens/full", "inlayHint",
                                    "codeLens",       "codeAction",   "formatting"};

std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = LMC_SOURCE_DIR;
  for (const char* name :
       {"examples", "stdlib", "runtime/steppers", "tests/acceptance/errors", "tests/acceptance/models"})
    for (const auto& entry : std::filesystem::directory_iterator(root / name))
      if (entry.path().extension() == ".lie") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Editing {
public:
  explicit Editing(unsigned seed) : random_(seed), files_(models()) {}

  void run(std::size_t edits) {
    for (std::size_t k = 0; k < edits; ++k) {
      if (k % 60 == 0) open();
      change();
      for (std::size_t n = below(3); n > 0; --n) request();
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "edit " << k << " of " << uri_ << "\n" << text_;
        return;
      }
    }
  }

private:
  std::size_t below(std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void open() {
    if (!uri_.empty() && below(2) == 0) client_.tell("textDocument/didClose", {{"textDocument", {{"uri", uri_}}}});
    const std::filesystem::path& file = files_[below(files_.size())];
    uri_ = uriOf(file.string());
    text_ = readText(file);
    client_.open(uri_, text_);
  }

  /// Of bytes that begin characters.
  std::size_t place() {
    std::size_t at = below(text_.size() + 1);
    while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U) ++at;
    if (at > 0 && at < text_.size() && text_[at] == '\n' && text_[at - 1] == '\r') --at;
    return at;
  }

  Json positionAt(std::size_t offset) const {
    const TextPosition p = Positions(text_).position(offset);
    return {{"line", p.line}, {"character", p.character}};
  }

  void change() {
    static const std::vector<std::string> typed = {"a",
                                                   "x1",
                                                   ".",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ";",
                                                   ",",
                                                   " = ",
                                                   "'",
                                                   "\n",
                                                   " ",
                                                   "\"",
                                                   "/*",
                                                   "//",
                                                   "..",
                                                   "^",
                                                   "model M {",
                                                   "config q : SO(3) velocity w;",
                                                   "sum(i in 1..3: ",
                                                   "lagrangian = ",
                                                   "simulate { method = ",
                                                   "\xCE\xB1",
                                                   "\xF0\x9D\x94\xBC",
                                                   "1e",
                                                   "import \"heavy_top.lie\";",
                                                   "if a then b else ",
                                                   "SO(3).",
                                                   "\r\n"};
    std::size_t begin = place(), end = begin;
    if (below(3) == 0) end = std::min(text_.size(), begin + below(below(10) == 0 ? 200 : 6));
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
    if (end > 0 && end < text_.size() && text_[end] == '\n' && text_[end - 1] == '\r') ++end;
    std::string now = below(4) == 0 ? "" : typed[below(typed.size())];
    if (below(40) == 0 && text_.size() < 20000) now = text_.substr(0, text_.size() / 2);
    const Json range = {{"start", positionAt(begin)}, {"end", positionAt(end)}};
    text_.replace(begin, end - begin, now);
    if (below(30) == 0)
      client_.tell("textDocument/didChange", {{"textDocument", {{"uri", uri_}, {"version", ++version_}}},
                                              {"contentChanges", {{{"text", text_}}}}});
    else
      client_.tell("textDocument/didChange", {{"textDocument", {{"uri", uri_}, {"version", ++version_}}},
                                              {"contentChanges", {{{"range", range}, {"text", now}}}}});
  }

  void request() {
    const std::string method = requests[below(std::size(requests))];
    Json params = {{"textDocument", {{"uri", uri_}}},
                   {"position", positionAt(place())},
                   {"newName", below(2) == 0 ? "q" : "fresh_name"}};
    params["range"] = {{"start", positionAt(place())}, {"end", positionAt(place())}};
    const Json answer = client_.ask("textDocument/" + method, params);
    ASSERT_TRUE(answer.is_object()) << method;
    if (answer.contains("error")) {
      EXPECT_EQ(answer["error"]["code"], -32803) << method << ": " << answer["error"].dump();
      return;
    }
    ASSERT_TRUE(answer.contains("result")) << method;
    // The server's text is this one: places that it names lie within.
    if (method == "foldingRange")
      for (const Json& fold : answer["result"])
        EXPECT_LT(fold["endLine"].get<std::size_t>(), Positions(text_).lineCount());
    if (method == "formatting") formatted(answer["result"]);
  }

  /// What the server says about formatting, applied, has the same characters but for blanks.
  void formatted(const Json& edits) {
    const Positions positions(text_);
    std::string text = text_;
    for (auto it = edits.rbegin(); it != edits.rend(); ++it) {
      const auto at = [&](const char* end) {
        const Json& p = (*it)["range"][end];
        return positions.offset({p["line"], p["character"]});
      };
      text.replace(at("start"), at("end") - at("start"), (*it)["newText"].get<std::string>());
    }
    const auto solid = [](std::string s) {
      std::erase_if(s, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f'; });
      return s;
    };
    EXPECT_EQ(solid(text), solid(text_));
  }

  std::mt19937 random_;
  std::vector<std::filesystem::path> files_;
  TestClient client_;
  std::string uri_, text_;
  std::int64_t version_ = 1;
};

} // namespace

/// What is read of one statement anew and of the rest kept is what reading all of it gives: trees, places, names,
/// tokens.
TEST(Edits, AChangedStatementIsReadAsTheWholeTextIs) {
  std::mt19937 random(5); // NOLINT
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::vector<std::string> typed = {"a",      "1",       " ",        "(",          ")",
                                          "+ x",    "*2",      "\n",       ".",          "[1]",
                                          "// c\n", "/* c */", "\xCE\xB1", "; ",         ";\n let zz = 1;",
                                          "'",      "e5",      "in",       "velocity w", "{ }"};
  std::size_t spliced_ = 0;
  for (const auto& file : models()) {
    const std::string text = readText(file);
    const Snapshot before("a.lie", text);
    if (before.hasErrors()) continue;
    for (int k = 0; k < 25; ++k) {
      std::string changed = text;
      std::size_t at = below(text.size());
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
      if (below(3) == 0 && static_cast<unsigned char>(text[at]) < 0x80)
        changed.erase(at, 1);
      else
        changed.insert(at, typed[below(typed.size())]);
      const Snapshot whole("a.lie", changed), part("a.lie", changed, &before);
      if (spliced(before.tree(), text, changed, {})) ++spliced_;
      ASSERT_EQ(syntax::print(whole.tree()), syntax::print(part.tree())) << changed;
      ASSERT_EQ(whole.errors(), part.errors()) << changed;
      const auto &a = whole.index().occurrences, &b = part.index().occurrences;
      ASSERT_EQ(a.size(), b.size()) << changed;
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].range, b[i].range) << changed;
        ASSERT_EQ(a[i].symbol, b[i].symbol) << changed;
      }
      ASSERT_EQ(whole.index().symbols.size(), part.index().symbols.size());
      for (std::size_t i = 0; i < whole.index().symbols.size(); ++i) {
        const Symbol &x = whole.index().symbols[i], &y = part.index().symbols[i];
        ASSERT_EQ(x.range, y.range) << changed;
        if (x.statement != nullptr && x.statement->value)
          ASSERT_EQ(x.statement->value->range, y.statement->value->range);
        if (x.statement != nullptr && x.statement->type) ASSERT_EQ(x.statement->type->range, y.statement->type->range);
      }
    }
  }
  EXPECT_GT(spliced_, 500U);
}

TEST(Edits, TheServerSurvives) {
  const char* wanted = std::getenv("LMC_EDITS");
  const char* seed = std::getenv("LMC_SEED");
  const std::size_t edits = wanted != nullptr ? std::stoul(wanted) : 800;
  Editing(seed != nullptr ? static_cast<unsigned>(std::stoul(seed)) : 1).run(edits);
}

} // namespace lmc::editor
