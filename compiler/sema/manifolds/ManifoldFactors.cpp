// Groups made of groups: the factors of a declaration, and the condition behind its head.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/manifolds/Manifolds.h"
#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

bool DeclaredManifold::meetsCondition() {
  const syntax::ExprPtr& e = found_.declaration->condition;
  if (!e) return true;
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const sym::Expr test = evaluator.condition(evaluator.evaluate(*e, Scope(), LoopContext()), *e);
  if (!test) return true; // reported
  if (test->isConst()) return !test->number.isZero();
  session_.diagnostics.error(Code::LIE0158, e->range, "the condition of a family is one on its sizes alone");
  return true;
}

/// `element g : G velocity u;`, `element x : vec(3) velocity v;`, `element m : dual(G) velocity n;`
void DeclaredManifold::readFactor(const syntax::Statement& s) {
  if (!s.type) return;
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const Scope scope;
  const LoopContext loops;
  const Context here{this, &scope, &loops};
  GroupFactor f;
  f.name = s.target.name;
  const auto groupOf = [&](const syntax::Type& t) -> const DeclaredManifold* {
    const DeclaredManifold* m = declared(evaluator.manifold(t, here));
    if (m == nullptr || m->isGroup()) return m;
    session_.diagnostics.error(Code::LIE0151, t.range, m->name() + " is a manifold; a group is expected here");
    return nullptr;
  };
  bool wrong = false;
  const bool linear = s.type->name == "dual" || s.type->name == "algebra";
  if (linear) {
    std::optional<syntax::Type> inner;
    if (s.type->types.size() == 1)
      inner = *s.type->types.front();
    else if (s.type->args.size() == 1)
      inner = typeOf(*s.type->args.front());
    const DeclaredManifold* g = inner ? groupOf(*inner) : nullptr;
    if (!inner)
      session_.diagnostics.error(Code::LIE0110, s.type->range, "write `" + s.type->name + "(G)` of a group G");
    if (g != nullptr) f.point = f.algebra = g->algebra();
  } else if (const auto type = evaluator.tensorType(*s.type, here, wrong)) {
    f.point = f.algebra = {{"", type->first}};
  } else if (!wrong) {
    f.group = groupOf(*s.type);
    if (f.group != nullptr) {
      f.point = f.group->point();
      f.algebra = f.group->algebra();
    }
  }
  if (f.point.empty()) {
    usable_ = false;
    return;
  }
  const auto append = [&](std::vector<Part>& all, const std::vector<Part>& own, const std::string& name, Range where) {
    for (const Part& p : own) all.push_back({own.size() == 1 ? name : name + "." + p.name, p.shape});
    const auto same = [&](const Part& p) { return p.name == all.back().name; };
    if (std::count_if(all.begin(), all.end(), same) < 2) return;
    session_.diagnostics.error(Code::LIE0103, where, "part `" + name + "` is declared twice");
    usable_ = false;
  };
  append(point_, f.point, s.target.name, s.target.nameRange);
  append(algebra_, f.algebra, s.secondName, s.secondRange);
  factors_.push_back(std::move(f));
}

bool DeclaredManifold::readComposite() {
  for (const syntax::StatementPtr& s : found_.declaration->body) {
    const bool plain = s->kind == syntax::StatementKind::Element && s->secondName.empty();
    if (!plain && s->kind != syntax::StatementKind::Algebra) continue;
    session_.diagnostics
        .error(Code::LIE0152, s->range,
               plain ? "an element made of groups names the velocity of each of its parts"
                     : "the algebra of a group made of groups consists of the velocities that its elements name")
        .suggest(plain ? "write `element " + s->target.name + " : … velocity …;`" : "leave `algebra` out");
    return false;
  }
  CompositeGroup::Action action;
  if (semidirect_ != nullptr) {
    if (semidirect_->params.size() != factors_.size()) {
      session_.diagnostics.error(Code::LIE0155, semidirect_->target.range,
                                 "`semidirect` has one parameter for each element, " +
                                     counted(factors_.size(), "parameter") + ": the first acts on the others");
      return false;
    }
    if (factors_.size() < 2) {
      session_.diagnostics.error(Code::LIE0155, semidirect_->target.range,
                                 "a semidirect product has at least two elements");
      return false;
    }
    action = [this](const std::vector<Tuple>& args) { return acted(args); };
    std::vector<Tuple> trial;
    for (const GroupFactor& f : factors_) {
      const auto symbols = lmc::sema::dummies(session_.graph, f.point, f.name);
      trial.push_back(loads(session_.graph, symbols, {}));
    }
    if (!acted(trial)) return false;
  }
  composite_ = std::make_unique<CompositeGroup>(session_.graph, factors_, std::move(action));
  return true;
}

std::optional<Tuple> DeclaredManifold::acted(const std::vector<Tuple>& args) {
  Scope scope;
  std::vector<Part> wanted;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const GroupFactor& f = factors_[k];
    Value v = Value::tensor(args[k][0]);
    if (k == 0 && f.group != nullptr) {
      v = element(ValueKind::Point, *f.group, args[k]); // an element, which moves vectors as everywhere
    } else if (args[k].size() > 1) {
      v.kind = ValueKind::Parts;
      v.parts = args[k];
      for (const Part& p : f.point) v.names.push_back(p.name);
    }
    scope.bind(semidirect_->params[k].name, v);
    for (const Part& p : f.point) {
      const bool several = factors_.size() > 2;
      const std::string inner = f.point.size() == 1 ? "" : p.name;
      const std::string name = inner.empty() ? f.name : several ? f.name + "." + inner : inner;
      if (k > 0) wanted.push_back({name, p.shape});
    }
  }
  Host none;
  ExpressionEvaluator evaluator(session_, *this, none);
  const Value v = evaluator.evaluate(*semidirect_->value, scope, LoopContext());
  return evaluator.parts(v, wanted, "what `semidirect` moves", *semidirect_->value, Code::LIE0151);
}

std::optional<Tuple> DeclaredManifold::randomPoint(Host& host, const LoopContext& loops) const {
  if (clause("random") != nullptr) return evaluate("random", {}, host, loops);
  const auto normal = [&](const std::vector<Part>& parts) {
    Tuple w;
    for (const Part& p : parts) w.push_back(host.draw(false, p.shape, loops));
    return w;
  };
  if (composite_) {
    Tuple all;
    for (const GroupFactor& f : factors_) {
      const auto* g = static_cast<const DeclaredManifold*>(f.group);
      const auto own = g != nullptr ? g->randomPoint(host, loops) : normal(f.point);
      if (!own) return std::nullopt;
      all.insert(all.end(), own->begin(), own->end());
    }
    return all;
  }
  const auto element = group().apply("exp", {normal(algebra())});
  if (isGroup_ || !element) return element;
  const auto base = apply("base", {});
  return base ? apply("action", {*element, *base}) : std::nullopt;
}

} // namespace lmc::sema
