#include "methods/CotangentKind.h"

#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

using sym::Expr;

namespace {

Value valueOf(ValueKind kind, Tuple parts) {
  Value v;
  v.kind = kind;
  v.parts = std::move(parts);
  return v;
}

void append(Tuple& a, const Tuple& b) {
  a.insert(a.end(), b.begin(), b.end());
}

/// exp(a)*exp(b)*…: the algebra elements one after the other.
Value product(Tuple parts, std::int64_t factors) {
  Value v = valueOf(ValueKind::Opaque, std::move(parts));
  v.text = "exp(…)";
  v.extents = {factors};
  return v;
}

} // namespace

CotangentKind::CotangentKind(const KindContext& context)
    : context_(context), d_(context.compilation.diagnostics()), p_(context.system.model->program),
      g_(context.compilation.graph()) {
  for (const Factor& f : context.system.model->factors) {
    Slot s;
    s.factor = &f;
    if (f.extent > 0) s.index = {g_.newIndex("i")};
    s.handed = f.frame == Frame::Body && f.manifold->isGroup() ? Handed::Opposite : Handed::Group;
    s.point = points_.size();
    s.algebra = algebra_.size();
    for (const Part& p : f.manifold->point()) points_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    for (const Part& p : f.manifold->algebra()) algebra_.push_back({f.name + "." + p.name, p.shape, f.extent, s.index});
    slots_.push_back(std::move(s));
  }
}

bool CotangentKind::fits(Range where) {
  const Model& m = *context_.system.model;
  const auto refuse = [&](const std::string& reason) {
    d_.error(Code::LIE0512, where, "the model cannot be stepped by a method on 'cotangent': " + reason);
    return false;
  };
  if (!m.states.empty()) return refuse(fmt::format("'{}' is a first-order state without a momentum", m.states[0].name));
  if (m.factors.empty()) return refuse("it has no configuration");
  for (const Factor& f : m.factors) {
    if (!f.manifold->isGroup()) {
      return refuse(fmt::format("'{}' is on {}, which is not a group", f.name, f.manifold->name()));
    }
  }
  system_ = cotangentField(context_.system);
  return system_.refusal.empty() || refuse(system_.refusal);
}

Tuple CotangentKind::part(const Tuple& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

template <class Operation> Tuple CotangentKind::each(const Tuple& a, const Tuple& b, Operation operation) {
  Tuple r;
  for (const Slot& s : slots_) {
    const std::size_t n = s.factor->manifold->algebra().size();
    append(r, operation(calculus(s), part(a, s.algebra, n), part(b, s.algebra, n)));
  }
  return r;
}

/// exp(k)*g
Tuple CotangentKind::act(const Tuple& k, const Tuple& g) {
  Tuple r;
  for (const Slot& s : slots_) {
    const GroupCalculus c = calculus(s);
    const Manifold& m = *s.factor->manifold;
    append(r, c.product(c.exp(part(k, s.algebra, m.algebra().size())), part(g, s.point, m.point().size())));
  }
  return r;
}

std::vector<Value> CotangentKind::state() {
  Tuple g;
  Tuple mu;
  const std::vector<ArrayTuple> momenta = momentumArrays(context_.system);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    append(g, loads(g_, slots_[k].factor->point, slots_[k].index));
    append(mu, loads(g_, momenta[k], slots_[k].index));
  }
  return {valueOf(ValueKind::PhasePoint, g), valueOf(ValueKind::PhaseDual, mu)};
}

std::optional<MethodKind::Misfit> CotangentKind::misfit(std::size_t k, const Value& v) const {
  if (k == 0 && v.kind != ValueKind::PhasePoint)
    return Misfit{"must be a point of the configuration manifold", "for an algebra element k it is exp(k)*g"};
  if (k == 1 && v.kind != ValueKind::PhaseDual)
    return Misfit{"must be a momentum",
                  "momenta are mu, f2(t, g, mu), Adstar(exp(k), mu), dexpT(k, mu) and their sums"};
  return std::nullopt;
}

