#include "methods/kinds/VariationalKind.h"

#include "mechanics/constraints/Saddle.h"
#include "mechanics/constraints/Sparse.h"
#include "methods/solve/Newton.h"
#include "methods/solve/Projection.h"
#include "sema/manifolds/Generator.h"

#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

std::vector<sema::Value> VariationalKind::state() {
  std::vector<sema::Value> state = LagrangianKind::state();
  velocity_ = state[1].parts;
  const sema::Tuple p = legendre({state[0].parts, velocity_, g_.load(context_.system.model->time)});
  // The printed momenta hold for horizontal velocities only; without the projection round-off along the isotropy grows.
  state[1] = valueOf(sema::ValueKind::PhaseDual, projected(state[0].parts, p));
  return state;
}

void VariationalKind::finish(const std::vector<sema::Value>& next) {
  const sema::ArrayTuple q = store(p_, points_, next[0].parts, "next");
  const sema::ArrayTuple p = store(p_, algebra_, next[1].parts, "next.p");
  const Expr end = g_.add(g_.load(context_.system.model->time), g_.load(context_.step.stepSize));
  const sema::Tuple point = load(g_, points_, q);
  const auto velocity = [&](const sema::Tuple& momentum) {
    return velocityOf(point, field_.refusal.empty() ? projected(point, momentum) : momentum, end);
  };
  const sema::Tuple momentum = load(g_, algebra_, p);
  // Sparse systems are refined themselves, and of a momentum without motion only rounding would be left.
  const bool refine = field_.refusal.empty() && !mechanics::hasCoupledBlocks(context_.system);
  sema::Tuple xi = refine ? refinedVelocity(point, momentum, end, velocity) : velocity(momentum);
  if (context_.system.constraints) xi = onRates(q, xi, end);
  setNext(q, store(p_, algebra_, xi, "next.xi"));
}

// --- the Legendre transform back to velocities --------------------------------------------------------------------

sema::Tuple VariationalKind::velocityOf(const sema::Tuple& q, const sema::Tuple& p, Expr time) {
  if (!field_.refusal.empty()) return newtonVelocity(q, p, time);
  Copy copy = copyAt({q, velocity_, time});
  const sema::ArrayTuple stored = store(p_, algebra_, p, "p" + copy.suffix);
  std::vector<const sym::Array*> roots;
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    const mechanics::CotangentFactor& c = field_.factors[f];
    for (std::size_t k = 0; k < c.momentum.size(); ++k)
      copy.replacement.arrays[c.momentum[k]] = stored[slots_[f].algebra + k];
    roots.insert(roots.end(), c.velocity.begin(), c.velocity.end());
  }
  return algebraAt(copy, roots);
}

/// The velocities of a Lagrangian that is not quadratic in them.
sema::Tuple VariationalKind::newtonVelocity(const sema::Tuple& q, const sema::Tuple& p, Expr time) {
  Newton newton(p_, {algebra_});
  const sema::Tuple x = newton.iterate(0);
  sema::Tuple residual = sema::sub(g_, momentum({q, horizontal(q, x), time}), p);
  for (const Slot& s : slots_) { // the component along the isotropy vanishes
    const sema::Tuple own = algebraOf(s, x);
    const sema::Tuple off = sema::sub(g_, own, sema::horizontalProjection(p_, s.manifold(), pointOf(s, q), own));
    for (std::size_t k = 0; k < off.size(); ++k) residual[s.algebra + k] = g_.add(residual[s.algebra + k], off[k]);
  }
  newton.finish({velocity_}, {{algebra_, residual}}, {});
  return newton.solution(0);
}

// --- the formula --------------------------------------------------------------------------------------------------

namespace {
/// Arrays without equations: to be differentiated by, and defined afterwards.
sema::Tuple symbols(sym::Graph& g, const Space& space, const std::string& name) {
  sema::Tuple r;
  for (const Component& c : space)
    r.push_back(g.load(g.newArray(name + "." + c.name, c.extents(), c.shape, sym::Role::Temp), c.index));
  return r;
}

std::vector<const sym::Array*> arraysOf(const sema::Value& v) {
  std::vector<const sym::Array*> r;
  for (const Expr& e : v.parts) r.push_back(e->array);
  return r;
}
} // namespace

