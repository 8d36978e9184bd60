#include "editor/index/Index.h"

#include <algorithm>
#include <map>

namespace lmc::editor {

using syntax::Binder;
using syntax::Declaration;
using syntax::DeclKind;
using syntax::Expr;
using syntax::ExprKind;
using syntax::ExprPtr;
using syntax::Statement;
using syntax::StatementKind;
using syntax::Target;
using syntax::Type;

namespace {

using Names = std::map<std::string, std::size_t, std::less<>>;

SymbolKind kindOf(DeclKind kind) {
  switch (kind) {
  case DeclKind::Model:
    return SymbolKind::Model;
  case DeclKind::Group:
    return SymbolKind::Group;
  case DeclKind::Manifold:
    return SymbolKind::Manifold;
  case DeclKind::Tableau:
    return SymbolKind::Tableau;
  case DeclKind::Joint:
    return SymbolKind::Joint;
  case DeclKind::Function:
    return SymbolKind::Function;
  default:
    return SymbolKind::Method;
  }
}

/// What a statement declares by its target; nothing if that is the name of something else.
std::optional<SymbolKind> kindOf(StatementKind kind) {
  switch (kind) {
  case StatementKind::Param:
    return SymbolKind::Parameter;
  case StatementKind::Let:
    return SymbolKind::Let;
  case StatementKind::Function:
    return SymbolKind::Function;
  case StatementKind::Config:
    return SymbolKind::Configuration;
  case StatementKind::State:
    return SymbolKind::State;
  case StatementKind::Discrete:
    return SymbolKind::Discrete;
  case StatementKind::Constraint:
  case StatementKind::Contact:
    return SymbolKind::Constraint;
  case StatementKind::Joint:
    return SymbolKind::Instance;
  case StatementKind::Input:
    return SymbolKind::Input;
  case StatementKind::Observe:
    return SymbolKind::Observable;
  case StatementKind::Event:
    return SymbolKind::Event;
  case StatementKind::Element:
    return SymbolKind::Element;
  case StatementKind::Algebra:
    return SymbolKind::Algebra;
  case StatementKind::Point:
    return SymbolKind::Point;
  case StatementKind::Definition:
    return SymbolKind::Clause;
  case StatementKind::Keep:
    return SymbolKind::Kept;
  default:
    return std::nullopt;
  }
}

class Builder {
public:
  explicit Builder(const syntax::File& file) : file_(file) {}

  Index build() {
    scopes_.emplace_back();
    for (const Declaration& d : file_.declarations) {
      if (d.kind == DeclKind::Error || d.kind == DeclKind::Import || d.name.empty()) continue;
      Symbol s{kindOf(d.kind), d.name, d.nameRange, d.range, &d, nullptr, std::nullopt};
      if (d.kind == DeclKind::Function && !d.body.empty()) s.statement = d.body.front().get();
      declare(std::move(s));
    }
    std::size_t next = 0;
    for (const Declaration& d : file_.declarations) {
      if (d.kind == DeclKind::Error || d.kind == DeclKind::Import || d.name.empty()) continue;
      declaration(d, next++);
    }
    std::sort(index_.occurrences.begin(), index_.occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.range.begin < b.range.begin; });
    return std::move(index_);
  }

private:
  // --- declaring -----------------------------------------------------------------------------------------------

  static Occurrence occurrence(Range range, const std::string& name) {
    Occurrence o;
    o.range = range;
    o.name = name;
    return o;
  }

  /// A second declaration of a name in one scope is one more place of the first.
  std::size_t declare(Symbol s) {
    const auto [it, fresh] = scopes_.back().try_emplace(s.name, index_.symbols.size());
    Occurrence o = occurrence(s.nameRange, s.name);
    o.symbol = it->second;
    o.declares = true;
    o.called = s.kind == SymbolKind::Function;
    // Files of one text may declare two things of one name, which both are listed.
    if (fresh || s.isOfFile()) {
      o.symbol = index_.symbols.size();
      index_.symbols.push_back(std::move(s));
    }
    const std::size_t symbol = *o.symbol;
    if (o.range.end > o.range.begin) index_.occurrences.push_back(std::move(o));
    return symbol;
  }

  void declare(SymbolKind kind, const std::string& name, Range nameRange, Range range, const Statement* statement) {
    if (!name.empty()) declare({kind, name, nameRange, range, declaration_, statement, container_});
  }

  void bind(const std::vector<Binder>& binders, Range range) {
    for (const Binder& b : binders) {
      expression(b.lo);
      expression(b.hi);
      declare(SymbolKind::Bound, b.name, b.nameRange, range, nullptr);
    }
  }

  void arguments(const std::vector<Target>& params, Range range, const Statement* statement) {
    for (const Target& p : params) declare(SymbolKind::Argument, p.name, p.nameRange, range, statement);
  }

