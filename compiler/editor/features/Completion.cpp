#include "editor/features/Features.h"
#include "editor/features/Place.h"

#include "runtime/contract/Controller.h"
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/manifolds/Picture.h"
#include "sema/session/Settings.h"
#include "syntax/parser/Placement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace lmc::editor {

using syntax::DeclKind;
using syntax::Token;
using syntax::TokenKind;

namespace {

/// The kinds of completion items of the protocol.
enum class ItemKind : std::uint8_t {
  Method = 2,
  Function = 3,
  Field = 5,
  Variable = 6,
  Class = 7,
  Module = 9,
  Property = 10,
  Value = 12,
  Keyword = 14,
  Constant = 21,
  Struct = 22
};

class Items {
public:
  void add(const std::string& label, ItemKind kind, const std::string& detail = {},
           const std::string& documentation = {}) {
    if (label.empty() || !seen_.insert(label).second) return;
    Json item = {{"label", label}, {"kind", static_cast<int>(kind)}};
    if (!detail.empty()) item["detail"] = detail;
    if (!documentation.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", documentation}};
    items_.push_back(std::move(item));
  }
  [[nodiscard]] Json take() { return {{"isIncomplete", false}, {"items", std::move(items_)}}; }

private:
  Json items_ = Json::array();
  std::set<std::string> seen_;
};

std::optional<DeclKind> declarationKind(const std::string& word) {
  static const std::map<std::string, DeclKind> kinds = {{"model", DeclKind::Model},
                                                        {"group", DeclKind::Group},
                                                        {"manifold", DeclKind::Manifold},
                                                        {"method", DeclKind::Method},
                                                        {"joint", DeclKind::Joint},
                                                        {"tableau", DeclKind::Tableau},
                                                        {"variational", DeclKind::Variational}};
  const auto it = kinds.find(word);
  return it == kinds.end() ? std::nullopt : std::optional(it->second);
}

ItemKind itemKind(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Function:
    return ItemKind::Function;
  case SymbolKind::Method:
  case SymbolKind::Tableau:
    return ItemKind::Method;
  case SymbolKind::Group:
  case SymbolKind::Manifold:
    return ItemKind::Struct;
  case SymbolKind::Model:
  case SymbolKind::Joint:
    return ItemKind::Class;
  case SymbolKind::Parameter:
    return ItemKind::Constant;
  default:
    return ItemKind::Variable;
  }
}

/// Writes the items of one place.
class Completer {
public:
  explicit Completer(const Question& question)
      : question_(question), snapshot_(*question.document.snapshot()),
        place_(writingPlace(snapshot_, question.offset)) {}

  Json run() {
    if (place_.inComment) return items_.take();
    const std::vector<Token>& before = place_.statement;
    if (!before.empty() && textOf(before.back()) == ".")
      members();
    else if (before.empty())
      beginnings();
    else if (place_.block == "simulate")
      setting();
    else if (place_.block == "view" && place_.call() != nullptr &&
             (textOf(before.back()) == "(" || textOf(before.back()) == ","))
      shapeArguments();
    else if (place_.block == "view" && textOf(before.back()) == "=")
      shapes();
    else if (textOf(before.front()) == "reset")
      before.size() == 1 ? targets() : expression();
    else if (takesType())
      types();
    else if (textOf(before.front()) == "joint" && textOf(before.back()) == "=")
      declarations(SymbolKind::Joint);
    else
      expression();
    return items_.take();
  }

private:
  [[nodiscard]] std::string_view textOf(const Token& t) const { return snapshot_.text(t); }

  void words(const std::vector<std::string>& list) {
    for (const std::string& w : list) items_.add(w, ItemKind::Keyword);
  }

  // --- after a point ------------------------------------------------------------------------------------------

  void members() {
    const std::vector<Token>& before = place_.statement;
    if (before.size() < 2) return;
    // The name before the point, behind sizes or an index: `SO(3).`, `X[i].`
    std::size_t at = before.size() - 2;
    int open = 0;
    while (at > 0 && (open > 0 || textOf(before[at]) == ")" || textOf(before[at]) == "]")) {
      const std::string_view text = textOf(before[at]);
      open += text == ")" || text == "]" ? 1 : text == "(" || text == "[" ? -1 : 0;
      --at;
      if (open == 0) break;
    }
    while (at > 0 && textOf(before[at]) == "^") --at;
    if (at > 0 && before[at].kind == TokenKind::Number && textOf(before[at - 1]) == "^") at -= 2;
    const Occurrence occurrence = named(before[at]);
    const Declared declared = meaning(question_, occurrence);
    if (!declared) return;
    const SymbolKind kind = declared.symbol->kind;
    if (kind == SymbolKind::Group || kind == SymbolKind::Manifold) return manifoldMembers(declared);
    parts(declared, occurrence);
  }

