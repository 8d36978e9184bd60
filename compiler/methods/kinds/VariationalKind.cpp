#include "methods/kinds/VariationalKind.h"

#include "methods/solve/Newton.h"
#include "methods/solve/Projection.h"
#include "sema/manifolds/Generator.h"

#include <fmt/format.h>

namespace lmc {

using sym::Expr;

std::vector<Value> VariationalKind::state() {
  std::vector<Value> state = LagrangianKind::state();
  velocity_ = state[1].parts;
  const Tuple p = legendre({state[0].parts, velocity_, g_.load(context_.system.model->time)});
  // The printed momenta hold for horizontal velocities only; without the projection round-off along the isotropy grows.
  state[1] = valueOf(ValueKind::PhaseDual, projected(state[0].parts, p));
  return state;
}

void VariationalKind::finish(const std::vector<Value>& next) {
  const ArrayTuple q = store(p_, points_, next[0].parts, "next");
  const ArrayTuple p = store(p_, algebra_, next[1].parts, "next.p");
  const Expr end = g_.add(g_.load(context_.system.model->time), g_.load(context_.step.stepSize));
  const Tuple point = load(g_, points_, q);
  const auto velocity = [&](const Tuple& momentum) {
    return velocityOf(point, field_.refusal.empty() ? projected(point, momentum) : momentum, end);
  };
  const Tuple momentum = load(g_, algebra_, p);
  Tuple xi = field_.refusal.empty() ? refinedVelocity(point, momentum, end, velocity) : velocity(momentum);
  if (context_.system.constraints) xi = onRates(q, xi, end);
  setNext(q, store(p_, algebra_, xi, "next.xi"));
}

// --- the Legendre transform back to velocities --------------------------------------------------------------------

Tuple VariationalKind::velocityOf(const Tuple& q, const Tuple& p, Expr time) {
  if (!field_.refusal.empty()) return newtonVelocity(q, p, time);
  Copy copy = copyAt({q, velocity_, time});
  const ArrayTuple stored = store(p_, algebra_, p, "p" + copy.suffix);
  std::vector<const sym::Array*> roots;
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    const CotangentFactor& c = field_.factors[f];
    for (std::size_t k = 0; k < c.momentum.size(); ++k)
      copy.replacement.arrays[c.momentum[k]] = stored[slots_[f].algebra + k];
    roots.insert(roots.end(), c.velocity.begin(), c.velocity.end());
  }
  return algebraAt(copy, roots);
}

/// The velocities of a Lagrangian that is not quadratic in them.
Tuple VariationalKind::newtonVelocity(const Tuple& q, const Tuple& p, Expr time) {
  Newton newton(p_, {algebra_});
  const Tuple x = newton.iterate(0);
  Tuple residual = sub(g_, momentum({q, horizontal(q, x), time}), p);
  for (const Slot& s : slots_) { // the component along the isotropy vanishes
    const Tuple own = algebraOf(s, x);
    const Tuple off = sub(g_, own, horizontalProjection(p_, s.manifold(), pointOf(s, q), own));
    for (std::size_t k = 0; k < off.size(); ++k) residual[s.algebra + k] = g_.add(residual[s.algebra + k], off[k]);
  }
  newton.finish({velocity_}, {{algebra_, residual}}, {});
  return newton.solution(0);
}

// --- the formula --------------------------------------------------------------------------------------------------

namespace {
/// Arrays without equations: to be differentiated by, and defined afterwards.
Tuple symbols(sym::Graph& g, const Space& space, const std::string& name) {
  Tuple r;
  for (const Component& c : space)
    r.push_back(g.load(g.newArray(name + "." + c.name, c.extents(), c.shape, sym::Role::Temp), c.index));
  return r;
}

std::vector<const sym::Array*> arraysOf(const Value& v) {
  std::vector<const sym::Array*> r;
  for (const Expr& e : v.parts) r.push_back(e->array);
  return r;
}
} // namespace

