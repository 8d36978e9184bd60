#include "sema/expressions/Splines.h"

namespace lmc::sema {

using sym::Expr;

namespace {

class Spline {
public:
  Spline(sym::Program& program, const CurveData& data) : p_(program), g_(program.graph()), d_(data) {}

  const sym::Array* natural() {
    const std::int64_t n = d_.n;
    const sym::Shape shape = d_.shape;
    const sym::Array* c = upper(n - 1);
    const sym::Array* d = make("right side", shape);
    set(d, 1, g_.zero(shape));
    setAll(d, 2, n - 1, false, [&](Expr i) {
      return g_.div(g_.sub(kink(i), g_.mul(width(before(i)), g_.load(d, {before(i)}))), pivot(c, i));
    });
    const sym::Array* m = make("bend", shape);
    set(m, 1, g_.zero(shape));
    set(m, n, g_.zero(shape));
    substitute(m, c, d);
    return m;
  }

  /// With m_N = m_1 the equations at 2 … N - 1 give m = u + m_1 v, v for unit bends at both ends; that at the seam
  /// gives m_1.
  const sym::Array* periodic() {
    const std::int64_t n = d_.n;
    const sym::Shape shape = d_.shape;
    const sym::Array* c = upper(n - 1);
    const sym::Array* d = make("right side", shape);
    const sym::Array* e = make("right side of the seam", sym::Shape::scalar());
    set(d, 1, g_.zero(shape));
    set(e, 1, g_.number(1)); // so that row 2 sees the bend at the first node
    setAll(d, 2, n - 1, false, [&](Expr i) {
      return g_.div(g_.sub(kink(i), g_.mul(width(before(i)), g_.load(d, {before(i)}))), pivot(c, i));
    });
    setAll(e, 2, n - 1, false,
           [&](Expr i) { return g_.div(g_.neg(g_.mul(width(before(i)), g_.load(e, {before(i)}))), pivot(c, i)); });
    const sym::Array* u = make("bend without seam", shape);
    const sym::Array* v = make("bend by the seam", sym::Shape::scalar());
    set(u, n, g_.zero(shape));
    set(v, n, g_.number(1));
    for (const auto& [bend, right] : {std::pair{u, d}, std::pair{v, e}}) substitute(bend, c, right);
    const Expr one = g_.integer(1), two = g_.integer(2), end = g_.integer(n - 1);
    const Expr h1 = width(one), hn = width(end);
    const Expr right = g_.sub(g_.scale(6, g_.sub(slope(one), slope(end))),
                              g_.add(g_.mul(hn, g_.load(u, {end})), g_.mul(h1, g_.load(u, {two}))));
    const Expr left =
        g_.add(g_.scale(2, g_.add(h1, hn)), g_.add(g_.mul(hn, g_.load(v, {end})), g_.mul(h1, g_.load(v, {two}))));
    const sym::Array* seam = g_.newArray("bend at the seam of " + d_.name, {}, shape, sym::Role::Temp);
    p_.append({sym::EquationKind::Set, seam, {}, {}, {}, g_.div(right, left), nullptr, nullptr});
    const sym::Array* m = make("bend", shape);
    set(m, 1, g_.load(seam));
    set(m, n, g_.load(seam));
    setAll(m, 2, n - 1, false, [&](Expr i) { return g_.add(g_.load(u, {i}), g_.mul(g_.load(v, {i}), g_.load(seam))); });
    return m;
  }

private:
  const sym::Array* make(const char* what, const sym::Shape& shape) {
    return g_.newArray(std::string(what) + " of " + d_.name, {d_.n}, shape, sym::Role::Temp);
  }
  void set(const sym::Array* a, std::int64_t k, Expr v) {
    p_.append({sym::EquationKind::Set, a, {}, {}, {g_.integer(k)}, v, nullptr, nullptr});
  }
  /// a[i] = v(i) for i = lo … hi, or down from hi.
  void setAll(const sym::Array* a, std::int64_t lo, std::int64_t hi, bool down, const std::function<Expr(Expr)>& v) {
    const Expr i = g_.newIndex("i");
    p_.append(
        {sym::EquationKind::Set, a, {{i, g_.integer(lo), g_.integer(hi), down}}, {}, {i}, v(i), nullptr, nullptr});
  }
  Expr before(Expr i) { return g_.add(i, g_.integer(-1)); }
  Expr after(Expr i) { return g_.add(i, g_.integer(1)); }
  /// Six times the change of slope at an inner node.
  Expr kink(Expr i) { return g_.scale(6, g_.sub(slope(i), slope(before(i)))); }

  /// The elimination forward: c_i of the upper diagonal, for i = from … to; c before it is zero.
  const sym::Array* upper(std::int64_t to) {
    const sym::Array* c = make("elimination", sym::Shape::scalar());
    set(c, 1, g_.number(0));
    setAll(c, 2, to, false, [&](Expr i) { return g_.div(width(i), pivot(c, i)); });
    return c;
  }
  Expr pivot(const sym::Array* c, Expr i) {
    const Expr h = width(before(i));
    return g_.sub(g_.scale(2, g_.add(h, width(i))), g_.mul(h, g_.load(c, {before(i)})));
  }

  /// Backward: m_i = right_i - c_i m_{i+1}.
  void substitute(const sym::Array* m, const sym::Array* c, const sym::Array* right) {
    setAll(m, 2, d_.n - 1, true,
           [&](Expr i) { return g_.sub(g_.load(right, {i}), g_.mul(g_.load(c, {i}), g_.load(m, {after(i)}))); });
  }
  Expr width(Expr k) { return g_.sub(d_.node(after(k)), d_.node(k)); }
  Expr slope(Expr k) { return g_.div(g_.sub(d_.value(after(k)), d_.value(k)), width(k)); }

  sym::Program& p_;
  sym::Graph& g_;
  const CurveData& d_;
};

} // namespace

const sym::Array* splineBends(sym::Program& program, const CurveData& data, bool periodic) {
  Spline spline(program, data);
  return periodic ? spline.periodic() : spline.natural();
}

} // namespace lmc::sema