  [[nodiscard]] Occurrence named(const Token& t) const {
    if (const Occurrence* o = snapshot_.index().at(t.begin); o != nullptr && o->range.begin == t.begin) return *o;
    Occurrence o;
    o.range = {0, t.begin, t.end};
    o.name = textOf(t);
    const std::vector<Symbol>& symbols = snapshot_.index().symbols;
    const Symbol* around = snapshot_.index().around(t.begin);
    for (std::size_t k = 0; k < symbols.size() && !o.symbol; ++k) {
      const bool visible = symbols[k].isOfFile() ||
                           (around != nullptr && symbols[k].container && &symbols[*symbols[k].container] == around);
      if (visible && symbols[k].name == o.name) o.symbol = k;
    }
    return o;
  }

  void manifoldMembers(const Declared& declared) {
    const auto& symbols = declared.snapshot->index().symbols;
    for (const Symbol& s : symbols)
      if (s.container && &symbols[*s.container] == declared.symbol && s.kind == SymbolKind::Function)
        items_.add(s.name, ItemKind::Function, headOf(*declared.snapshot, s));
    for (const KindWord& w : manifoldWords(declared.symbol->kind == SymbolKind::Group))
      items_.add(w.name, ItemKind::Method, w.call, w.means);
  }

  /// The parts of a variable: of its manifold, as the latest compilation knows it.
  void parts(const Declared& declared, const Occurrence& occurrence) {
    const syntax::Statement* statement = declared.symbol->statement;
    if (declared.symbol->kind == SymbolKind::Parameter) return columns(declared.symbol->name);
    if (statement == nullptr || !statement->type || !question_.document.facts) return;
    const ShownManifold* const manifold =
        question_.document.facts->manifoldOf(declared.snapshot->text(statement->type->range));
    if (manifold == nullptr) return;
    const bool fiber = declared.symbol->kind == SymbolKind::Velocity || declared.symbol->kind == SymbolKind::Momentum;
    // "R : mat(3,3), x : vec(3)"
    const std::string& list = fiber ? manifold->algebra : manifold->point;
    int open = 0;
    std::string part;
    for (std::size_t k = 0; k <= list.size(); ++k) {
      if (k == list.size() || (list[k] == ',' && open == 0)) {
        const std::size_t colon = part.find(':');
        std::string name = part.substr(0, colon);
        std::erase(name, ' ');
        items_.add(name, ItemKind::Field, colon == std::string::npos ? std::string() : part.substr(colon + 2),
                   "of " + occurrence.name);
        part.clear();
        continue;
      }
      open += list[k] == '(' ? 1 : list[k] == ')' ? -1 : 0;
      part += list[k];
    }
  }

  /// Those of a table, as the latest compilation knows it.
  void columns(const std::string& table) {
    if (!question_.document.facts) return;
    for (const auto& [name, p] : question_.document.facts->parameters)
      if (name.starts_with(table + "."))
        items_.add(name.substr(table.size() + 1), ItemKind::Field, p.type, "column of `" + table + "`: " + p.value);
  }

  // --- at the begin of a statement ----------------------------------------------------------------------------

  void beginnings() {
    if (place_.block == "simulate") return words(sema::settingKeys());
    if (place_.block == "view") return;
    if (inJump()) return words({"reset"});
    const std::optional<DeclKind> kind = declarationKind(place_.declaration);
    if (!kind) return words(syntax::wordsOfDeclarations());
    for (const std::string& w : syntax::statementWords(*kind)) items_.add(w.substr(0, w.find(' ')), ItemKind::Keyword);
    if (*kind == DeclKind::Group || *kind == DeclKind::Manifold)
      for (const KindWord& w : manifoldWords(*kind == DeclKind::Group))
        items_.add(w.name, ItemKind::Method, w.call, w.means);
  }

  /// In the block of an event or of a sampling.
  [[nodiscard]] bool inJump() const { return place_.block == "event" || place_.block == "every"; }

  /// What a reset may change.
  void targets() {
    const auto& symbols = snapshot_.index().symbols;
    const Symbol* around = snapshot_.index().around(question_.offset);
    for (const Symbol& s : symbols) {
      const bool state = s.kind == SymbolKind::Configuration || s.kind == SymbolKind::Velocity ||
                         s.kind == SymbolKind::Momentum || s.kind == SymbolKind::State ||
                         s.kind == SymbolKind::Discrete;
      if (state && s.container && &symbols[*s.container] == around) declared(snapshot_, s);
    }
  }

  // --- settings, shapes, types --------------------------------------------------------------------------------

  void setting() {
    const std::string_view key = textOf(place_.statement.front());
    if (key == "method") return methods();
    if (key == "controller") return words(runtime::controllerNames());
    if (key == "norm") return words(sema::settingNorms());
    if (key == "simultaneous" || key == "law") return words(sema::impactWords(std::string(key)));
    if (key == "output" && place_.statement.size() == 1) return words({"every", "steps"});
    if (key == "undefined" || key == "tolerance") items_.add("energy", ItemKind::Variable);
    visible();
  }

  void methods() {
    const auto& known = question_.document.facts ? question_.document.facts->methods : std::nullopt;
    if (known)
      for (const products::MethodSummary& m : *known)
        items_.add(m.name, ItemKind::Method, m.order.empty() ? m.kind : "order " + m.order + ", on " + m.kind,
                   m.summary);
    else
      declarations(SymbolKind::Method);
  }

