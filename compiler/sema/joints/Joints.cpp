#include "sema/joints/Joints.h"

#include "sema/expressions/NameCheck.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using syntax::ExprKind;
using syntax::StatementKind;

namespace {

const char* const bodyThatRests = "world";

const std::set<syntax::DeclKind>& jointKinds() {
  static const std::set<syntax::DeclKind> kinds = {syntax::DeclKind::Joint};
  return kinds;
}

/// "revolute(A, a, u, B, b, w)": how a joint is called.
std::string signatureOf(const syntax::Declaration& d) {
  std::string text = d.name + "(";
  for (std::size_t k = 0; k < d.params.size(); ++k) {
    if (k > 0) text += ", ";
    text += d.params[k].name;
    if (d.paramDefaults[k] != nullptr) text += " = …";
  }
  return text + ")";
}

std::size_t leastArguments(const syntax::Declaration& d) {
  std::size_t n = d.params.size();
  while (n > 0 && d.paramDefaults[n - 1] != nullptr) --n;
  return n;
}

/// The arguments with names, which stand behind the others; null without.
const syntax::Expr* namedArguments(const syntax::Expr& call) {
  const syntax::Expr& last = *call.args.back();
  return call.args.size() > 1 && last.kind == ExprKind::Parts && !last.parenthesized ? &last : nullptr;
}

std::size_t positionals(const syntax::Expr& call) {
  return call.args.size() - (namedArguments(call) == nullptr ? 1 : 2);
}

/// What the call says for a parameter; null where it leaves it out.
const syntax::Expr* argumentFor(const syntax::Expr& call, const syntax::Declaration& d, std::size_t k) {
  if (k < positionals(call)) return call.args[k + 1].get();
  const syntax::Expr* named = namedArguments(call);
  for (std::size_t i = 0; named != nullptr && i < named->names.size(); ++i)
    if (named->names[i] == d.params[k].name) return named->args[i].get();
  return nullptr;
}

/// Finds the constraints of calls, depth first.
class Expansion {
public:
  explicit Expansion(Session& session) : s_(session) {}

  bool add(const syntax::Expr& call, SourceId from) {
    const Found joint = found(call, from);
    if (joint.declaration == nullptr || !fits(call, *joint.declaration)) return false;
    const bool again = std::any_of(levels_.begin(), levels_.end(),
                                   [&](const JointPart::Level& l) { return l.joint.declaration == joint.declaration; });
    if (again) {
      s_.diagnostics.error(Code::LIE0443, call.range, "the joint `" + joint.declaration->name + "` is made of itself")
          .note("declared here", joint.declaration->nameRange);
      return false;
    }
    levels_.push_back({joint, &call});
    bool good = true;
    for (const syntax::StatementPtr& s : joint.declaration->body) {
      if (s->kind == StatementKind::Error) good = false;
      if (s->kind != StatementKind::Constraint && s->kind != StatementKind::Joint) continue;
      path_.push_back(s->target.name);
      if (s->kind == StatementKind::Joint)
        good = s->value != nullptr && add(*s->value, joint.source) && good;
      else if (s->equations.size() == 1)
        parts_.push_back({{}, path_, levels_, s.get()});
      path_.pop_back();
    }
    levels_.pop_back();
    return good;
  }

  std::vector<JointPart> take() { return std::move(parts_); }

private:
  Found found(const syntax::Expr& call, SourceId from) {
    if (call.kind == ExprKind::Error) return {};
    const bool isCall = call.kind == ExprKind::Call && call.args[0]->kind == ExprKind::Name;
    const std::vector<std::string> names = s_.library.names(jointKinds());
    if (!isCall) {
      const bool bare = call.kind == ExprKind::Name && std::find(names.begin(), names.end(), call.text) != names.end();
      auto r = s_.diagnostics.error(Code::LIE0440, call.range,
                                    bare ? "the joint `" + call.text + "` needs its arguments"
                                         : "an instance of a joint is a call, as in `joint pin = NAME(A, a, B, b);`");
      if (bare) r.suggest("write " + signatureOf(*s_.library.find(jointKinds(), call.text, from).front().declaration));
      return {};
    }
    const syntax::Expr& name = *call.args[0];
    const std::vector<Found> all = s_.library.find(jointKinds(), name.text, from);
    if (!all.empty()) return all.front();
    auto r = s_.diagnostics.error(Code::LIE0440, name.range, "there is no joint `" + name.text + "`");
    const std::string near = nearest(name.text, names);
    if (!near.empty())
      r.suggest(didYouMean(near));
    else
      r.note("joints are: " + listed(names));
    return {};
  }

