// `solve` in a method's body: from equations to a Newton iteration.
#include "methods/Instantiation.h"

#include <fmt/format.h>

namespace lmc {

using sym::Expr;

namespace {

Tuple zeroTuple(sym::Graph& g, const Space& space) {
  Tuple r;
  for (const Component& c : space) r.push_back(g.zero(c.shape));
  return r;
}

bool isNumber(const Value& v) {
  return v.kind == ValueKind::Tensor && v.parts[0]->shape.rank == 0 && v.parts[0]->type != sym::Type::Bool;
}

Space tensorSpace(const Value& v, const std::string& name) {
  return {{name, v.parts[0]->shape, 0, {}}};
}

} // namespace

std::optional<Instantiation::Unknown> Instantiation::unknown(const ast::Statement& s, std::size_t k) {
  const Value start = s.starts.empty() ? kind_.defaultStart() : evaluate(*s.starts[k]);
  if (!fresh(s.unknowns[k]) || start.isError()) return std::nullopt;
  auto u = unknownFrom(start, s.unknowns[k].name);
  if (!u) {
    d_.error(Code::LIE0511, s.starts[k]->range,
             "an iteration starts from a number, a vector, a matrix, an algebra element or a point");
  }
  return u;
}

std::optional<Instantiation::Unknown> Instantiation::unknownFrom(Value start, const std::string& name) {
  Unknown u;
  u.start = std::move(start);
  if (u.start.kind == ValueKind::Tensor && u.start.parts[0]->type != sym::Type::Bool) {
    u.start.parts[0] = g_.toReal(u.start.parts[0]);
    u.space = tensorSpace(u.start, name);
  } else if (const auto space = kind_.space(u.start)) {
    u.space = *space;
  } else if (u.start.kind == ValueKind::PhasePoint) {
    u.space = kind_.shiftSpace();
    u.isPoint = true;
    u.start = kind_.hold(u.start, name + ".start");
  } else {
    return std::nullopt;
  }
  return u;
}

Value Instantiation::unknownValue(const Unknown& u, const Tuple& numbers) {
  Value v = u.start;
  v.parts = u.isPoint ? kind_.shifted(u.start.parts, numbers) : numbers;
  return v;
}

/// left - right as numbers.
bool Instantiation::residual(const ast::Equation& e, const Tuple& shift, std::vector<ImplicitEquation>& out) {
  const Value a = evaluate(*e.left);
  const Value b = evaluate(*e.right);
  if (a.isError() || b.isError()) return false;
  const Range where{e.left->range.source, e.left->range.begin, e.right->range.end};
  if (a.kind != b.kind) {
    d_.error(Code::LIE0511, where, "the two sides of an equation must be of one kind");
    return false;
  }
  if (a.kind == ValueKind::PhasePoint) {
    out.push_back({kind_.shiftSpace(), {}, {}, kind_.difference(a.parts, b.parts, shift)});
    return true;
  }
  if (a.kind == ValueKind::Tensor && a.parts[0]->type != sym::Type::Bool && a.parts[0]->shape == b.parts[0]->shape) {
    const Tuple left{g_.toReal(a.parts[0])};
    const Tuple right{g_.toReal(b.parts[0])};
    out.push_back({tensorSpace(a, "equation"), left, right, sub(g_, left, right)});
    return true;
  }
  const auto space = kind_.space(a);
  if (!space || a.parts.size() != b.parts.size()) {
    d_.error(Code::LIE0511, where, "the two sides of an equation must have one shape");
    return false;
  }
  out.push_back({*space, a.parts, b.parts, sub(g_, a.parts, b.parts)});
  return true;
}

bool Instantiation::settings(const ast::Statement& s, Expr& tolerance, std::int64_t& limit) {
  if (s.tolerance) {
    const Value v = evaluate(*s.tolerance);
    if (v.isError()) return false;
    if (!isNumber(v) || (v.parts[0]->isConst() && v.parts[0]->number.value() <= 0)) {
      d_.error(Code::LIE0511, s.tolerance->range, "the tolerance of an iteration is a positive number");
      return false;
    }
    tolerance = g_.toReal(v.parts[0]);
  }
  if (s.limit) {
    const Value v = evaluate(*s.limit);
    if (v.isError()) return false;
    const bool good = isNumber(v) && v.parts[0]->isConst() && v.parts[0]->number.isInteger() &&
                      v.parts[0]->number.num() >= 1 && v.parts[0]->number.num() <= 10'000;
    if (!good) {
      d_.error(Code::LIE0511, s.limit->range, "the limit of an iteration is a number of turns, 1 to 10000");
      return false;
    }
    limit = v.parts[0]->number.num();
  }
  return true;
}

void Instantiation::solve(const ast::Statement& s) {
  const auto giveUp = [&] { // their uses are not errors of their own
    for (const ast::Target& u : s.unknowns) {
      if (!given(u.name)) scope_.bind(u.name, Value::error());
    }
  };
  Newton::Settings settings;
  bool good = true;
  if (!s.starts.empty() && s.starts.size() != s.unknowns.size()) {
    d_.error(Code::LIE0511, s.keyword,
             fmt::format("{} unknowns need as many starting values, not {}", s.unknowns.size(), s.starts.size()));
    return giveUp();
  }
  std::vector<Unknown> unknowns;
  std::vector<Space> spaces;
  for (std::size_t k = 0; k < s.unknowns.size(); ++k) {
    auto u = unknown(s, k);
    good = good && u.has_value();
    if (!u) continue;
    spaces.push_back(u->space);
    unknowns.push_back(std::move(*u));
  }
  if (!this->settings(s, settings.tolerance, settings.limit) || !good) return giveUp();

  Newton newton(context_.system.model->program, spaces);
  Scope inside(&scope_);
  Tuple shift;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    inside.bind(s.unknowns[k].name, unknownValue(unknowns[k], newton.iterate(k)));
    if (unknowns[k].isPoint && shift.empty()) shift = newton.iterate(k);
  }
  if (shift.empty()) shift = zeroTuple(g_, kind_.shiftSpace());
  visible_ = &inside;
  const int before = context_.step.evaluations;
  std::vector<ImplicitEquation> equations;
  std::int64_t numbers = 0;
  for (const ast::Equation& e : s.equations) {
    good = residual(e, shift, equations) && good;
    if (good) numbers += sizeOf(equations.back().space);
  }
  visible_ = &scope_;
  settings.evaluations = std::exchange(context_.step.evaluations, before) - before;
  if (good && numbers != newton.size()) {
    d_.error(Code::LIE0511, s.keyword,
             fmt::format("the equations are {} numbers, the unknowns {}", numbers, newton.size()));
    good = false;
  }
  if (!good) return giveUp();
  iterate(s, std::move(unknowns), newton, std::move(equations), settings);
}

