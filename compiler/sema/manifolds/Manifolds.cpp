#include "sema/manifolds/Manifolds.h"

#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

using syntax::StatementKind;

DeclaredManifold::DeclaredManifold(Session& session, Found found, std::string name,
                                   std::vector<FamilyArgument> arguments)
    : session_(session), found_(found), name_(std::move(name)), arguments_(std::move(arguments)),
      isGroup_(found.declaration->kind == syntax::DeclKind::Group) {
  exists_ = usable_ = meetsCondition();
  if (usable_) readBody();
}

// --- names inside the declaration -----------------------------------------------------------------------------

std::optional<Value> DeclaredManifold::variable(const std::string& name, Range where) {
  for (const FamilyArgument& a : arguments_) {
    if (a.name == name && a.group == nullptr) return Value::tensor(session_.graph.integer(a.size));
  }
  const auto it = lets_.find(name);
  if (it == lets_.end() || !it->second->value) return std::nullopt;
  if (std::find(evaluatingLets_.begin(), evaluatingLets_.end(), name) != evaluatingLets_.end()) {
    session_.diagnostics.error(Code::LIE0108, where, "`" + name + "` is defined by itself");
    return Value::error();
  }
  evaluatingLets_.push_back(name);
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  Value v = evaluator.evaluate(*it->second->value, Scope(), LoopContext());
  evaluatingLets_.pop_back();
  return v;
}

std::optional<FunctionRef> DeclaredManifold::function(const std::string& name) {
  const auto it = functions_.find(name);
  if (it != functions_.end()) return FunctionRef{it->second, this};
  if (findBuiltin(name) != nullptr) return std::nullopt;
  return session_.file(found_.source).function(name);
}

const Manifold* DeclaredManifold::groupParameter(const std::string& name) const {
  for (const FamilyArgument& a : arguments_) {
    if (a.name == name) return a.group;
  }
  return nullptr;
}

void DeclaredManifold::addVariables(std::vector<std::string>& names) const {
  for (const FamilyArgument& a : arguments_) {
    if (a.group == nullptr) names.push_back(a.name);
  }
  for (const auto& [name, s] : lets_) names.push_back(name);
}

void DeclaredManifold::addFunctions(std::vector<std::string>& names) const {
  for (const auto& [name, s] : functions_) names.push_back(name);
  session_.file(found_.source).addFunctions(names);
}

// --- reading the body -----------------------------------------------------------------------------------------

void DeclaredManifold::readBody() {
  for (const syntax::StatementPtr& s : found_.declaration->body) {
    switch (s->kind) {
    case StatementKind::Let:
      lets_.emplace(s->target.name, s.get());
      break;
    case StatementKind::Function:
    case StatementKind::Definition:
      addClause(*s);
      break;
    case StatementKind::Holds:
      holds_.push_back(s.get());
      break;
    default:
      break;
    }
  }
  for (const syntax::StatementPtr& s : found_.declaration->body) {
    const bool element = s->kind == StatementKind::Element && isGroup_;
    const bool point = s->kind == StatementKind::Point && !isGroup_;
    if (element && !s->secondName.empty())
      readFactor(*s);
    else if (element || point)
      readPart(*s, point_);
    else if (s->kind == StatementKind::Algebra && isGroup_)
      readPart(*s, algebra_);
    else if (s->kind == StatementKind::ActingGroup && !isGroup_)
      readActingGroup(*s);
    else if (s->kind == StatementKind::Element || s->kind == StatementKind::Point ||
             s->kind == StatementKind::Algebra || s->kind == StatementKind::ActingGroup) {
      session_.diagnostics.error(Code::LIE0152, s->range,
                                 isGroup_ ? "a group has `element` and `algebra`, no `point` and no acting group"
                                          : "a manifold has `point` and `group`; its algebra is that of the group");
      usable_ = false;
    }
  }
  if (isGroup_ && usable_ && !basisStatements_.empty()) usable_ = readBasis();
  if (usable_ && !factors_.empty()) usable_ = readComposite();
  if (usable_ && factors_.empty() && semidirect_ != nullptr) {
    session_.diagnostics
        .error(Code::LIE0152, semidirect_->target.nameRange,
               "`semidirect` has a meaning where elements are made of elements of groups")
        .suggest("name the group and the velocity of each part: `element R : G velocity w;`");
    usable_ = false;
  }
  usable_ = checkRequired() && usable_;
  const bool known = basis_ && clause("bracket") == nullptr;
  if (usable_ && isGroup_)
    derived_ = std::make_unique<DerivedOperations>(session_.graph, *this, known ? &basis_->adjoint() : nullptr);
}

