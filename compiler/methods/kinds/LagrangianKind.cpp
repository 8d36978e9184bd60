#include "methods/kinds/LagrangianKind.h"

#include "mechanics/system/Equations.h"
#include "mechanics/system/Forces.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

using sym::Expr;

std::string LagrangianKind::refusal() {
  for (const std::string& reason : {lacksConfigurations(), lacksLagrangian()}) {
    if (!reason.empty()) return reason;
  }
  const Model& m = *context_.system.model;
  lagrangian_ = g_.newArray("L", {}, sym::Shape::scalar(), sym::Role::Temp);
  define(p_, lagrangian_, 0, {}, m.lagrangian);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Factor& f = m.factors[k];
    const FactorEquations& e = context_.system.factors[k];
    const auto add = [&](std::vector<const sym::Array*>& all, const std::string& name, const Tuple& values) {
      const auto arrays = defineParts(p_, name + f.velocityName, f.manifold->algebra(), f.extent, e.index, values);
      all.insert(all.end(), arrays.begin(), arrays.end());
    };
    add(momenta_, "dL/d", e.momentum);
    add(forces_, "force on ", e.force);
    accelerations_.insert(accelerations_.end(), e.acceleration.begin(), e.acceleration.end());
  }
  if (hasForces()) defineForces();
  return {};
}

bool LagrangianKind::hasForces() const {
  const Model& m = *context_.system.model;
  return !m.forcesAt.empty() || !m.dissipations.empty() ||
         std::any_of(m.factors.begin(), m.factors.end(), [](const Factor& f) { return !f.force.empty(); });
}

void LagrangianKind::defineForces() {
  const ExternalForces forces(context_.system);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Factor& f = *slots_[k].factor;
    const auto& index = context_.system.factors[k].index;
    const auto slope = defineParts(p_, "dW/d" + f.name, f.manifold->point(), f.extent, index, forces.slope(k));
    const auto direct =
        defineParts(p_, "F on " + f.velocityName, f.manifold->algebra(), f.extent, index, forces.direct(k));
    slopes_.insert(slopes_.end(), slope.begin(), slope.end());
    direct_.insert(direct_.end(), direct.begin(), direct.end());
  }
}

// --- the state ----------------------------------------------------------------------------------------------------

std::vector<Value> LagrangianKind::state() {
  return pointAndVelocity();
}

std::optional<MethodKind::Misfit> LagrangianKind::misfit(std::size_t k, const Value& v) const {
  if (k == 0 && v.kind != ValueKind::PhasePoint)
    return Misfit{"must be a point of the configuration manifold", "for an algebra element k it is retract(q, k)"};
  if (k == 1 && v.kind != ValueKind::PhaseAlgebra)
    return Misfit{"must be a velocity", "velocities are xi, h*xidot(q, xi, t) and their sums"};
  return std::nullopt;
}

void LagrangianKind::finish(const std::vector<Value>& next) {
  setNext(store(p_, points_, next[0].parts, "next"), store(p_, algebra_, next[1].parts, "next.xi"));
}

// --- functions of a place -----------------------------------------------------------------------------------------

Expr LagrangianKind::lagrangian(const Place& place) {
  ++context_.step.evaluations;
  const Copy copy = copyAt(place);
  return g_.load(sym::inlineCopy(p_, {lagrangian_}, copy.replacement, copy.suffix)[0]);
}

Tuple LagrangianKind::momentum(const Place& place) {
  return algebraAt(copyAt(place), momenta_);
}

Tuple LagrangianKind::force(const Place& place) {
  ++context_.step.evaluations;
  return algebraAt(copyAt(place), forces_);
}

Tuple LagrangianKind::acceleration(const Place& place) {
  ++context_.step.evaluations;
  return algebraAt(copyAt(place), accelerations_);
}

/// dW/dq and the dual elements of the other forces.
LagrangianKind::Forces LagrangianKind::forcesAt(const Place& place) {
  const Copy copy = copyAt(place);
  const auto slopes = sym::inlineCopy(p_, slopes_, copy.replacement, copy.suffix);
  Forces f;
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.manifold().point().size(); ++k)
      f.slope.push_back(g_.load(slopes[s.point + k], s.index));
  }
  f.direct = algebraAt(copy, direct_);
  return f;
}

Tuple LagrangianKind::external(const Place& place) {
  if (!hasForces()) return defaultStart().parts;
  const Forces f = forcesAt(place);
  Tuple r;
  for (const Slot& s : slots_) {
    append(r, add(g_, algebraOf(s, f.direct),
                  generatorTransposed(p_, s.manifold(), s.body(), pointOf(s, place.q), pointOf(s, f.slope))));
  }
  return r;
}

