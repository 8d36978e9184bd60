#include "methods/kinds/ConfigurationKind.h"

#include "mechanics/Cotangent.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

using sym::Expr;

namespace {
Handed handedOf(const Factor& f, Convention convention) {
  if (!f.manifold->isGroup() || convention == Convention::Declared) return Handed::Group;
  const Frame opposite = convention == Convention::LeftAction ? Frame::Body : Frame::Space;
  return f.frame == opposite ? Handed::Opposite : Handed::Group;
}
} // namespace

ConfigurationKind::ConfigurationKind(const KindContext& context, Convention convention)
    : context_(context), d_(context.compilation.diagnostics()), p_(context.layer.program()),
      g_(context.compilation.graph()) {
  for (const Factor& f : context.system.model->factors) {
    Slot s;
    s.factor = &f;
    if (f.extent > 0) s.index = {g_.newIndex("i")};
    s.handed = handedOf(f, convention);
    s.point = points_.size();
    s.element = elements_.size();
    s.algebra = algebra_.size();
    for (const Part& p : f.manifold->point()) points_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    for (const Part& p : f.manifold->group().point())
      elements_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    for (const Part& p : f.manifold->algebra()) algebra_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    slots_.push_back(std::move(s));
  }
}

const Factor* ConfigurationKind::without(const std::string& retraction) {
  for (const Slot& s : slots_) {
    if (!calculus(s).offers(retraction)) return s.factor;
  }
  return nullptr;
}

Value ConfigurationKind::noRetraction(const Factor& f, const std::string& retraction, Range where) {
  d_.error(
      Code::LIE0505, where,
      fmt::format("the group {} of '{}' offers no retraction '{}'", f.manifold->group().name(), f.name, retraction));
  return Value::error();
}

// --- values -------------------------------------------------------------------------------------------------------

Value ConfigurationKind::valueOf(ValueKind kind, Tuple parts) {
  Value v;
  v.kind = kind;
  v.parts = std::move(parts);
  return v;
}

/// An element of the acting groups: a product of `factors` retractions.
Value ConfigurationKind::groupElement(Tuple elements, std::int64_t factors) {
  Value v = valueOf(ValueKind::Opaque, std::move(elements));
  v.text = "an element of the group";
  v.extents = {factors};
  return v;
}

Tuple ConfigurationKind::part(const Tuple& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

Value ConfigurationKind::hold(const Value& v, const std::string& name) {
  if (v.kind == ValueKind::PhasePoint) return valueOf(v.kind, load(g_, points_, store(p_, points_, v.parts, name)));
  if (space(v)) return valueOf(v.kind, load(g_, algebra_, store(p_, algebra_, v.parts, name)));
  return v;
}

std::optional<Space> ConfigurationKind::space(const Value& v) const {
  if (v.kind == ValueKind::PhaseAlgebra || v.kind == ValueKind::PhaseDual) return algebra_;
  return std::nullopt;
}

Value ConfigurationKind::defaultStart() {
  Tuple zeros;
  for (const Component& c : algebra_) zeros.push_back(g_.zero(c.shape));
  return valueOf(ValueKind::PhaseAlgebra, std::move(zeros));
}

Tuple ConfigurationKind::elements(const std::string& retraction, const Tuple& k) {
  Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).retract(retraction, algebraOf(s, k)));
  return r;
}

Tuple ConfigurationKind::act(const Tuple& element, const Tuple& point) {
  Tuple r;
  for (const Slot& s : slots_) {
    const Tuple own = elementOf(s, element);
    const Tuple q = pointOf(s, point);
    append(r, s.manifold().isGroup() ? calculus(s).product(own, q) : required(s.manifold(), "action", {own, q}));
  }
  return r;
}

Tuple ConfigurationKind::moved(const Tuple& point, const Tuple& element) {
  Tuple r;
  for (const Slot& s : slots_) {
    const Tuple own = elementOf(s, element);
    const Tuple q = pointOf(s, point);
    if (!s.manifold().isGroup()) {
      append(r, required(s.manifold(), "action", {own, q}));
    } else {
      append(r, required(s.manifold(), "product", s.body() ? std::vector{q, own} : std::vector{own, q}));
    }
  }
  return r;
}

Tuple ConfigurationKind::shifted(const Tuple& point, const Tuple& shift) {
  return moved(point, elements("exp", shift));
}

Tuple ConfigurationKind::difference(const Tuple& a, const Tuple& b, const Tuple& shift) {
  Tuple r;
  for (const Slot& s : slots_) {
    const Tuple point = pointOf(s, b);
    Tuple d = generatorTransposed(p_, s.manifold(), s.body(), point, sub(g_, pointOf(s, a), point));
    for (const Tuple& normal : conormals(p_, s.manifold(), point))
      d = add(g_, d, scale(g_, pairing(g_, normal, algebraOf(s, shift)), normal));
    append(r, d);
  }
  return r;
}

// --- operators and words of method bodies -------------------------------------------------------------------------

Value ConfigurationKind::product(const Value& a, const Value& b) {
  Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).product(elementOf(s, a.parts), elementOf(s, b.parts)));
  return groupElement(std::move(r), a.extents[0] + b.extents[0]);
}

Value ConfigurationKind::act(const Value& element, const Value& point) {
  context_.step.exponentials += static_cast<int>(element.extents[0]);
  return valueOf(ValueKind::PhasePoint, act(element.parts, point.parts));
}