Value CotangentKind::hold(const Value& v, const std::string& name) {
  if (v.kind == ValueKind::PhasePoint) return valueOf(v.kind, load(g_, points_, store(p_, points_, v.parts, name)));
  if (space(v)) return valueOf(v.kind, load(g_, algebra_, store(p_, algebra_, v.parts, name)));
  return v;
}

void CotangentKind::finish(const std::vector<Value>& next) {
  const ArrayTuple g = store(p_, points_, next[0].parts, "next");
  const ArrayTuple mu = store(p_, algebra_, next[1].parts, "next.mu");
  const bool lagrangian =
      std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.factor->fiber == Fiber::Velocity; });
  ArrayTuple velocity = mu;
  if (lagrangian) { // its velocities are those of the new momenta
    const Expr end = g_.add(g_.load(context_.system.model->time), g_.load(context_.step.stepSize));
    velocity = store(p_, algebra_, field(end, load(g_, points_, g), load(g_, algebra_, mu)).velocity, "next.xi");
  }
  for (const Slot& s : slots_) {
    const Factor& f = *s.factor;
    const bool momentum = f.fiber == Fiber::Momentum;
    context_.step.state.insert(context_.step.state.end(), f.point.begin(), f.point.end());
    context_.step.state.insert(context_.step.state.end(), f.velocity.begin(), f.velocity.end());
    for (std::size_t k = 0; k < f.point.size(); ++k) context_.step.next.push_back(g[s.point + k]);
    for (std::size_t k = 0; k < f.velocity.size(); ++k)
      context_.step.next.push_back((momentum ? mu : velocity)[s.algebra + k]);
  }
}

std::optional<Space> CotangentKind::space(const Value& v) const {
  if (v.kind == ValueKind::PhaseAlgebra || v.kind == ValueKind::PhaseDual) return algebra_;
  return std::nullopt;
}

Value CotangentKind::defaultStart() {
  Tuple zeros;
  for (const Component& c : algebra_) zeros.push_back(g_.zero(c.shape));
  return valueOf(ValueKind::PhaseAlgebra, std::move(zeros));
}

Tuple CotangentKind::difference(const Tuple& a, const Tuple& b, const Tuple&) {
  Tuple r;
  for (const Slot& s : slots_) {
    const Manifold& m = *s.factor->manifold;
    const Tuple point = part(b, s.point, m.point().size());
    append(r, generatorTransposed(p_, m, s.handed == Handed::Opposite, point,
                                  sub(g_, part(a, s.point, m.point().size()), point)));
  }
  return r;
}

// --- operators and functions of method bodies ---------------------------------------------------------------------

std::optional<Value> CotangentKind::binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) {
  if (op != ast::BinaryOp::Mul || a.kind != ValueKind::Opaque) {
    if (op == ast::BinaryOp::Add && (a.kind == ValueKind::PhasePoint || b.kind == ValueKind::PhasePoint)) {
      d_.error(Code::LIE0505, where, "points of a manifold cannot be added to")
          .suggest("move along the manifold: exp(k)*g");
      return Value::error();
    }
    if (a.isPhaseLinear() && b.isPhaseLinear() && a.kind != b.kind) {
      d_.error(Code::LIE0505, where,
               "an algebra element and a momentum cannot be added: they are elements of different spaces");
      return Value::error();
    }
    return std::nullopt;
  }
  if (b.kind == ValueKind::Opaque) {
    Tuple all = a.parts;
    append(all, b.parts);
    return product(std::move(all), a.extents[0] + b.extents[0]);
  }
  if (b.kind != ValueKind::PhasePoint) return std::nullopt;
  Tuple g = b.parts;
  for (std::int64_t k = a.extents[0]; k > 0; --k) { // the rightmost acts first
    g = act(part(a.parts, static_cast<std::size_t>(k - 1) * algebra_.size(), algebra_.size()), g);
    ++context_.step.exponentials;
  }
  return valueOf(ValueKind::PhasePoint, g);
}