VariationalKind::Formula VariationalKind::begin(std::size_t unknowns) {
  stages_.clear();
  const std::string suffix = fmt::format("@V{}", ++counter_);
  Formula f;
  f.q = valueOf(ValueKind::PhasePoint, symbols(g_, points_, "q" + suffix));
  for (std::size_t k = 0; k < unknowns; ++k)
    f.unknowns.push_back(valueOf(ValueKind::PhaseAlgebra, symbols(g_, algebra_, fmt::format("X{}{}", k, suffix))));
  return f;
}

Expr VariationalKind::lagrangian(const Place& place) {
  stages_.push_back({place, LagrangianKind::lagrangian(place)});
  return stages_.back().value;
}

/// Defines a symbol after everything has been differentiated by it.
void VariationalKind::settle(const Value& symbol, const Space& space, const Tuple& value) {
  for (std::size_t k = 0; k < space.size(); ++k) {
    sym::Equation e;
    e.array = symbol.parts[k]->array;
    e.loops = space[k].loops(g_);
    e.index = space[k].index;
    e.value = value[k];
    p_.append(std::move(e));
  }
}

Tuple VariationalKind::horizontal(const Tuple& point, const Tuple& k) {
  Tuple r;
  for (const Slot& s : slots_) append(r, horizontalProjection(p_, s.manifold(), pointOf(s, point), algebraOf(s, k)));
  return r;
}

Tuple VariationalKind::projected(const Tuple& point, const Tuple& p) {
  Tuple r;
  for (const Slot& s : slots_) append(r, momentumProjection(p_, s.manifold(), pointOf(s, point), algebraOf(s, p)));
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
  const sym::Gradient weights = gradient(p_, formula.lagrangian, values, "w");
  for (const Stage& stage : stages) {
    const Tuple covector = scale(g_, weights.of(stage.value->array), externalCovector(stage.place));
    for (std::size_t k = 0; k < points_.size(); ++k)
      terms.push_back({points_[k].loops(g_), Expr(), stage.place.q[k], covector[k]});
  }
}

/// On a homogeneous manifold xi is horizontal at q: a constraint <n(q), xi> = 0, whose multiplier is the component of
/// the iterate along n.
void VariationalKind::addIsotropy(const Formula& formula, const std::vector<Tuple>& iterates,
                                  std::vector<sym::SeededTerm>& terms) {
  for (const Slot& s : slots_) {
    const std::size_t first = s.algebra;
    for (const Tuple& normal : conormals(p_, s.manifold(), pointOf(s, formula.q.parts))) {
      for (std::size_t k = 0; k < iterates.size(); ++k) {
        terms.push_back({algebra_[first].loops(g_), Expr(),
                         pairing(g_, normal, algebraOf(s, formula.unknowns[k].parts)),
                         pairing(g_, normal, algebraOf(s, iterates[k]))});
      }
    }
  }
}

VariationalKind::Slopes VariationalKind::slopes(const Formula& formula, const std::vector<Tuple>& iterates) {
  std::vector<sym::SeededTerm> terms = {{{}, Expr(), formula.lagrangian, g_.number(1)}};
  addForces(formula, terms);
  addIsotropy(formula, iterates, terms);
  std::vector<const sym::Array*> inputs = arraysOf(formula.q);
  for (const Value& u : formula.unknowns) {
    const auto own = arraysOf(u);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  const sym::Gradient gradient = sym::gradient(p_, terms, inputs, "dLd");
  const auto of = [&](const Value& v, const Space& space) {
    Tuple r;
    for (std::size_t k = 0; k < space.size(); ++k) r.push_back(gradient.of(v.parts[k]->array, space[k].index));
    return r;
  };
  Slopes slopes;
  const Tuple storage = of(formula.q, points_);
  for (const Slot& s : slots_) {
    append(slopes.q, generatorTransposed(p_, s.manifold(), s.body(), pointOf(s, formula.q.parts), pointOf(s, storage)));
  }
  for (const Value& u : formula.unknowns) slopes.unknowns.push_back(of(u, algebra_));
  return slopes;
}

// With q1 = q F(xi) in body, F(xi) q in space, the variations of q, xi and q1 are related by
//   body:  eta1 = Ad_F^-1 (eta + dF_xi dxi),   space:  eta1 = Ad_F eta + dF_xi dxi,
// so that p1 of <p1, eta1> - <p, eta> = dL_d is
//   body:  p1 = Ad*_F a,     dF*_xi a  = dL_d/dxi,
//   space: p1 = Ad*_F^-1 a,  dF*_xi p1 = dL_d/dxi,      a = p + T(q)* dL_d/dq.
// No inverse of dF is needed, and any retraction will do.
Tuple VariationalKind::balance(const Formula& formula, const Tuple& momentum, const Slopes& slopes, Tuple& end) {
  Tuple begin = add(g_, momentum, slopes.q);
  if (formula.left) begin = add(g_, begin, *formula.left);
  begin = load(g_, algebra_, store(p_, algebra_, begin, fmt::format("p+@V{}", counter_)));
  Tuple residual;
  const Tuple& xi = formula.unknowns[0].parts;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, Handed::Group);
    const Tuple u = algebraOf(s, xi);
    const Tuple a = algebraOf(s, begin);
    const Tuple element = c.retract(retraction_, u);
    const Tuple p1 = c.Adstar(s.body() ? element : c.inverse(element), a);
    append(residual, sub(g_, c.dretractT(retraction_, u, s.body() ? a : p1), algebraOf(s, slopes.unknowns[0])));
    append(end, p1);
  }
  if (formula.right) end = add(g_, end, *formula.right);
  return residual;
}