  void declaration(const Declaration& d, std::size_t number) {
    declaration_ = &d;
    container_ = number;
    scopes_.emplace_back();
    if (d.kind == DeclKind::Function) {
      container_.reset();
      if (!d.body.empty()) function(*d.body.front());
    } else {
      if (d.head) head(*d.head);
      expression(d.condition);
      for (std::size_t k = 0; k < d.params.size(); ++k) {
        if (k < d.paramTypes.size() && d.paramTypes[k]) type(*d.paramTypes[k]);
        if (k < d.paramDefaults.size()) expression(d.paramDefaults[k]);
        declare(SymbolKind::Argument, d.params[k].name, d.params[k].nameRange, d.params[k].range, nullptr);
      }
      expression(d.constructor, SymbolKind::Method);
      scopes_.emplace_back();
      for (const auto& s : d.body) predeclare(*s);
      for (const auto& s : d.body) statement(*s);
      scopes_.pop_back();
    }
    scopes_.pop_back();
    declaration_ = nullptr;
    container_.reset();
  }

  /// `SO(n)`, `R^n`: sizes that are left open.
  void head(const Type& type) {
    const auto open = [&](const ExprPtr& e) {
      if (e && e->kind == ExprKind::Name) declare(SymbolKind::Argument, e->text, e->range, type.range, nullptr);
    };
    open(type.exponent);
    for (const ExprPtr& e : type.args) open(e);
  }

  /// Names of a body are known in all of it.
  void predeclare(const Statement& s) {
    if (s.kind == StatementKind::For) {
      for (const auto& inner : s.body) predeclare(*inner);
      return;
    }
    for (const Target& t : s.unknowns)
      if (s.kind == StatementKind::Solve) declare(SymbolKind::Unknown, t.name, t.nameRange, s.range, &s);
    const std::optional<SymbolKind> kind = kindOf(s.kind);
    if (kind) declare(*kind, s.target.name, s.target.nameRange, s.range, &s);
    if (!s.secondName.empty()) {
      const SymbolKind second = s.kind == StatementKind::Element ? SymbolKind::Algebra
                                : s.momentum                     ? SymbolKind::Momentum
                                                                 : SymbolKind::Velocity;
      declare(second, s.secondName, s.secondRange, s.range, &s);
    }
  }

  // --- using ---------------------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto it = scope->find(name); it != scope->end()) return it->second;
    return std::nullopt;
  }

  Occurrence& use(const std::string& name, Range range, std::optional<SymbolKind> expects) {
    Occurrence o = occurrence(range, name);
    o.symbol = find(name);
    if (!o.symbol) o.expects = expects;
    index_.occurrences.push_back(std::move(o));
    return index_.occurrences.back();
  }

  void use(const Target& t) {
    if (!t.name.empty()) use(t.name, t.nameRange, std::nullopt);
    for (std::size_t k = 0; k < t.parts.size(); ++k) member(t.parts[k], t.partRanges[k], t.name);
  }

  void member(const std::string& name, Range range, const std::string& owner) {
    Occurrence o = occurrence(range, name);
    o.member = true;
    o.owner = owner;
    if (range.end > range.begin) index_.occurrences.push_back(std::move(o));
  }

  void type(const Type& t) {
    if (!t.name.empty()) use(t.name, t.nameRange, SymbolKind::Manifold);
    expression(t.exponent);
    for (const ExprPtr& e : t.args) expression(e);
    for (const auto& inner : t.types)
      if (inner) type(*inner);
  }

  void function(const Statement& s) {
    scopes_.emplace_back();
    arguments(s.params, s.range, &s);
    expression(s.value);
    scopes_.pop_back();
  }

  void statement(const Statement& s) {
    scopes_.emplace_back();
    if (s.kind == StatementKind::For) bind(s.binders, s.range);
    const bool declares = kindOf(s.kind).has_value();
    if (!declares && !s.target.name.empty()) use(s.target);
    for (const ExprPtr& e : s.target.indices) expression(e);
    bind(s.target.binders, s.range);
    arguments(s.params, s.range, &s);
    if (s.type) type(*s.type);
    expression(s.second);
    expression(s.value, s.kind == StatementKind::Joint ? std::optional(SymbolKind::Joint) : std::nullopt);
    for (const syntax::Equation& e : s.equations) {
      expression(e.left);
      expression(e.right);
    }
    if (s.kind == StatementKind::Adjust)
      for (const Target& t : s.unknowns) use(t);
    for (const ExprPtr& e : s.starts) expression(e);
    expression(s.tolerance);
    expression(s.limit);
    for (const syntax::Setting& setting : s.settings) settingOf(setting);
    if (s.kind == StatementKind::View)
      for (const auto& shape : s.body)
        if (!shape->target.name.empty())
          declare(SymbolKind::Shape, shape->target.name, shape->target.nameRange, shape->range, shape.get());
    for (const auto& inner : s.body) viewOrInner(s, *inner);
    scopes_.pop_back();
  }

