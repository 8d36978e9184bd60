// `solve` in a method's body: from equations to a Newton iteration.
#include "methods/Instantiation.h"
#include "methods/solve/Affine.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

sema::Tuple zeroTuple(sym::Graph& g, const Space& space) {
  sema::Tuple r;
  for (const Component& c : space) r.push_back(g.zero(c.shape));
  return r;
}

/// Each number of a value times, or over, one of another.
sema::Tuple timesNumbers(sym::Graph& g, const sema::Tuple& value, const sema::Tuple& by, bool inverse) {
  sema::Tuple r;
  for (std::size_t k = 0; k < value.size(); ++k) {
    std::vector<Expr> list = sema::entries(g, {value[k]});
    const std::vector<Expr> factors = sema::entries(g, {by[k]});
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = inverse ? g.div(list[i], factors[i]) : g.mul(factors[i], list[i]);
    r.push_back(sema::fromEntries(g, {{"", value[k]->shape}}, list)[0]);
  }
  return r;
}

Space tensorSpace(const sema::Value& v, const std::string& name) {
  return {{name, v.parts[0]->shape, 0, {}}};
}

} // namespace

Instantiation::Unknown Instantiation::unknownFrom(MethodKind& kind, sym::Graph& g, sema::Value start,
                                                  const std::string& name) {
  Unknown u;
  u.start = std::move(start);
  if (u.start.kind == sema::ValueKind::Tensor) {
    u.start.parts[0] = g.toReal(u.start.parts[0]);
    u.space = tensorSpace(u.start, name);
  } else if (const auto space = kind.space(u.start)) {
    u.space = *space;
  } else {
    u.space = kind.shiftSpace();
    u.isPoint = true;
    u.start = kind.hold(u.start, name + ".start");
  }
  return u;
}

sema::Value Instantiation::unknownValue(MethodKind& kind, const Unknown& u, const sema::Tuple& numbers) {
  sema::Value v = u.start;
  v.parts = u.isPoint ? kind.shifted(u.start.parts, numbers) : numbers;
  return v;
}

/// left - right as numbers.
ImplicitEquation Instantiation::residual(const CheckedSolve::Equation& e, const sema::Tuple& shift) {
  const sema::Value& a = values_[e.left];
  const sema::Value& b = values_[e.right];
  if (a.kind == sema::ValueKind::PhasePoint)
    return {kind_.shiftSpace(), {}, {}, kind_.difference(a.parts, b.parts, shift)};
  const Space space = a.kind == sema::ValueKind::Tensor ? tensorSpace(a, "equation") : kind_.space(a).value();
  return {space, a.parts, b.parts, sema::sub(g_, a.parts, b.parts)};
}

/// Whether equations of a `solve` hold constraints on positions, or rates by multipliers (and what these make of
/// accelerations) alone, which may be zero.
bool Instantiation::holdsPositions(const CheckedSolve& system, const std::vector<Unknown>& unknowns) const {
  const auto calls = [&](std::string_view word) {
    return std::any_of(system.equations.begin(), system.equations.end(), [&](const CheckedSolve::Equation& e) {
      for (TermId k = e.terms.first; k < e.terms.last; ++k)
        if (method_.terms[k].op == TermOp::Word && method_.terms[k].word->name == word) return true;
      return false;
    });
  };
  const bool alone = std::all_of(unknowns.begin(), unknowns.end(),
                                 [](const Unknown& u) { return u.start.kind == sema::ValueKind::PhaseVector; });
  return calls("holds") || (calls("holdsdot") && (alone || calls("accelerated")));
}

Newton::Settings Instantiation::settingsOf(const CheckedSolve& system) {
  Newton::Settings settings;
  if (system.tolerance) settings.tolerance = values_.number(system.tolerance);
  if (system.limit > 0) settings.limit = system.limit;
  return settings;
}

std::vector<std::size_t> Instantiation::multipliersAmong(const std::vector<Unknown>& unknowns) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    if (unknowns[k].start.kind == sema::ValueKind::PhaseVector) list.push_back(k);
  return list;
}