Tuple VariationalKind::atSolution(const Tuple& value, const Newton& newton, const std::string& name) {
  const ArrayTuple stored = store(p_, algebra_, value, name);
  sym::Replacement replacement;
  for (std::size_t k = 0; k < newton.unknowns(); ++k) {
    const ArrayTuple& iterate = newton.iterateArrays(k);
    const ArrayTuple solution = store(p_, newton.spaceOf(k), newton.solution(k), fmt::format("{}.x{}", name, k));
    for (std::size_t part = 0; part < iterate.size(); ++part) replacement.arrays[iterate[part]] = solution[part];
  }
  const auto copies = sym::inlineCopy(p_, stored, replacement, "=");
  return load(g_, algebra_, copies);
}

// --- constraints of the model -------------------------------------------------------------------------------------

/// B(q)^T times numbers, one for each equation.
Tuple VariationalKind::constraintForce(const Tuple& q, Expr time, const Tuple& factors) {
  const ConstraintEquations& c = *context_.system.constraints;
  const Copy copy = copyAt({q, velocity_, time});
  const sym::Array* force = sym::inlineCopy(p_, {c.force}, copy.replacement, copy.suffix)[0];
  const sym::Array* all = factors[0]->array;
  Tuple r;
  for (const Slot& s : slots_) {
    const auto j = static_cast<std::size_t>(s.factor - context_.system.model->factors.data());
    const int dimension = s.manifold().algebraSize();
    std::vector<Expr> list;
    for (int a = 0; a < dimension; ++a) {
      Expr column = g_.integer(c.firstColumn[j] + a + 1);
      if (!s.index.empty()) column = g_.add(column, g_.mul(g_.integer(dimension), g_.sub(s.index[0], g_.integer(1))));
      sym::Equation e; // sum over the rows, one number for each member
      e.kind = sym::EquationKind::Accumulate;
      e.array =
          g_.newArray("B^T l" + copy.suffix, algebra_[s.algebra].extents(), sym::Shape::scalar(), sym::Role::Temp);
      e.loops = algebra_[s.algebra].loops(g_);
      const sym::Loop row = sym::fullLoop(g_, "r", c.positions);
      e.loops.push_back(row);
      e.index = s.index;
      e.value = g_.mul(g_.load(force, {row.index, column}), g_.load(all, {row.index}));
      list.push_back(g_.load(e.array, s.index));
      p_.append(std::move(e));
    }
    append(r, fromEntries(g_, s.manifold().algebra(), list));
  }
  return r;
}

Tuple VariationalKind::constraintDefect(const Tuple& q, Expr time, const Space& rows) {
  const Copy copy = copyAt({q, velocity_, time});
  const sym::Array* value = sym::inlineCopy(p_, {context_.system.constraints->value}, copy.replacement, copy.suffix)[0];
  return {g_.load(value, rows[0].index)};
}