  void shapes() {
    for (const sema::ShapeKind& s : sema::shapeKinds()) items_.add(std::string(s.name), ItemKind::Function);
  }

  void shapeArguments() {
    const std::string_view name = textOf(place_.statement[place_.call()->open - 1]);
    for (const sema::ShapeKind& s : sema::shapeKinds())
      if (s.name == name)
        for (const sema::ShapeArgument& a : s.arguments)
          items_.add(std::string(a.name), ItemKind::Property, std::string(sema::describe(a.form)));
  }

  /// Behind the `:` of a declaration, and in `dual(…)` there.
  [[nodiscard]] bool takesType() const {
    const std::vector<Token>& before = place_.statement;
    const std::string_view first = textOf(before.front());
    static const std::set<std::string_view> declaring = {"param",   "config",  "state", "input", "discrete",
                                                         "element", "algebra", "point", "let"};
    if (textOf(before.back()) == ":" && declaring.contains(first)) return true;
    if (first == "group" && before.size() == 1) return true;
    return before.size() >= 3 && textOf(before.back()) == "(" && textOf(before[before.size() - 2]) == "dual" &&
           textOf(before[before.size() - 3]) == ":";
  }

  void types() {
    const std::string_view first = textOf(place_.statement.front());
    const bool tensors = first != "config" && first != "state";
    if (first == "discrete")
      for (const char* t : {"algebra", "dual"}) items_.add(t, ItemKind::Struct, "of a group, in parentheses");
    if (tensors)
      for (const char* t : {"real", "int", "bool", "vec", "mat"}) items_.add(t, ItemKind::Struct);
    if (first == "state") items_.add("dual", ItemKind::Struct, "an element of the dual of the algebra of a group");
    declarations(SymbolKind::Group);
    declarations(SymbolKind::Manifold);
  }

  // --- names --------------------------------------------------------------------------------------------------

  void declared(const Snapshot& s, const Symbol& symbol) {
    const auto& head = symbol.declaration != nullptr ? symbol.declaration->head : nullptr;
    const std::string label = symbol.isOfFile() && head ? std::string(s.text(head->range)) : symbol.name;
    items_.add(label, itemKind(symbol.kind), symbol.isOfFile() ? headOf(s, symbol) : std::string(describe(symbol.kind)),
               symbol.isOfFile() ? remarkAbove(s, symbol.range.begin) : std::string());
  }

  /// Declarations of one kind: of the text, its imports, the library.
  void declarations(SymbolKind kind) {
    std::vector<SnapshotPtr> files = {question_.document.snapshot()};
    for (const SnapshotPtr& s : question_.workspace.imports(question_.document)) files.push_back(s);
    for (const SnapshotPtr& s : files)
      for (const Symbol& symbol : s->index().symbols)
        if (symbol.isOfFile() && symbol.kind == kind) declared(*s, symbol);
    for (const Declared& d : question_.workspace.library(kind)) declared(*d.snapshot, *d.symbol);
  }

  /// The names of the declaration around, and functions.
  void visible() {
    const auto& symbols = snapshot_.index().symbols;
    const Symbol* around = snapshot_.index().around(question_.offset);
    for (const Symbol& s : symbols) {
      if (!s.container || &symbols[*s.container] != around) continue;
      const bool inner = s.kind == SymbolKind::Bound || (s.kind == SymbolKind::Argument && s.statement != nullptr);
      if (inner && (question_.offset < s.range.begin || question_.offset > s.range.end)) continue;
      declared(snapshot_, s);
    }
  }

  void expression() {
    visible();
    const std::optional<DeclKind> kind = declarationKind(place_.declaration);
    const Symbol* around = snapshot_.index().around(question_.offset);
    if (around != nullptr && around->kind == SymbolKind::Method)
      for (const KindWord& w : kindWords(*around->declaration)) items_.add(w.name, ItemKind::Function, w.call, w.means);
    declarations(SymbolKind::Function);
    for (const sema::Builtin& b : sema::builtins())
      items_.add(std::string(b.name), ItemKind::Function, builtinHead(std::string(b.name)));
    for (const std::string& n : sema::specialFunctions()) items_.add(n, ItemKind::Function, builtinHead(n));
    for (const std::string& n : sema::predefinedNames()) items_.add(n, ItemKind::Constant, builtinHead(n));
    for (const char* w : {"if", "then", "else", "and", "or", "not", "sum", "product"}) items_.add(w, ItemKind::Keyword);
    const std::string_view first = textOf(place_.statement.front());
    if (first == "config")
      for (const char* w : {"velocity", "momentum", "in"}) items_.add(w, ItemKind::Keyword);
    if (kind == DeclKind::Method && first == "method") declarations(SymbolKind::Method);
  }

  const Question& question_;
  const Snapshot& snapshot_;
  WritingPlace place_;
  Items items_;
};

} // namespace

Json completion(const Question& question) {
  return Completer(question).run();
}

} // namespace lmc::editor