/// Binds the unknowns to the solution, with as few of them iterated on as the equations permit.
void Instantiation::iterate(const ast::Statement& s, std::vector<Unknown> unknowns, const Newton& system,
                            std::vector<ImplicitEquation> equations, Newton::Settings settings) {
  sym::Program& p = context_.system.model->program;
  std::vector<bool> linear;
  for (const Unknown& u : unknowns) linear.push_back(!u.isPoint);
  Elimination elimination(p, system, std::move(equations), linear);
  const std::vector<bool>& eliminated = elimination.eliminated();
  Newton newton = system.without(eliminated);
  if (newton.unknowns() > 0) {
    std::vector<Tuple> starts;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const Unknown& u = unknowns[k];
      if (!eliminated[k]) starts.push_back(u.isPoint ? zeroTuple(g_, u.space) : u.start.parts);
    }
    newton.finish(starts, elimination.residuals(), settings);
  } else {
    context_.step.evaluations += static_cast<int>(settings.evaluations);
  }
  std::vector<ArrayTuple> solution(unknowns.size());
  std::vector<Tuple> numbers(unknowns.size());
  for (std::size_t k = 0, next = 0; k < unknowns.size(); ++k) {
    if (eliminated[k]) continue;
    numbers[k] = newton.solution(next++);
    if (newton.unknowns() == unknowns.size()) continue;
    solution[k] = store(p, unknowns[k].space, numbers[k], s.unknowns[k].name);
    numbers[k] = load(g_, unknowns[k].space, solution[k]);
  }
  const std::vector<Tuple> removed = elimination.at(solution, "^");
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Tuple& found = eliminated[k] ? removed[k] : numbers[k];
    scope_.bind(s.unknowns[k].name, kind_.hold(unknownValue(unknowns[k], found), s.unknowns[k].name));
  }
}

std::optional<std::vector<Value>> Instantiation::adjointStep(const MethodReference& method, const Begin& begin) {
  const std::vector<std::string> names = kind_.stateNames();
  std::vector<Unknown> unknowns;
  std::vector<Space> spaces;
  std::vector<Tuple> starts;
  for (std::size_t k = 0; k < names.size(); ++k) {
    unknowns.push_back(unknownFrom(begin.state[k], names[k]).value());
    spaces.push_back(unknowns[k].space);
    starts.push_back(unknowns[k].isPoint ? zeroTuple(g_, spaces[k]) : unknowns[k].start.parts);
  }
  Newton newton(context_.system.model->program, spaces);
  Begin back{{}, g_.neg(begin.h), g_.add(begin.t, begin.h)};
  for (std::size_t k = 0; k < names.size(); ++k) {
    back.state.push_back(kind_.hold(unknownValue(unknowns[k], newton.iterate(k)), names[k] + "*"));
  }
  const int before = context_.step.evaluations;
  const Tuple guess = kind_.guess();
  const auto after = Instantiation(context_, kind_, method.found, this).run(back, method.arguments);
  kind_.setGuess(guess);
  if (!after) return std::nullopt;
  std::vector<std::pair<Space, Tuple>> residuals;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Tuple& a = (*after)[k].parts;
    const Tuple& b = unknowns[k].start.parts;
    residuals.emplace_back(spaces[k], unknowns[k].isPoint ? kind_.difference(a, b, newton.iterate(k)) : sub(g_, a, b));
  }
  Newton::Settings settings;
  settings.evaluations = std::exchange(context_.step.evaluations, before) - before;
  newton.finish(starts, residuals, settings);
  std::vector<Value> next;
  for (std::size_t k = 0; k < names.size(); ++k)
    next.push_back(kind_.hold(unknownValue(unknowns[k], newton.solution(k)), names[k] + "*"));
  return next;
}

} // namespace lmc
