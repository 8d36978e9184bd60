#include "methods/kinds/ManifoldKind.h"

#include "methods/solve/Projection.h"

#include <fmt/format.h>

namespace lmc::methods {

namespace {
/// A product of retractions, exp(a)*cay(b)*…: their names, and the algebra elements one after the other in `parts`.
sema::Value retractions(sema::Tuple parts, std::vector<std::string> names) {
  sema::Value v;
  v.kind = sema::ValueKind::Opaque;
  v.text = "an element of the group";
  v.parts = std::move(parts);
  v.names = std::move(names);
  return v;
}
} // namespace

ManifoldKind::ManifoldKind(const KindContext& context)
    : context_(context), d_(context.compilation.diagnostics()), phase_(context.layer) {}

sema::Value ManifoldKind::point(sema::Tuple parts) {
  sema::Value v;
  v.kind = sema::ValueKind::PhasePoint;
  v.parts = std::move(parts);
  return v;
}

sema::Value ManifoldKind::algebra(sema::Tuple parts) {
  sema::Value v;
  v.kind = sema::ValueKind::PhaseAlgebra;
  v.parts = std::move(parts);
  return v;
}

std::string ManifoldKind::fresh(const std::string& name) {
  return fmt::format("{}{}", name, ++counter_);
}

void ManifoldKind::shareStages(SharedStages shared, std::size_t stages) {
  const int more = static_cast<int>(stages) - 1;
  context_.step.evaluations += more;
  context_.step.exponentials += more - 1; // the first stage has none
  context_.step.stages = std::move(shared);
  fields_.clear();
}

std::vector<sema::Value> ManifoldKind::state() {
  return {point(phase_.state())};
}

sema::Value ManifoldKind::hold(const sema::Value& v, const std::string& name) {
  if (v.kind == sema::ValueKind::PhaseAlgebra) return algebra(phase_.holdAlgebra(v.parts, name));
  if (v.kind == sema::ValueKind::PhasePoint) return point(phase_.hold(v.parts, name));
  return v;
}

void ManifoldKind::finish(const std::vector<sema::Value>& next) {
  for (const PhaseSlot& s : phase_.slots()) {
    context_.step.state.insert(context_.step.state.end(), s.state.begin(), s.state.end());
  }
  context_.step.next = phase_.storePoint(onConstraints(next[0].parts, "next"), "next");
}

bool ManifoldKind::projectsByRates() {
  const sema::Model& m = context_.layer.model;
  const auto& c = context_.system.constraints;
  return c && !c->blocks && m.contacts.empty() && !m.hamiltonian && Projection(context_.layer, phase_).isAffine();
}

sema::Value ManifoldKind::onPositions(sym::Expr time, const sema::Value& state) {
  return point(Projection(context_.layer, phase_).onPositions(state.parts, time, fresh("q")));
}

sema::Value ManifoldKind::withVelocities(const sema::Value& state, const sema::Value& given) const {
  sema::Value r = state;
  for (const PhaseSlot& s : phase_.slots()) {
    if (s.kind != PhaseKind::Velocity) continue;
    const std::size_t n = s.pointParts.size() - s.pointCount; // the second half of its part of f
    for (std::size_t k = 0; k < n; ++k)
      r.parts[s.pointOffset + s.pointCount + k] = given.parts[s.algebraOffset + n + k];
  }
  return r;
}

sema::Tuple ManifoldKind::onConstraints(const sema::Tuple& y, const std::string& name) {
  if (!context_.system.constraints || (context_.step.calls && context_.step.calls->forces != nullptr))
    return y; // or calls have moved it
  sym::Graph& g = context_.layer.program().graph();
  const sym::Expr end = g.add(g.load(context_.layer.model.time), g.load(context_.step.stepSize));
  return Projection(context_.layer, phase_).onConstraints(y, end, name);
}

sema::Tuple ManifoldKind::moved(const sema::Tuple& y, const sema::Tuple& z, sym::Expr time, const sym::Array* mu,
                                const sym::Array* nu) {
  return Projection(context_.layer, phase_).moved(y, z, time, mu, nu, fresh("moved"));
}

const sym::Array* ManifoldKind::sizeOf(const sema::Tuple& y) {
  return Projection(context_.layer, phase_).sizeOf(y, false, fresh("size"));
}

sema::ArrayTuple ManifoldKind::defects(const sema::Tuple& y, sym::Expr time) {
  const mechanics::ConstraintEquations& c = *context_.system.constraints;
  return phase_.at(phase_.loadPoint(phase_.storePoint(y, fresh("y"))), time, {c.value, c.rate}, fresh("c"));
}

void ManifoldKind::embed(const ForEstimate& results) {
  Step& step = context_.step;
  // What constraints have moved is a part of the error.
  step.embedded = phase_.storePoint(results.second[0].parts, "embedded");
  if (!results.third.empty()) step.embedded2 = phase_.storePoint(results.third[0].parts, "embedded2");
  countOwn(context_.layer.program(), step, fields_);
}

std::optional<Space> ManifoldKind::space(const sema::Value& v) const {
  if (v.kind == sema::ValueKind::PhaseAlgebra) return phase_.algebraSpace();
  return std::nullopt;
}

sema::Value ManifoldKind::defaultStart() {
  sema::Tuple zeros;
  for (const Component& c : phase_.algebraSpace()) zeros.push_back(context_.compilation.graph().zero(c.shape));
  return algebra(std::move(zeros));
}

// --- operators and functions of method bodies ---------------------------------------------------------------------

/// exp(a)*exp(b)
sema::Value ManifoldKind::product(const sema::Value& a, const sema::Value& b) {
  sema::Tuple all = a.parts;
  all.insert(all.end(), b.parts.begin(), b.parts.end());
  std::vector<std::string> names = a.names;
  names.insert(names.end(), b.names.begin(), b.names.end());
  return retractions(std::move(all), std::move(names));
}

sema::Value ManifoldKind::act(const sema::Value& element, const sema::Value& start) {
  sema::Tuple y = start.parts;
  const std::size_t n = phase_.algebraSize();
  for (std::size_t k = element.names.size(); k > 0; --k) { // the rightmost acts first
    const auto last = element.parts.begin() + static_cast<std::ptrdiff_t>(n * k);
    const sema::Tuple own(last - static_cast<std::ptrdiff_t>(n), last);
    y = flow(own, y, element.names[k - 1]);
    if (k > 1) y = phase_.hold(y, fresh("Y"));
  }
  return point(y);
}

sema::Value ManifoldKind::bracket(const sema::Value& a, const sema::Value& b) {
  return algebra(phase_.bracket(a.parts, b.parts));
}

sema::Value ManifoldKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.name == "f") return algebra(evaluate(args[1].parts, args[0].parts[0]));
  if (word.name == "Ad") return algebra(phase_.Ad(args[0].names[0], args[0].parts, args[1].parts));
  return calculus(word.name, args, where);
}