  bool fits(const syntax::Expr& call, const syntax::Declaration& d) {
    const std::size_t given = positionals(call), least = leastArguments(d), most = d.params.size();
    std::vector<std::string> missing;
    for (std::size_t k = 0; k < most; ++k) {
      if (argumentFor(call, d, k) == nullptr && d.paramDefaults[k] == nullptr)
        missing.push_back("`" + d.params[k].name + "`");
    }
    if (given <= most && !namesFit(call, d)) return false;
    if (given <= most && missing.empty()) return true;
    std::string message = "`" + d.name + "`";
    if (namedArguments(call) == nullptr || given > most) {
      const std::string wanted =
          least == most ? counted(most, "argument") : std::to_string(least) + " to " + counted(most, "argument");
      message += fmt::format(" takes {}, not {}", wanted, given);
    }
    if (given <= most) message += ": " + listed(missing) + (missing.size() == 1 ? " is" : " are") + " missing";
    s_.diagnostics.error(Code::LIE0441, call.range, message)
        .note("declared here", d.nameRange)
        .suggest("write " + signatureOf(d));
    return false;
  }

  /// False, and reported, if an argument has the name of no parameter, or of one that has its value already.
  bool namesFit(const syntax::Expr& call, const syntax::Declaration& d) {
    const syntax::Expr* named = namedArguments(call);
    for (std::size_t i = 0; named != nullptr && i < named->names.size(); ++i) {
      const std::string& name = named->names[i];
      std::vector<std::string> parameters;
      for (const syntax::Target& p : d.params) parameters.push_back(p.name);
      const auto at = std::find(parameters.begin(), parameters.end(), name);
      const auto before = named->names.begin() + static_cast<std::ptrdiff_t>(i);
      const bool known = at != parameters.end();
      const bool twice = known && (static_cast<std::size_t>(at - parameters.begin()) < positionals(call) ||
                                   std::find(named->names.begin(), before, name) != before);
      if (known && !twice) continue;
      auto r = s_.diagnostics.error(Code::LIE0441, named->nameRanges[i],
                                    known ? "`" + name + "` has its value already"
                                          : "`" + d.name + "` has no parameter `" + name + "`");
      r.note("declared here", d.nameRange);
      const std::string near = known ? std::string() : nearest(name, parameters);
      r.suggest(near.empty() ? "write " + signatureOf(d) : didYouMean(near));
      return false;
    }
    return true;
  }

  Session& s_;
  std::vector<JointPart::Level> levels_;
  std::vector<std::string> path_;
  std::vector<JointPart> parts_;
};

/// Evaluates an expression within nested calls.
class Nested {
public:
  Nested(ExpressionEvaluator& evaluator, const JointPart& part, const syntax::Expr& e)
      : ev_(evaluator), part_(part), e_(e) {}

  Value at(std::size_t k, const Context& outer) {
    if (k == part_.levels.size()) return ev_.evaluate(e_, outer);
    const JointPart::Level& level = part_.levels[k];
    const syntax::Declaration& d = *level.joint.declaration;
    Scope scope;
    const Context inner{&ev_.session().file(level.joint.source), &scope, outer.loops};
    // What is wrong with an argument is said where it stands.
    for (std::size_t i = 0; i < d.params.size(); ++i) {
      if (argumentFor(*level.call, d, i) == nullptr) continue;
      const syntax::Expr& given = *argumentFor(*level.call, d, i);
      const bool rests = isWorld(given, outer);
      Value v = rests ? world(d, i, given, inner) : ev_.evaluate(given, outer);
      if (!rests) v = typed(d, i, v, given, inner);
      if (v.isError()) return v;
      scope.bind(d.params[i].name, std::move(v));
    }
    return ev_.within({nullptr, d.name, d.nameRange}, *level.call, [&]() -> Value {
      for (std::size_t i = 0; i < d.params.size(); ++i) {
        if (argumentFor(*level.call, d, i) != nullptr) continue;
        const syntax::Expr& e = *d.paramDefaults[i];
        Value v = isWorld(e, inner) ? world(d, i, e, inner) : typed(d, i, ev_.evaluate(e, inner), e, inner);
        if (v.isError()) return v;
        scope.bind(d.params[i].name, std::move(v));
      }
      for (const syntax::StatementPtr& s : d.body) {
        if (s->kind != StatementKind::Let || !s->value) continue;
        Value v = ev_.evaluate(*s->value, inner);
        if (v.isError()) return v;
        scope.bind(s->target.name, std::move(v));
      }
      return at(k + 1, inner);
    });
  }

