#include "editor/features/Features.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::editor {

using syntax::TokenKind;

namespace {

/// The kinds of symbols of the protocol.
int symbolKind(SymbolKind kind) {
  constexpr int module = 2, klass = 5, method = 6, property = 7, field = 8, function = 12, variable = 13, constant = 14,
                structure = 23, event = 24;
  switch (kind) {
  case SymbolKind::Model:
    return module;
  case SymbolKind::Group:
  case SymbolKind::Manifold:
    return structure;
  case SymbolKind::Method:
  case SymbolKind::Tableau:
  case SymbolKind::Clause:
    return method;
  case SymbolKind::Joint:
    return klass;
  case SymbolKind::Function:
    return function;
  case SymbolKind::Parameter:
    return constant;
  case SymbolKind::Event:
    return event;
  case SymbolKind::Configuration:
  case SymbolKind::State:
  case SymbolKind::Discrete:
  case SymbolKind::Element:
  case SymbolKind::Point:
    return field;
  case SymbolKind::Observable:
  case SymbolKind::Constraint:
  case SymbolKind::Instance:
    return property;
  default:
    return variable;
  }
}

bool isListed(const Symbol& s) {
  return s.kind != SymbolKind::Bound && s.kind != SymbolKind::Argument && s.kind != SymbolKind::Shape;
}

Json symbolOf(const Snapshot& snapshot, const Symbol& s) {
  Range whole = s.range;
  whole.begin = std::min(whole.begin, s.nameRange.begin);
  whole.end = std::max(whole.end, s.nameRange.end);
  std::string detail(describe(s.kind));
  if (s.statement != nullptr && s.statement->type)
    detail += " : " + std::string(snapshot.text(s.statement->type->range));
  return {{"name", s.name},
          {"detail", detail},
          {"kind", symbolKind(s.kind)},
          {"range", rangeOf(snapshot, whole)},
          {"selectionRange", rangeOf(snapshot, s.nameRange)}};
}

/// The kinds and modifiers of semantic tokens, as they are numbered.
enum class Paint : std::uint8_t { Keyword, Class, Struct, Method, Function, Parameter, Variable, Property, EnumMember };
constexpr const char* paintNames[] = {"keyword",   "class",    "struct",   "method",    "function",
                                      "parameter", "variable", "property", "enumMember"};
constexpr unsigned declarationBit = 1, readonlyBit = 2, defaultLibraryBit = 4;
constexpr const char* modifierNames[] = {"declaration", "readonly", "defaultLibrary"};

Paint paintOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Model:
  case SymbolKind::Joint:
    return Paint::Class;
  case SymbolKind::Group:
  case SymbolKind::Manifold:
    return Paint::Struct;
  case SymbolKind::Method:
  case SymbolKind::Tableau:
    return Paint::Method;
  case SymbolKind::Function:
  case SymbolKind::Clause:
    return Paint::Function;
  case SymbolKind::Argument:
  case SymbolKind::Bound:
    return Paint::Parameter;
  case SymbolKind::Instance:
  case SymbolKind::Constraint:
  case SymbolKind::Observable:
  case SymbolKind::Event:
  case SymbolKind::Shape:
    return Paint::Property;
  default:
    return Paint::Variable;
  }
}

/// Writes tokens as differences of places.
class Painter {
public:
  explicit Painter(const Snapshot& snapshot) : positions_(snapshot.positions()) {}
  void add(std::uint32_t begin, std::uint32_t end, Paint paint, unsigned modifiers) {
    const TextPosition from = positions_.position(begin, lastBegin_, lastFound_);
    const TextPosition to = positions_.position(end, begin, from);
    lastBegin_ = begin;
    lastFound_ = from;
    if (from.line != to.line || to.character <= from.character) return;
    const bool sameLine = from.line == last_.line;
    for (const std::size_t n :
         {from.line - last_.line, from.character - (sameLine ? last_.character : 0), to.character - from.character,
          static_cast<std::size_t>(paint), static_cast<std::size_t>(modifiers)})
      data_.push_back(n);
    last_ = from;
  }
  [[nodiscard]] Json take() { return {{"data", std::move(data_)}}; }

private:
  const Positions& positions_;
  std::uint32_t lastBegin_ = 0; ///< the last one that was looked for, and its place
  TextPosition lastFound_;
  TextPosition last_; ///< of the last one that was added
  std::vector<std::size_t> data_;
};

void paintName(const Snapshot& snapshot, const Occurrence& o, Painter& painter) {
  Paint paint = Paint::Variable;
  unsigned modifiers = 0;
  if (o.symbol) {
    const Symbol& s = snapshot.index().symbols[*o.symbol];
    paint = paintOf(s.kind);
    if (o.declares) modifiers |= declarationBit;
    if (s.kind == SymbolKind::Parameter || s.kind == SymbolKind::Let) modifiers |= readonlyBit;
  } else if (o.member) {
    paint = o.called ? Paint::Function : Paint::Property;
  } else {
    paint = o.expects ? paintOf(*o.expects) : Paint::Variable;
    modifiers |= defaultLibraryBit;
  }
  painter.add(o.range.begin, o.range.end, paint, modifiers);
}

