#include "methods/kinds/LagrangianKind.h"

#include "mechanics/system/Equations.h"
#include "mechanics/system/Forces.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

LagrangianKind::LagrangianKind(const KindContext& context) : ConfigurationKind(context, Convention::Declared) {
  const sema::Model& m = *context_.system.model;
  lagrangian_ = g_.newArray("L", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, lagrangian_, 0, {}, m.lagrangian);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    const mechanics::FactorEquations& e = context_.system.factors[k];
    const auto add = [&](std::vector<const sym::Array*>& all, const std::string& name, const sema::Tuple& values) {
      const auto arrays =
          mechanics::defineParts(p_, name + f.velocityName, f.manifold->algebra(), f.extent, e.index, values);
      all.insert(all.end(), arrays.begin(), arrays.end());
    };
    add(momenta_, "dL/d", e.momentum);
    add(forces_, "force on ", e.force);
    accelerations_.insert(accelerations_.end(), e.acceleration.begin(), e.acceleration.end());
  }
  if (hasForces()) defineForces();
  if (context_.system.constraints)
    multipliers_ = {{"lambda", sym::Shape::scalar(), context_.system.constraints->rows, {g_.newIndex("r")}}};
}

bool LagrangianKind::hasForces() const {
  const sema::Model& m = *context_.system.model;
  return !m.forcesAt.empty() || !m.dissipations.empty() ||
         std::any_of(m.factors.begin(), m.factors.end(), [](const sema::Factor& f) { return !f.force.empty(); });
}

void LagrangianKind::defineForces() {
  const mechanics::ExternalForces forces(context_.layer);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const sema::Factor& f = *slots_[k].factor;
    const auto& index = context_.system.factors[k].index;
    const auto slope =
        mechanics::defineParts(p_, "dW/d" + f.name, f.manifold->point(), f.extent, index, forces.slope(k));
    const auto direct =
        mechanics::defineParts(p_, "F on " + f.velocityName, f.manifold->algebra(), f.extent, index, forces.direct(k));
    slopes_.insert(slopes_.end(), slope.begin(), slope.end());
    direct_.insert(direct_.end(), direct.begin(), direct.end());
  }
}

// --- the state ----------------------------------------------------------------------------------------------------

std::vector<sema::Value> LagrangianKind::state() {
  return pointAndVelocity();
}

void LagrangianKind::finish(const std::vector<sema::Value>& next) {
  for (const auto& [array, promise] : promised_)
    d_.error(Code::LIE0460, promise.where,
             "constraints of this model are one sparse system, and `accelerated` stands elsewhere than alone on a side "
             "of an equation of `solve`");
  const sema::ArrayTuple q = store(p_, points_, next[0].parts, "next");
  const sema::Tuple point = load(g_, points_, q);
  sema::Tuple xi; // horizontal: what moves no point is no velocity, and would grow
  for (const Slot& s : slots_)
    append(xi, sema::steadyProjection(p_, s.manifold(), pointOf(s, point), algebraOf(s, next[1].parts)));
  setNext(q, store(p_, algebra_, xi, "next.xi"));
}

// --- functions of a place -----------------------------------------------------------------------------------------

Expr LagrangianKind::lagrangian(const Place& place) {
  ++context_.step.evaluations;
  const Copy copy = copyAt(place);
  return g_.load(sym::inlineCopy(p_, {lagrangian_}, copy.replacement, copy.suffix)[0]);
}

sema::Tuple LagrangianKind::momentum(const Place& place) {
  return algebraAt(copyAt(place), momenta_);
}

sema::Tuple LagrangianKind::force(const Place& place) {
  ++context_.step.evaluations;
  return algebraAt(copyAt(place), forces_);
}

sema::Tuple LagrangianKind::acceleration(const Place& place) {
  ++context_.step.evaluations;
  const Copy copy = copyAt(place);
  taken_.emplace_back(place, sym::inlineCopy(p_, accelerations_, copy.replacement, copy.suffix));
  return load(g_, algebra_, taken_.back().second);
}