  /// All parameters of the outermost call: those that are given, which defaults may read, come first.
  std::vector<JointArgument> arguments(const Context& outer) {
    const JointPart::Level& level = part_.levels.front();
    const syntax::Declaration& d = *level.joint.declaration;
    Scope scope;
    const Context inner{&ev_.session().file(level.joint.source), &scope, outer.loops};
    std::vector<JointArgument> list(d.params.size());
    for (const bool given : {true, false})
      for (std::size_t i = 0; i < d.params.size(); ++i) {
        const syntax::Expr* own = argumentFor(*level.call, d, i);
        if ((own != nullptr) != given) continue;
        const syntax::Expr& e = given ? *own : *d.paramDefaults[i];
        const Context& place = given ? outer : inner;
        JointArgument& a = list[i];
        a.given = given;
        a.rests = isWorld(e, place);
        a.value = a.rests ? world(d, i, e, inner) : typed(d, i, ev_.evaluate(e, place), e, inner);
        if (a.value.isError()) return {};
        scope.bind(d.params[i].name, a.value);
      }
    return list;
  }

private:
  static bool isWorld(const syntax::Expr& e, const Context& c) {
    if (e.kind != ExprKind::Name || e.text != bodyThatRests || c.scope->find(e.text) != nullptr) return false;
    std::vector<std::string> own;
    c.env->addVariables(own);
    return std::find(own.begin(), own.end(), e.text) == own.end();
  }

  static std::string argument(const syntax::Declaration& d, std::size_t k) {
    return "the argument `" + d.params[k].name + "` of `" + d.name + "`";
  }

  /// A body that rests: the identity of the group of the parameter.
  Value world(const syntax::Declaration& d, std::size_t k, const syntax::Expr& e, const Context& inner) {
    const syntax::TypePtr& type = d.paramTypes[k];
    bool wrong = false;
    const bool plain = type != nullptr && (ev_.tensorType(*type, inner, wrong) || wrong);
    if (type != nullptr && !plain) {
      const FoundManifold* m = ev_.manifold(*type, inner);
      if (m == nullptr) return Value::error();
      if (m->isGroup()) {
        const auto identity = m->evaluate("identity", {}, ev_.host(), *inner.loops);
        return identity ? m->wrap(ClauseKind::Point, *identity) : Value::error();
      }
    }
    ev_.report(Code::LIE0442, e.range,
               "`world` is a body that rests; " + argument(d, k) +
                   (type == nullptr ? " has no type that says in which group of motions" : " is no motion"))
        .note("declared here", d.params[k].range);
    return Value::error();
  }

  Value typed(const syntax::Declaration& d, std::size_t k, const Value& v, const syntax::Expr& e,
              const Context& inner) {
    const syntax::TypePtr& type = d.paramTypes[k];
    if (v.isError() || type == nullptr) return v;
    bool wrong = false;
    const auto tensor = ev_.tensorType(*type, inner, wrong);
    if (wrong) return Value::error();
    if (v.kind == ValueKind::Family) return ev_.tensor(v, e), Value::error(); // says that a member is to be named
    if (!tensor) {
      const FoundManifold* m = ev_.manifold(*type, inner);
      if (m == nullptr) return Value::error();
      const std::string what = argument(d, k) + ", an element of " + m->name() + ",";
      const auto parts = ev_.parts(v, m->point(), what, e, Code::LIE0442, Expected{ValueKind::Point, m, {}});
      return parts ? element(ValueKind::Point, *m, *parts) : Value::error();
    }
    if (tensor->second == sym::Type::Int || tensor->second == sym::Type::Bool) {
      const sym::Expr x = tensor->second == sym::Type::Int ? ev_.integer(v, e) : ev_.condition(v, e);
      return x ? Value::tensor(x) : Value::error();
    }
    if (isOneTensor(v)) {
      const sym::Expr x = asReal(v.parts[0]);
      if (x->shape == tensor->first && x->type == sym::Type::Real) return Value::tensor(x);
    }
    ev_.report(Code::LIE0442, e.range,
               "`" + ev_.text(e) + "` is " + describe(v) + "; " + argument(d, k) + " is " + tensor->first.text())
        .note("declared here", d.params[k].range);
    return Value::error();
  }

  ExpressionEvaluator& ev_;
  const JointPart& part_;
  const syntax::Expr& e_;
};

/// Looks through a declaration.
class Declared {
public:
  Declared(Session& session, const Found& joint) : s_(session), d_(*joint.declaration), source_(joint.source) {}

