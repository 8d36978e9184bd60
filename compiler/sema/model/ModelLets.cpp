// Named expressions, families of them, and what is observed.
#include "sema/model/ModelBuilder.h"

#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;

std::optional<Value> ModelBuilder::typed(const syntax::Type& type, const Value& v, const syntax::Expr& e,
                                         const Context& c) {
  bool wrong = false;
  const auto declared = evaluator_.tensorType(type, c, wrong);
  if (wrong) return std::nullopt;
  if (!declared && (type.name == "dual" || type.name == "algebra")) {
    const FoundManifold* group = dualOf(type);
    if (group == nullptr) return std::nullopt;
    const bool dual = type.name == "dual";
    const ValueKind kind = dual ? ValueKind::Momentum : ValueKind::Velocity;
    const auto parts =
        evaluator_.parts(v, group->algebra(), (dual ? "a momentum of " : "a velocity of ") + group->name(), e,
                         Code::LIE0133, Expected{kind, group, {}});
    if (!parts) return std::nullopt;
    Value typed = element(kind, *group, *parts);
    if (v.kind == kind) typed.frame = v.frame;
    return typed;
  }
  if (!declared) {
    const FoundManifold* m = evaluator_.manifold(type, c);
    if (m == nullptr) return std::nullopt;
    const auto parts =
        evaluator_.parts(v, m->point(), "a point of " + m->name(), e, Code::LIE0133, Expected{ValueKind::Point, m, {}});
    if (!parts) return std::nullopt;
    return element(ValueKind::Point, *m, *parts);
  }
  if (v.isError()) return std::nullopt;
  const Expr t = evaluator_.tensor(v, e);
  if (!t) return std::nullopt;
  if (declared->second == sym::Type::Int) {
    const Expr i = evaluator_.integer(v, e);
    return i ? std::optional(Value::tensor(i)) : std::nullopt;
  }
  if (declared->second == sym::Type::Bool) {
    const Expr b = evaluator_.condition(v, e);
    return b ? std::optional(Value::tensor(b)) : std::nullopt;
  }
  const Expr x = asReal(t);
  if (x->shape == declared->first && x->type == sym::Type::Real) return Value::tensor(x);
  evaluator_.report(Code::LIE0133, e.range,
                    "`" + evaluator_.text(e) + "` is " + describe(t) + "; the declaration says " +
                        declared->first.text());
  return std::nullopt;
}

void ModelBuilder::elaborateLet(Symbol& symbol) {
  const syntax::Target& target = symbol.statements[0]->target;
  if (!target.parts.empty()) {
    s_.diagnostics.error(Code::LIE0164, target.range, "a `let` names a value, not a part of one");
    return;
  }
  if (target.binders.empty() && target.indices.empty())
    elaborateSingleLet(symbol);
  else
    elaborateLetFamily(symbol);
}

void ModelBuilder::elaborateSingleLet(Symbol& symbol) {
  const syntax::Statement& s = *symbol.statements[0];
  if (!s.value) return;
  Value v = evaluator_.evaluate(*s.value, topContext());
  if (v.kind == ValueKind::String) {
    evaluator_.report(Code::LIE0129, s.value->range, "a number, vector or matrix is expected here, not a text");
    return;
  }
  if (s.type) v = typed(*s.type, v, *s.value, topContext()).value_or(Value::error());
  symbol.value = v;
}

