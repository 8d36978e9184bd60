#include "methods/kinds/RigidBodyKind.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

RigidBodyKind::RigidBodyKind(const KindContext& context, mechanics::CotangentField field)
    : ConfigurationKind(context, Convention::Body), field_(std::move(field)) {
  for (const mechanics::CotangentFactor& f : field_.factors) {
    velocities_.insert(velocities_.end(), f.velocity.begin(), f.velocity.end());
    forces_.insert(forces_.end(), f.force.begin(), f.force.end());
  }
}

bool RigidBodyKind::dependsOn(const std::vector<const sym::Array*>& arrays, const sym::Array* what) const {
  const sym::Program::Equations equations = p_.equations();
  const auto slice = p_.slice(arrays);
  return std::any_of(slice.begin(), slice.end(),
                     [&](const std::size_t k) { return sym::reads(equations[k]).contains(what); });
}

// --- the state ----------------------------------------------------------------------------------------------------

std::vector<sema::Value> RigidBodyKind::state() {
  return pointAndVelocity();
}

void RigidBodyKind::finish(const std::vector<sema::Value>& next) {
  setNext(store(p_, points_, next[0].parts, "next"), store(p_, algebra_, next[1].parts, "next.xi"));
}

// --- J, Jinv, tau -------------------------------------------------------------------------------------------------

sema::Tuple RigidBodyKind::inertia(const sema::Tuple& velocity) {
  return legendre({state()[0].parts, velocity, g_.load(context_.system.model->time)}); // the same everywhere
}

sema::Tuple RigidBodyKind::inverseInertia(const sema::Tuple& momentum) {
  Copy copy = newCopy();
  const sema::ArrayTuple stored = store(p_, algebra_, momentum, "mu" + copy.suffix);
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    for (std::size_t k = 0; k < field_.factors[f].momentum.size(); ++k)
      copy.replacement.arrays[field_.factors[f].momentum[k]] = stored[slots_[f].algebra + k];
  }
  return algebraAt(copy, velocities_);
}

sema::Value RigidBodyKind::torque(const std::vector<sema::Value>& args, Range where) {
  const sym::Array* time = context_.system.model->time;
  Copy copy = newCopy();
  if (args.size() == 2) {
    copy.replacement.scalars[time] = args[0].parts[0];
  } else if (dependsOn(forces_, time)) {
    d_.error(Code::LIE0505, where, "the forces of this model depend on the time: the method must say which")
        .suggest("tau(t, Q)");
    return sema::Value::error();
  }
  ++context_.step.evaluations;
  const sema::Tuple& q = args.back().parts;
  replacePoints(copy.replacement, q, store(p_, points_, q, "Q" + copy.suffix));
  return valueOf(sema::ValueKind::PhaseDual, algebraAt(copy, forces_));
}

sema::Value RigidBodyKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.name == "J") return valueOf(sema::ValueKind::PhaseDual, inertia(args[0].parts));
  if (word.name == "Jinv") {
    const auto inverse = [this](const sema::Tuple& m) { return inverseInertia(m); };
    return valueOf(sema::ValueKind::PhaseAlgebra,
                   refinedVelocity(state()[0].parts, args[0].parts, g_.load(context_.system.model->time), inverse));
  }
  return word.name == "tau" ? torque(args, where) : ConfigurationKind::word(word, args, where);
}

namespace kinds {
std::unique_ptr<MethodKind> rigid_body(const KindContext& context, const ModelParts& parts) {
  return std::make_unique<RigidBodyKind>(context, *parts.cotangent);
}
} // namespace kinds

} // namespace lmc::methods