void DeclaredManifold::complete() {
  if (!usable_ || !isGroup_) return;
  // The library's own clauses are checked by the tests, not at every start.
  if (!session_.library.isLibrary(found_.source)) usable_ = checkEssential();
  usable_ = usable_ && checkDerivable();
}

void DeclaredManifold::readPart(const syntax::Statement& s, std::vector<Part>& parts) {
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const Scope scope;
  const LoopContext loops;
  bool wrong = false;
  if (!s.type) return;
  const auto type = evaluator.tensorType(*s.type, Context{this, &scope, &loops}, wrong);
  if (!type || type->second != sym::Type::Real) {
    if (!wrong) {
      auto r = session_.diagnostics.error(Code::LIE0110, s.type->range, "storage is `real`, `vec(n)` or `mat(m,n)`");
      const bool named = session_.manifolds && session_.manifolds->declares(s.type->name);
      if (named && s.kind == syntax::StatementKind::Element)
        r.suggest("a part that is an element of a group names its velocity: `element " + s.target.name + " : " +
                  std::string(session_.sources.text(s.type->range)) + " velocity …;`");
    }
    usable_ = false;
    return;
  }
  if (std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.name == s.target.name; })) {
    session_.diagnostics.error(Code::LIE0103, s.target.nameRange, "part `" + s.target.name + "` is declared twice");
    usable_ = false;
    return;
  }
  parts.push_back({s.target.name, type->first});
}

void DeclaredManifold::readActingGroup(const syntax::Statement& s) {
  if (!s.type) return;
  if (group_ != nullptr) {
    session_.diagnostics.error(Code::LIE0161, s.range, "a manifold has one acting group");
    return;
  }
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const Scope scope;
  const LoopContext loops;
  group_ = declared(evaluator.manifold(*s.type, Context{this, &scope, &loops}));
  if (group_ == nullptr) {
    usable_ = false;
  } else if (!group_->isGroup()) {
    session_.diagnostics.error(Code::LIE0151, s.type->range,
                               group_->name() + " is a manifold; a group is expected here");
    group_ = nullptr;
    usable_ = false;
  }
}

void DeclaredManifold::addClause(const syntax::Statement& s) {
  const std::string& name = s.target.name;
  if (s.kind == StatementKind::Function) {
    if (!functions_.emplace(name, &s).second) {
      session_.diagnostics.error(Code::LIE0103, s.target.nameRange, "the function `" + name + "` is declared twice")
          .note("first here", functions_.find(name)->second->target.nameRange);
    }
    return;
  }
  if (name == "basis" && isGroup_) {
    basisStatements_.push_back(&s);
    return;
  }
  if (name == "semidirect" && isGroup_) {
    if (semidirect_ != nullptr) {
      session_.diagnostics.error(Code::LIE0103, s.target.nameRange, "`semidirect` is given twice")
          .note("first here", semidirect_->target.nameRange);
    }
    semidirect_ = &s;
    return;
  }
  if (name == "picture") return addPicture(s);
  const ClauseSignature* signature = signatureOf(isGroup_, name);
  if (signature == nullptr) {
    std::vector<std::string> known;
    for (const ClauseSignature& k : clauseSignatures(isGroup_)) known.emplace_back(k.name);
    known.emplace_back("picture");
    auto r =
        session_.diagnostics.error(Code::LIE0152, s.target.nameRange,
                                   std::string(isGroup_ ? "a group" : "a manifold") + " has no clause `" + name + "`");
    const std::string near = nearest(name, known);
    if (!near.empty())
      r.suggest(didYouMean(near));
    else
      r.note("its clauses are " + listed(known) + "; a helper is declared with `fn` or `let`");
    return;
  }
  const auto [it, fresh] = clauses_.emplace(name, &s);
  if (!fresh) {
    session_.diagnostics.error(Code::LIE0103, s.target.nameRange, "`" + name + "` is given twice")
        .note("first here", it->second->target.nameRange);
  }
  if (s.params.size() != signature->args.size()) {
    const Range given = s.params.empty() ? s.target.range : Range::cover(s.params.front().range, s.params.back().range);
    session_.diagnostics.error(Code::LIE0155, given,
                               "`" + name + "` has " + counted(signature->args.size(), "parameter") + ", not " +
                                   std::to_string(s.params.size()));
    usable_ = false;
  }
}

