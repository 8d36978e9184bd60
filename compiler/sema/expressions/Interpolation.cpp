#include "sema/expressions/Interpolation.h"

#include "sema/expressions/Splines.h"
#include "sema/expressions/Turns.h"
#include "sema/values/IndexMath.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace lmc::sema {

using sym::Expr;
using sym::Op;

namespace {

/// The value of one call.
class Interpolation {
public:
  Interpolation(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c, KnownInterpolations& known,
                InterpolationRequest request)
      : ev_(ev), e_(call), c_(c), known_(known), g_(ev.session().graph), p_(ev.host().program()),
        r_(std::move(request)) {}

  Value run() {
    if (!known_.probe) known_.probe = g_.newIndex("i");
    const Expr at = r_.ends == Ends::Hold ? held() : r_.ends == Ends::Periodic ? wrapped() : r_.argument;
    row_ = row(at);
    next_ = g_.add(row_, g_.integer(1));
    const Value value = r_.manifold != nullptr ? onManifold(at) : between(at);
    return value.isError() ? value : inside(value);
  }

private:
  // --- the row --------------------------------------------------------------------------------------------------

  Expr node(Expr k) { return asReal(r_.nodes.at(k).parts[0]); }
  Expr first() { return node(g_.integer(1)); }
  Expr last() { return node(g_.integer(r_.nodes.n)); }

  Expr held() { return g_.function(Op::Min, g_.function(Op::Max, r_.argument, first()), last()); }
  Expr wrapped() {
    const Expr period = g_.sub(last(), first());
    const Expr turns = g_.function(Op::Floor, g_.div(g_.sub(r_.argument, first()), period));
    return g_.sub(r_.argument, g_.mul(period, turns));
  }

