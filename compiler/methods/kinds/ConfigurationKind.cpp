#include "methods/kinds/ConfigurationKind.h"

#include "mechanics/Cotangent.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {
Handed handedOf(const sema::Factor& f, Convention convention) {
  if (!f.manifold->isGroup() || convention == Convention::Declared) return Handed::Group;
  const sema::Frame opposite = convention == Convention::LeftAction ? sema::Frame::Body : sema::Frame::Space;
  return f.frame == opposite ? Handed::Opposite : Handed::Group;
}
} // namespace

ConfigurationKind::ConfigurationKind(const KindContext& context, Convention convention)
    : context_(context), d_(context.compilation.diagnostics()), p_(context.layer.program()),
      g_(context.compilation.graph()) {
  for (const sema::Factor& f : context.system.model->factors) {
    Slot s;
    s.factor = &f;
    if (f.extent > 0) s.index = {g_.newIndex("i")};
    s.handed = handedOf(f, convention);
    s.point = points_.size();
    s.element = elements_.size();
    s.algebra = algebra_.size();
    for (const sema::Part& p : f.manifold->point())
      points_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    for (const sema::Part& p : f.manifold->group().point())
      elements_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    for (const sema::Part& p : f.manifold->algebra())
      algebra_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    slots_.push_back(std::move(s));
  }
}

const sema::Factor* ConfigurationKind::without(const std::string& retraction) {
  for (const Slot& s : slots_) {
    if (!calculus(s).offers(retraction)) return s.factor;
  }
  return nullptr;
}

sema::Value ConfigurationKind::noRetraction(const sema::Factor& f, const std::string& retraction, Range where) {
  d_.error(
      Code::LIE0505, where,
      fmt::format("the group {} of `{}` offers no retraction `{}`", f.manifold->group().name(), f.name, retraction));
  return sema::Value::error();
}

// --- values -------------------------------------------------------------------------------------------------------

sema::Value ConfigurationKind::valueOf(sema::ValueKind kind, sema::Tuple parts) {
  sema::Value v;
  v.kind = kind;
  v.parts = std::move(parts);
  return v;
}

/// An element of the acting groups: a product of `factors` retractions.
sema::Value ConfigurationKind::groupElement(sema::Tuple elements, std::int64_t factors) {
  sema::Value v = valueOf(sema::ValueKind::Opaque, std::move(elements));
  v.text = "an element of the group";
  v.extents = {factors};
  return v;
}

sema::Value ConfigurationKind::hold(const sema::Value& v, const std::string& name) {
  if (v.kind == sema::ValueKind::PhasePoint)
    return valueOf(v.kind, load(g_, points_, store(p_, points_, v.parts, name)));
  if (space(v)) return valueOf(v.kind, load(g_, algebra_, store(p_, algebra_, v.parts, name)));
  return v;
}

std::optional<Space> ConfigurationKind::space(const sema::Value& v) const {
  if (v.kind == sema::ValueKind::PhaseAlgebra || v.kind == sema::ValueKind::PhaseDual) return algebra_;
  return std::nullopt;
}

sema::Value ConfigurationKind::defaultStart() {
  sema::Tuple zeros;
  for (const Component& c : algebra_) zeros.push_back(g_.zero(c.shape));
  return valueOf(sema::ValueKind::PhaseAlgebra, std::move(zeros));
}

sema::Tuple ConfigurationKind::elements(const std::string& retraction, const sema::Tuple& k) {
  sema::Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).retract(retraction, algebraOf(s, k)));
  return r;
}

sema::Tuple ConfigurationKind::act(const sema::Tuple& element, const sema::Tuple& point) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const sema::Tuple own = elementOf(s, element);
    const sema::Tuple q = pointOf(s, point);
    append(r, s.manifold().isGroup() ? calculus(s).product(own, q)
                                     : mechanics::required(s.manifold(), "action", {own, q}));
  }
  return r;
}

sema::Tuple ConfigurationKind::moved(const sema::Tuple& point, const sema::Tuple& element) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const sema::Tuple own = elementOf(s, element);
    const sema::Tuple q = pointOf(s, point);
    if (!s.manifold().isGroup()) {
      append(r, mechanics::required(s.manifold(), "action", {own, q}));
    } else {
      append(r, mechanics::required(s.manifold(), "product", s.body() ? std::vector{q, own} : std::vector{own, q}));
    }
  }
  return r;
}

