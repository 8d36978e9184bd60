#include "methods/kinds/EmbeddingKind.h"

#include "mechanics/system/Knowledge.h"
#include "methods/solve/Projection.h"
#include "sema/manifolds/Generator.h"
#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {
void append(sema::Tuple& a, const sema::Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
}
} // namespace

sema::Value EmbeddingKind::vectorValue(sema::Tuple parts) {
  sema::Value v;
  v.kind = sema::ValueKind::PhaseVector;
  v.parts = std::move(parts);
  return v;
}

EmbeddingKind::EmbeddingKind(const KindContext& context, bool withRates, bool endsOnManifold)
    : context_(context), d_(context.compilation.diagnostics()), p_(context.layer.program()),
      g_(context.compilation.graph()), secondOrder_(withRates), endsOnManifold_(endsOnManifold) {
  const sema::Model& m = *context.system.model;
  for (const sema::PhaseVariable& v : m.order) {
    Slot s;
    if (v.isFactor) {
      const sema::Factor& f = m.factors[v.index];
      s.manifold = f.manifold;
      s.frame = f.frame;
      s.factor = &f;
      s.state = f.point;
      s.state.insert(s.state.end(), f.velocity.begin(), f.velocity.end());
      s.rate = f.fiber == sema::Fiber::Momentum ? f.rate : f.velocity;
      s.fiberRate = context.system.factors[v.index].acceleration;
      addSlot(std::move(s), f.name, f.extent, f.manifold->algebra());
    } else {
      const sema::StateVariable& z = m.states[v.index];
      s.manifold = z.manifold;
      s.frame = z.frame;
      s.state = z.point;
      if (z.dual) {
        const auto dual = std::find_if(context.system.duals.begin(), context.system.duals.end(),
                                       [&](const mechanics::DualEquations& d) { return d.state == v.index; });
        s.fiberRate = dual->derivative;
        addSlot(std::move(s), z.name, z.extent, z.manifold->algebra());
      } else {
        s.rate = z.flow;
        addSlot(std::move(s), z.name, z.extent, {});
      }
    }
  }
}

void EmbeddingKind::addSlot(Slot s, const std::string& name, std::int64_t extent,
                            const std::vector<sema::Part>& fiber) {
  if (extent > 0) s.index = {g_.newIndex("i")};
  s.first = all_.size();
  if (!s.rate.empty()) {
    s.points = s.manifold->point().size();
    for (const sema::Part& p : s.manifold->point()) {
      all_.push_back({name + "." + p.name, p.shape, extent, s.index});
      points_.push_back(all_.back());
    }
  }
  for (const sema::Part& p : fiber) all_.push_back({name + "'." + p.name, p.shape, extent, s.index});
  slots_.push_back(std::move(s));
}

std::vector<sema::Value> EmbeddingKind::state() {
  sema::Tuple y;
  sema::Tuple q;
  sema::Tuple v;
  for (const Slot& s : slots_) {
    const sema::Tuple own = sema::loads(g_, s.state, s.index);
    append(y, own);
    if (!secondOrder_) continue;
    const sema::Tuple point = sema::part(own, 0, s.points);
    append(q, point);
    append(v, sema::generator(p_, *s.manifold, s.frame, point, sema::part(own, s.points, own.size() - s.points)));
  }
  if (!secondOrder_) return {vectorValue(y)};
  return {vectorValue(q), hold(vectorValue(v), "v")};
}

bool EmbeddingKind::hasRegularMass() const {
  const auto& groups = context_.system.groups;
  return secondOrder_ && std::all_of(groups.begin(), groups.end(), [](const mechanics::MassGroup& g) {
           return g.structure == mechanics::MassStructure::Scalar ||
                  g.structure == mechanics::MassStructure::Multipliers;
         });
}

Expr EmbeddingKind::positionSize(Expr h) {
  const sym::Array* size = g_.newArray("size of q", {}, sym::Shape::scalar(), sym::Role::Temp);
  for (const Slot& s : slots_)
    for (std::size_t k = 0; k < s.points; ++k) addSizes(p_, size, all_[s.first + k], g_.load(s.state[k], s.index));
  return g_.scale(sym::Number::ratio(1, 100), g_.div(g_.load(size), g_.function(sym::Op::Abs, h)));
}

std::optional<Space> EmbeddingKind::space(const sema::Value& v) const {
  if (v.kind == sema::ValueKind::PhaseVector) return secondOrder_ ? points_ : all_;
  if (v.kind == sema::ValueKind::PhaseDual) return multipliers_;
  return std::nullopt;
}

sema::Value EmbeddingKind::hold(const sema::Value& v, const std::string& name) {
  const std::optional<Space> own = space(v);
  if (!own) return v;
  sema::Value held = v;
  held.parts = load(g_, *own, store(p_, *own, v.parts, name));
  if (const PartialSum* const sum = sumOf(v.parts)) {
    PartialSum same = *sum;
    same.value = held.parts;
    sums_.push_back(std::move(same));
  }
  return held;
}