bool Instantiation::solve(const CheckedStatement& s) {
  const CheckedSolve& system = s.solve;
  if (isSparse(system)) return solveSparse(s);
  std::vector<Unknown> unknowns;
  std::vector<Space> spaces;
  for (const CheckedSolve::Unknown& u : system.unknowns) {
    if (!values_.evaluate(u.terms)) return false;
    unknowns.push_back(unknownFrom(kind_, g_, u.start ? values_[*u.start] : kind_.defaultStart(), u.name));
    spaces.push_back(unknowns.back().space);
  }
  const Expr size = holdsPositions(system, unknowns) ? kind_.positionSize(begin_.h) : Expr();
  if (size) spaces.push_back({{"size", sym::Shape::scalar(), 0, {}}});
  Newton::Settings settings = settingsOf(system);
  settings.constrained = static_cast<bool>(size);
  settings.multipliers = multipliersAmong(unknowns);
  Newton newton(context_.layer.program(), spaces);
  sema::Tuple shift;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    values_.give(system.unknowns[k].iterate, unknownValue(kind_, unknowns[k], newton.iterate(k)));
    if (unknowns[k].isPoint && shift.empty()) shift = newton.iterate(k);
  }
  if (shift.empty()) shift = zeroTuple(g_, kind_.shiftSpace());
  const int before = context_.step.evaluations;
  std::vector<ImplicitEquation> equations;
  std::int64_t numbers = 0;
  for (const CheckedSolve::Equation& e : system.equations) {
    if (!values_.evaluate(e.terms)) return false;
    equations.push_back(residual(e, shift));
    numbers += sizeOf(equations.back().space);
  }
  settings.evaluations = std::exchange(context_.step.evaluations, before) - before;
  const std::int64_t wanted = newton.size() - (size ? 1 : 0);
  if (numbers != wanted) {
    context_.compilation.diagnostics().error(
        Code::LIE0511, s.keyword, fmt::format("the equations are {} numbers, the unknowns {}", numbers, wanted));
    return false;
  }
  if (size) { // of displacements that are small beside positions no more is known than the round-off of these
    unknowns.push_back({sema::Value::tensor(size), spaces.back(), false});
    equations.push_back({spaces.back(), {}, {}, {g_.sub(newton.iterate(unknowns.size() - 1)[0], size)}});
  }
  iterate(system, unknowns, newton, equations, settings);
  return true;
}