sema::Tuple ConfigurationKind::shifted(const sema::Tuple& point, const sema::Tuple& shift) {
  return moved(point, elements("exp", shift));
}

sema::Tuple ConfigurationKind::difference(const sema::Tuple& a, const sema::Tuple& b, const sema::Tuple& shift) {
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const sema::Tuple point = pointOf(s, b);
    sema::Tuple d =
        mechanics::generatorTransposed(p_, s.manifold(), s.body(), point, sema::sub(g_, pointOf(s, a), point));
    for (const sema::Tuple& normal : sema::conormals(p_, s.manifold(), point))
      d = sema::add(g_, d, sema::scale(g_, sema::pairing(g_, normal, algebraOf(s, shift)), normal));
    append(r, d);
  }
  return r;
}

// --- operators and words of method bodies -------------------------------------------------------------------------

sema::Value ConfigurationKind::product(const sema::Value& a, const sema::Value& b) {
  sema::Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).product(elementOf(s, a.parts), elementOf(s, b.parts)));
  return groupElement(std::move(r), a.extents[0] + b.extents[0]);
}

sema::Value ConfigurationKind::act(const sema::Value& element, const sema::Value& point) {
  context_.step.exponentials += static_cast<int>(element.extents[0]);
  return valueOf(sema::ValueKind::PhasePoint, act(element.parts, point.parts));
}

sema::Value ConfigurationKind::actRight(const sema::Value& point, const sema::Value& element, Range where) {
  for (const Slot& s : slots_) {
    if (s.manifold().isGroup()) continue;
    d_.error(Code::LIE0505, where,
             fmt::format("`{}` is on {}, where a group acts from the left only", s.factor->name, s.manifold().name()))
        .suggest("write " + movedPoint());
    return sema::Value::error();
  }
  context_.step.exponentials += static_cast<int>(element.extents[0]);
  sema::Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).product(pointOf(s, point.parts), elementOf(s, element.parts)));
  return valueOf(sema::ValueKind::PhasePoint, std::move(r));
}

sema::Value ConfigurationKind::bracket(const sema::Value& a, const sema::Value& b) {
  return valueOf(sema::ValueKind::PhaseAlgebra,
                 each(a.parts, b.parts, [](const GroupCalculus& c, const sema::Tuple& u, const sema::Tuple& v) {
                   return c.bracket(u, v);
                 }));
}

sema::Value ConfigurationKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  const std::string& name = word.name;
  return name == "Ad" || name == "Adstar" || name == "adstar" ? adjointWord(name, args)
                                                              : retractionWord(name, args, where);
}

sema::Value ConfigurationKind::adjointWord(const std::string& name, const std::vector<sema::Value>& args) {
  const sema::Value& a = args[0];
  const sema::Value& b = args[1];
  sema::Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s);
    const sema::Tuple own = algebraOf(s, b.parts);
    if (name == "adstar") {
      append(r, c.adstar(algebraOf(s, a.parts), own));
    } else {
      const sema::Tuple element = elementOf(s, a.parts);
      append(r, name == "Ad" ? c.Ad(element, own) : c.Adstar(element, own));
    }
  }
  return valueOf(b.kind, std::move(r));
}

sema::Value ConfigurationKind::retractionWord(const std::string& name, const std::vector<sema::Value>& args,
                                              Range where) {
  const bool derivative = name[0] == 'd';
  std::string base = derivative ? name.substr(1) : name;
  const auto drop = [&base](const std::string& suffix) {
    if (!base.ends_with(suffix)) return false;
    base.resize(base.size() - suffix.size());
    return true;
  };
  const bool transposed = derivative && drop("T");
  const bool inverse = derivative && drop("inv");
  if (base == "retract") base = retraction_;
  if (const sema::Factor* f = without(base)) return noRetraction(*f, base, where);
  if (!derivative) return groupElement(elements(base, args[0].parts), 1);
  return valueOf(args[1].kind, each(args[0].parts, args[1].parts,
                                    [&](const GroupCalculus& c, const sema::Tuple& u, const sema::Tuple& v) {
                                      if (transposed)
                                        return inverse ? c.dretractinvT(base, u, v) : c.dretractT(base, u, v);
                                      return inverse ? c.dretractinv(base, u, v) : c.dretract(base, u, v);
                                    }));
}

