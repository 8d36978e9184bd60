// Constraints: `constraint NAME when CONDITION : left = right;`, their multipliers and reactions, `initial adjust`.
#include "sema/model/ModelBuilder.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::ExprKind;

namespace {

bool isZeroLiteral(const syntax::Expr& e) {
  return e.kind == ExprKind::Number && e.number == 0;
}

syntax::ExprPtr made(ExprKind kind, Range range, std::vector<syntax::ExprPtr> args) {
  auto e = std::make_shared<syntax::Expr>();
  e->kind = kind;
  e->range = range;
  e->args = std::move(args);
  return e;
}

/// left - right; of a literal 0 the other side alone, which may have any shape.
syntax::ExprPtr difference(const syntax::Equation& q) {
  const Range range{q.left->range.source, q.left->range.begin, q.right->range.end};
  if (isZeroLiteral(*q.right)) return q.left;
  if (isZeroLiteral(*q.left)) return made(ExprKind::Negate, range, {q.right});
  auto e = std::make_shared<syntax::Expr>(*made(ExprKind::Binary, range, {q.left, q.right}));
  e->op = syntax::BinaryOp::Sub;
  e->opRange = range;
  return e;
}

syntax::ExprPtr literal(Range range, const char* text) {
  auto e = std::make_shared<syntax::Expr>(*made(ExprKind::Number, range, {}));
  e->text = text;
  e->number = text[0] - '0';
  e->isInteger = true;
  return e;
}

/// What is wrong with an index is said once, though it is written twice, as in dot(x[k+1] - x[k], x[k+1] - x[k]).
void sayOnce(Diagnostics& diagnostics, std::size_t mark) {
  std::vector<std::string> said;
  for (const Diagnostic& d : diagnostics.takeBack(mark)) {
    if (d.code == Code::LIE0125 && std::find(said.begin(), said.end(), d.message) != said.end()) continue;
    said.push_back(d.message);
    auto report = d.severity == Severity::Error ? diagnostics.error(d.code, d.range, d.message)
                                                : diagnostics.warning(d.code, d.range, d.message);
    for (const Note& n : d.notes) n.range ? report.note(n.message, *n.range) : report.note(n.message);
    report.suggest(d.suggestion);
  }
}

} // namespace

/// The constraints of an instance of a joint are constraints of the model, with their equations read in the joint.
void ModelBuilder::useJoint(const syntax::Statement& s, const Surroundings& around) {
  const std::string& name = s.target.name;
  if (!s.value) return;
  const auto [first, fresh] = instances_.emplace(name, &s);
  const bool family = !s.target.binders.empty() || !s.target.indices.empty();
  auto parts = jointParts(s_, *s.value, source_);
  if (parts && !around.loops.loops.empty() && !family) {
    s_.diagnostics.error(Code::LIE0130, s.target.range, "inside `for` a joint is a family: `" + name + "[i]`");
    parts = std::nullopt;
  }
  if (!parts || parts->empty()) {
    brokenInstances_.insert(name);
    return;
  }
  const syntax::Declaration* joint = parts->front().levels.front().joint.declaration;
  if (fresh) {
    jointOf_[name] = joint;
  } else if (const auto known = jointOf_.find(name); known != jointOf_.end()) {
    const bool both = family && (!first->second->target.binders.empty() || !first->second->target.indices.empty());
    if (!both || known->second != joint) {
      s_.diagnostics
          .error(both ? Code::LIE0444 : Code::LIE0103, s.target.nameRange,
                 both ? "the members of `" + name + "` are joints of one kind, `" + known->second->name + "`"
                      : "the joint `" + name + "` is declared twice")
          .note("first here", first->second->target.nameRange);
      return;
    }
  }
  for (JointPart& part : *parts) {
    part.instance = name;
    jointParts_.push_back(std::move(part));
    syntax::Statement& made = madeStatements_.emplace_back(s);
    std::vector<std::string> path = {name};
    path.insert(path.end(), jointParts_.back().path.begin(), jointParts_.back().path.end());
    made.target.name = joined(path);
    made.equations = jointParts_.back().constraint->equations;
    made.value = nullptr;
    constraints_.push_back({&made, around, &jointParts_.back()});
  }
}