bool ModelBuilder::familyExtents(const Symbol& symbol, const std::vector<MemberClause>& clauses, Storage& storage) {
  const std::size_t rank = clauses[0].index.size();
  std::vector<sym::Interval> range(rank, {0, -1});
  bool empty = true;
  for (const MemberClause& c : clauses) {
    if (c.index.size() != rank) {
      s_.diagnostics.error(Code::LIE0127, c.range,
                           "`" + symbol.name + "` has " + std::to_string(rank) + (rank == 1 ? " index" : " indices"));
      return false;
    }
    if (someLoopIsEmpty(c.loops.loops)) continue;
    for (std::size_t k = 0; k < rank; ++k) {
      const auto r = sym::bounds(c.index[k], c.loops.loops);
      if (!r || r->lo < 1) {
        s_.diagnostics.error(Code::LIE0125, c.range, "members of a family count from 1");
        return false;
      }
      range[k].lo = empty ? r->lo : std::min(range[k].lo, r->lo);
      range[k].hi = empty ? r->hi : std::max(range[k].hi, r->hi);
    }
    empty = false;
  }
  storage.extents.assign(rank, 0);
  storage.first.assign(rank, 1);
  if (empty) return true;
  for (std::size_t k = 0; k < rank; ++k) {
    storage.extents[k] = range[k].hi - range[k].lo + 1;
    storage.first[k] = range[k].lo;
  }
  if (!fewMembers(storage.extents, symbol.name, symbol.range)) return false;
  Coverage coverage(storage.extents, storage.first);
  for (const MemberClause& c : clauses) {
    const auto conflict = coverage.mark(c);
    if (!conflict) continue;
    s_.diagnostics.error(Code::LIE0140, c.range, "`" + symbol.name + conflict->member + "` is defined twice")
        .note("first here", conflict->earlier);
    return false;
  }
  const auto gaps = coverage.gaps();
  const bool moves = std::any_of(clauses.begin(), clauses.end(), [](const MemberClause& c) {
    return std::any_of(c.loops.loops.begin(), c.loops.loops.end(),
                       [](const sym::Loop& l) { return !l.lo->isConst() || !l.hi->isConst(); });
  });
  storage.gaps = storage.mayHaveGaps && moves && !gaps.empty();
  if (gaps.empty() || storage.gaps) return true;
  auto report = s_.diagnostics.error(Code::LIE0141, symbol.range,
                                     "`" + symbol.name + coverage.shown(gaps[0].first) + "` is not defined, though `" +
                                         symbol.name + "` goes from " + std::to_string(range[0].lo) + " to " +
                                         std::to_string(range[0].hi));
  if (isContact(symbol.name))
    report.suggest("methods on `contacts`, which `lmc methods` lists, step pairs like `[i in 1..N, j in i+1..N]`; for "
                   "others, those that `auto` chooses too, an index has one range");
  return false;
}

void ModelBuilder::elaborateLetFamily(Symbol& symbol) {
  std::vector<MemberClause> clauses;
  bool fine = true;
  for (const syntax::Statement* s : symbol.statements) {
    auto c = open(*s, {&emptyScope_, {}}, {0}, symbol.name);
    fine = fine && c;
    if (c) clauses.push_back(std::move(*c));
  }
  if (!fine) return;
  Storage& storage = symbol.storage;
  if (!familyExtents(symbol, clauses, storage)) return;
  // A member may use earlier ones: the clauses are taken in the order of their first members.
  const auto first = [](const MemberClause& c) {
    const auto range = sym::bounds(c.index[0], c.loops.loops);
    return range ? range->lo : 1;
  };
  std::stable_sort(clauses.begin(), clauses.end(),
                   [&](const MemberClause& a, const MemberClause& b) { return first(a) < first(b); });
  symbol.value.kind = ValueKind::Family;
  symbol.value.extents = storage.extents;
  symbol.value.first = storage.first;
  symbol.value.member = [this, &symbol](const std::vector<Expr>& at, Range where) {
    return ownMember(symbol, at, where);
  };
  for (const MemberClause& c : clauses) {
    symbol.clause = &c;
    fine = defineLetClause(symbol, c) && fine;
  }
  symbol.clause = nullptr;
  if (!fine && symbol.storage.arrays.empty())
    symbol.value = Value::error();
  else if (!symbol.storage.arrays.empty())
    symbol.value = valueOf(symbol.storage);
}

bool ModelBuilder::defineLetClause(Symbol& symbol, const MemberClause& clause) {
  const syntax::Statement& s = *clause.statement;
  if (!s.value) return false;
  const Context c{this, clause.scope.get(), &clause.loops};
  Value v = evaluator_.evaluate(*s.value, c);
  if (s.type && !v.isError()) v = typed(*s.type, v, *s.value, c).value_or(Value::error());
  if (v.isError()) return false;
  const bool tensor = v.kind == ValueKind::Tensor;
  const bool elementKind = v.kind == ValueKind::Point || v.kind == ValueKind::Velocity || v.kind == ValueKind::Momentum;
  if (!tensor && !elementKind) return evaluator_.tensor(v, *s.value) && false;
  if (tensor && v.parts[0]->type != sym::Type::Real) {
    if (symbol.statements.size() == 1 && isIndexOnly(v.parts[0])) {
      symbol.value = inlineFamily(clause, v, symbol.storage);
      return true;
    }
    if (v.parts[0]->type == sym::Type::Bool) {
      evaluator_.report(Code::LIE0109, s.value->range,
                        "a family of conditions that depend on data is not supported yet");
      return false;
    }
    v.parts[0] = asReal(v.parts[0]);
  }
  Storage& storage = symbol.storage;
  if (storage.arrays.empty()) {
    storage.kind = v.kind;
    storage.manifold = v.manifold;
    storage.frame = v.frame;
    for (const Expr& p : v.parts) storage.arrays.push_back(temp(symbol.name, storage.extents, p->shape));
  }
  if (storage.frame != v.frame) storage.frame.reset();
  if (storage.kind != v.kind && storage.arrays.size() == 1 && v.parts.size() == 1) storage.kind = ValueKind::Tensor;
  for (std::size_t k = 0; k < storage.arrays.size(); ++k) {
    if (k >= v.parts.size() || v.parts[k]->shape != storage.arrays[k]->shape) {
      evaluator_.report(Code::LIE0133, s.value->range,
                        "`" + evaluator_.text(*s.value) + "` is " + describe(v) + "; the members of `" + symbol.name +
                            "` before it are " + storage.arrays[k]->shape.text());
      return false;
    }
    model_->program.append({sym::EquationKind::Set,
                            storage.arrays[k],
                            clause.loops.loops,
                            {},
                            shifted(g_, clause.index, storage.first),
                            v.parts[k],
                            nullptr,
                            nullptr});
  }
  return true;
}

