// Sessions with the server: tests/editor/sessions/NAME.session is a list of requests, NAME.golden the answers.
// LMC_UPDATE_GOLDEN=1 writes them anew. A place is WORD#N+K: K bytes behind the N-th WORD of the text.
#include "Support.h"

#include "editor/Messages.h"

#include <gtest/gtest.h>

namespace lmc::editor {

namespace {

const std::filesystem::path folder = std::filesystem::path(LMC_SOURCE_DIR) / "tests/editor/sessions";

class Session {
public:
  std::string run(const std::string& script) {
    std::istringstream lines(script);
    std::string line, out;
    while (std::getline(lines, line)) {
      if (line.empty() || line.starts_with("#")) continue;
      out += "> " + line + "\n" + step(line) + "\n";
    }
    // Places of this machine.
    const std::string root = LMC_SOURCE_DIR;
    for (std::size_t at = out.find(root); at != std::string::npos; at = out.find(root, at))
      out.replace(at, root.size(), "ROOT");
    return out;
  }

private:
  [[nodiscard]] Json placeOf(const std::string& where) const {
    std::string word = where;
    std::size_t behind = 0, number = 1;
    if (const std::size_t plus = word.rfind('+'); plus != std::string::npos && plus > 0) {
      behind = std::stoul(word.substr(plus + 1));
      word.resize(plus);
    }
    if (const std::size_t mark = word.rfind('#'); mark != std::string::npos) {
      number = std::stoul(word.substr(mark + 1));
      word.resize(mark);
    }
    std::size_t at = std::string::npos;
    for (std::size_t n = 0; n < number; ++n) at = text_.find(word, at + 1);
    if (at == std::string::npos) throw std::runtime_error("there is no `" + where + "`");
    const TextPosition p = Positions(text_).position(at + behind);
    return {{"line", p.line}, {"character", p.character}};
  }

  void open(const std::string& file) {
    text_ = readText(folder / file);
    uri_ = uriOf((folder / file).string());
    client_.open(uri_, text_);
    client_.settle();
  }

  std::string answer(const std::string& method, Json params) {
    params["textDocument"] = {{"uri", uri_}};
    const Json m = client_.ask("textDocument/" + method, params);
    return (m.contains("result") ? m["result"] : m["error"]).dump(1);
  }

  /// Short: labels of items, "a b c".
  static std::string labels(const Json& result) {
    std::string out;
    for (const Json& item : result["items"]) out += item["label"].get<std::string>() + " ";
    return out;
  }

  std::string step(const std::string& line) {
    std::istringstream in(line);
    std::string what, where, rest;
    in >> what >> where;
    std::getline(in >> std::ws, rest);
    const Json whole = {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 999}, {"character", 0}}}};
    if (what == "open") {
      open(where);
      return client_.diagnostics(uri_).dump(1);
    }
    if (what == "insert") {
      // where TEXT: typed there; the answer are the diagnostics.
      const Json p = placeOf(where);
      const Positions positions(text_);
      text_.insert(positions.offset({p["line"], p["character"]}), rest);
      client_.tell("textDocument/didChange",
                   {{"textDocument", {{"uri", uri_}, {"version", 2}}},
                    {"contentChanges", {{{"range", {{"start", p}, {"end", p}}}, {"text", rest}}}}});
      client_.settle();
      return client_.diagnostics(uri_).dump(1);
    }
    if (what == "hover") {
      const Json m =
          client_.ask("textDocument/hover", {{"textDocument", {{"uri", uri_}}}, {"position", placeOf(where)}});
      return m["result"].is_null() ? "nothing" : m["result"]["contents"]["value"].get<std::string>();
    }
    if (what == "complete") {
      const Json m =
          client_.ask("textDocument/completion", {{"textDocument", {{"uri", uri_}}}, {"position", placeOf(where)}});
      return labels(m["result"]);
    }
    if (what == "rename") return answer("rename", {{"position", placeOf(where)}, {"newName", rest}});
    if (what == "references")
      return answer("references", {{"position", placeOf(where)}, {"context", {{"includeDeclaration", true}}}});
    if (what == "inlayHint") return answer(what, {{"range", whole}});
    if (what == "codeAction")
      return answer(what, {{"range", {{"start", placeOf(where)}, {"end", placeOf(where)}}},
                           {"context", {{"diagnostics", Json::array()}}}});
    if (what == "equations") {
      const Json m =
          client_.ask("workspace/executeCommand", {{"command", "lmc.equations"}, {"arguments", Json::array({uri_})}});
      return m.contains("result") ? m["result"].get<std::string>() : m["error"].dump(1);
    }
    return answer(what, where.empty() ? Json::object() : Json{{"position", placeOf(where)}});
  }

  TestClient client_;
  std::string uri_, text_;
};

} // namespace