Tuple LagrangianKind::externalCovector(const Place& place) {
  const Forces f = forcesAt(place);
  Tuple r;
  for (const Slot& s : slots_) {
    const Tuple point = pointOf(s, place.q);
    const Tuple velocity =
        metricInverse(p_, s.manifold(), s.body() ? Frame::Body : Frame::Space, point, algebraOf(s, f.direct));
    append(r, add(g_, pointOf(s, f.slope), generator(p_, s.manifold(), s.factor->frame, point, velocity)));
  }
  return r;
}

// --- curves -------------------------------------------------------------------------------------------------------

Tuple LagrangianKind::curveVelocity(const Tuple& k, const Tuple& change) {
  Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, s.body() ? Handed::Opposite : Handed::Group);
    append(r, c.dretract(retraction_, algebraOf(s, k), algebraOf(s, change)));
  }
  return r;
}

Tuple LagrangianKind::chord(const Tuple& k) {
  return each(k, k, [&](const GroupCalculus& c, const Tuple& u, const Tuple&) {
    return scale(g_, g_.stumpff(1, g_.mul(g_.number(sym::Number::ratio(1, 4)), c.squaredAngle(u))), u);
  });
}

Value LagrangianKind::retractPoint(const Tuple& q, const Tuple& k) {
  ++context_.step.exponentials;
  return valueOf(ValueKind::PhasePoint, moved(q, elements(retraction_, k)));
}

// --- functions of method bodies -----------------------------------------------------------------------------------

std::vector<std::string> LagrangianKind::names() const {
  std::vector<std::string> list = ConfigurationKind::names();
  list.insert(list.end(), {"L", "F", "momentum", "force", "xidot", "velocity", "chord"});
  return list;
}

std::vector<std::pair<std::string, std::string>> LagrangianKind::uses() const {
  auto list = ConfigurationKind::uses();
  for (const char* name : {"L", "F", "momentum", "force", "xidot"})
    list.emplace_back(name, fmt::format("{}(q, xi, t) of a point, a velocity and the time", name));
  for (auto& [name, use] : list) {
    if (name == "retract") use = "retract(q, k) of a point and an algebra element k";
  }
  list.emplace_back("velocity", "velocity(k, dk) of algebra elements: of the curve retract(q, k) with k' = dk");
  list.emplace_back("chord", "chord(k) of an algebra element k");
  return list;
}

std::optional<Value> LagrangianKind::placeCall(const std::string& name, const std::vector<Value>& args) {
  const bool good = args.size() == 3 && args[0].kind == ValueKind::PhasePoint &&
                    args[1].kind == ValueKind::PhaseAlgebra && args[2].kind == ValueKind::Tensor &&
                    args[2].parts[0]->shape.rank == 0 && args[2].parts[0]->type != sym::Type::Bool;
  if (!good) return std::nullopt;
  const Place place{args[0].parts, args[1].parts, g_.toReal(args[2].parts[0])};
  if (name == "L") return Value::tensor(lagrangian(place));
  if (name == "xidot") return valueOf(ValueKind::PhaseAlgebra, acceleration(place));
  if (name == "F") return valueOf(ValueKind::PhaseDual, external(place));
  return valueOf(ValueKind::PhaseDual, name == "momentum" ? momentum(place) : force(place));
}

std::optional<Value> LagrangianKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  const auto algebra = [&](std::size_t k) { return k < args.size() && args[k].kind == ValueKind::PhaseAlgebra; };
  std::optional<Value> v;
  if (name == "L" || name == "F" || name == "momentum" || name == "force" || name == "xidot") {
    v = placeCall(name, args);
  } else if (name == "velocity") {
    if (args.size() == 2 && algebra(0) && algebra(1))
      v = valueOf(ValueKind::PhaseAlgebra, curveVelocity(args[0].parts, args[1].parts));
  } else if (name == "chord") {
    if (args.size() == 1 && algebra(0)) v = valueOf(ValueKind::PhaseAlgebra, chord(args[0].parts));
  } else if (name == "retract" && args.size() == 2 && args[0].kind == ValueKind::PhasePoint && algebra(1)) {
    if (const Factor* f = without(retraction_)) return noRetraction(*f, retraction_, where);
    v = retractPoint(args[0].parts, args[1].parts);
  } else {
    return ConfigurationKind::call(name, args, where);
  }
  return v ? *v : wrong(name, where);
}

std::unique_ptr<MethodKind> lagrangianKind(const KindContext& context) {
  return std::make_unique<LagrangianKind>(context);
}

} // namespace lmc
