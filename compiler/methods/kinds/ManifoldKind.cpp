#include "methods/kinds/ManifoldKind.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace lmc {

namespace {
/// A product of retractions, exp(a)*cay(b)*…: their names, and the algebra elements one after the other in `parts`.
Value product(Tuple parts, std::vector<std::string> retractions) {
  Value v;
  v.kind = ValueKind::Opaque;
  v.text = "an element of the group";
  v.parts = std::move(parts);
  v.names = std::move(retractions);
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
    std::vector<std::string> names = a.names;
    names.insert(names.end(), b.names.begin(), b.names.end());
    return product(std::move(all), std::move(names));
  }
  if (b.kind != ValueKind::PhasePoint) return std::nullopt;
  Tuple y = b.parts;
  const std::size_t n = phase_.algebraSize();
  for (std::size_t k = a.names.size(); k > 0; --k) { // the rightmost acts first
    const auto last = a.parts.begin() + static_cast<std::ptrdiff_t>(n * k);
    const Tuple element(last - static_cast<std::ptrdiff_t>(n), last);
    y = flow(element, y, a.names[k - 1]);
    if (k > 1) y = phase_.hold(y, fresh("Y"));
  }
  return point(y);
}

std::optional<Value> ManifoldKind::call(const std::string& name, const std::vector<Value>& args, Range where) {
  if (name == "f") return field(args, where);
  const std::vector<std::string> own = names();
  if (std::find(own.begin(), own.end(), name) == own.end()) return std::nullopt;
  if (name == "exp" && !args.empty() && !args[0].isPhase()) return std::nullopt; // of a number
  if (auto v = calculus(name, args, where)) return v;
  d_.error(Code::LIE0505, where, fmt::format("{} has no meaning for these arguments", name))
      .suggest(name == "Ad"     ? "Ad(exp(k), l) of algebra elements k, l"
               : name[0] == 'd' ? fmt::format("{}(k, l) of algebra elements k, l", name)
                                : fmt::format("{}(k) of an algebra element k", name));
  return Value::error();
}

std::optional<Value> ManifoldKind::calculus(const std::string& name, const std::vector<Value>& args, Range where) {
  const auto isAlgebra = [&](std::size_t k) { return k < args.size() && args[k].kind == ValueKind::PhaseAlgebra; };
  if (name == "Ad") {
    const bool good =
        args.size() == 2 && args[0].kind == ValueKind::Opaque && args[0].names.size() == 1 && isAlgebra(1);
    return good ? std::optional(algebra(phase_.Ad(args[0].names[0], args[0].parts, args[1].parts))) : std::nullopt;
  }
  const bool derivative = name[0] == 'd';
  const bool inverse = derivative && name.ends_with("inv");
  std::string base = derivative ? name.substr(1, name.size() - (inverse ? 4 : 1)) : name;
  if (base == "retract") base = retraction_;
  if (!isAlgebra(0) || args.size() != (derivative ? 2U : 1U) || (derivative && !isAlgebra(1))) return std::nullopt;
  if (const std::string variable = phase_.without(base); !variable.empty()) {
    d_.error(Code::LIE0505, where, fmt::format("the group of '{}' offers no retraction '{}'", variable, base));
    return Value::error();
  }
  if (!derivative) return product(args[0].parts, {base});
  if (!inverse) return algebra(phase_.dretract(base, args[0].parts, args[1].parts));
  if (base == "exp")
    return algebra(phase_.dexpinv(args[0].parts, args[1].parts, DexpinvCut::forOrder(context_.step.order)));
  return algebra(phase_.dretractinv(base, args[0].parts, args[1].parts));
}

std::optional<Value> ManifoldKind::bracket(const Value& a, const Value& b, Range) {
  return algebra(phase_.bracket(a.parts, b.parts));
}

std::vector<std::string> ManifoldKind::names() const {
  return {"f", "exp", "dexp", "dexpinv", "cay", "dcay", "dcayinv", "retract", "dretract", "dretractinv", "Ad"};
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

Tuple ManifoldKind::flow(const Tuple& k, const Tuple& y, const std::string& retraction) {
  ++context_.step.exponentials;
  return phase_.act(k, y, retraction);
}

std::unique_ptr<MethodKind> manifoldKind(const KindContext& context) {
  return std::make_unique<ManifoldKind>(context);
}

} // namespace lmc