VariationalKind::Formula VariationalKind::begin(std::size_t unknowns) {
  stages_.clear();
  const std::string suffix = fmt::format("@V{}", ++counter_);
  Formula f;
  f.q = valueOf(sema::ValueKind::PhasePoint, symbols(g_, points_, "q" + suffix));
  for (std::size_t k = 0; k < unknowns; ++k)
    f.unknowns.push_back(
        valueOf(sema::ValueKind::PhaseAlgebra, symbols(g_, algebra_, fmt::format("X{}{}", k, suffix))));
  return f;
}

Expr VariationalKind::lagrangian(const Place& place) {
  stages_.push_back({place, LagrangianKind::lagrangian(place)});
  return stages_.back().value;
}

/// Defines a symbol after everything has been differentiated by it.
void VariationalKind::settle(const sema::Value& symbol, const Space& space, const sema::Tuple& value) {
  for (std::size_t k = 0; k < space.size(); ++k) {
    sym::Equation e;
    e.array = symbol.parts[k]->array;
    e.loops = space[k].loops(g_);
    e.index = space[k].index;
    e.value = value[k];
    p_.append(std::move(e));
  }
}

sema::Tuple VariationalKind::horizontal(const sema::Tuple& point, const sema::Tuple& k) {
  sema::Tuple r;
  for (const Slot& s : slots_) append(r, sema::steadyProjection(p_, s.manifold(), pointOf(s, point), algebraOf(s, k)));
  return r;
}

sema::Tuple VariationalKind::projected(const sema::Tuple& point, const sema::Tuple& p) {
  sema::Tuple r;
  for (const Slot& s : slots_)
    append(r, sema::steadyMomentumProjection(p_, s.manifold(), pointOf(s, point), algebraOf(s, p)));
  return r;
}

/// Lagrange-d'Alembert: the virtual work of the forces at the places where the formula takes L, with the weights that
/// it gives to L there.
void VariationalKind::addForces(const Formula& formula, std::vector<sym::SeededTerm>& terms) {
  if (!hasForces() || formula.left || formula.right) return;
  const std::vector<Stage> stages = stages_;
  std::vector<const sym::Array*> values;
  values.reserve(stages.size());
  for (const Stage& stage : stages) values.push_back(stage.value->array);
  const sym::Gradient weights = sym::gradient(p_, formula.lagrangian, values, "w");
  for (const Stage& stage : stages) {
    const sema::Tuple covector = sema::scale(g_, weights.of(stage.value->array), externalCovector(stage.place));
    for (std::size_t k = 0; k < points_.size(); ++k)
      terms.push_back({points_[k].loops(g_), Expr(), stage.place.q[k], covector[k]});
  }
}

/// On a homogeneous manifold xi is horizontal at q: a constraint <n(q), xi> = 0, whose multiplier is the component of
/// the iterate along n.
void VariationalKind::addIsotropy(const Formula& formula, const std::vector<sema::Tuple>& iterates,
                                  std::vector<sym::SeededTerm>& terms) {
  for (const Slot& s : slots_) {
    const std::size_t first = s.algebra;
    for (const sema::Tuple& normal : sema::conormals(p_, s.manifold(), pointOf(s, formula.q.parts))) {
      for (std::size_t k = 0; k < iterates.size(); ++k) {
        terms.push_back({algebra_[first].loops(g_), Expr(),
                         sema::pairing(g_, normal, algebraOf(s, formula.unknowns[k].parts)),
                         sema::pairing(g_, normal, algebraOf(s, iterates[k]))});
      }
    }
  }
}