Value ModelBuilder::inlineFamily(const MemberClause& clause, const Value& v, const Storage& storage) {
  Value family;
  family.kind = ValueKind::Family;
  family.extents = storage.extents;
  family.first = storage.first;
  family.member = [g = &g_, loops = clause.loops.loops, e = v.parts[0]](const std::vector<Expr>& at, Range) {
    sym::Substitution substitution(*g, [&](const sym::Node& n, const std::vector<Expr>&) {
      for (std::size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].index.node() == &n) return at[k];
      }
      return Expr();
    });
    return Value::tensor(substitution(e));
  };
  return family;
}

Value ModelBuilder::ownMember(Symbol& symbol, const std::vector<Expr>& at, Range where) {
  const MemberClause& clause = *symbol.clause;
  if (symbol.storage.arrays.empty()) {
    s_.diagnostics.error(Code::LIE0142, where,
                         "`" + symbol.name + "` needs a first member that does not refer to others, as in `let " +
                             symbol.name + "[1] = ...;`");
    return Value::error();
  }
  // Every index of the reference must be one of this clause: a sum over members that are being defined is no equation
  // of one loop.
  for (const Expr& e : at) {
    for (const sym::Node* n : freeIndices(e)) {
      const bool own = std::any_of(clause.loops.loops.begin(), clause.loops.loops.end(),
                                   [&](const sym::Loop& l) { return l.index.node() == n; });
      if (own) continue;
      s_.diagnostics.error(Code::LIE0109, where,
                           "a sum over members of the family that is being defined is not supported yet");
      return Value::error();
    }
  }
  bool earlier = false;
  for (std::size_t k = 0; k < at.size() && !earlier; ++k) {
    const Expr difference = g_.sub(at[k], clause.index[k]);
    const auto range = sym::bounds(difference, clause.loops.loops);
    if (range && range->hi < 0)
      earlier = true;
    else if (!range || range->lo != 0 || range->hi != 0)
      break;
  }
  if (!earlier) { // interval arithmetic may be too wide: try every member
    bool violated = false;
    const bool complete = enumerate(clause.loops.loops, 200000, [&](const IndexValues& values) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        const auto a = integerAt(at[k], values);
        const auto b = integerAt(clause.index[k], values);
        violated = !a || !b || *a > *b || (*a == *b && k + 1 == at.size());
        if (violated || *a < *b) break;
      }
      return !violated;
    });
    earlier = complete && !violated;
  }
  if (!earlier) {
    s_.diagnostics.error(Code::LIE0142, where,
                         "a member of `" + symbol.name + "` may refer to earlier members only, as in `" + symbol.name +
                             "[i-1]`");
    return Value::error();
  }
  Storage storage = symbol.storage;
  return valueOf(storage).member(at, where);
}

// --- observables ----------------------------------------------------------------------------------------------

/// What is observed, in messages.
const std::string& ModelBuilder::eventWhat() {
  static const std::string what = "an event";
  return what;
}
const std::string& ModelBuilder::constraintWhat() {
  static const std::string what = "a constraint";
  return what;
}

namespace {
const std::string observableWhat = "an observable";
} // namespace

