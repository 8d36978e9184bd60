#include "methods/kinds/ManifoldKind.h"

#include "methods/solve/Projection.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lmc {

namespace {
/// A product of retractions, exp(a)*cay(b)*…: their names, and the algebra elements one after the other in `parts`.
Value retractions(Tuple parts, std::vector<std::string> names) {
  Value v;
  v.kind = ValueKind::Opaque;
  v.text = "an element of the group";
  v.parts = std::move(parts);
  v.names = std::move(names);
  return v;
}
} // namespace

ManifoldKind::ManifoldKind(const KindContext& context)
    : context_(context), d_(context.compilation.diagnostics()), phase_(context.layer) {}

Value ManifoldKind::point(Tuple parts) {
  Value v;
  v.kind = ValueKind::PhasePoint;
  v.parts = std::move(parts);
  return v;
}

Value ManifoldKind::algebra(Tuple parts) {
  Value v;
  v.kind = ValueKind::PhaseAlgebra;
  v.parts = std::move(parts);
  return v;
}

std::string ManifoldKind::fresh(const std::string& name) {
  return fmt::format("{}{}", name, ++counter_);
}

std::vector<Value> ManifoldKind::state() {
  return {point(phase_.state())};
}

Value ManifoldKind::hold(const Value& v, const std::string& name) {
  if (v.kind == ValueKind::PhaseAlgebra) return algebra(phase_.holdAlgebra(v.parts, name));
  if (v.kind == ValueKind::PhasePoint) return point(phase_.hold(v.parts, name));
  return v;
}

void ManifoldKind::finish(const std::vector<Value>& next) {
  for (const PhaseSlot& s : phase_.slots()) {
    context_.step.state.insert(context_.step.state.end(), s.state.begin(), s.state.end());
  }
  context_.step.next = phase_.storePoint(onConstraints(next[0].parts, "next"), "next");
}

Tuple ManifoldKind::onConstraints(const Tuple& y, const std::string& name) {
  if (!context_.system.constraints) return y;
  sym::Graph& g = context_.layer.program().graph();
  const sym::Expr end = g.add(g.load(context_.layer.model.time), g.load(context_.step.stepSize));
  return Projection(context_.layer, phase_).onConstraints(y, end, name);
}

void ManifoldKind::embed(const std::vector<Value>& embedded) {
  Step& step = context_.step;
  step.embedded = phase_.storePoint(onConstraints(embedded[0].parts, "embedded"), "embedded");
  // Evaluations of f that serve the second result alone are not carried out where no estimate is wanted.
  const sym::Program& p = context_.layer.program();
  const auto written = [&](const ArrayTuple& roots) {
    std::unordered_set<const sym::Array*> arrays;
    for (const std::size_t k : p.slice(roots)) arrays.insert(p.equations()[k].array);
    return arrays;
  };
  const auto own = written(step.next), other = written(step.embedded);
  const auto uses = [](const Tuple& f, const std::unordered_set<const sym::Array*>& arrays) {
    return std::any_of(f.begin(), f.end(), [&](sym::Expr part) {
      return sym::contains(part, [&](const sym::Node& n) { return arrays.contains(n.array); });
    });
  };
  for (const Tuple& f : fields_) step.ownEvaluations -= uses(f, other) && !uses(f, own) ? 1 : 0;
}

std::optional<Space> ManifoldKind::space(const Value& v) const {
  if (v.kind == ValueKind::PhaseAlgebra) return phase_.algebraSpace();
  return std::nullopt;
}

Value ManifoldKind::defaultStart() {
  Tuple zeros;
  for (const Component& c : phase_.algebraSpace()) zeros.push_back(context_.compilation.graph().zero(c.shape));
  return algebra(std::move(zeros));
}

// --- operators and functions of method bodies ---------------------------------------------------------------------

/// exp(a)*exp(b)
Value ManifoldKind::product(const Value& a, const Value& b) {
  Tuple all = a.parts;
  all.insert(all.end(), b.parts.begin(), b.parts.end());
  std::vector<std::string> names = a.names;
  names.insert(names.end(), b.names.begin(), b.names.end());
  return retractions(std::move(all), std::move(names));
}

Value ManifoldKind::act(const Value& element, const Value& start) {
  Tuple y = start.parts;
  const std::size_t n = phase_.algebraSize();
  for (std::size_t k = element.names.size(); k > 0; --k) { // the rightmost acts first
    const auto last = element.parts.begin() + static_cast<std::ptrdiff_t>(n * k);
    const Tuple own(last - static_cast<std::ptrdiff_t>(n), last);
    y = flow(own, y, element.names[k - 1]);
    if (k > 1) y = phase_.hold(y, fresh("Y"));
  }
  return point(y);
}

Value ManifoldKind::bracket(const Value& a, const Value& b) {
  return algebra(phase_.bracket(a.parts, b.parts));
}

Value ManifoldKind::word(const Word& word, const std::vector<Value>& args, Range where) {
  if (word.name == "f") return algebra(evaluate(args[1].parts, args[0].parts[0]));
  if (word.name == "Ad") return algebra(phase_.Ad(args[0].names[0], args[0].parts, args[1].parts));
  return calculus(word.name, args, where);
}

Value ManifoldKind::calculus(const std::string& name, const std::vector<Value>& args, Range where) {
  const bool derivative = name[0] == 'd';
  const bool inverse = derivative && name.ends_with("inv");
  std::string base = derivative ? name.substr(1, name.size() - (inverse ? 4 : 1)) : name;
  if (base == "retract") base = retraction_;
  if (const std::string variable = phase_.without(base); !variable.empty()) {
    d_.error(Code::LIE0505, where, fmt::format("the group of '{}' offers no retraction '{}'", variable, base));
    return Value::error();
  }
  if (!derivative) return retractions(args[0].parts, {base});
  if (!inverse) return algebra(phase_.dretract(base, args[0].parts, args[1].parts));
  if (base == "exp")
    return algebra(phase_.dexpinv(args[0].parts, args[1].parts, DexpinvCut::forOrder(context_.step.order)));
  return algebra(phase_.dretractinv(base, args[0].parts, args[1].parts));
}

Tuple ManifoldKind::evaluate(const Tuple& y, sym::Expr time) {
  ++context_.step.evaluations;
  fields_.push_back(phase_.field(y, time, fresh("Y")));
  return fields_.back();
}

Tuple ManifoldKind::flow(const Tuple& k, const Tuple& y, const std::string& retraction) {
  ++context_.step.exponentials;
  return phase_.act(k, y, retraction);
}

namespace kinds {
std::unique_ptr<MethodKind> manifold(const KindContext& context, const ModelParts&) {
  return std::make_unique<ManifoldKind>(context);
}
} // namespace kinds

} // namespace lmc
