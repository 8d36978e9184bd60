// Messages, what can be done about them, and formatting.
#include "editor/features/Features.h"

#include "editor/text/Format.h"
#include "editor/text/LineChanges.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

namespace lmc::editor {

namespace {

/// The codes of what the parser reports end here (compiler/diagnostics/codes).
constexpr const char* firstOfNames = "LIE0100";

/// The text that a suggestion puts in the place of what is wrong; nothing if it is advice.
std::optional<std::string> replacement(const std::string& suggestion) {
  static const std::regex meant("^did you mean [`\"](.+)[`\"]\\?$");
  static const std::regex write("^write ([^ \u2026]+)$");
  std::smatch m;
  if (std::regex_match(suggestion, m, meant)) return m[1].str();
  static const std::regex quoted("^write `([^`]+)`$");
  if (std::regex_match(suggestion, m, quoted)) return m[1].str();
  if (std::regex_match(suggestion, m, write)) return m[1].str() == "nothing" ? std::string() : m[1].str();
  return std::nullopt;
}

/// A text that is missing: "add `;`".
std::optional<std::string> addition(const std::string& suggestion) {
  static const std::regex add("^add `([^`]+)`$");
  std::smatch m;
  if (std::regex_match(suggestion, m, add)) return m[1].str();
  return std::nullopt;
}

struct Edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

/// What a finding suggests, as an edit of the text that it is of.
std::optional<Edit> editOf(const Finding& f, const std::string& text) {
  if (auto r = replacement(f.suggestion)) {
    // "did you mean `x`?" about `"x.csv"` keeps its quotes.
    const bool quoted = f.end - f.begin >= 2 && text[f.begin] == '"' && text[f.end - 1] == '"' && !r->starts_with('"');
    return Edit{f.begin, f.end, quoted ? "\"" + *r + "\"" : *r};
  }
  if (auto a = addition(f.suggestion)) return Edit{f.end, f.end, *a};
  return std::nullopt;
}

/// For errors of syntax: whether there are fewer afterwards. Names are better after a suggestion of a near one.
bool helps(const Finding& f, const Snapshot& now, const Edit& edit) {
  if (f.code >= firstOfNames) return true;
  std::string text = now.text();
  text.replace(edit.begin, edit.end - edit.begin, edit.text);
  return Snapshot(now.file(), std::move(text)).errors() < now.errors();
}

Json diagnosticOf(const Finding& f, const Positions& positions, const std::string& file) {
  const auto place = [](const TextPosition& p) { return Json{{"line", p.line}, {"character", p.character}}; };
  const auto range = [&](const Positions& in, std::uint32_t begin, std::uint32_t end) {
    return Json{{"start", place(in.position(begin))}, {"end", place(in.position(end))}};
  };
  std::string message = f.message;
  Json related = Json::array();
  for (const Finding::Note& n : f.notes) {
    if (n.placed && n.file.empty())
      related.push_back(
          {{"location", {{"uri", uriOf(file)}, {"range", range(positions, n.begin, n.end)}}}, {"message", n.message}});
    else if (n.placed)
      related.push_back(
          {{"location",
            {{"uri", uriOf(n.file)},
             {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}}}},
           {"message", n.message}});
    else
      message += "\nnote: " + n.message;
  }
  if (!f.suggestion.empty()) message += "\n" + f.suggestion;
  Json d = {{"range", range(positions, f.begin, std::max(f.end, f.begin))},
            {"severity", f.isError ? 1 : 2},
            {"code", f.code},
            {"source", "lmc"},
            {"message", message}};
  if (!related.empty()) d["relatedInformation"] = std::move(related);
  return d;
}

} // namespace

Json diagnosticsOf(const Facts& facts, const std::string& file) {
  const Positions positions(facts.text);
  Json all = Json::array();
  for (const Finding& f : facts.findings) all.push_back(diagnosticOf(f, positions, file));
  return all;
}

Json fixes(const Question& question, std::uint32_t begin, std::uint32_t end) {
  Json all = Json::array();
  if (!question.document.facts) return all;
  const Snapshot& snapshot = *question.document.snapshot();
  const Positions known(question.document.facts->text);
  for (const Finding& f : question.document.facts->findings) {
    // Only where the text is still that of the finding.
    const auto now = [&](std::uint32_t there) -> std::optional<std::uint32_t> {
      if (question.document.facts->text == snapshot.text()) return there;
      for (const std::int64_t shift :
           {std::int64_t{0}, static_cast<std::int64_t>(snapshot.text().size()) -
                                 static_cast<std::int64_t>(question.document.facts->text.size())}) {
        const std::int64_t at = static_cast<std::int64_t>(there) + shift;
        if (at >= 0 && question.document.before(static_cast<std::uint32_t>(at)) == there)
          return static_cast<std::uint32_t>(at);
      }
      return std::nullopt;
    };
    const auto from = now(f.begin), to = now(f.end);
    if (!from || !to || *to < begin || *from > end || *to > snapshot.text().size()) continue;
    Finding here = f;
    here.begin = *from;
    here.end = *to;
    const std::optional<Edit> edit = editOf(here, snapshot.text());
    const Json diagnostic = diagnosticOf(f, known, question.document.file);
    if (edit && helps(here, snapshot, *edit)) {
      const std::string old = snapshot.text().substr(edit->begin, edit->end - edit->begin);
      const std::string title = old.empty()          ? "Add `" + edit->text + "`"
                                : edit->text.empty() ? "Remove `" + old + "`"
                                                     : "Replace `" + old + "` by `" + edit->text + "`";
      all.push_back({{"title", title},
                     {"kind", "quickfix"},
                     {"isPreferred", true},
                     {"diagnostics", Json::array({diagnostic})},
                     {"edit",
                      {{"changes",
                        {{question.document.uri, Json::array({{{"range", rangeOf(snapshot, edit->begin, edit->end)},
                                                               {"newText", edit->text}}})}}}}}});
    }
    all.push_back({{"title", "Explain " + f.code},
                   {"kind", "quickfix"},
                   {"diagnostics", Json::array({diagnostic})},
                   {"command", {{"title", "Explain " + f.code}, {"command", "lmc.explain"}, {"arguments", {f.code}}}}});
  }
  return all;
}

Json formatting(const Question& question) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string& text = question.document.text;
  const SourceId id = sources.add(question.document.file, text);
  const std::optional<std::string> result = formatted(sources, id, diagnostics);
  Json edits = Json::array();
  if (!result) return edits;
  const std::vector<std::string_view> before = splitLines(text), after = splitLines(*result);
  const Snapshot& snapshot = *question.document.snapshot();
  const auto offset = [&](std::size_t line) {
    return static_cast<std::uint32_t>(line < before.size() ? before[line].data() - text.data()
                                                           : static_cast<std::ptrdiff_t>(text.size()));
  };
  for (const LineChange& c : lineChanges(before, after)) {
    std::string lines;
    for (std::size_t k = c.after; k < c.afterEnd; ++k) lines += after[k];
    edits.push_back({{"range", rangeOf(snapshot, offset(c.before), offset(c.beforeEnd))}, {"newText", lines}});
  }
  return edits;
}

} // namespace lmc::editor