bool DeclaredManifold::checkRequired() {
  std::vector<std::string> missing;
  if (point_.empty()) missing.emplace_back(isGroup_ ? "element" : "point");
  if (isGroup_ && algebra_.empty()) missing.emplace_back("algebra");
  const auto& body = found_.declaration->body;
  const bool namesGroup =
      std::any_of(body.begin(), body.end(), [](const auto& s) { return s->kind == StatementKind::ActingGroup; });
  if (!isGroup_ && !namesGroup) missing.emplace_back("group");
  for (const ClauseSignature& s : clauseSignatures(isGroup_)) {
    if (s.required && !clauses_.contains(s.name) && basisStatements_.empty() && factors_.empty())
      missing.emplace_back(s.name);
  }
  if (clauses_.contains("project") && clauses_.contains("horizontal")) {
    session_.diagnostics
        .error(Code::LIE0103, clauses_.at("project")->target.nameRange,
               "`project` stands instead of `horizontal`: give one of them")
        .note("`horizontal` is here", clauses_.at("horizontal")->target.nameRange);
    return false;
  }
  // Its dimension is read off there.
  if (clauses_.contains("project") && !clauses_.contains("base")) missing.emplace_back("base");
  // A part that could not be read was reported; so was a basis.
  const bool reported = !usable_;
  if (missing.empty()) return true;
  if (!reported) {
    auto r = session_.diagnostics.error(Code::LIE0150, found_.declaration->nameRange,
                                        "the declaration of " + name_ + " lacks " + listed(missing));
    const bool square = point_.size() == 1 && point_[0].shape.rank == 2 && point_[0].shape.rows == point_[0].shape.cols;
    if (isGroup_ && square && basisStatements_.empty())
      r.note("a group of matrices may give a `basis` of its algebra instead");
  }
  return false;
}

// --- evaluation -----------------------------------------------------------------------------------------------

const syntax::Statement* DeclaredManifold::clause(std::string_view name) const {
  const auto it = clauses_.find(name);
  return it == clauses_.end() ? nullptr : it->second;
}

bool DeclaredManifold::gives(std::string_view operation) const {
  if (clause(operation) != nullptr) return true;
  if (basis_ && BasisGroup::gives(operation)) return true;
  if (composite_ && composite_->gives(operation)) return true;
  if (!isGroup_) return operation == "horizontal" && clause("project") != nullptr;
  return derived_ && derived_->gives(operation);
}

Value DeclaredManifold::wrap(ClauseKind kind, const Tuple& parts) const {
  switch (kind) {
  case ClauseKind::Point:
    return element(ValueKind::Point, *this, parts);
  case ClauseKind::Algebra:
    return element(ValueKind::Velocity, group(), parts);
  case ClauseKind::Dual:
    return element(ValueKind::Momentum, group(), parts);
  case ClauseKind::Change:
  case ClauseKind::Scalars:
  case ClauseKind::Vector:
    break;
  }
  if (parts.size() == 1) return Value::tensor(parts[0]);
  Value v;
  v.kind = ValueKind::Parts;
  v.parts = parts;
  for (const Part& p : point_) v.names.push_back(p.name);
  return v;
}

namespace {
/// Keeps account of the clauses that are being evaluated.
class Evaluating {
public:
  Evaluating(std::vector<const syntax::Statement*>& all, const syntax::Statement* s) : all_(all) { all_.push_back(s); }
  ~Evaluating() { all_.pop_back(); }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

private:
  std::vector<const syntax::Statement*>& all_;
};
} // namespace

std::optional<Tuple> DeclaredManifold::value(const syntax::Statement& s, const ClauseSignature& signature,
                                             const std::vector<Tuple>& args, Host& host, const LoopContext& loops) {
  if (args.size() != s.params.size() || !s.value) return std::nullopt;
  if (std::find(evaluatingClauses_.begin(), evaluatingClauses_.end(), &s) != evaluatingClauses_.end()) {
    session_.diagnostics.error(Code::LIE0108, s.target.range, "`" + s.target.name + "` is defined by itself");
    usable_ = false;
    return std::nullopt;
  }
  const Evaluating guard(evaluatingClauses_, &s);
  Scope scope;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const bool ofGroup = !isGroup_ && signature.name == "action" && k == 0;
    // A single part is the tensor itself; several are reached by their names.
    Value v = Value::tensor(args[k][0]);
    if (args[k].size() > 1) v = ofGroup ? group_->wrap(signature.args[k], args[k]) : wrap(signature.args[k], args[k]);
    scope.bind(s.params[k].name, v);
  }
  ExpressionEvaluator evaluator(session_, *this, host);
  const Value v = evaluator.evaluate(*s.value, scope, loops);
  return result(v, *s.value, signature.result, evaluator);
}