sema::Value EmbeddingKind::defaultStart() {
  sema::Tuple zeros;
  for (const Component& c : secondOrder_ ? points_ : all_) zeros.push_back(g_.zero(c.shape));
  return vectorValue(std::move(zeros));
}

void EmbeddingKind::finish(const std::vector<sema::Value>& next) {
  sema::Tuple y = next_ = next[0].parts;
  if (secondOrder_) {
    y.clear();
    const sema::Tuple q = load(g_, points_, store(p_, points_, next[0].parts, "next.q"));
    const sema::Tuple v = load(g_, points_, store(p_, points_, next[1].parts, "next.v"));
    std::size_t first = 0;
    for (const Slot& s : slots_) {
      const sema::Tuple point = sema::part(q, first, s.points);
      append(y, point);
      append(y, algebraOf(s, point, sema::part(v, first, s.points)));
      first += s.points;
    }
  }
  for (const Slot& s : slots_) context_.step.state.insert(context_.step.state.end(), s.state.begin(), s.state.end());
  context_.step.next = store(p_, all_, onConstraints(y), "next");
}

void EmbeddingKind::embed(const ForEstimate& results) {
  sema::Tuple embedded = results.second[0].parts;
  context_.step.series = differenceOfSums(next_, embedded);
  if (context_.step.series && hasBranches()) {
    // The last terms of a series do not know of a branch that the motion comes to: a trial has to meet it.
    context_.step.series.reset();
    embedded = sema::add(g_, embedded, defect(*sumOf(next_)));
  }
  context_.step.embedded = store(p_, all_, embedded, "embedded");
  // What constraints have moved is a part of the error.
  if (!end_.empty() && !context_.system.constraints) context_.step.compared = store(p_, all_, end_, "compared");
  if (!results.third.empty()) context_.step.embedded2 = store(p_, all_, results.third[0].parts, "embedded2");
  if (!results.turnBefore.empty()) {
    sema::Tuple before = results.turnBefore[0].parts;
    if (!results.edges.empty()) before = sema::add(g_, before, offAtEdges(results.edges[0].parts));
    context_.step.turnBefore = store(p_, all_, before, "turn.before");
  }
  countOwn(p_, context_.step, fields_);
}

/// By what f at both ends of a step is off what the stages' rates are there: they do not see a branch that the motion
/// comes to beside all of them. `edges`: begin + h times these, each by its part (Tableau::edges).
sema::Tuple EmbeddingKind::offAtEdges(const sema::Tuple& edges) {
  const auto fields = fields_;
  const sym::Array* const multipliers = context_.step.multipliers;
  const Expr h = g_.load(context_.step.stepSize), t = g_.load(context_.system.model->time);
  sema::ArrayTuple arrays;
  for (const Slot& s : slots_) arrays.insert(arrays.end(), s.state.begin(), s.state.end());
  const sema::Tuple begin = load(g_, all_, arrays);
  const auto part = [&](int end, const sema::Tuple& rate) {
    return sema::scale(g_, g_.scale(sym::Number::real(Tableau::edgeParts[end]), h), rate);
  };
  const sema::Tuple rates = sema::add(g_, part(0, ydot(t, begin)), part(1, ydot(g_.add(t, h), end_)));
  fields_ = fields; // for the estimate alone
  context_.step.multipliers = multipliers;
  return sema::sub(g_, rates, sema::sub(g_, edges, begin));
}

/// The end of a step, moved onto the constraints of the model.
sema::Tuple EmbeddingKind::onConstraints(const sema::Tuple& y) {
  if (!context_.system.constraints) return y;
  Phase phase(context_.layer);
  const Expr end = g_.add(g_.load(context_.layer.model.time), g_.load(context_.step.stepSize));
  const sema::Tuple begin = phase.loadPoint(store(p_, all_, y, "unconstrained"));
  return load(g_, all_, phase.storePoint(Projection(context_.layer, phase).onConstraints(begin, end, "next"), "held"));
}

/// What is true of a state on the phase manifold.
sym::Knowledge EmbeddingKind::knowledge(const sema::ArrayTuple& arrays) {
  std::vector<mechanics::KnownVariable> known;
  for (const Slot& s : slots_) {
    const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(s.first);
    const auto middle = first + static_cast<std::ptrdiff_t>(s.points);
    const auto end = first + static_cast<std::ptrdiff_t>(s.state.size());
    mechanics::KnownVariable v;
    v.manifold = s.manifold;
    v.point.assign(first, middle);
    if (s.factor != nullptr)
      (s.factor->fiber == sema::Fiber::Momentum ? v.momenta : v.horizontal).emplace_back(middle, end);
    known.push_back(std::move(v));
  }
  return mechanics::manifoldKnowledge(p_, std::move(known));
}

