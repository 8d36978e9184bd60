#include "methods/kinds/CotangentKind.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

std::vector<sema::Value> CotangentKind::state() {
  sema::Tuple g;
  sema::Tuple mu;
  const std::vector<sema::ArrayTuple> momenta = mechanics::momentumArrays(context_.layer);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    append(g, sema::loads(g_, slots_[k].factor->point, slots_[k].index));
    append(mu, sema::loads(g_, momenta[k], slots_[k].index));
  }
  begin_ = {g_.load(context_.system.model->time).node()};
  for (const sema::Tuple* t : {&g, &mu}) {
    for (const Expr& e : *t) begin_.push_back(e.node());
  }
  return {valueOf(sema::ValueKind::PhasePoint, g), valueOf(sema::ValueKind::PhaseDual, mu)};
}

void CotangentKind::finish(const std::vector<sema::Value>& next) {
  const sema::ArrayTuple g = store(p_, points_, next[0].parts, "next");
  const sema::ArrayTuple mu = store(p_, algebra_, next[1].parts, "next.mu");
  const bool lagrangian =
      std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.factor->fiber == sema::Fiber::Velocity; });
  sema::ArrayTuple velocity = mu;
  if (lagrangian) { // its velocities are those of the new momenta
    const Expr end = g_.add(g_.load(context_.system.model->time), g_.load(context_.step.stepSize));
    const sema::Tuple point = load(g_, points_, g);
    const int evaluations = context_.step.evaluations + 1; // however often its copies are written
    const auto velocityOf = [&](const sema::Tuple& momentum) { return field(end, point, momentum).velocity; };
    velocity = store(p_, algebra_, refinedVelocity(point, load(g_, algebra_, mu), end, velocityOf), "next.xi");
    context_.step.evaluations = evaluations;
  }
  sema::ArrayTuple fibers;
  for (const Slot& s : slots_) {
    const bool momentum = s.factor->fiber == sema::Fiber::Momentum;
    for (std::size_t k = 0; k < s.factor->velocity.size(); ++k)
      fibers.push_back((momentum ? mu : velocity)[s.algebra + k]);
  }
  setNext(g, fibers);
}

sema::Value CotangentKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.name != "f1" && word.name != "f2") return ConfigurationKind::word(word, args, where);
  const Field& f = field(args[0].parts[0], args[1].parts, args[2].parts);
  return word.name == "f1" ? valueOf(sema::ValueKind::PhaseAlgebra, f.velocity)
                           : valueOf(sema::ValueKind::PhaseDual, f.force);
}

/// Both components of f at (t, g, mu); one evaluation however often they are asked for.
const CotangentKind::Field& CotangentKind::field(Expr time, const sema::Tuple& g, const sema::Tuple& mu) {
  std::vector<const sym::Node*> key{time.node()};
  for (const sema::Tuple* t : {&g, &mu}) {
    for (const Expr& e : *t) key.push_back(e.node());
  }
  for (const auto& [k, f] : fields_) {
    if (k == key) return f;
  }
  ++context_.step.evaluations;
  const std::string name = fmt::format("G{}", ++counter_);
  const sema::ArrayTuple points = store(p_, points_, g, name);
  const sema::ArrayTuple momenta = store(p_, algebra_, mu, name + ".mu");
  sym::Replacement replacement;
  replacement.scalars[context_.system.model->time] = time;
  std::vector<const sym::Array*> roots;
  replacePoints(replacement, g, points);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const mechanics::CotangentFactor& c = system_.factors[k];
    for (std::size_t i = 0; i < c.momentum.size(); ++i) replacement.arrays[c.momentum[i]] = momenta[s.algebra + i];
    roots.insert(roots.end(), c.velocity.begin(), c.velocity.end());
    roots.insert(roots.end(), c.force.begin(), c.force.end());
  }
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, replacement, "@" + name);
  Field f;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    const std::size_t n = s.factor->manifold->algebra().size();
    const bool given = key == begin_ && s.factor->fiber == sema::Fiber::Velocity; // mu is that of these velocities
    for (std::size_t k = 0; k < n; ++k, ++next)
      f.velocity.push_back(g_.load(given ? s.factor->velocity[k] : copies[next], s.index));
    for (std::size_t k = 0; k < n; ++k) f.force.push_back(g_.load(copies[next++], s.index));
  }
  fields_.emplace_back(std::move(key), std::move(f));
  return fields_.back().second;
}

namespace kinds {
std::unique_ptr<MethodKind> cotangent(const KindContext& context, const ModelParts& parts) {
  return std::make_unique<CotangentKind>(context, *parts.cotangent);
}
} // namespace kinds

} // namespace lmc::methods