  void check() {
    for (std::size_t k = 0; k < d_.params.size(); ++k) parameter(k);
    bool constraints = false;
    for (const syntax::StatementPtr& s : d_.body) {
      constraints = constraints || s->kind == StatementKind::Constraint || s->kind == StatementKind::Joint ||
                    s->kind == StatementKind::Error;
      statement(*s);
    }
    if (!constraints && !(d_.body.empty() && s_.diagnostics.hasErrors())) // a head that was not read has no body
      s_.diagnostics.error(Code::LIE0443, d_.nameRange,
                           "the joint `" + d_.name + "` holds nothing: it has no constraint");
    if (s_.diagnostics.hasErrors()) return;
    for (const syntax::StatementPtr& s : d_.body) {
      if (s->kind == StatementKind::Joint && s->value) (void)jointParts(s_, *s->value, source_);
    }
  }

private:
  void parameter(std::size_t k) {
    const syntax::Target& p = d_.params[k];
    bind(p.name, p.nameRange);
    if (d_.paramDefaults[k] == nullptr && k > 0 && d_.paramDefaults[k - 1] != nullptr)
      s_.diagnostics.error(Code::LIE0443, p.nameRange,
                           "`" + p.name + "` stands behind a parameter with a default: it needs one, too");
    if (d_.paramDefaults[k] != nullptr) names(*d_.paramDefaults[k]);
  }

  void statement(const syntax::Statement& s) {
    switch (s.kind) {
    case StatementKind::Let:
      if (!plain(s)) return;
      if (s.value) names(*s.value);
      bind(s.target.name, s.target.nameRange);
      return;
    case StatementKind::Constraint:
      if (!plain(s)) return;
      for (const syntax::Equation& e : s.equations) {
        names(*e.left);
        names(*e.right);
      }
      break;
    case StatementKind::Joint:
      if (!plain(s)) return;
      for (std::size_t k = 1; s.value && s.value->kind == ExprKind::Call && k < s.value->args.size(); ++k)
        names(*s.value->args[k]);
      break;
    default:
      return; // reported by the parser
    }
    if (s.second != nullptr)
      s_.diagnostics
          .error(Code::LIE0443, s.second->range,
                 "a constraint of a joint has no condition of its own: the instance has one")
          .suggest("write the condition there, as in `joint hinge when locked == 1 = " + d_.name + "(…);`");
    const auto [at, fresh] = parts_.emplace(s.target.name, s.target.nameRange);
    if (!fresh)
      s_.diagnostics.error(Code::LIE0103, s.target.nameRange, "`" + s.target.name + "` is declared twice")
          .note("first here", at->second);
  }

  /// False, and reported, of a family.
  bool plain(const syntax::Statement& s) {
    if (s.target.binders.empty() && s.target.indices.empty() && s.target.parts.empty()) return true;
    s_.diagnostics
        .error(Code::LIE0443, s.target.range,
               "there are no families in a joint: `" + s.target.name + "` stands for one thing")
        .suggest("an instance may be a family: joint hinge[i in 1..N] = " + d_.name + "(…);");
    return false;
  }

  void bind(const std::string& name, Range range) {
    const auto [at, fresh] = names_.emplace(name, range);
    if (!fresh)
      s_.diagnostics.error(Code::LIE0103, range, "`" + name + "` is declared twice").note("first here", at->second);
  }

  /// Names that nothing has, by the check of functions.
  void names(const syntax::Expr& e) {
    std::vector<std::string> bound = {bodyThatRests};
    for (const auto& [name, range] : names_) bound.push_back(name);
    checkExpressionNames(s_, e, bound, s_.file(source_));
  }

  Session& s_;
  const syntax::Declaration& d_;
  SourceId source_;
  std::map<std::string, Range> names_;
  std::map<std::string, Range> parts_;
};

} // namespace

std::optional<std::vector<JointPart>> jointParts(Session& session, const syntax::Expr& call, SourceId from) {
  Expansion expansion(session);
  if (!expansion.add(call, from)) return std::nullopt;
  return expansion.take();
}

Value evaluateInJoint(ExpressionEvaluator& evaluator, const JointPart& part, const syntax::Expr& e,
                      const Context& around) {
  return Nested(evaluator, part, e).at(0, around);
}

std::vector<JointArgument> jointArguments(ExpressionEvaluator& evaluator, const JointPart& part,
                                          const Context& around) {
  return Nested(evaluator, part, *part.levels.front().call).arguments(around);
}

void checkJoint(Session& session, const Found& joint) {
  Declared(session, joint).check();
}

} // namespace lmc::sema