/// Binds the unknowns to the solution, with as few of them iterated on as the equations permit.
void Instantiation::iterate(const CheckedSolve& s, const std::vector<Unknown>& unknowns, const Newton& system,
                            const std::vector<ImplicitEquation>& given, const Newton::Settings& settings) {
  sym::Program& p = context_.layer.program();
  std::vector<bool> linear;
  for (std::size_t k = 0; k < unknowns.size(); ++k) linear.push_back(!unknowns[k].isPoint && k < s.unknowns.size());
  std::optional<SolvedEquations> affine;
  if (kind_.hasRegularMass() && system.size() <= Newton::denseLimit) affine = solvedForAffine(p, system, given, linear);
  const std::vector<ImplicitEquation>& equations = affine ? affine->equations : given;
  // What an iterate is multiplied by, and divided where it starts.
  const auto scaled = [&](std::size_t k, const sema::Tuple& value, bool inverse) {
    if (!affine || k >= affine->scale.size() || affine->scale[k].empty()) return value;
    return timesNumbers(g_, value, load(g_, unknowns[k].space, affine->scale[k]), inverse);
  };
  const auto iterationOn = [&](Elimination& e, bool alongFamilyAlone) {
    auto newton = std::make_unique<Newton>(system.without(e.eliminated()));
    std::vector<sema::Tuple> starts;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      const Unknown& u = unknowns[k];
      if (!e.eliminated()[k]) starts.push_back(u.isPoint ? zeroTuple(g_, u.space) : scaled(k, u.start.parts, true));
    }
    Newton::Settings own = settings;
    own.alongFamilyAlone = alongFamilyAlone;
    // Of what was eliminated the changes would not be seen.
    if (newton->unknowns() != unknowns.size()) own.multipliers.clear();
    if (newton->unknowns() == 0)
      context_.step.evaluations += static_cast<int>(settings.evaluations);
    else if (!newton->finish(starts, e.residuals(), own))
      newton.reset();
    return newton;
  };
  auto chosen = std::make_unique<Elimination>(p, system, equations, linear);
  const bool large = chosen->left() > Newton::denseLimit;
  std::unique_ptr<Newton> iteration;
  if (large || (chosen->left() == system.size() && system.unknowns() > 1)) {
    const std::vector<ImplicitEquation> others = withDefinitions(p, system, equations, kind_.defined());
    auto local = others.empty() ? nullptr : std::make_unique<Elimination>(p, system, others, linear);
    // Definitions of large systems read neighbours, where solutions read all members.
    const bool fewer = local && local->left() < chosen->left();
    if (local && large) iteration = iterationOn(*local, true);
    if (iteration || (fewer && local->left() <= Newton::denseLimit)) chosen = std::move(local);
  }
  Elimination& elimination = *chosen;
  if (!iteration) iteration = iterationOn(elimination, false);
  const Newton& newton = *iteration;
  const std::vector<bool>& eliminated = elimination.eliminated();
  std::vector<sema::ArrayTuple> solution(unknowns.size());
  std::vector<sema::Tuple> numbers(unknowns.size());
  for (std::size_t k = 0, next = 0; k < unknowns.size(); ++k) {
    if (eliminated[k]) continue;
    numbers[k] = newton.solution(next++);
    if (newton.unknowns() == unknowns.size()) continue;
    solution[k] = store(p, unknowns[k].space, numbers[k], k < s.unknowns.size() ? s.unknowns[k].name : "size");
    numbers[k] = scaled(k, load(g_, unknowns[k].space, solution[k]), false);
  }
  const std::vector<sema::Tuple> removed = elimination.at(solution, "^");
  for (std::size_t k = 0; k < s.unknowns.size(); ++k) {
    const sema::Tuple& found = eliminated[k] ? removed[k] : numbers[k];
    values_.give(s.unknowns[k].solution, kind_.hold(unknownValue(kind_, unknowns[k], found), s.unknowns[k].name));
  }
}

std::optional<std::vector<sema::Value>> Instantiation::adjointStep(const KindContext& context, MethodKind& kind,
                                                                   const CheckedMethod& method, const Begin& begin) {
  sym::Graph& g = context.compilation.graph();
  const std::vector<std::string> names = method.kind->stateNames();
  std::vector<Unknown> unknowns;
  std::vector<Space> spaces;
  std::vector<sema::Tuple> starts;
  for (std::size_t k = 0; k < names.size(); ++k) {
    unknowns.push_back(unknownFrom(kind, g, begin.state[k], names[k]));
    spaces.push_back(unknowns[k].space);
    starts.push_back(unknowns[k].isPoint ? zeroTuple(g, spaces[k]) : unknowns[k].start.parts);
  }
  Newton newton(context.layer.program(), spaces);
  Begin back{{}, g.neg(begin.h), g.add(begin.t, begin.h)};
  for (std::size_t k = 0; k < names.size(); ++k) {
    back.state.push_back(kind.hold(unknownValue(kind, unknowns[k], newton.iterate(k)), names[k] + "*"));
  }
  const int before = context.step.evaluations;
  const sema::Tuple guess = kind.guess();
  KindContext inside = context;
  inside.joined = nullptr; // the stages depend on this iterate: they are solved in its turns
  const auto after = Instantiation(inside, kind, method, back).run();
  kind.setGuess(guess);
  if (!after) return std::nullopt;
  std::vector<std::pair<Space, sema::Tuple>> residuals;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const sema::Tuple& a = (*after)[k].parts;
    const sema::Tuple& b = unknowns[k].start.parts;
    residuals.emplace_back(spaces[k],
                           unknowns[k].isPoint ? kind.difference(a, b, newton.iterate(k)) : sema::sub(g, a, b));
  }
  Newton::Settings settings;
  settings.evaluations = std::exchange(context.step.evaluations, before) - before;
  newton.finish(starts, residuals, settings);
  std::vector<sema::Value> next;
  for (std::size_t k = 0; k < names.size(); ++k)
    next.push_back(kind.hold(unknownValue(kind, unknowns[k], newton.solution(k)), names[k] + "*"));
  return next;
}

} // namespace lmc::methods
