// Points, velocities and momenta are elements of different spaces: which of them may meet.
//
// A plain vector goes with everything. So does a point of a space in which points are added, R^n or a torus; a point of
// another manifold may be used as a vector, but not where the velocity or momentum of a group is meant.
#include "sema/expressions/ExpressionEvaluator.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;

namespace {

Tuple fresh(sym::Graph& g, const std::vector<Part>& parts) {
  Tuple t;
  for (const Part& p : parts) t.push_back(g.load(g.newArray("trial", {}, p.shape, sym::Role::Temp)));
  return t;
}

/// True where body and space are the same.
bool isAbelian(sym::Graph& g, const Manifold& group) {
  const auto bracket = group.apply("bracket", {fresh(g, group.algebra()), fresh(g, group.algebra())});
  return bracket && std::all_of(bracket->begin(), bracket->end(), [](const Expr& e) { return e->isZero(); });
}

bool framesDiffer(sym::Graph& g, const Manifold& group, const std::optional<Frame>& a, const std::optional<Frame>& b) {
  return a && b && *a != *b && !isAbelian(g, group);
}

std::string shown(const std::optional<Frame>& frame) {
  return !frame ? "" : *frame == Frame::Body ? " in body" : " in space";
}

/// How an element in body becomes one in space.
std::string otherFrame(const Manifold& group, bool velocity) {
  if (!velocity) return "take both momenta in one frame: declare one of the variables `in space`, or both in body";
  return fmt::format("`{}.Ad(g, v)` is the velocity v of the body frame in space, g the configuration", group.name());
}

std::string inertia() {
  return "an inertia makes a momentum of a velocity, as in `J*w`";
}

} // namespace

bool ExpressionEvaluator::isVectorSpace(const Manifold& m) const {
  if (!m.isGroup()) return false;
  const Tuple a = fresh(g_, m.point());
  const Tuple b = fresh(g_, m.point());
  const auto product = m.apply("product", {a, b});
  if (!product || product->size() != a.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if ((*product)[k] != g_.add(a[k], b[k])) return false;
  }
  return true;
}

bool ExpressionEvaluator::reportsMix(const Value& a, const Value& b, const syntax::Expr& e, const std::string& cannot) {
  if (areNumbersOfTwoSpaces(a, b)) return false;
  const bool point = (a.kind == ValueKind::Point && isElement(b)) || (b.kind == ValueKind::Point && isElement(a));
  if (!point && (!isElement(a) || !isElement(b))) return false;
  if (point) {
    const Value& q = a.kind == ValueKind::Point ? a : b;
    if (isVectorSpace(*q.manifold)) return false;
  }
  const auto all = [&](const std::string& what) {
    return report(Code::LIE0131, e.range, fmt::format("`{}`: {} {}", text(e), what, cannot));
  };
  if (a.kind != b.kind || a.manifold != b.manifold) {
    auto r = all(describe(a) + " and " + describe(b) + " are elements of different spaces and");
    if (!point) {
      if (a.manifold == b.manifold)
        r.suggest(inertia());
      else if (isOneTensor(a) && isOneTensor(b) && a.parts[0]->shape == b.parts[0]->shape &&
               a.parts[0]->shape.rank == 1 && e.args.size() > 1)
        r.suggest(fmt::format("to do it with their numbers, make a plain vector of one: `eye({})*{}`",
                              b.parts[0]->shape.rows, text(*e.args.back())));
    } else if (const Manifold& of = *(a.kind == ValueKind::Point ? a : b).manifold; of.isGroup()) {
      r.suggest(fmt::format("a velocity v moves a point q as in `{0}.product(q, {0}.exp(v))`", of.name()));
    }
    return true;
  }
  if (!framesDiffer(g_, *a.manifold, a.frame, b.frame)) return false;
  all(describe(a) + shown(a.frame) + " and one" + shown(b.frame))
      .suggest(otherFrame(*a.manifold, a.kind == ValueKind::Velocity));
  return true;
}