TEST(Sessions, Golden) {
  std::size_t sessions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".session") continue;
    ++sessions;
    std::filesystem::path golden = entry.path();
    golden.replace_extension(".golden");
    const std::string answers = Session().run(readText(entry.path()));
    if (std::getenv("LMC_UPDATE_GOLDEN") != nullptr)
      std::ofstream(golden, std::ios::binary) << answers;
    else
      EXPECT_EQ(answers, readText(golden)) << entry.path();
  }
  EXPECT_GT(sessions, 3U);
}

/// What the server says that it can do is in a session.
TEST(Sessions, HaveEveryRequest) {
  std::string scripts = "\n";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".session") scripts += readText(entry.path()) + "\n";
  TestClient client;
  const Json can = client.ask("initialize", Json::object())["result"]["capabilities"];
  std::size_t requests = 0;
  for (const auto& [name, value] : can.items()) {
    if (!name.ends_with("Provider")) continue;
    std::string word = name.substr(0, name.size() - std::string("Provider").size());
    if (word == "completion") word = "complete";
    if (word == "documentFormatting") word = "formatting";
    if (word == "semanticTokens") word = "semanticTokens/full";
    if (word == "executeCommand") word = "equations";
    EXPECT_NE(scripts.find("\n" + word), std::string::npos) << name;
    if (value.is_object() && value.contains("prepareProvider"))
      EXPECT_NE(scripts.find("\nprepareRename"), std::string::npos);
    ++requests;
  }
  EXPECT_GT(requests, 14U);
}

TEST(Server, SaysWhatIsWrongWithMessages) {
  TestClient client;
  EXPECT_EQ(client.ask("nothing/atAll", Json::object())["error"]["code"], -32601);
  EXPECT_EQ(client.ask("textDocument/hover", Json::object())["error"]["code"], -32602);
  EXPECT_EQ(client.ask("textDocument/hover", Json::array())["error"]["code"], -32602);
  EXPECT_EQ(client.ask("textDocument/hover", {{"textDocument", {{"uri", "file:///none"}}},
                                              {"position", {{"line", 0}, {"character", 0}}}})["error"]["code"],
            -32602);
  EXPECT_EQ(client.ask("textDocument/hover", {{"textDocument", {{"uri", 3}}}})["error"]["code"], -32602);
  client.raw("{");
  client.raw("[]");
  client.raw("3");
  client.raw("{\"method\": 3}");
  client.raw("\xFF\xFE");
  client.open("file:///a.lie", "model M { param a = 1; }");
  const Json far = {{"textDocument", {{"uri", "file:///a.lie"}}},
                    {"position", {{"line", 1000000}, {"character", 1000000}}}};
  EXPECT_TRUE(client.ask("textDocument/hover", far).contains("result"));
}

/// Half of a character, as an editor may send it while one is typed: a unit like any other.
TEST(Server, TakesHalvesOfCharacters) {
  TestClient client;
  client.open("file:///a.lie", "// ab\nmodel M { param a = 1; }\n");
  client.raw(
      R"({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///a.lie",
    "version": 2}, "contentChanges": [{"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 4}},
    "text": "\ud83d \\ud83d \ud83d\ude00 \ude00"}]}})");
  client.settle();
  const Json lines = client.ask("textDocument/formatting",
                                {{"textDocument", {{"uri", "file:///a.lie"}}}, {"options", Json::object()}});
  ASSERT_TRUE(lines.contains("result")) << lines;
  const Json at = {{"textDocument", {{"uri", "file:///a.lie"}}}, {"position", {{"line", 1}, {"character", 16}}}};
  EXPECT_TRUE(client.ask("textDocument/hover", at)["result"].is_object());
  EXPECT_EQ(editor::withWholeCharacters(R"("\ud83d \\ud83d \ud83d\ude00 \ude00 \u00e4 \u12")"),
            R"("\ufffd \\ud83d \ud83d\ude00 \ufffd \u00e4 \u12")");
}