sema::Value ManifoldKind::calculus(const std::string& name, const std::vector<sema::Value>& args, Range where) {
  const bool derivative = name[0] == 'd';
  const bool inverse = derivative && name.ends_with("inv");
  std::string base = derivative ? name.substr(1, name.size() - (inverse ? 4 : 1)) : name;
  if (base == "retract") base = retraction_;
  if (const std::string variable = phase_.without(base); !variable.empty()) {
    d_.error(Code::LIE0505, where, fmt::format("the group of `{}` offers no retraction `{}`", variable, base));
    return sema::Value::error();
  }
  if (!derivative) return retractions(args[0].parts, {base});
  if (!inverse) return algebra(phase_.dretract(base, args[0].parts, args[1].parts));
  if (base == "exp")
    return algebra(phase_.dexpinv(args[0].parts, args[1].parts, DexpinvCut::forOrder(context_.step.order)));
  return algebra(phase_.dretractinv(base, args[0].parts, args[1].parts));
}

sema::Tuple ManifoldKind::evaluate(const sema::Tuple& y, sym::Expr time) {
  ++context_.step.evaluations;
  fields_.push_back(phase_.field(y, time, fresh("Y"), &context_.step.multipliers, asked_));
  return fields_.back();
}

sema::Tuple ManifoldKind::flow(const sema::Tuple& k, const sema::Tuple& y, const std::string& retraction) {
  ++context_.step.exponentials;
  return phase_.act(k, y, retraction);
}

namespace kinds {
std::unique_ptr<MethodKind> manifold(const KindContext& context, const ModelParts&) {
  return std::make_unique<ManifoldKind>(context);
}
} // namespace kinds

} // namespace lmc::methods