VariationalKind::Slopes VariationalKind::slopes(const Formula& formula, const std::vector<sema::Tuple>& iterates,
                                                const std::vector<sema::Tuple>& held, const Space& rows) {
  std::vector<sym::SeededTerm> terms = {{{}, Expr(), formula.lagrangian, g_.number(1)}};
  for (std::size_t k = 0; k < held.size(); ++k)
    terms.push_back(
        {rows[0].loops(g_), Expr(), constraintDefect(formula.nodes[k].q, formula.nodes[k].time, rows)[0], held[k][0]});
  addForces(formula, terms);
  addIsotropy(formula, iterates, terms);
  std::vector<const sym::Array*> inputs = arraysOf(formula.q);
  for (const sema::Value& u : formula.unknowns) {
    const auto own = arraysOf(u);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  const sym::Gradient gradient = sym::gradient(p_, terms, inputs, "dLd");
  const auto of = [&](const sema::Value& v, const Space& space) {
    sema::Tuple r;
    for (std::size_t k = 0; k < space.size(); ++k) r.push_back(gradient.of(v.parts[k]->array, space[k].index));
    return r;
  };
  Slopes slopes;
  const sema::Tuple storage = of(formula.q, points_);
  for (const Slot& s : slots_) {
    append(slopes.q, mechanics::generatorTransposed(p_, s.manifold(), s.body(), pointOf(s, formula.q.parts),
                                                    pointOf(s, storage)));
  }
  for (const sema::Value& u : formula.unknowns) slopes.unknowns.push_back(of(u, algebra_));
  return slopes;
}

// With q1 = q F(xi) in body, F(xi) q in space, the variations of q, xi and q1 are related by
//   body:  eta1 = Ad_F^-1 (eta + dF_xi dxi),   space:  eta1 = Ad_F eta + dF_xi dxi,
// so that p1 of <p1, eta1> - <p, eta> = dL_d is
//   body:  p1 = Ad*_F a,     dF*_xi a  = dL_d/dxi,
//   space: p1 = Ad*_F^-1 a,  dF*_xi p1 = dL_d/dxi,      a = p + T(q)* dL_d/dq.
// No inverse of dF is needed, and any retraction will do.
sema::Tuple VariationalKind::balance(const Formula& formula, const sema::Tuple& momentum, const Slopes& slopes,
                                     sema::Tuple& end) {
  sema::Tuple begin = sema::add(g_, momentum, slopes.q);
  if (formula.left) begin = sema::add(g_, begin, *formula.left);
  begin = load(g_, algebra_, store(p_, algebra_, begin, fmt::format("p+@V{}", counter_)));
  sema::Tuple residual;
  const sema::Tuple& xi = formula.unknowns[0].parts;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, Handed::Group);
    const sema::Tuple u = algebraOf(s, xi);
    const sema::Tuple a = algebraOf(s, begin);
    const sema::Tuple element = c.retract(retraction_, u);
    const sema::Tuple p1 = c.Adstar(s.body() ? element : c.inverse(element), a);
    append(residual, sema::sub(g_, c.dretractT(retraction_, u, s.body() ? a : p1), algebraOf(s, slopes.unknowns[0])));
    append(end, p1);
  }
  if (formula.right) end = sema::add(g_, end, *formula.right);
  return residual;
}

sema::Tuple VariationalKind::atSolution(const sema::Tuple& value, const Newton& newton, const std::string& name) {
  const sema::ArrayTuple stored = store(p_, algebra_, value, name);
  sym::Replacement replacement;
  for (std::size_t k = 0; k < newton.unknowns(); ++k) {
    const sema::ArrayTuple& iterate = newton.iterateArrays(k);
    const sema::ArrayTuple solution = store(p_, newton.spaceOf(k), newton.solution(k), fmt::format("{}.x{}", name, k));
    for (std::size_t part = 0; part < iterate.size(); ++part) replacement.arrays[iterate[part]] = solution[part];
  }
  const auto copies = sym::inlineCopy(p_, stored, replacement, "=");
  return load(g_, algebra_, copies);
}

// --- constraints of the model -------------------------------------------------------------------------------------

sema::Tuple VariationalKind::constraintDefect(const sema::Tuple& q, Expr time, const Space& rows) {
  const Copy copy = copyAt({q, velocity_, time});
  const sym::Array* value = sym::inlineCopy(p_, {context_.system.constraints->value}, copy.replacement, copy.suffix)[0];
  return {g_.load(value, rows[0].index)};
}