  void viewOrInner(const Statement& around, const Statement& s) {
    if (around.kind == StatementKind::Contact) return expression(s.value);
    if (around.kind != StatementKind::View) return statement(s);
    scopes_.emplace_back();
    bind(s.target.binders, s.range);
    expression(s.value, SymbolKind::Shape);
    scopes_.pop_back();
  }

  void settingOf(const syntax::Setting& s) {
    const bool words = s.key == "controller" || s.key == "norm" || s.key == "simultaneous" || s.key == "law";
    if (!words) expression(s.value, s.key == "method" ? std::optional(SymbolKind::Method) : std::nullopt);
    expression(s.to);
  }

  void expression(const ExprPtr& e, std::optional<SymbolKind> expects = std::nullopt) {
    if (e) expression(*e, expects);
  }

  void expression(const Expr& e, std::optional<SymbolKind> expects) {
    switch (e.kind) {
    case ExprKind::Binary: {
      const std::vector<const Expr*> spine = syntax::leftSpine(e);
      expression(*spine.back()->args[0], std::nullopt);
      for (auto it = spine.rbegin(); it != spine.rend(); ++it) expression(*(*it)->args[1], std::nullopt);
      return;
    }
    case ExprKind::Name:
      use(e.text, e.range, expects);
      return;
    case ExprKind::Call:
      return call(e, expects);
    case ExprKind::Field:
      expression(*e.args[0], SymbolKind::Manifold);
      fieldOf(e);
      return;
    case ExprKind::Sum:
    case ExprKind::Product:
      scopes_.emplace_back();
      bind(e.binders, e.range);
      expression(e.where);
      for (const ExprPtr& a : e.args) expression(a);
      scopes_.pop_back();
      return;
    case ExprKind::Parts:
      // `tolerance = (R = 1e-8)` names variables; parts of elements name nothing of the file.
      for (std::size_t k = 0; k < e.names.size(); ++k) member(e.names[k], e.nameRanges[k], "");
      for (const ExprPtr& a : e.args) expression(a);
      return;
    case ExprKind::List:
    case ExprKind::If:
      for (const ExprPtr& a : e.args) expression(a, expects);
      return;
    default:
      for (const ExprPtr& a : e.args) expression(a);
    }
  }

  /// `X.R`, `SO(3).exp`: the part, and the name that it is a part of.
  void fieldOf(const Expr& e) {
    const Expr* owner = e.args[0].get();
    const bool sized = owner->kind == ExprKind::Call || owner->kind == ExprKind::Index ||
                       (owner->kind == ExprKind::Binary && owner->op == syntax::BinaryOp::Pow);
    if (sized) owner = owner->args[0].get();
    const bool named = owner->kind == ExprKind::Name;
    member(e.text, e.opRange, named ? owner->text : std::string());
    if (named && !index_.occurrences.empty()) index_.occurrences.back().ownerBegin = owner->range.begin;
  }

  void call(const Expr& e, std::optional<SymbolKind> expects) {
    const Expr& callee = *e.args[0];
    if (callee.kind == ExprKind::Name) {
      use(callee.text, callee.range, expects ? expects : SymbolKind::Function).called = true;
    } else {
      expression(callee, std::nullopt);
      if (callee.kind == ExprKind::Field && !index_.occurrences.empty()) index_.occurrences.back().called = true;
    }
    const bool methods = expects == SymbolKind::Method;
    for (std::size_t k = 1; k < e.args.size(); ++k) expression(*e.args[k], methods ? expects : std::nullopt);
  }

  const syntax::File& file_;
  Index index_;
  std::vector<Names> scopes_;
  const Declaration* declaration_ = nullptr;
  std::optional<std::size_t> container_;
};

} // namespace

std::string_view describe(SymbolKind kind) {
  static constexpr std::string_view names[] = {
      "model",     "group",      "manifold",      "method",     "tableau",    "joint",    "function",
      "parameter", "let",        "configuration", "velocity",   "momentum",   "state",    "discrete variable",
      "input",     "observable", "event",         "constraint", "joint",      "shape",    "element",
      "algebra",   "point",      "clause",        "unknown",    "kept value", "argument", "index"};
  return names[static_cast<std::size_t>(kind)];
}

const Occurrence* Index::at(std::uint32_t offset) const {
  auto it = std::upper_bound(occurrences.begin(), occurrences.end(), offset,
                             [](std::uint32_t o, const Occurrence& x) { return o < x.range.begin; });
  while (it != occurrences.begin()) {
    --it;
    if (it->range.end >= offset) return &*it;
    if (it->range.end + 256 < offset) break;
  }
  return nullptr;
}

const Symbol* Index::around(std::uint32_t offset) const {
  for (const Symbol& s : symbols)
    if (s.isOfFile() && s.range.begin <= offset && offset <= s.range.end) return &s;
  return nullptr;
}

const Symbol* Index::find(std::string_view name) const {
  for (const Symbol& s : symbols)
    if (s.isOfFile() && s.name == name) return &s;
  return nullptr;
}

Index indexOf(const syntax::File& file) {
  return Builder(file).build();
}

} // namespace lmc::editor