sema::Tuple EmbeddingKind::evaluate(Expr time, const sema::Tuple& y, const std::vector<const sym::Array*>& roots) {
  ++context_.step.evaluations;
  const std::string name = fmt::format("E{}", ++counter_);
  const sema::ArrayTuple arrays = store(p_, all_, y, name);
  // Nothing is known of points beside the manifold, unless the step ends on it: no simplification, and projections
  // stay.
  sym::Replacement replacement;
  if (endsOnManifold_) replacement.knowledge = knowledge(arrays);
  replacement.scalars[context_.system.model->time] = time;
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.state.size(); ++k) replacement.arrays[s.state[k]] = arrays[s.first + k];
    for (std::size_t k = 0; endsOnManifold_ && s.factor != nullptr && k < s.factor->usedVelocity.size(); ++k) {
      if (s.factor->usedVelocity[k] != s.factor->velocity[k])
        replacement.arrays[s.factor->usedVelocity[k]] = arrays[s.first + s.points + k];
    }
  }
  sema::Tuple r;
  sema::ArrayTuple wanted = roots;
  const mechanics::ConstraintEquations* const constraints = context_.system.constraints.get();
  if (constraints != nullptr) wanted.push_back(constraints->multiplier);
  const auto copies = sym::inlineCopy(p_, wanted, replacement, "@" + name);
  if (constraints != nullptr) context_.step.multipliers = copies.back();
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.rate.size() + s.fiberRate.size(); ++k) r.push_back(g_.load(copies[next++], s.index));
  }
  return r;
}

/// Point by point T(q) xi, then xi' or mu'.
sema::Tuple EmbeddingKind::ydot(Expr time, const sema::Tuple& y) {
  const sema::Tuple held = hold(vectorValue(y), "y").parts;
  const sema::Tuple rates = evaluate(time, held, rateArrays());
  sema::Tuple r;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    if (s.points > 0) {
      append(r, sema::generator(p_, *s.manifold, s.frame, sema::part(held, s.first, s.points),
                                sema::part(rates, next, s.rate.size())));
    }
    next += s.rate.size();
    append(r, sema::part(rates, next, s.fiberRate.size()));
    next += s.fiberRate.size();
  }
  fields_.push_back(rates);
  return r;
}

/// d/dt (T(q) xi) = T(q) xi' + (dT/dq v) xi with T(q) xi = v.
sema::Tuple EmbeddingKind::vdot(Expr time, const sema::Tuple& q, const sema::Tuple& v) {
  sema::Tuple y;
  std::size_t first = 0;
  for (const Slot& s : slots_) {
    const sema::Tuple point = sema::part(q, first, s.points);
    append(y, point);
    append(y, algebraOf(s, point, sema::part(v, first, s.points)));
    first += s.points;
  }
  y = load(g_, all_, store(p_, all_, y, "qv"));
  const sema::Tuple rates = evaluate(time, y, rateArrays());
  sema::Tuple r;
  std::size_t next = 0;
  first = 0;
  for (const Slot& s : slots_) {
    const sema::Tuple point = sema::part(y, s.first, s.points);
    const std::size_t n = s.fiberRate.size();
    const sema::Tuple xi = sema::part(y, s.first + s.points, n);
    const auto symbol = sema::dummies(g_, s.manifold->point(), "q");
    const sema::Tuple moving = sema::generator(p_, *s.manifold, s.frame, sema::loads(g_, symbol, {}), xi);
    append(r,
           sema::add(g_, sema::generator(p_, *s.manifold, s.frame, point, sema::part(rates, next + s.rate.size(), n)),
                     sema::directional(p_, moving, symbol, sema::part(v, first, s.points), point)));
    next += s.rate.size() + n;
    first += s.points;
  }
  return r;
}

sema::Tuple EmbeddingKind::algebraOf(const Slot& s, const sema::Tuple& point, const sema::Tuple& rate) {
  return mechanics::velocityOf(p_, *s.manifold, s.frame == sema::Frame::Body && s.manifold->isGroup(), point, rate);
}

namespace kinds {
std::unique_ptr<MethodKind> embedding(const KindContext& context, const ModelParts& parts) {
  return std::make_unique<EmbeddingKind>(context, false, parts.endsOnManifold);
}
std::unique_ptr<MethodKind> jets(const KindContext& context, const ModelParts& parts) {
  return embedding(context, parts);
}
std::unique_ptr<MethodKind> embedding_rates(const KindContext& context, const ModelParts&) {
  return std::make_unique<EmbeddingKind>(context, true, false);
}
} // namespace kinds

} // namespace lmc::methods