const syntax::Expr& ModelBuilder::shown(const syntax::ExprPtr& value, const JointPart* joint) const {
  if (joint == nullptr || !s_.library.isLibrary(value->range.source)) return *value;
  return *joint->levels.front().call;
}

void ModelBuilder::buildConstraints() {
  if (constraintsBuilt_) return;
  constraintsBuilt_ = true;
  ExpressionEvaluator::Position none; // it may be a multiplier in a `let` that asks for them
  evaluator_.exchangePosition(none);
  Declared groups;
  std::set<std::string> taken;
  for (const Clause& c : constraints_) {
    const syntax::Target& target = c.statement->target;
    const std::string& own = c.joint != nullptr ? c.joint->instance : target.name;
    const bool otherwise = c.joint == nullptr && instances_.contains(own);
    if (byName_.contains(own) || functions_.contains(own) || own == "t" || own == "energy" || otherwise) {
      if (taken.insert(own).second)
        s_.diagnostics.error(Code::LIE0103, target.nameRange,
                             "`" + own + "` is the name of something else; a " +
                                 (c.joint != nullptr ? "joint" : "constraint") + " needs one of its own");
      continue;
    }
    named(groups, target.name).push_back(c);
  }
  for (auto& [name, clauses] : groups) {
    const JointPart* joint = clauses.front().joint;
    // What is wrong with the arguments of a joint is wrong with each of its constraints.
    if (joint != nullptr && brokenInstances_.contains(joint->instance)) continue;
    const std::size_t before = s_.diagnostics.errorCount();
    constraintOf(name, clauses);
    if (joint != nullptr && s_.diagnostics.errorCount() > before) brokenInstances_.insert(joint->instance);
  }
  buildContacts();
  evaluator_.exchangePosition(none);
}

void ModelBuilder::constraintOf(const std::string& name, const std::vector<Clause>& clauses) {
  const auto with = [&](const std::function<syntax::ExprPtr(const syntax::Statement&)>& value) {
    std::vector<Clause> list;
    for (const Clause& c : clauses) {
      madeStatements_.push_back(*c.statement);
      madeStatements_.back().value = value(*c.statement);
      list.push_back({&madeStatements_.back(), c.surroundings, c.joint});
    }
    return list;
  };
  const std::size_t before = s_.diagnostics.errorCount(), mark = s_.diagnostics.mark();
  std::vector<Clause> equations = with([](const syntax::Statement& s) { return difference(s.equations[0]); });
  const std::vector<Observable> found = observe(name, equations, constraintWhat());
  if (s_.diagnostics.errorCount() > before + 1) sayOnce(s_.diagnostics, mark);
  if (found.empty() || s_.diagnostics.errorCount() > before) return;
  const JointPart* const joint = equations[0].joint;
  const syntax::Expr& equation = shown(equations[0].statement->value, joint);
  if (found.size() > 1 || found[0].array->shape.rank == 2) {
    evaluator_
        .report(Code::LIE0420, equation.range,
                found.size() > 1 ? "a constraint is an equation of numbers or vectors; these are elements with "
                                   "several parts"
                                 : "a constraint is an equation of numbers or vectors; the entries of these "
                                   "matrices would depend on each other")
        .suggest(found.size() > 1 ? "write a constraint for each part, as in A.x = B.x"
                                  : "write the independent ones, as in dot(A*e1, B*e2) = 0 for two rotations");
    return;
  }
  Constraint c;
  c.name = name;
  c.array = found[0].array;
  c.first = found[0].first;
  c.range = clauses[0].statement->target.nameRange;
  c.equation = equation.range;
  if (joint != nullptr) {
    c.joint = joint->instance;
    c.part = joined(joint->path);
  }
  const Expr value = g_.load(c.array, indicesOf(memberLoops(g_, c.array->extents)));
  const unsigned kinds = dependence_.of(value);
  constexpr unsigned wrong = OnDerived | OnInputs | OnStates | OnMomenta | OnRandom;
  for (const Clause& clause : equations) {
    const syntax::Expr& blamed = joint == nullptr ? *clause.statement->value : *joint->levels.front().call;
    if (refuse(value, blamed, wrong, "a constraint", Code::LIE0420)) return;
  }
  if ((kinds & (OnPoints | OnVelocities)) == 0) {
    s_.diagnostics.error(Code::LIE0420, equation.range,
                         "a constraint is an equation of configurations or velocities; this one contains none");
    return;
  }
  c.velocities = (kinds & OnVelocities) != 0;
  if (reportsKinks(value, !c.velocities, equation.range, "the constraint")) return;
  const auto& writers = model_->program.writers(c.array); // with gaps they add to zeros; what is missing does not hold
  const bool conditional =
      model_->program.equation(writers.front()).kind == sym::EquationKind::Accumulate ||
      std::any_of(clauses.begin(), clauses.end(), [](const Clause& x) { return x.statement->second != nullptr; });
  if (conditional &&
      !conditionOf(c, with([](const syntax::Statement& s) -> syntax::ExprPtr {
                     if (s.second == nullptr) return literal(s.range, "1");
                     return made(ExprKind::If, s.second->range,
                                 {s.second, literal(s.second->range, "1"), literal(s.second->range, "0")});
                   })))
    return;
  c.multiplier = temp("multiplier(" + name + ")", c.array->extents, c.array->shape);
  dependence_.mark(c.multiplier, OnDerived);
  model_->constraints.push_back(std::move(c));
}