bool ExpressionEvaluator::reportsMixedProduct(const Value& a, const Value& b, const syntax::Expr& e, bool across) {
  if (!isElement(a) || !isElement(b)) return false;
  if (a.manifold != b.manifold) {
    if (across) return false;
    report(Code::LIE0131, e.range,
           fmt::format("`{}`: {} and {} are elements of different spaces and have no product", text(e), describe(a),
                       describe(b)))
        .note("vectors made of them go together: a matrix times a velocity, `R*w`, is a plain vector");
    return true;
  }
  if (!framesDiffer(g_, *a.manifold, a.frame, b.frame)) return false;
  report(Code::LIE0131, e.range,
         fmt::format("`{}`: {}{} and {}{} have no product", text(e), describe(a), shown(a.frame), describe(b),
                     shown(b.frame)))
      .suggest(otherFrame(*a.manifold, a.kind == ValueKind::Velocity && b.kind == ValueKind::Velocity));
  return true;
}

bool ExpressionEvaluator::reportsMix(const Value& v, const std::optional<Expected>& expected, const std::string& what,
                                     const syntax::Expr& e) {
  if (!expected || (v.kind != ValueKind::Point && !isElement(v))) return false;
  const Manifold& wanted = *expected->manifold;
  const bool sameKind = v.kind == expected->kind || (expected->force && v.kind == ValueKind::Velocity);
  if (sameKind && v.manifold == &wanted) {
    if (!isElement(v) || !framesDiffer(g_, wanted, v.frame, expected->frame)) return false;
    report(Code::LIE0131, e.range,
           fmt::format("`{}` is {}{}; {} is{}", text(e), describe(v), shown(v.frame), what, shown(expected->frame)))
        .suggest(otherFrame(wanted, v.kind == ValueKind::Velocity));
    return true;
  }
  // In a vector space points are vectors.
  const bool intoVectors = isElement(v) ? expected->kind == ValueKind::Point && v.manifold == &wanted : true;
  if (!isElement(v) && isVectorSpace(*v.manifold)) return false;
  if (intoVectors && isVectorSpace(wanted)) return false;
  auto r = report(Code::LIE0131, e.range, fmt::format("`{}` is {}; {} is expected here", text(e), describe(v), what));
  if (isElement(v) && v.manifold == &wanted && expected->kind == ValueKind::Momentum) {
    r.suggest(inertia());
  } else if (v.kind == ValueKind::Point && expected->kind == ValueKind::Point && v.parts.size() == 1) {
    // A part of what is expected: the others are missing.
    std::string pair;
    bool found = false;
    for (const Part& part : wanted.point()) {
      const bool own = !found && part.shape == v.parts[0]->shape;
      found = found || own;
      pair += fmt::format("{}{} = {}", pair.empty() ? "" : ", ", part.name, own ? text(e) : "…");
    }
    if (found && wanted.point().size() > 1) r.suggest(fmt::format("write all its parts: `({})`", pair));
  }
  return true;
}

/// A*x for an element A of a group that is not used as a matrix: the moved vector, or the product of two elements.
std::optional<Value> ExpressionEvaluator::multiplyByElement(const Value& a, const Value& b, const syntax::Expr& e) {
  if (a.kind != ValueKind::Point || !a.manifold->isGroup()) return std::nullopt;
  const Manifold& group = *a.manifold;
  const bool oneTensor = isOneTensor(b);
  const auto length = group.actsOn();
  if (length && oneTensor && b.parts[0]->shape == sym::Shape::vec(*length) && b.manifold != &group) {
    const auto moved = group.apply("action", {a.parts, {b.parts[0]}});
    return moved ? Value::tensor((*moved)[0]) : Value::error();
  }
  const bool ofMatrices = a.parts.size() == 1 && a.parts[0]->shape.rank == 2;
  const bool number = oneTensor && b.parts[0]->shape.rank == 0;
  if (ofMatrices || (number && a.parts.size() == 1)) return std::nullopt;
  if (b.kind == ValueKind::Point && b.manifold == &group && (length || a.parts.size() > 1)) {
    const auto product = group.apply("product", {a.parts, b.parts});
    return product ? element(ValueKind::Point, group, *product) : Value::error();
  }
  if (length) {
    mismatch(e, describe(a) + " times " + describe(b) + ": " + group.name() + " acts on vec(" +
                    std::to_string(*length) + ")");
    return Value::error();
  }
  if (a.parts.size() == 1) return std::nullopt;
  mismatch(e, describe(a) + " times " + describe(b) + ": " + group.name() + " gives no `action` on vectors");
  return Value::error();
}

} // namespace lmc::sema