/// Velocities near xi at which the constraints have no rate.
sema::Tuple VariationalKind::onRates(const sema::ArrayTuple& q, const sema::Tuple& xi, Expr time) {
  const sema::ArrayTuple velocities = store(p_, algebra_, xi, "next.free");
  sema::ArrayTuple all;
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.manifold().point().size(); ++k) all.push_back(q[s.point + k]);
    for (std::size_t k = 0; k < s.manifold().algebra().size(); ++k) all.push_back(velocities[s.algebra + k]);
  }
  Phase phase(context_.layer);
  const sema::Tuple y = Projection(context_.layer, phase).onRates(phase.loadPoint(all), time, "next.rates");
  const sema::ArrayTuple stored = phase.storePoint(y, "next.on");
  sema::ArrayTuple result;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    next += s.manifold().point().size();
    for (std::size_t k = 0; k < s.manifold().algebra().size(); ++k) result.push_back(stored[next++]);
  }
  return load(g_, algebra_, result);
}

/// The derivative of the equations of a step at rest, where L_d is a sum of kinetic energies: its slopes by the
/// unknowns are multiples of M; multipliers act at the begin, and at the nodes.
std::vector<mechanics::StepBlocks::Term> VariationalKind::nearTerms(const Formula& formula, Expr h) {
  using What = mechanics::StepBlocks::What;
  const std::size_t count = formula.unknowns.size();
  std::vector<const sym::Array*> values;
  for (const Stage& stage : stages_) values.push_back(stage.value->array);
  const sym::Gradient weights = sym::gradient(p_, formula.lagrangian, values, "near.w");
  std::vector<mechanics::StepBlocks::Term> terms;
  const auto add = [&](std::size_t equation, std::size_t unknown, What what, Expr factor) {
    if (!factor->isZero()) terms.push_back({equation, unknown, what, factor, factor});
  };
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = 0; l < count; ++l) {
      Expr total = g_.number(0);
      for (std::size_t s = 0; s < stages_.size(); ++s)
        total =
            g_.add(total, g_.mul(weights.of(values[s]), g_.mul(formula.velocities[s][k], formula.velocities[s][l])));
      add(k, l, What::Mass, k == 0 ? g_.neg(total) : total);
    }
  const Expr rate = g_.div(g_.number(1), h);
  add(0, count, What::Transposed, g_.number(1));
  add(count, 0, What::Rows, rate);
  add(count, count, What::Off, g_.number(1));
  for (std::size_t j = 0; j < formula.nodes.size(); ++j) {
    const std::size_t held = count + 1 + j;
    for (std::size_t k = 0; k < count; ++k) {
      const Expr moved = formula.displacements[j][k];
      add(k, held, What::Transposed, k == 0 ? g_.sub(g_.number(1), moved) : moved);
      add(held, k, What::Rows, g_.mul(rate, moved));
    }
    add(held, held, What::Off, g_.number(1));
  }
  return terms;
}