std::optional<Tuple> DeclaredManifold::result(const Value& v, const syntax::Expr& e, ClauseKind kind,
                                              ExpressionEvaluator& evaluator) const {
  if (v.isError()) return std::nullopt;
  if (kind == ClauseKind::Scalars || kind == ClauseKind::Vector) {
    if (v.kind == ValueKind::Parts) return v.parts;
    const sym::Expr t = evaluator.tensor(v, e);
    if (!t) return std::nullopt;
    return Tuple{asReal(t)};
  }
  const bool algebra = kind == ClauseKind::Algebra;
  return evaluator.parts(v, algebra ? this->algebra() : point_,
                         (algebra ? "an algebra element of " : "an element of ") + name_, e, Code::LIE0151);
}

std::optional<Tuple> DeclaredManifold::derived(std::string_view operation, const std::vector<Tuple>& args) const {
  if (basis_) {
    if (auto r = basis_->apply(operation, args)) return r;
  }
  if (composite_) {
    if (auto r = composite_->apply(operation, args)) return r;
  }
  if (isGroup_) return derived_ ? derived_->apply(operation, args) : std::nullopt;
  if (operation != "horizontal" || clause("project") == nullptr) return std::nullopt;
  const auto projected = apply("project", args);
  return projected ? std::optional(sub(session_.graph, args[1], *projected)) : std::nullopt;
}

std::optional<Tuple> DeclaredManifold::evaluate(std::string_view operation, const std::vector<Tuple>& args, Host& host,
                                                const LoopContext& loops) const {
  const syntax::Statement* s = clause(operation);
  if (s == nullptr) return derived(operation, args);
  // Evaluation looks names up in this declaration; what it keeps is the guard against lets that need themselves.
  return const_cast<DeclaredManifold*>(this)->value(*s, *signatureOf(isGroup_, operation), args, host, loops);
}

std::optional<Tuple> DeclaredManifold::apply(std::string_view operation, const std::vector<Tuple>& args) const {
  Host none;
  return evaluate(operation, args, none, LoopContext());
}

std::optional<Tuple> DeclaredManifold::retraction(const std::string& name, const std::vector<Tuple>& args) const {
  if (!isGroup_) return std::nullopt;
  const syntax::Statement* s = clause(name);
  if (s == nullptr) {
    const auto f = functions_.find(name);
    if (f == functions_.end()) return derived(name, args);
    if (f->second->params.size() != args.size()) return std::nullopt;
    s = f->second;
  }
  const ClauseSignature map{"", {ClauseKind::Algebra}, ClauseKind::Point, false};
  const ClauseSignature tangent{"", {ClauseKind::Algebra, ClauseKind::Algebra}, ClauseKind::Algebra, false};
  Host none;
  return const_cast<DeclaredManifold*>(this)->value(*s, args.size() == 1 ? map : tangent, args, none, LoopContext());
}

std::vector<HeldEquation> DeclaredManifold::holds(const Tuple& point) const {
  if (holds_.empty() && basis_) return basis_->holds(point);
  if (holds_.empty() && composite_) return composite_->holds(point);
  std::vector<HeldEquation> result;
  auto& self = const_cast<DeclaredManifold&>(*this);
  Host none;
  ExpressionEvaluator evaluator(session_, self, none);
  Scope scope;
  for (std::size_t k = 0; k < point_.size(); ++k) scope.bind(point_[k].name, Value::tensor(point[k]));
  for (const syntax::Statement* s : holds_) {
    for (const syntax::Equation& equation : s->equations) {
      const Value l = evaluator.evaluate(*equation.left, scope, LoopContext());
      const Value r = evaluator.evaluate(*equation.right, scope, LoopContext());
      const sym::Expr left = evaluator.tensor(l, *equation.left);
      const sym::Expr right = evaluator.tensor(r, *equation.right);
      if (left && right) result.push_back({asReal(left), asReal(right)});
    }
  }
  return result;
}

} // namespace lmc::sema