bool isShape(const std::string& type) {
  return type != "real" && type != "int" && type != "bool" && type.size() < 60 && type.find('`') == std::string::npos;
}

} // namespace

Json outline(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  const std::vector<Symbol>& symbols = snapshot.index().symbols;
  Json all = Json::array();
  std::map<std::size_t, std::size_t> places;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (!isListed(symbols[k]) || symbols[k].name.empty()) continue;
    Json s = symbolOf(snapshot, symbols[k]);
    if (symbols[k].isOfFile()) {
      places[k] = all.size();
      all.push_back(std::move(s));
    } else if (const auto it = places.find(symbols[k].container.value_or(symbols.size())); it != places.end()) {
      all[it->second]["children"].push_back(std::move(s));
    }
  }
  return all;
}

Json folds(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  const Positions& positions = snapshot.positions();
  Json all = Json::array();
  const auto add = [&](std::size_t from, std::size_t to, const char* kind) {
    if (to <= from) return;
    Json fold = {{"startLine", from}, {"endLine", to}};
    if (kind != nullptr) fold["kind"] = kind;
    all.push_back(std::move(fold));
  };
  std::vector<std::size_t> open; // lines of `{`
  std::size_t commentFrom = 0, commentTo = 0;
  bool commenting = false;
  std::size_t lastLine = static_cast<std::size_t>(-1); // of a token
  const auto closeComments = [&] {
    if (commenting) add(commentFrom, commentTo, "comment");
    commenting = false;
  };
  for (const syntax::Token& t : snapshot.tokens()) {
    const std::size_t from = positions.line(t.begin), to = positions.line(t.end);
    if (t.kind == TokenKind::Comment && from != lastLine) {
      if (commenting && from != commentTo + 1) closeComments();
      if (!commenting) commentFrom = from;
      commenting = true;
      commentTo = to;
    } else if (t.kind != TokenKind::Comment) {
      closeComments();
    }
    if (t.kind == TokenKind::Sign && snapshot.text(t) == "{") open.push_back(from);
    if (t.kind == TokenKind::Sign && snapshot.text(t) == "}" && !open.empty()) {
      if (from > 0) add(open.back(), from - 1, nullptr);
      open.pop_back();
    }
    lastLine = to;
  }
  closeComments();
  return all;
}

Json semanticLegend() {
  return {{"tokenTypes", paintNames}, {"tokenModifiers", modifierNames}};
}

Json semanticTokens(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  const std::vector<Occurrence>& names = snapshot.index().occurrences;
  Painter painter(snapshot);
  auto name = names.begin();
  for (const syntax::Token& t : snapshot.tokens()) {
    while (name != names.end() && name->range.begin < t.begin) ++name;
    if (t.kind == TokenKind::Word) {
      painter.add(t.begin, t.end, Paint::Keyword, 0);
    } else if (t.kind == TokenKind::Name && name != names.end() && name->range.begin == t.begin &&
               name->range.end == t.end) {
      paintName(snapshot, *name, painter);
    }
  }
  return painter.take();
}

Json hints(const Question& question, std::uint32_t begin, std::uint32_t end) {
  const Snapshot& snapshot = *question.document.snapshot();
  Json all = Json::array();
  constexpr int ofType = 1;
  for (const Occurrence& o : snapshot.index().occurrences) {
    if (!o.declares || !o.symbol || o.range.end < begin || o.range.begin > end) continue;
    const Symbol& s = snapshot.index().symbols[*o.symbol];
    const bool valued = s.kind == SymbolKind::Let || s.kind == SymbolKind::Observable ||
                        s.kind == SymbolKind::Parameter || s.kind == SymbolKind::Input;
    if (!valued || s.statement == nullptr || s.statement->type || !s.statement->value) continue;
    const Shown* shown = question.document.shown(s.statement->value->range);
    if (shown == nullptr || !isShape(shown->type) || s.nameRange != o.range) continue;
    const Json place = rangeOf(snapshot, s.statement->target.range)["end"];
    all.push_back({{"position", place}, {"label", ": " + shown->type}, {"kind", ofType}, {"paddingLeft", true}});
  }
  return all;
}

Json lenses(const Question& question) {
  const Snapshot& snapshot = *question.document.snapshot();
  Json all = Json::array();
  for (const Symbol& s : snapshot.index().symbols) {
    if (!s.isOfFile()) continue;
    const auto lens = [&](const std::string& command) {
      all.push_back(
          {{"range", rangeOf(snapshot, s.nameRange)},
           {"command", {{"title", command}, {"command", "lmc." + command}, {"arguments", {question.document.file}}}}});
    };
    if (s.kind == SymbolKind::Model)
      for (const char* command : {"run", "view", "derive", "verify"}) lens(command);
    const bool verified = s.kind == SymbolKind::Method || s.kind == SymbolKind::Group || s.kind == SymbolKind::Manifold;
    if (verified) lens("verify");
  }
  return all;
}

} // namespace lmc::editor
