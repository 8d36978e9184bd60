#include "methods/ManifoldKind.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lmc {

namespace {
/// exp(a)*exp(b)*…: a product of `factors` exponentials, the algebra elements one after the other in `parts`.
Value product(Tuple parts, std::int64_t factors) {
  Value v;
  v.kind = ValueKind::Opaque;
  v.text = "exp(…)";
  v.parts = std::move(parts);
  v.extents = {factors};
  return v;
}
} // namespace

ManifoldKind::ManifoldKind(const KindContext& context)
    : context_(context), d_(context.compilation.diagnostics()), phase_(context.system) {}

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

std::optional<MethodKind::Misfit> ManifoldKind::misfit(std::size_t, const Value& v) const {
  if (v.kind == ValueKind::PhasePoint) return std::nullopt;
  return Misfit{"must be a point of the phase manifold", "for an algebra element k it is exp(k)*y"};
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
  context_.step.next = phase_.storePoint(next[0].parts, "next");
}

bool ManifoldKind::embed(const std::vector<Value>& embedded) {
  Step& step = context_.step;
  step.embedded = phase_.storePoint(embedded[0].parts, "embedded");
  // Evaluations of f that serve the second result alone are not carried out where no estimate is wanted.
  const sym::Program& p = context_.system.model->program;
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
  return true;
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

std::optional<Value> ManifoldKind::binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) {
  if (op != ast::BinaryOp::Mul || a.kind != ValueKind::Opaque) {
    if (op == ast::BinaryOp::Add && (a.kind == ValueKind::PhasePoint || b.kind == ValueKind::PhasePoint)) {
      d_.error(Code::LIE0505, where, "points of a manifold cannot be added to")
          .suggest("move along the manifold: exp(k)*y");
      return Value::error();
    }
    return std::nullopt;
  }
  if (b.kind == ValueKind::Opaque) { // exp(a)*exp(b)
    Tuple all = a.parts;
    all.insert(all.end(), b.parts.begin(), b.parts.end());
    return product(std::move(all), a.extents[0] + b.extents[0]);
  }
  if (b.kind != ValueKind::PhasePoint) return std::nullopt;
  Tuple y = b.parts;
  const std::size_t n = phase_.algebraSize();
  for (std::int64_t k = a.extents[0]; k > 0; --k) { // the rightmost acts first
    const auto last = a.parts.begin() + static_cast<std::ptrdiff_t>(n) * k;
    const Tuple element(last - static_cast<std::ptrdiff_t>(n), last);
    y = flow(element, y);
    if (k > 1) y = phase_.hold(y, fresh("Y"));
  }
  return point(y);
}

std::optional<Value> ManifoldKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  if (name == "exp" && args.size() == 1 && args[0].kind == ValueKind::PhaseAlgebra) return product(args[0].parts, 1);
  if (name == "f") return field(args, where);
  if (name == "dexpinv" && args.size() == 2 && args[0].kind == ValueKind::PhaseAlgebra &&
      args[1].kind == ValueKind::PhaseAlgebra) {
    return algebra(phase_.dexpinv(args[0].parts, args[1].parts, DexpinvCut::forOrder(context_.step.order)));
  }
  for (const char* later :
       {"cay", "retract", "dexp", "dcay", "dcayinv", "dexpT", "dexpinvT", "dcayT", "dcayinvT", "Ad", "Adstar"}) {
    if (name != later) continue;
    d_.error(Code::LIE0501, where, fmt::format("'{}' in methods is not supported yet", name));
    return Value::error();
  }
  return std::nullopt;
}

std::optional<Value> ManifoldKind::bracket(const Value& a, const Value& b, Range) {
  return algebra(phase_.bracket(a.parts, b.parts));
}

std::vector<std::string> ManifoldKind::names() const {
  return {"f",       "exp",   "dexpinv",  "cay",   "retract",  "dexp", "dcay",
          "dcayinv", "dexpT", "dexpinvT", "dcayT", "dcayinvT", "Ad",   "Adstar"};
}

std::optional<Value> ManifoldKind::field(const std::vector<Value>& args, Range where) {
  if (args.size() != 2) {
    d_.error(Code::LIE0505, where,
             fmt::format("f takes the time and a point: f(t, y), not {} argument{}", args.size(),
                         args.size() == 1 ? "" : "s"));
    return Value::error();
  }
  if (args[0].kind != ValueKind::Tensor || args[0].parts[0]->shape.rank != 0) {
    d_.error(Code::LIE0505, where, "the first argument of f is the time, a real");
    return Value::error();
  }
  if (args[1].kind != ValueKind::PhasePoint) {
    d_.error(Code::LIE0505, where, "the second argument of f is a point of the phase manifold")
        .suggest("f(t, exp(k)*y)");
    return Value::error();
  }
  return algebra(evaluate(args[1].parts, context_.compilation.graph().toReal(args[0].parts[0])));
}

Tuple ManifoldKind::evaluate(const Tuple& y, sym::Expr time) {
  ++context_.step.evaluations;
  fields_.push_back(phase_.field(y, time, fresh("Y")));
  return fields_.back();
}

Tuple ManifoldKind::flow(const Tuple& k, const Tuple& y) {
  ++context_.step.exponentials;
  return phase_.act(k, y);
}

std::unique_ptr<MethodKind> manifoldKind(const KindContext& context) {
  return std::make_unique<ManifoldKind>(context);
}

} // namespace lmc