/// 1 where a member holds, 0 where it does not: the condition is decided before the run.
bool ModelBuilder::conditionOf(Constraint& c, std::vector<Clause> clauses) {
  for (Clause& clause : clauses) clause.joint = nullptr; // the condition is the instance's
  const std::vector<Observable> found = observe(c.name, clauses, constraintWhat());
  if (found.empty()) return false;
  const Expr value = g_.load(found[0].array, indicesOf(memberLoops(g_, found[0].array->extents)));
  if (dependence_.of(value) == 0) {
    c.active = found[0].array;
    return true;
  }
  const auto at =
      std::find_if(clauses.begin(), clauses.end(), [](const Clause& x) { return x.statement->second != nullptr; });
  s_.diagnostics
      .error(Code::LIE0429, at->statement->second->range,
             "the condition of a constraint is made of parameters and indices: it holds for a whole run or not at all")
      .note("what begins to hold during a run begins with an impact")
      .suggest(
          "a contact that does not rebound (`contact NAME : a >= b { restitution = 0; }`), or an event with a reset "
          "and a force");
  return false;
}

/// The first constraint of each call stands for all of them.
std::vector<JointInstance> ModelBuilder::jointCalls() {
  std::vector<JointInstance> joints;
  std::map<std::string, std::string> first; // by instances
  for (const Clause& c : constraints_) {
    if (c.joint == nullptr) continue;
    const syntax::Target& target = c.statement->target;
    const auto [at, fresh] = first.emplace(c.joint->instance, target.name);
    const Constraint* made = constraintNamed(target.name);
    if (at->second != target.name || made == nullptr) continue; // of a family without members there is none
    if (fresh) joints.push_back({c.joint->instance, c.joint->levels.front().joint.declaration, {}});
    const bool family = !target.binders.empty() || !target.indices.empty();
    const auto opened = open(*c.statement, c.surroundings,
                             family ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{}, target.name);
    if (!opened) continue;
    JointInstance::Clause clause;
    clause.loops = opened->loops.loops;
    clause.guarded = static_cast<bool>(opened->loops.guard);
    clause.index = shifted(g_, opened->index, made->first);
    for (JointArgument& a : jointArguments(evaluator_, *c.joint, {this, opened->scope.get(), &opened->loops})) {
      unsigned depends = 0;
      for (const Expr& part : a.value.parts) depends |= dependence_.of(part);
      clause.arguments.push_back({a.value.parts, a.value.manifold, depends, a.given, a.rests});
    }
    const auto own =
        std::find_if(joints.begin(), joints.end(), [&](const JointInstance& j) { return j.name == c.joint->instance; });
    own->clauses.push_back(std::move(clause));
  }
  return joints;
}