// --- copies of the equations, Legendre transforms -----------------------------------------------------------------

ConfigurationKind::Copy ConfigurationKind::copyAt(const Place& place) {
  Copy copy = newCopy();
  copy.replacement.scalars[context_.system.model->time] = place.time;
  replacePoints(copy.replacement, place.q, store(p_, points_, place.q, "q" + copy.suffix));
  const sema::ArrayTuple velocities = store(p_, algebra_, place.xi, "xi" + copy.suffix);
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.factor->velocity.size(); ++k)
      copy.replacement.arrays[s.factor->velocity[k]] = velocities[s.algebra + k];
  }
  return copy;
}

sema::Tuple ConfigurationKind::algebraAt(const Copy& copy, const std::vector<const sym::Array*>& roots) {
  return load(g_, algebra_, sym::inlineCopy(p_, roots, copy.replacement, copy.suffix));
}

sema::Tuple ConfigurationKind::legendre(const Place& place) {
  if (legendre_.empty()) {
    for (const sema::ArrayTuple& m : mechanics::momentumArrays(context_.layer))
      legendre_.insert(legendre_.end(), m.begin(), m.end());
  }
  return algebraAt(copyAt(place), legendre_);
}

sema::Tuple ConfigurationKind::refinedVelocity(const sema::Tuple& point, const sema::Tuple& p, Expr time,
                                               const LinearMap& velocityOf) {
  const sema::Tuple velocity = load(g_, algebra_, store(p_, algebra_, velocityOf(p), fmt::format("xi{}", ++copies_)));
  const sema::Tuple atRest = legendre({point, defaultStart().parts, time});
  const sema::Tuple rest = sema::add(g_, sema::sub(g_, p, legendre({point, velocity, time})), atRest);
  return sema::add(g_, velocity, velocityOf(rest));
}

/// The sum of the absolute values of all numbers of the configurations.
Expr ConfigurationKind::positionSize(Expr /*h*/) {
  if (!context_.system.constraints) return {};
  const sym::Array* size = g_.newArray("size of q", {}, sym::Shape::scalar(), sym::Role::Temp);
  for (const Slot& s : slots_) {
    const sema::Tuple q = sema::loads(g_, s.factor->point, s.index);
    for (std::size_t k = 0; k < q.size(); ++k) addSizes(p_, size, points_[s.point + k], q[k]);
  }
  return g_.load(size);
}

// --- begin and end of a step --------------------------------------------------------------------------------------

std::vector<sema::Value> ConfigurationKind::pointAndVelocity() const {
  sema::Tuple q;
  sema::Tuple xi;
  for (const Slot& s : slots_) {
    append(q, sema::loads(g_, s.factor->point, s.index));
    append(xi, sema::loads(g_, s.factor->velocity, s.index));
  }
  return {valueOf(sema::ValueKind::PhasePoint, q), valueOf(sema::ValueKind::PhaseAlgebra, xi)};
}

void ConfigurationKind::setNext(const sema::ArrayTuple& points, const sema::ArrayTuple& fibers) {
  for (const Slot& s : slots_) {
    const sema::Factor& f = *s.factor;
    context_.step.state.insert(context_.step.state.end(), f.point.begin(), f.point.end());
    context_.step.state.insert(context_.step.state.end(), f.velocity.begin(), f.velocity.end());
    for (std::size_t k = 0; k < f.point.size(); ++k) context_.step.next.push_back(points[s.point + k]);
    for (std::size_t k = 0; k < f.velocity.size(); ++k) context_.step.next.push_back(fibers[s.algebra + k]);
  }
}

void ConfigurationKind::replacePoints(sym::Replacement& replacement, const sema::Tuple& point,
                                      const sema::ArrayTuple& stored) const {
  for (const Slot& s : slots_) {
    const sema::Factor& f = *s.factor;
    for (std::size_t i = 0; i < f.point.size(); ++i) {
      if (f.extent == 0) {
        replacement.scalars[f.point[i]] = point[s.point + i];
      } else {
        replacement.arrays[f.point[i]] = stored[s.point + i];
      }
    }
  }
}

} // namespace lmc::methods