/// Texts that import each other's declarations, both open: the editor's text counts, not that of the disk.
TEST(Server, SeveralTexts) {
  TestClient client;
  const std::string part = uriOf((folder / "top_parts.lie").string()), whole = uriOf((folder / "user.lie").string());
  client.open(part, "// Thrice.\nfn thrice(a) = 3*a;\n");
  client.open(whole, "import \"top_parts.lie\";\nfn nine(a) = thrice(thrice(a));\n");
  client.settle();
  EXPECT_TRUE(client.diagnostics(whole).empty()) << client.diagnostics(whole);
  const auto at = [](int line, int character) { return Json{{"line", line}, {"character", character}}; };
  const auto ask = [&](const std::string& method, const std::string& uri, const Json& place,
                       const std::string& name = "") {
    return client.ask("textDocument/" + method,
                      {{"textDocument", {{"uri", uri}}}, {"position", place}, {"newName", name}});
  };
  EXPECT_EQ(ask("definition", whole, at(1, 15))["result"]["uri"], part);
  // In both texts, from either.
  const Json changes = ask("rename", part, at(1, 5), "triple")["result"]["changes"];
  ASSERT_EQ(changes.size(), 2U) << changes;
  EXPECT_EQ(changes[whole].size(), 2U);
  EXPECT_EQ(changes[part].size(), 1U);
  EXPECT_TRUE(ask("rename", part, at(1, 5), "nine").contains("error"));
  EXPECT_EQ(ask("references", part, at(1, 5))["result"].size(), 3U);
  // The part changes in the editor, and the text that imports it has a message.
  client.tell("textDocument/didChange", {{"textDocument", {{"uri", part}, {"version", 2}}},
                                         {"contentChanges", {{{"text", "fn triple(a) = 3*a;\n"}}}}});
  client.settle();
  ASSERT_FALSE(client.diagnostics(whole).empty());
  EXPECT_EQ(client.diagnostics(whole)[0]["code"], "LIE0101");
  // An error in the part is told at the import.
  client.tell("textDocument/didChange", {{"textDocument", {{"uri", part}, {"version", 3}}},
                                         {"contentChanges", {{{"text", "fn thrice(a) = ;\n"}}}}});
  client.settle();
  bool atImport = false;
  for (const Json& d : client.diagnostics(whole)) atImport = atImport || d["range"]["start"] == at(0, 7);
  EXPECT_TRUE(atImport) << client.diagnostics(whole);
  client.tell("textDocument/didClose", {{"textDocument", {{"uri", whole}}}});
  EXPECT_TRUE(client.diagnostics(whole).empty());
}

/// Greek letters are one unit of UTF-16 and two bytes; letters beyond 16 bits, in comments, two units and four bytes.
TEST(Positions, AreCountedAsUtf16) {
  const std::string text = "a\xCE\xB1\xF0\x9D\x94\xBCz\r\n\xE2\x88\xAB b\rc";
  const Positions p(text);
  EXPECT_EQ(p.lineCount(), 3U);
  EXPECT_EQ(p.position(3), (TextPosition{0, 2}));
  EXPECT_EQ(p.position(7), (TextPosition{0, 4}));
  EXPECT_EQ(p.offset({0, 4}), 7U);
  EXPECT_EQ(p.offset({0, 99}), 8U);
  EXPECT_EQ(p.offset({1, 1}), 13U);
  EXPECT_EQ(p.position(13), (TextPosition{1, 1}));
  EXPECT_EQ(p.offset({2, 0}), text.size() - 1);
  EXPECT_EQ(p.offset({9, 9}), text.size());
  for (std::size_t k = 0; k <= text.size(); ++k) {
    const bool within = k < text.size() && (static_cast<unsigned char>(text[k]) & 0xC0U) == 0x80U;
    const bool end = k > 0 && k < text.size() && text[k] == '\n';
    if (!within && !end) EXPECT_EQ(p.offset(p.position(k)), k);
    for (std::size_t from = 0; from <= k; ++from)
      if (from == text.size() || (static_cast<unsigned char>(text[from]) & 0xC0U) != 0x80U)
        EXPECT_EQ(p.position(k, from, p.position(from)), p.position(k)) << from << " " << k;
  }
}

} // namespace lmc::editor