Constraint* ModelBuilder::constraintNamed(const std::string& name) {
  buildConstraints();
  const auto it = std::find_if(model_->constraints.begin(), model_->constraints.end(),
                               [&](const Constraint& c) { return c.name == name; });
  return it == model_->constraints.end() ? nullptr : &*it;
}

bool ModelBuilder::isConstraint(const std::string& name) const {
  return isContact(name) || std::any_of(constraints_.begin(), constraints_.end(),
                                        [&](const Clause& c) { return c.statement->target.name == name; });
}

std::optional<std::vector<std::string>> ModelBuilder::jointConstraints(const std::string& instance) const {
  if (!instances_.contains(instance)) return std::nullopt;
  std::vector<std::string> names;
  if (brokenInstances_.contains(instance)) return names;
  for (const Clause& c : constraints_) {
    const std::string& name = c.statement->target.name;
    const bool own = c.joint != nullptr && c.joint->instance == instance;
    if (own && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void ModelBuilder::addConstraints(std::vector<std::string>& names) const {
  for (const Clause& c : constraints_) names.push_back(c.statement->target.name);
  for (const Clause& c : contacts_) {
    names.push_back(c.statement->target.name);
    if (hasSlip(*c.statement)) names.push_back(c.statement->target.name + ".slip");
  }
}

std::optional<Value> ModelBuilder::multiplier(const std::string& name, Range where) {
  const Constraint* c = constraintNamed(name);
  if (c == nullptr) {
    if (!isConstraint(name)) return std::nullopt;
    if (isContact(name) && stepsContacts()) {
      s_.diagnostics
          .error(Code::LIE0420, where,
                 "`" + name + "` has no force at a state: the method of the run steps contacts by impulses over steps")
          .suggest("methods on `manifold` find the forces of closed contacts");
      return Value::error();
    }
    if (!s_.diagnostics.hasErrors())
      s_.diagnostics.error(Code::LIE0420, where, "a constraint cannot depend on multipliers, which follow from it");
    return Value::error();
  }
  return valueOf({ValueKind::Tensor, nullptr, {c->multiplier}, c->array->extents, c->first});
}

std::optional<Value> ModelBuilder::reaction(const std::string& name, const std::string& factor, Range where) {
  Constraint* c = constraintNamed(name);
  const Factor* f = factorNamed(factor);
  if (f == nullptr) return std::nullopt;
  if (c == nullptr) return multiplier(name, where);
  const auto k = static_cast<std::size_t>(f - model_->factors.data());
  ArrayTuple& arrays = c->reactions[k];
  if (arrays.empty()) {
    for (const sym::Array* v : f->velocity) {
      arrays.push_back(temp("reaction(" + name + ", " + v->name + ")", v->extents, v->shape));
      dependence_.mark(arrays.back(), OnDerived);
    }
  }
  return valueOf({ValueKind::Momentum, &f->manifold->group(), arrays, f->velocity[0]->extents, {}, f->frame});
}

void ModelBuilder::buildAdjust() {
  for (const syntax::Statement* s : adjusts_) {
    if (constraints_.empty()) {
      s_.diagnostics.error(Code::LIE0164, s->keyword,
                           "`initial adjust` moves initial values until constraints hold: this model has none");
      continue;
    }
    for (const syntax::Target& t : s->unknowns) {
      const Symbol* symbol = find(t.name);
      const bool known =
          symbol != nullptr && (symbol->kind == Symbol::Kind::Factor || symbol->kind == Symbol::Kind::Velocity);
      const bool whole = t.binders.empty() && t.indices.empty() && t.parts.empty();
      if (!known || !whole) {
        s_.diagnostics.error(known || symbol != nullptr ? Code::LIE0164 : Code::LIE0100, t.range,
                             known ? "`initial adjust` names a whole configuration or velocity: `" + t.name + "`"
                             : symbol != nullptr ? "`" + t.name + "` is not a configuration or a velocity"
                                                 : "there is no configuration or velocity `" + t.name + "`");
        continue;
      }
      model_->adjusted.push_back({symbol->index, symbol->kind == Symbol::Kind::Velocity});
    }
  }
}

} // namespace lmc::sema
