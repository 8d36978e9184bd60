#include "methods/kinds/RigidBodyKind.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

// --- what a model must have ---------------------------------------------------------------------------------------

std::string RigidBodyKind::refusal() {
  for (const std::string& reason : {lacksConfigurations(), leavesGroups(), lacksLagrangian()}) {
    if (!reason.empty()) return reason;
  }
  field_ = cotangentField(context_.system);
  if (!field_.refusal.empty()) return field_.refusal;
  for (const CotangentFactor& f : field_.factors) {
    velocities_.insert(velocities_.end(), f.velocity.begin(), f.velocity.end());
    forces_.insert(forces_.end(), f.force.begin(), f.force.end());
  }
  if (const std::string what = dependence(velocities_, true); !what.empty())
    return fmt::format("its kinetic energy depends on {}, and the method needs a constant inertia", what);
  if (const std::string what = dependence(forces_, false); !what.empty())
    return fmt::format("its forces depend on the velocity '{}'", what);
  return {};
}

bool RigidBodyKind::dependsOn(const std::vector<const sym::Array*>& arrays, const sym::Array* what) const {
  const auto& equations = p_.equations();
  const auto slice = p_.slice(arrays);
  return std::any_of(slice.begin(), slice.end(),
                     [&](const std::size_t k) { return sym::reads(equations[k]).contains(what); });
}

std::string RigidBodyKind::dependence(const std::vector<const sym::Array*>& arrays, bool onConfiguration) const {
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Factor& f = *slots_[k].factor;
    const ArrayTuple& other = onConfiguration ? f.point : field_.factors[k].momentum;
    for (const sym::Array* a : other) {
      if (dependsOn(arrays, a)) return onConfiguration ? fmt::format("'{}'", f.name) : f.velocityName;
    }
  }
  return onConfiguration && dependsOn(arrays, context_.system.model->time) ? "the time" : "";
}

// --- the state ----------------------------------------------------------------------------------------------------

std::vector<Value> RigidBodyKind::state() {
  return pointAndVelocity();
}

std::optional<MethodKind::Misfit> RigidBodyKind::misfit(std::size_t k, const Value& v) const {
  if (k == 0 && v.kind != ValueKind::PhasePoint)
    return Misfit{"must be a point of the group", "for an algebra element k it is Q*exp(k)"};
  if (k == 1 && v.kind != ValueKind::PhaseAlgebra)
    return Misfit{"must be a velocity", "for a momentum m it is Jinv(m)"};
  return std::nullopt;
}

void RigidBodyKind::finish(const std::vector<Value>& next) {
  setNext(store(p_, points_, next[0].parts, "next"), store(p_, algebra_, next[1].parts, "next.xi"));
}

// --- J, Jinv, tau -------------------------------------------------------------------------------------------------

Tuple RigidBodyKind::inertia(const Tuple& velocity) {
  return legendre({state()[0].parts, velocity, g_.load(context_.system.model->time)}); // the same everywhere
}

Tuple RigidBodyKind::inverseInertia(const Tuple& momentum) {
  Copy copy = newCopy();
  const ArrayTuple stored = store(p_, algebra_, momentum, "mu" + copy.suffix);
  for (std::size_t f = 0; f < slots_.size(); ++f) {
    for (std::size_t k = 0; k < field_.factors[f].momentum.size(); ++k)
      copy.replacement.arrays[field_.factors[f].momentum[k]] = stored[slots_[f].algebra + k];
  }
  return algebraAt(copy, velocities_);
}

/// tau(t, Q), or tau(Q) where the time does not matter.
std::optional<Value> RigidBodyKind::torque(const std::vector<Value>& args, Range where) {
  if (args.empty() || args.size() > 2 || args.back().kind != ValueKind::PhasePoint) return std::nullopt;
  const sym::Array* time = context_.system.model->time;
  Copy copy = newCopy();
  if (args.size() == 2) {
    if (args[0].kind != ValueKind::Tensor || args[0].parts[0]->shape.rank != 0) return std::nullopt;
    copy.replacement.scalars[time] = g_.toReal(args[0].parts[0]);
  } else if (dependsOn(forces_, time)) {
    d_.error(Code::LIE0505, where, "the forces of this model depend on the time: the method must say which")
        .suggest("tau(t, Q)");
    return Value::error();
  }
  ++context_.step.evaluations;
  const Tuple& q = args.back().parts;
  replacePoints(copy.replacement, q, store(p_, points_, q, "Q" + copy.suffix));
  return valueOf(ValueKind::PhaseDual, algebraAt(copy, forces_));
}

std::vector<std::string> RigidBodyKind::names() const {
  std::vector<std::string> list = ConfigurationKind::names();
  list.insert(list.end(), {"J", "Jinv", "tau"});
  return list;
}

std::vector<std::pair<std::string, std::string>> RigidBodyKind::uses() const {
  auto list = ConfigurationKind::uses();
  list.emplace_back("J", "J(v) of an algebra element v");
  list.emplace_back("Jinv", "Jinv(m) of a momentum m");
  list.emplace_back("tau", "tau(t, Q) of the time and a point");
  return list;
}

std::optional<Value> RigidBodyKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  if (name == "J" || name == "Jinv") {
    const ValueKind wanted = name == "J" ? ValueKind::PhaseAlgebra : ValueKind::PhaseDual;
    if (args.size() != 1 || args[0].kind != wanted) return wrong(name, where);
    if (name == "J") return valueOf(ValueKind::PhaseDual, inertia(args[0].parts));
    const auto inverse = [this](const Tuple& m) { return inverseInertia(m); };
    return valueOf(ValueKind::PhaseAlgebra,
                   refinedVelocity(state()[0].parts, args[0].parts, g_.load(context_.system.model->time), inverse));
  }
  if (name == "tau") {
    const auto v = torque(args, where);
    return v ? *v : wrong(name, where);
  }
  return ConfigurationKind::call(name, args, where);
}

std::unique_ptr<MethodKind> rigidBodyKind(const KindContext& context) {
  return std::make_unique<RigidBodyKind>(context);
}

} // namespace lmc
