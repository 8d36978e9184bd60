#include "products/stages/ContactPoints.h"

#include "lower/builder/Distances.h"

#include <algorithm>

namespace lmc::products {

using sym::Expr;

namespace {

/// The numbers of a point: three coordinates, their rates, what is subtracted from the distance, its rate.
constexpr std::int64_t pointNumbers = 8;

class Recognizing {
public:
  Recognizing(mechanics::Layer& layer, const std::vector<sym::Loop>& loops, const std::function<Expr(Expr)>& rate)
      : layer_(layer), p_(layer.program()), g_(p_.graph()), loops_(loops), rate_(rate) {}

  std::optional<ContactPoints> run(Expr gap) {
    const std::vector<Expr> terms =
        gap->op == sym::Op::Add ? std::vector<Expr>(gap->args.begin(), gap->args.end()) : std::vector<Expr>{gap};
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const auto bound = distance(terms[k]);
      if (!bound) continue;
      std::vector<Expr> rest = terms;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (!split(rest)) return std::nullopt;
      return arrays(*bound);
    }
    return std::nullopt;
  }

private:
  /// A term that is a distance of two points, or its square.
  [[nodiscard]] std::optional<lower::DistanceBound> distance(Expr term) const {
    sym::Equation pair; // any limit: that there is one makes a distance of it
    pair.kind = sym::EquationKind::Accumulate;
    pair.loops = loops_;
    pair.guard = g_.compare(sym::Op::Lt, term, g_.number(1));
    auto bound = lower::distanceBound(pair);
    const auto periodic = [](const lower::DistanceBound::Axis& a) { return bool(a.period); };
    if (bound && std::any_of(bound->axis.begin(), bound->axis.end(), periodic)) return std::nullopt;
    return bound;
  }

  [[nodiscard]] bool has(Expr e, std::size_t loop) const {
    return sym::contains(e, [&](const sym::Node& n) { return &n == loops_[loop].index.node(); });
  }

  /// What is subtracted from the distance, by the index that it depends on; false where one term has both.
  bool split(const std::vector<Expr>& terms) {
    less_[0] = less_[1] = g_.number(0);
    for (const Expr& t : terms) {
      const bool first = has(t, 0), second = has(t, 1);
      if (first && second) return false;
      Expr& own = less_[second ? 1 : 0];
      own = g_.sub(own, t);
    }
    return true;
  }

  ContactPoints arrays(const lower::DistanceBound& bound) {
    ContactPoints points;
    points.squared = bound.squared;
    points.firstIndex = bound.outer.lo;
    points.secondIndex = bound.inner.lo;
    points.first = array("first points", bound, bound.outer, false);
    points.second = array("second points", bound, bound.inner, true);
    return points;
  }

  const sym::Array* array(const char* name, const lower::DistanceBound& bound, const lower::DistanceBound::Range& range,
                          bool second) {
    const sym::Array* a = g_.newArray(name, {range.count(), pointNumbers}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Loop loop{loops_[second ? 1 : 0].index, g_.integer(range.lo), g_.integer(range.hi), false};
    const Expr row = g_.sub(loop.index, g_.integer(range.lo - 1));
    const auto set = [&](std::int64_t k, Expr value) {
      p_.append(
          {sym::EquationKind::Set, a, {loop}, {}, {row, g_.integer(k)}, layer_.simplify(value), nullptr, nullptr});
    };
    for (std::size_t axis = 0; axis < lower::DistanceBound::axes; ++axis) {
      Expr x = g_.number(0);
      if (axis < bound.axis.size()) x = second ? bound.axis[axis].second : bound.axis[axis].first;
      set(static_cast<std::int64_t>(axis) + 1, x);
      set(static_cast<std::int64_t>(axis) + 4, rate_(x));
    }
    set(7, less_[second ? 1 : 0]);
    set(8, rate_(less_[second ? 1 : 0]));
    return a;
  }

  mechanics::Layer& layer_;
  sym::Program& p_;
  sym::Graph& g_;
  const std::vector<sym::Loop>& loops_;
  const std::function<Expr(Expr)>& rate_;
  Expr less_[2];
};

} // namespace

std::optional<ContactPoints> contactPoints(mechanics::Layer& layer, Expr gap, const std::vector<sym::Loop>& loops,
                                           const std::function<Expr(Expr)>& rate) {
  if (loops.size() != 2) return std::nullopt;
  return Recognizing(layer, loops, rate).run(gap);
}

} // namespace lmc::products