std::vector<sema::Value> VariationalKind::step(const Formula& formula, const std::vector<sema::Value>& state, Expr h,
                                               Expr t) {
  const std::size_t count = formula.unknowns.size();
  std::vector<Space> spaces(count, algebra_);
  const mechanics::ConstraintEquations* const c = context_.system.constraints.get();
  const bool held = c != nullptr && c->positions > 0;
  // The unknowns are then in the order of the blocks.
  const bool sparse = held && c->blocks != nullptr;
  const Space flat = sparse ? stackedSpace() : Space{};
  if (sparse) spaces.assign(count, flat);
  Space rows;
  if (held) {
    rows = {{"hlambda/2", sym::Shape::scalar(), c->positions, {g_.newIndex("r")}}};
    spaces.resize(count + 1 + formula.nodes.size(), rows);
    spaces.push_back({{"size", sym::Shape::scalar(), 0, {}}}); // as of `solve` with constraints on positions
  }
  Newton newton(p_, spaces);
  std::vector<sema::Tuple> iterates, inner;
  for (std::size_t k = 0; k < count; ++k)
    iterates.push_back(sparse ? fromStacked(newton.iterateArrays(k)[0]) : newton.iterate(k));
  for (std::size_t k = 0; held && k < formula.nodes.size(); ++k) inner.push_back(newton.iterate(count + 1 + k));
  sema::Tuple momentum = state[1].parts;
  const Place begin{state[0].parts, velocity_, t};
  if (held) momentum = sema::add(g_, momentum, constraintForce(begin, newton.iterate(count)[0]));
  const Slopes slopes = this->slopes(formula, iterates, inner, rows);
  sema::Tuple end;
  const auto numbers = [&](const sema::Tuple& value, const std::string& name) {
    return sparse ? sema::Tuple{g_.load(stackedAs(value, name), flat[0].index)} : value;
  };
  std::vector<std::pair<Space, sema::Tuple>> residuals = {
      {spaces[0], numbers(balance(formula, momentum, slopes, end), "balance")}};
  for (std::size_t k = 1; k < count; ++k) residuals.emplace_back(spaces[k], numbers(slopes.unknowns[k], "dL_d"));
  const auto near = sparse ? nearTerms(formula, h) : std::vector<mechanics::StepBlocks::Term>{};

  settle(formula.q, points_, state[0].parts);
  for (std::size_t k = 0; k < count; ++k)
    settle(formula.unknowns[k], algebra_, horizontal(formula.q.parts, iterates[k]));
  const sema::Tuple whole = sema::scale(g_, h, velocity_);
  std::vector<sema::Tuple> starts(count, numbers(sema::scale(g_, sym::Number::ratio(1, 2), whole), "h xi/2"));
  starts[0] = numbers(whole, "h xi");
  const auto require = [&](const sema::Tuple& point, Expr time, const sema::Tuple& multiplier) {
    const sema::Tuple defect = constraintDefect(point, time, rows);
    // Of a member that does not hold the multiplier is zero.
    const sema::Tuple alone = sema::scale(g_, g_.load(c->inactive, rows[0].index), multiplier);
    residuals.emplace_back(rows, sema::add(g_, sema::scale(g_, g_.div(g_.number(1), h), defect), alone));
    starts.push_back({g_.number(0)});
  };
  if (held)
    require(moved(state[0].parts, elements(retraction_, formula.unknowns[0].parts)), g_.add(t, h),
            newton.iterate(count));
  for (std::size_t k = 0; k < inner.size(); ++k) require(formula.nodes[k].q, formula.nodes[k].time, inner[k]);
  if (held) {
    // Of many bodies a small part: what remains of a change of a long chain at rest is rounding of its positions.
    const Expr size = sparse ? g_.scale(sym::Number::ratio(1, 1000), positionSize(h)) : positionSize(h);
    residuals.emplace_back(spaces.back(), sema::Tuple{g_.sub(newton.iterate(spaces.size() - 1)[0], size)});
    starts.push_back({size});
  }
  Newton::Settings settings;
  settings.evaluations = static_cast<std::int64_t>(stages_.size());
  settings.constrained = held;
  for (std::size_t k = count; held && k + 1 < spaces.size(); ++k) settings.multipliers.push_back(k);
  if (sparse) {
    using Unknown = mechanics::StepBlocks::Unknown;
    std::vector<Unknown> unknowns(spaces.size(), Unknown::Multipliers);
    std::fill_n(unknowns.begin(), count, Unknown::Velocities);
    unknowns.back() = Unknown::Number;
    settings.near = this->near(unknowns, near, state[0].parts, t);
  }
  newton.finish(starts, residuals, settings);

  const std::string name = fmt::format("V{}", counter_);
  const sema::Tuple xi = atSolution(formula.unknowns[0].parts, newton, name + ".xi");
  velocity_ = {};
  for (const Expr& e : xi) velocity_.push_back(g_.div(e, h));
  const sema::Tuple p = atSolution(end, newton, name + ".p");
  ++context_.step.exponentials;
  return {valueOf(sema::ValueKind::PhasePoint, moved(state[0].parts, elements(retraction_, xi))),
          valueOf(sema::ValueKind::PhaseDual, p)};
}

namespace kinds {
std::unique_ptr<MethodKind> variational(const KindContext& context, const ModelParts&) {
  return std::make_unique<VariationalKind>(context);
}
} // namespace kinds

} // namespace lmc::methods