std::optional<Value> CotangentKind::bracket(const Value& a, const Value& b, Range) {
  return valueOf(
      ValueKind::PhaseAlgebra,
      each(a.parts, b.parts, [](const GroupCalculus& c, const Tuple& u, const Tuple& v) { return c.bracket(u, v); }));
}

std::vector<std::string> CotangentKind::names() const {
  return {"f1",   "f2",      "exp",   "dexp",     "dexpinv", "dexpT",  "dexpinvT", "cay",
          "dcay", "dcayinv", "dcayT", "dcayinvT", "Ad",      "Adstar", "adstar"};
}

std::optional<Value> CotangentKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  if (name == "f1" || name == "f2") return component(name, args, where);
  if (name == "exp" && args.size() == 1 && args[0].kind == ValueKind::PhaseAlgebra) return product(args[0].parts, 1);
  const std::vector<std::string> own = names();
  if (std::find(own.begin(), own.end(), name) == own.end() || (name == "exp" && !args.empty() && !args[0].isPhase()))
    return std::nullopt;
  if (auto v = calculusCall(name, args)) return v;
  return wrong(name, where);
}

Value CotangentKind::wrong(const std::string& name, Range where) {
  static const std::vector<std::pair<std::string, std::string>> uses = {
      {"exp", "exp(k) of an algebra element k"},
      {"Ad", "Ad(exp(k), v) of algebra elements k, v"},
      {"Adstar", "Adstar(exp(k), m) of an algebra element k and a momentum m"},
      {"adstar", "adstar(k, m) of an algebra element k and a momentum m"},
      {"dexp", "dexp(k, v) of algebra elements k, v"},
      {"dexpinv", "dexpinv(k, v) of algebra elements k, v"},
      {"dexpT", "dexpT(k, m) of an algebra element k and a momentum m"},
      {"dexpinvT", "dexpinvT(k, m) of an algebra element k and a momentum m"}};
  const auto use = std::find_if(uses.begin(), uses.end(), [&](const auto& u) { return u.first == name; });
  if (use == uses.end()) {
    d_.error(Code::LIE0505, where,
             fmt::format("{} is not offered by every group of the model, or not for these arguments", name));
  } else {
    d_.error(Code::LIE0505, where, fmt::format("{} has no meaning for these arguments", name)).suggest(use->second);
  }
  return Value::error();
}

std::optional<Value> CotangentKind::calculusCall(const std::string& name, const std::vector<Value>& args) {
  if (args.size() != 2) return std::nullopt;
  const Value& a = args[0];
  const Value& b = args[1];
  const bool onAlgebra = b.kind == ValueKind::PhaseAlgebra;
  const bool onDual = b.kind == ValueKind::PhaseDual;
  if (name == "Ad" || name == "Adstar") {
    if (a.kind != ValueKind::Opaque || !(name == "Ad" ? onAlgebra : onDual)) return std::nullopt;
    Tuple r = b.parts;
    for (std::int64_t k = 0; k < a.extents[0]; ++k) {
      // Ad of a product is the product of the Ads, the last acts first; Ad* in the other order.
      const std::int64_t at = name == "Ad" ? a.extents[0] - 1 - k : k;
      const Tuple u = part(a.parts, static_cast<std::size_t>(at) * algebra_.size(), algebra_.size());
      r = each(u, r, [&](const GroupCalculus& c, const Tuple& x, const Tuple& y) {
        return name == "Ad" ? c.Ad(c.exp(x), y) : c.Adstar(c.exp(x), y);
      });
    }
    return valueOf(b.kind, r);
  }
  if (a.kind != ValueKind::PhaseAlgebra) return std::nullopt;
  const bool transposed = name.back() == 'T' || name == "adstar";
  if (!(transposed ? onDual : onAlgebra)) return std::nullopt;
  const DexpinvCut cut = DexpinvCut::forOrder(context_.step.order);
  bool offered = true;
  const auto optional = [&](const std::optional<Tuple>& t, const Tuple& otherwise) {
    offered = offered && t.has_value();
    return t.value_or(otherwise);
  };
  Tuple r = each(a.parts, b.parts, [&](const GroupCalculus& c, const Tuple& u, const Tuple& v) {
    if (name == "adstar") return c.adstar(u, v);
    if (name == "dexp") return c.dexp(u, v);
    if (name == "dexpT") return c.dexpT(u, v);
    if (name == "dexpinv") return c.dexpinv(u, v, cut);
    if (name == "dexpinvT") return c.dexpinvT(u, v, cut);
    if (name == "dcay") return optional(c.dcay(u, v), v);
    if (name == "dcayT") return optional(c.dcayT(u, v), v);
    if (name == "dcayinv") return optional(c.dcayinv(u, v), v);
    if (name == "dcayinvT") return optional(c.dcayinvT(u, v), v);
    offered = false;
    return v;
  });
  if (!offered) return std::nullopt;
  return valueOf(b.kind, std::move(r));
}