void ModelBuilder::buildObservables() {
  Declared groups;
  for (const Clause& c : observes_) {
    const std::string& name = c.statement->target.name;
    const Symbol* symbol = find(name);
    const bool column = symbol != nullptr && symbol->kind != Symbol::Kind::Let &&
                        symbol->kind != Symbol::Kind::Parameter && symbol->kind != Symbol::Kind::Input;
    if (column || name == "t" || name == "energy") {
      s_.diagnostics.error(Code::LIE0103, c.statement->target.nameRange,
                           "`" + name + "` is recorded anyway; an observable needs a name of its own");
      continue;
    }
    named(groups, name).push_back(c);
  }
  for (auto& [name, clauses] : groups) {
    for (Observable& o : observe(name, clauses, observableWhat)) model_->observables.push_back(std::move(o));
  }
}

std::vector<Observable> ModelBuilder::observe(const std::string& name, std::vector<Clause>& clauses,
                                              const std::string& what) {
  const auto isFamily = [](const Clause& c) {
    return !c.statement->target.binders.empty() || !c.statement->target.indices.empty();
  };
  if (clauses.size() > 1 && !std::all_of(clauses.begin(), clauses.end(), isFamily)) {
    s_.diagnostics.error(Code::LIE0161, clauses[1].statement->target.range, "`" + name + "` is " + what + " twice")
        .note("first here", clauses[0].statement->target.range);
    return {};
  }
  if (!isFamily(clauses[0]) && !clauses[0].surroundings.loops.loops.empty()) {
    s_.diagnostics.error(Code::LIE0130, clauses[0].statement->target.range,
                         "inside `for` " + what + " is a family: `" + name + "[i]`");
    return {};
  }
  std::vector<MemberClause> opened;
  for (const Clause& c : clauses) {
    auto m = open(*c.statement, c.surroundings,
                  isFamily(c) ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{}, name);
    if (!m) return {};
    m->joint = c.joint;
    opened.push_back(std::move(*m));
  }
  Storage storage;
  if (isFamily(clauses[0])) {
    Symbol family;
    family.name = name;
    family.range = clauses[0].statement->target.nameRange;
    storage.mayHaveGaps = what == constraintWhat() || what == observableWhat;
    if (!familyExtents(family, opened, storage)) return {};
    if (storage.extents[0] == 0) return {}; // no members
  }
  ArrayTuple arrays;
  for (const MemberClause& m : opened) {
    if (!observeMember(name, m, storage, arrays, what)) return {};
  }
  std::vector<Observable> list;
  for (const sym::Array* a : arrays) list.push_back({a->name, a, storage.first});
  return list;
}

bool ModelBuilder::observeMember(const std::string& name, const MemberClause& m, const Storage& storage,
                                 ArrayTuple& arrays, const std::string& what) {
  if (!m.statement->value) return false;
  const Context at{this, m.scope.get(), &m.loops};
  const Value v = m.joint == nullptr ? evaluator_.evaluate(*m.statement->value, at)
                                     : evaluateInJoint(evaluator_, *m.joint, *m.statement->value, at);
  if (v.isError()) return false;
  const syntax::Expr& e = shown(m.statement->value, m.joint);
  Tuple parts = v.parts;
  const bool several = parts.size() > 1;
  if (!several) {
    const Expr t = evaluator_.tensor(v, e);
    if (!t) return false;
    if (t->type == sym::Type::Bool && (what == eventWhat() || what == constraintWhat())) {
      evaluator_.report(Code::LIE0133, e.range,
                        what == eventWhat() ? "an event is a number that crosses zero, not a truth value"
                                            : "a constraint is an equation of numbers or vectors, not of truth values");
      return false;
    }
    parts = {t->type == sym::Type::Bool ? g_.select(t, g_.number(1), g_.number(0)) : asReal(t)};
  }
  for (std::size_t k = 0; arrays.size() < parts.size(); ++k) {
    arrays.push_back(temp(several ? name + "." + partNames(v)[k] : name, storage.extents, parts[k]->shape));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k]->shape != arrays[k]->shape) {
      evaluator_.report(Code::LIE0133, e.range,
                        "`" + evaluator_.text(e) + "` is " + describe(v) + "; the members of `" + name +
                            "` before it are " + arrays[k]->shape.text());
      return false;
    }
    model_->program.append({storage.gaps ? sym::EquationKind::Accumulate : sym::EquationKind::Set,
                            arrays[k],
                            m.loops.loops,
                            {},
                            shifted(g_, m.index, storage.first),
                            parts[k],
                            nullptr,
                            nullptr});
  }
  return true;
}

} // namespace lmc::sema