std::vector<DefinedValues> LagrangianKind::defined() {
  std::vector<DefinedValues> list;
  if (context_.system.constraints || context_.system.contacts) return list;
  if (!motion_) motion_ = mechanics::motionEquation(context_.layer);
  for (const auto& [at, values] : taken_)
    list.push_back({values, algebra_, [this, place = at](const DefinedValues::Given& given) {
                      Copy copy = copyAt(place);
                      for (std::size_t k = 0; k < given.value.size(); ++k)
                        given.replace(copy.replacement, k, motion_->acceleration[k]);
                      return DefinedValues::Definition{algebraAt(copy, motion_->residual), {}};
                    }});
  return list;
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

sema::Tuple LagrangianKind::external(const Place& place) {
  if (!hasForces()) return defaultStart().parts;
  const Forces f = forcesAt(place);
  sema::Tuple r;
  for (const Slot& s : slots_) {
    append(r, sema::add(g_, algebraOf(s, f.direct),
                        mechanics::generatorTransposed(p_, s.manifold(), s.body(), pointOf(s, place.q),
                                                       pointOf(s, f.slope))));
  }
  return r;
}

sema::Tuple LagrangianKind::externalCovector(const Place& place) {
  const Forces f = forcesAt(place);
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const sema::Tuple point = pointOf(s, place.q);
    const sema::Tuple velocity = sema::metricInverse(
        p_, s.manifold(), s.body() ? sema::Frame::Body : sema::Frame::Space, point, algebraOf(s, f.direct));
    append(r, sema::add(g_, pointOf(s, f.slope), sema::generator(p_, s.manifold(), s.factor->frame, point, velocity)));
  }
  return r;
}

// --- curves -------------------------------------------------------------------------------------------------------

sema::Tuple LagrangianKind::curveVelocity(const sema::Tuple& k, const sema::Tuple& change) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, s.body() ? Handed::Opposite : Handed::Group);
    append(r, c.dretract(retraction_, algebraOf(s, k), algebraOf(s, change)));
  }
  return r;
}

sema::Tuple LagrangianKind::curveChange(const sema::Tuple& k, const sema::Tuple& velocity) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, s.body() ? Handed::Opposite : Handed::Group);
    append(r, c.dretractinv(retraction_, algebraOf(s, k), algebraOf(s, velocity)));
  }
  return r;
}

sema::Tuple LagrangianKind::curveMomentum(const sema::Tuple& k, const sema::Tuple& m) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s, s.body() ? Handed::Opposite : Handed::Group);
    append(r, c.dretractinvT(retraction_, algebraOf(s, k), algebraOf(s, m)));
  }
  return r;
}

sema::Tuple LagrangianKind::chord(const sema::Tuple& k) {
  return each(k, k, [&](const GroupCalculus& c, const sema::Tuple& u, const sema::Tuple&) {
    return sema::scale(g_, g_.stumpff(1, g_.mul(g_.number(sym::Number::ratio(1, 4)), c.squaredAngle(u))), u);
  });
}

sema::Value LagrangianKind::retractPoint(const sema::Tuple& q, const sema::Tuple& k) {
  ++context_.step.exponentials;
  return valueOf(sema::ValueKind::PhasePoint, moved(q, elements(retraction_, k)));
}

// --- words of method bodies ---------------------------------------------------------------------------------------

sema::Value LagrangianKind::placeWord(const std::string& name, const std::vector<sema::Value>& args) {
  const Place place{args[0].parts, args[1].parts, args[2].parts[0]};
  if (name == "L") return sema::Value::tensor(lagrangian(place));
  if (name == "xidot") return valueOf(sema::ValueKind::PhaseAlgebra, acceleration(place));
  if (name == "F") return valueOf(sema::ValueKind::PhaseDual, external(place));
  return valueOf(sema::ValueKind::PhaseDual, name == "momentum" ? momentum(place) : force(place));
}

sema::Value LagrangianKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.gives == 'c' || word.takes.find('c') != std::string::npos) return constraintWord(word.name, args, where);
  if (args.size() == 3) return placeWord(word.name, args);
  if (word.name == "velocityinvT")
    return valueOf(sema::ValueKind::PhaseDual, curveMomentum(args[0].parts, args[1].parts));
  if (word.name == "velocityinv")
    return valueOf(sema::ValueKind::PhaseAlgebra, curveChange(args[0].parts, args[1].parts));
  if (word.name == "velocity")
    return valueOf(sema::ValueKind::PhaseAlgebra, curveVelocity(args[0].parts, args[1].parts));
  if (word.name == "chord") return valueOf(sema::ValueKind::PhaseAlgebra, chord(args[0].parts));
  if (word.name != "retract" || args.size() != 2) return ConfigurationKind::word(word, args, where);
  if (const sema::Factor* f = without(retraction_)) return noRetraction(*f, retraction_, where);
  return retractPoint(args[0].parts, args[1].parts);
}

namespace kinds {
std::unique_ptr<MethodKind> lagrangian(const KindContext& context, const ModelParts&) {
  return std::make_unique<LagrangianKind>(context);
}
} // namespace kinds

} // namespace lmc::methods