  /// The k in 1 … N - 1 with x_k <= u < x_{k+1}; 1 below all nodes, N - 1 above. Each comparison is an equation of its
  /// own, so that no expression grows with the number of them.
  Expr row(Expr u) {
    const auto key = std::pair{node(known_.probe).node(), u.node()};
    if (const auto it = known_.rows.find(key); it != known_.rows.end()) return it->second;
    const std::int64_t rows = r_.nodes.n - 1;
    const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
    const Turns turns = turnsOf(g_, c_.loops->loops, freeIndices(u));
    const auto define = [&](Expr value) {
      const std::string name = fmt::format("row{}({})", ++known_.searches, r_.nodes.text);
      const sym::Array* a = g_.newArray(name, turns.extents, sym::Shape::scalar(), sym::Role::Temp);
      p_->append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, value, nullptr, nullptr});
      return g_.load(a, turns.index);
    };
    const auto isBelow = [&](Expr k) { return g_.compare(Op::Le, node(k), u); };
    Expr at = g_.number(1);
    if (rows > half) // then as many are left as a power of two
      at = define(g_.select(isBelow(g_.integer(rows - half + 1)), g_.number(rows - half + 1), at));
    for (std::int64_t step = half / 2; step >= 1; step /= 2) {
      const Expr further = g_.add(at, g_.number(step));
      at = define(g_.select(isBelow(g_.floorToInt(further)), further, at));
    }
    return known_.rows[key] = g_.floorToInt(at);
  }

  /// How many nodes are not above the one before.
  Expr disorder() {
    const auto key = std::pair{node(known_.probe).node(), last().node()};
    if (const auto it = known_.disorders.find(key); it != known_.disorders.end()) return it->second;
    const Expr i = g_.newIndex("i");
    const sym::Array* a = g_.newArray("disorder of " + r_.nodes.text, {}, sym::Shape::scalar(), sym::Role::Temp);
    const Expr rises = g_.compare(Op::Lt, node(i), node(g_.add(i, g_.integer(1))));
    p_->append({sym::EquationKind::Accumulate,
                a,
                {{i, g_.integer(1), g_.integer(r_.nodes.n - 1), false}},
                {},
                {},
                g_.select(rises, g_.number(0), g_.number(1)),
                nullptr,
                nullptr});
    return known_.disorders[key] = g_.load(a);
  }

  /// How many points are not on their manifold, to six digits of their numbers.
  Expr astray() {
    const Expr i = g_.newIndex("i");
    const auto p = point(i);
    const sym::Array* a = g_.newArray("astray of " + r_.values.text, {}, sym::Shape::scalar(), sym::Role::Temp);
    Expr good = g_.boolean(true);
    for (const HeldEquation& h : r_.manifold->holds(*p)) {
      const Expr d = g_.sub(asReal(h.left), asReal(h.right));
      good = g_.logic(Op::And, good, g_.compare(Op::Le, g_.inner(d, d), g_.number(sym::Number::real(1e-11))));
    }
    p_->append({sym::EquationKind::Accumulate,
                a,
                {{i, g_.integer(1), g_.integer(r_.nodes.n), false}},
                {},
                {},
                g_.select(good, g_.number(0), g_.number(1)),
                nullptr,
                nullptr});
    return g_.load(a);
  }

  /// No number where the nodes are out of order, or, without a rule for that, beyond the ends; rounding is allowed for.
  Value inside(Value v) {
    const Expr faults = r_.manifold != nullptr ? g_.add(disorder(), astray()) : disorder();
    Expr good = g_.compare(Op::Eq, faults, g_.number(0));
    if (r_.ends == Ends::Strict) {
      const Expr slack = g_.scale(sym::Number::real(1e-9), g_.sub(last(), first()));
      const Expr within = g_.logic(Op::And, g_.compare(Op::Le, g_.sub(first(), slack), r_.argument),
                                   g_.compare(Op::Le, r_.argument, g_.add(last(), slack)));
      good = g_.logic(Op::And, good, within);
      ev_.host().lookUp(ev_.text(e_), *c_.loops, r_.argument, first(), last(), faults);
    } else {
      ev_.host().lookUp(ev_.text(e_), *c_.loops, g_.number(0), g_.number(-1), g_.number(1), faults);
    }
    for (Expr& part : v.parts) part = g_.select(good, part, nothing(part->shape));
    return v;
  }

  Expr nothing(const sym::Shape& shape) {
    const Expr none = g_.number(sym::Number::real(std::numeric_limits<double>::quiet_NaN()));
    const std::vector<Expr> all(static_cast<std::size_t>(shape.size()), none);
    return shape.rank == 0 ? none : shape.rank == 1 ? g_.vector(all) : g_.matrix(shape.rows, shape.cols, all);
  }

  // --- between two rows -----------------------------------------------------------------------------------------

  Expr value(Expr k) { return asReal(r_.values.at(k).parts[0]); }
  Expr width(Expr k) { return g_.sub(node(g_.add(k, g_.integer(1))), node(k)); }
  Expr rise(Expr k) { return g_.sub(value(g_.add(k, g_.integer(1))), value(k)); }
  Expr slope(Expr k) { return g_.div(rise(k), width(k)); }

  Value between(Expr u) {
    const Expr s = g_.sub(u, node(row_));
    if (r_.curve == Curve::Linear) return Value::tensor(kinked(g_.add(value(row_), g_.mul(s, slope(row_)))));
    // y'' runs from m to n along the width h: y = y_k + s (b + s (m/2 + s (n - m)/(6 h)))
    const sym::Array* bend = bends();
    const Expr h = width(row_), m = g_.load(bend, {row_}), n = g_.load(bend, {next_});
    const Expr b = g_.sub(slope(row_), g_.mul(h, g_.scale(sym::Number::ratio(1, 6), g_.add(g_.scale(2, m), n))));
    const Expr third = g_.div(g_.scale(sym::Number::ratio(1, 6), g_.sub(n, m)), h);
    const Expr inner = g_.add(g_.scale(sym::Number::ratio(1, 2), m), g_.mul(s, third));
    return Value::tensor(g_.add(value(row_), g_.mul(s, g_.add(b, g_.mul(s, inner)))));
  }

  const sym::Array* bends() {
    const auto key = std::tuple{r_.ends == Ends::Periodic, node(known_.probe).node(), value(known_.probe).node()};
    if (const auto it = known_.curves.find(key); it != known_.curves.end()) return it->second;
    const CurveData data{[this](Expr k) { return node(k); }, [this](Expr k) { return value(k); },
                         value(known_.probe)->shape, r_.nodes.n, r_.values.text};
    return known_.curves[key] = splineBends(*p_, data, r_.ends == Ends::Periodic);
  }
  Expr after(Expr i) { return g_.add(i, g_.integer(1)); }

  /// As an array, by which it is found where kinks matter.
  Expr kinked(Expr e) {
    const Turns turns = turnsOf(g_, c_.loops->loops, freeIndices(e));
    const sym::Array* a = g_.newArray("between nodes of " + r_.nodes.text, turns.extents, e->shape, sym::Role::Temp);
    p_->append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, e, nullptr, nullptr});
    known_.kinked.insert(a);
    return g_.load(a, turns.index);
  }

  // --- points of manifolds --------------------------------------------------------------------------------------

  std::optional<Tuple> point(Expr k) {
    const Value v = r_.values.at(k);
    return ev_.parts(v, r_.manifold->point(), "a point of " + r_.manifold->name(), *e_.args[1], Code::LIE0122,
                     Expected{ValueKind::Point, r_.manifold, {}});
  }

  /// exp(s xi) moves the point of one node towards the next, s from 0 to 1: from the right on a group.
  Value onManifold(Expr u) {
    const std::vector<const sym::Array*>* xi = directions();
    const auto from = xi != nullptr ? point(row_) : std::nullopt;
    if (!from) return Value::error();
    const Expr s = g_.div(g_.sub(u, node(row_)), width(row_));
    Tuple step;
    for (const sym::Array* part : *xi) step.push_back(g_.mul(s, g_.load(part, {row_})));
    const Manifold& group = r_.manifold->group();
    const Tuple turn = *group.apply("exp", {step});
    auto to =
        r_.manifold->isGroup() ? group.apply("product", {*from, turn}) : r_.manifold->apply("action", {turn, *from});
    for (Expr& part : *to) part = kinked(part);
    return r_.manifold->wrap(ClauseKind::Point, *to);
  }

  /// The algebra elements that take each point to the next.
  const std::vector<const sym::Array*>* directions() {
    const auto probe = point(known_.probe);
    if (!probe) return nullptr;
    const auto key = std::pair{static_cast<const Manifold*>(r_.manifold), (*probe)[0].node()};
    if (const auto it = known_.geodesics.find(key); it != known_.geodesics.end()) return &it->second;
    const Expr i = g_.newIndex("i");
    const auto p = point(i), q = point(after(i));
    std::optional<Tuple> xi;
    if (r_.manifold->isGroup()) {
      const Manifold& group = *r_.manifold;
      xi = group.apply("log", {*group.apply("product", {*group.apply("inverse", {*p}), *q})});
    } else {
      xi = byHelper(*p, *q);
    }
    if (!xi) return nullptr;
    std::vector<const sym::Array*> arrays;
    const std::vector<Part>& parts = r_.manifold->algebra();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      arrays.push_back(g_.newArray("geodesic of " + r_.values.text, {r_.nodes.n}, parts[k].shape, sym::Role::Temp));
      p_->append({sym::EquationKind::Set,
                  arrays.back(),
                  {{i, g_.integer(1), g_.integer(r_.nodes.n - 1), false}},
                  {},
                  {i},
                  (*xi)[k],
                  nullptr,
                  nullptr});
    }
    return &(known_.geodesics[key] = std::move(arrays));
  }

  std::optional<Tuple> byHelper(const Tuple& p, const Tuple& q) {
    const auto f = r_.manifold->helper("geodesic");
    std::vector<Value> arguments;
    for (const Tuple* t : {&p, &q})
      arguments.push_back(t->size() == 1 ? Value::tensor((*t)[0]) : r_.manifold->wrap(ClauseKind::Point, *t));
    const Value v = ev_.callFunction(*f, arguments, e_, c_);
    if (v.isError()) return std::nullopt;
    return ev_.parts(v, r_.manifold->algebra(), "an element of the algebra of " + r_.manifold->group().name(), e_,
                     Code::LIE0122);
  }

  ExpressionEvaluator& ev_;
  const syntax::Expr& e_;
  const Context& c_;
  KnownInterpolations& known_;
  sym::Graph& g_;
  sym::Program* p_;
  const InterpolationRequest r_;
  Expr row_, next_;
};

} // namespace

bool ExpressionEvaluator::hasKinks(const std::unordered_set<const sym::Array*>& arrays) const {
  if (!interpolations_ || interpolations_->kinked.empty()) return false;
  return std::any_of(arrays.begin(), arrays.end(),
                     [&](const sym::Array* a) { return interpolations_->kinked.contains(a); });
}

const std::vector<sym::Loop>& ExpressionEvaluator::loops() const {
  static const std::vector<sym::Loop> none;
  return loops_ != nullptr ? loops_->loops : none;
}

Value interpolated(ExpressionEvaluator& ev, const syntax::Expr& call, const Context& c, KnownInterpolations& known) {
  auto request = readInterpolation(ev, call, c);
  return request ? Interpolation(ev, call, c, known, std::move(*request)).run() : Value::error();
}

} // namespace lmc::sema