/// Velocities near xi at which the constraints have no rate.
Tuple VariationalKind::onRates(const ArrayTuple& q, const Tuple& xi, Expr time) {
  const ArrayTuple velocities = store(p_, algebra_, xi, "next.free");
  ArrayTuple all;
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.manifold().point().size(); ++k) all.push_back(q[s.point + k]);
    for (std::size_t k = 0; k < s.manifold().algebra().size(); ++k) all.push_back(velocities[s.algebra + k]);
  }
  Phase phase(context_.layer);
  const Tuple y = Projection(context_.layer, phase).onRates(phase.loadPoint(all), time, "next.rates");
  const ArrayTuple stored = phase.storePoint(y, "next.on");
  ArrayTuple result;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    next += s.manifold().point().size();
    for (std::size_t k = 0; k < s.manifold().algebra().size(); ++k) result.push_back(stored[next++]);
  }
  return load(g_, algebra_, result);
}

std::vector<Value> VariationalKind::step(const Formula& formula, const std::vector<Value>& state, Expr h, Expr t) {
  std::vector<Space> spaces(formula.unknowns.size(), algebra_);
  const ConstraintEquations* const c = context_.system.constraints.get();
  const bool held = c != nullptr && c->positions > 0;
  if (held) spaces.push_back({{"hlambda/2", sym::Shape::scalar(), c->positions, {g_.newIndex("r")}}});
  Newton newton(p_, spaces);
  std::vector<Tuple> iterates;
  for (std::size_t k = 0; k < formula.unknowns.size(); ++k) iterates.push_back(newton.iterate(k));
  Tuple momentum = state[1].parts;
  if (held) momentum = add(g_, momentum, constraintForce(state[0].parts, t, newton.iterate(iterates.size())));
  const Slopes slopes = this->slopes(formula, iterates);
  Tuple end;
  std::vector<std::pair<Space, Tuple>> residuals = {{algebra_, balance(formula, momentum, slopes, end)}};
  for (std::size_t k = 1; k < formula.unknowns.size(); ++k) residuals.emplace_back(algebra_, slopes.unknowns[k]);

  settle(formula.q, points_, state[0].parts);
  for (std::size_t k = 0; k < formula.unknowns.size(); ++k)
    settle(formula.unknowns[k], algebra_, horizontal(formula.q.parts, iterates[k]));
  const Tuple whole = scale(g_, h, velocity_);
  std::vector<Tuple> starts(formula.unknowns.size(), scale(g_, sym::Number::ratio(1, 2), whole));
  starts[0] = whole;
  if (held) {
    const Tuple ahead = moved(state[0].parts, elements(retraction_, formula.unknowns[0].parts));
    const Tuple defect = constraintDefect(ahead, g_.add(t, h), spaces.back());
    // Of a member that does not hold the multiplier is zero.
    const Expr off = g_.load(c->inactive, spaces.back()[0].index);
    const Tuple alone = scale(g_, off, newton.iterate(formula.unknowns.size()));
    residuals.emplace_back(spaces.back(), add(g_, scale(g_, g_.div(g_.number(1), h), defect), alone));
    starts.push_back({g_.number(0)});
  }
  Newton::Settings settings;
  settings.evaluations = static_cast<std::int64_t>(stages_.size());
  newton.finish(starts, residuals, settings);

  const std::string name = fmt::format("V{}", counter_);
  const Tuple xi = atSolution(formula.unknowns[0].parts, newton, name + ".xi");
  velocity_ = {};
  for (const Expr& e : xi) velocity_.push_back(g_.div(e, h));
  const Tuple p = atSolution(end, newton, name + ".p");
  ++context_.step.exponentials;
  return {valueOf(ValueKind::PhasePoint, moved(state[0].parts, elements(retraction_, xi))),
          valueOf(ValueKind::PhaseDual, p)};
}

namespace kinds {
std::unique_ptr<MethodKind> variational(const KindContext& context, const ModelParts&) {
  return std::make_unique<VariationalKind>(context);
}
} // namespace kinds

} // namespace lmc