Value ConfigurationKind::actRight(const Value& point, const Value& element, Range where) {
  for (const Slot& s : slots_) {
    if (s.manifold().isGroup()) continue;
    d_.error(Code::LIE0505, where,
             fmt::format("'{}' is on {}, where a group acts from the left only", s.factor->name, s.manifold().name()))
        .suggest("write " + movedPoint());
    return Value::error();
  }
  context_.step.exponentials += static_cast<int>(element.extents[0]);
  Tuple r;
  for (const Slot& s : slots_) append(r, calculus(s).product(pointOf(s, point.parts), elementOf(s, element.parts)));
  return valueOf(ValueKind::PhasePoint, std::move(r));
}

Value ConfigurationKind::bracket(const Value& a, const Value& b) {
  return valueOf(
      ValueKind::PhaseAlgebra,
      each(a.parts, b.parts, [](const GroupCalculus& c, const Tuple& u, const Tuple& v) { return c.bracket(u, v); }));
}

Value ConfigurationKind::word(const Word& word, const std::vector<Value>& args, Range where) {
  const std::string& name = word.name;
  return name == "Ad" || name == "Adstar" || name == "adstar" ? adjointWord(name, args)
                                                              : retractionWord(name, args, where);
}

Value ConfigurationKind::adjointWord(const std::string& name, const std::vector<Value>& args) {
  const Value& a = args[0];
  const Value& b = args[1];
  Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s);
    const Tuple own = algebraOf(s, b.parts);
    if (name == "adstar") {
      append(r, c.adstar(algebraOf(s, a.parts), own));
    } else {
      const Tuple element = elementOf(s, a.parts);
      append(r, name == "Ad" ? c.Ad(element, own) : c.Adstar(element, own));
    }
  }
  return valueOf(b.kind, std::move(r));
}

Value ConfigurationKind::retractionWord(const std::string& name, const std::vector<Value>& args, Range where) {
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
  if (const Factor* f = without(base)) return noRetraction(*f, base, where);
  if (!derivative) return groupElement(elements(base, args[0].parts), 1);
  return valueOf(args[1].kind,
                 each(args[0].parts, args[1].parts, [&](const GroupCalculus& c, const Tuple& u, const Tuple& v) {
                   if (transposed) return inverse ? c.dretractinvT(base, u, v) : c.dretractT(base, u, v);
                   return inverse ? c.dretractinv(base, u, v) : c.dretract(base, u, v);
                 }));
}

// --- copies of the equations, Legendre transforms -----------------------------------------------------------------

ConfigurationKind::Copy ConfigurationKind::copyAt(const Place& place) {
  Copy copy = newCopy();
  copy.replacement.scalars[context_.system.model->time] = place.time;
  replacePoints(copy.replacement, place.q, store(p_, points_, place.q, "q" + copy.suffix));
  const ArrayTuple velocities = store(p_, algebra_, place.xi, "xi" + copy.suffix);
  for (const Slot& s : slots_) {
    for (std::size_t k = 0; k < s.factor->velocity.size(); ++k)
      copy.replacement.arrays[s.factor->velocity[k]] = velocities[s.algebra + k];
  }
  return copy;
}

Tuple ConfigurationKind::algebraAt(const Copy& copy, const std::vector<const sym::Array*>& roots) {
  return load(g_, algebra_, sym::inlineCopy(p_, roots, copy.replacement, copy.suffix));
}

Tuple ConfigurationKind::legendre(const Place& place) {
  if (legendre_.empty()) {
    for (const ArrayTuple& m : momentumArrays(context_.layer)) legendre_.insert(legendre_.end(), m.begin(), m.end());
  }
  return algebraAt(copyAt(place), legendre_);
}

Tuple ConfigurationKind::refinedVelocity(const Tuple& point, const Tuple& p, Expr time, const LinearMap& velocityOf) {
  const Tuple velocity = load(g_, algebra_, store(p_, algebra_, velocityOf(p), fmt::format("xi{}", ++copies_)));
  const Tuple atRest = legendre({point, defaultStart().parts, time});
  const Tuple rest = add(g_, sub(g_, p, legendre({point, velocity, time})), atRest);
  return add(g_, velocity, velocityOf(rest));
}

// --- begin and end of a step --------------------------------------------------------------------------------------

std::vector<Value> ConfigurationKind::pointAndVelocity() const {
  Tuple q;
  Tuple xi;
  for (const Slot& s : slots_) {
    append(q, loads(g_, s.factor->point, s.index));
    append(xi, loads(g_, s.factor->velocity, s.index));
  }
  return {valueOf(ValueKind::PhasePoint, q), valueOf(ValueKind::PhaseAlgebra, xi)};
}

void ConfigurationKind::setNext(const ArrayTuple& points, const ArrayTuple& fibers) {
  for (const Slot& s : slots_) {
    const Factor& f = *s.factor;
    context_.step.state.insert(context_.step.state.end(), f.point.begin(), f.point.end());
    context_.step.state.insert(context_.step.state.end(), f.velocity.begin(), f.velocity.end());
    for (std::size_t k = 0; k < f.point.size(); ++k) context_.step.next.push_back(points[s.point + k]);
    for (std::size_t k = 0; k < f.velocity.size(); ++k) context_.step.next.push_back(fibers[s.algebra + k]);
  }
}

void ConfigurationKind::replacePoints(sym::Replacement& replacement, const Tuple& point,
                                      const ArrayTuple& stored) const {
  for (const Slot& s : slots_) {
    const Factor& f = *s.factor;
    for (std::size_t i = 0; i < f.point.size(); ++i) {
      if (f.extent == 0) {
        replacement.scalars[f.point[i]] = point[s.point + i];
      } else {
        replacement.arrays[f.point[i]] = stored[s.point + i];
      }
    }
  }
}

} // namespace lmc