std::optional<Value> CotangentKind::component(const std::string& name, const std::vector<Value>& args, Range where) {
  const bool good = args.size() == 3 && args[0].kind == ValueKind::Tensor && args[0].parts[0]->shape.rank == 0 &&
                    args[1].kind == ValueKind::PhasePoint && args[2].kind == ValueKind::PhaseDual;
  if (!good) {
    d_.error(Code::LIE0505, where, fmt::format("{} takes the time, a point and a momentum: {}(t, g, mu)", name, name));
    return Value::error();
  }
  const Field& f = field(g_.toReal(args[0].parts[0]), args[1].parts, args[2].parts);
  return name == "f1" ? valueOf(ValueKind::PhaseAlgebra, f.velocity) : valueOf(ValueKind::PhaseDual, f.force);
}

/// Both components of f at (t, g, mu); one evaluation however often they are asked for.
const CotangentKind::Field& CotangentKind::field(Expr time, const Tuple& g, const Tuple& mu) {
  std::vector<const sym::Node*> key{time.node()};
  for (const Tuple* t : {&g, &mu}) {
    for (const Expr& e : *t) key.push_back(e.node());
  }
  for (const auto& [k, f] : fields_) {
    if (k == key) return f;
  }
  ++context_.step.evaluations;
  const std::string name = fmt::format("G{}", ++counter_);
  const ArrayTuple points = store(p_, points_, g, name);
  const ArrayTuple momenta = store(p_, algebra_, mu, name + ".mu");
  sym::Replacement replacement;
  replacement.scalars[context_.system.model->time] = time;
  std::vector<const sym::Array*> roots;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const Factor& f = *s.factor;
    for (std::size_t i = 0; i < f.point.size(); ++i) {
      if (f.extent == 0) {
        replacement.scalars[f.point[i]] = g[s.point + i];
      } else {
        replacement.arrays[f.point[i]] = points[s.point + i];
      }
    }
    const CotangentFactor& c = system_.factors[k];
    for (std::size_t i = 0; i < c.momentum.size(); ++i) replacement.arrays[c.momentum[i]] = momenta[s.algebra + i];
    roots.insert(roots.end(), c.velocity.begin(), c.velocity.end());
    roots.insert(roots.end(), c.force.begin(), c.force.end());
  }
  const std::vector<const sym::Array*> copies = sym::inlineCopy(p_, roots, replacement, "@" + name);
  Field f;
  std::size_t next = 0;
  for (const Slot& s : slots_) {
    const std::size_t n = s.factor->manifold->algebra().size();
    for (std::size_t k = 0; k < n; ++k) f.velocity.push_back(g_.load(copies[next++], s.index));
    for (std::size_t k = 0; k < n; ++k) f.force.push_back(g_.load(copies[next++], s.index));
  }
  fields_.emplace_back(std::move(key), std::move(f));
  return fields_.back().second;
}

std::unique_ptr<MethodKind> cotangentKind(const KindContext& context) {
  return std::make_unique<CotangentKind>(context);
}

} // namespace lmc
