// Reference Lie group steppers and a reference integrator in ambient coordinates.
//
// The phase space is acted on factor by factor, exp(k)·y as in the papers (left action). A factor with body
// velocity is seen as the opposite group: exp multiplies from the right and the bracket changes its sign. Velocities
// of a group factor add; on TS² the group SE(3) acts by (A, a)·(q, w) = (Aq, Aw + the part of a horizontal at Aq).
// Momenta are moved by SO(3) ⋉ so(3)*: exp(u, a)·(R, m) = (e^u R, e^u m + dexp_u a) in space, (R e^u, e^-u m + dexp_-u
// a) in body, with f = (ξ, m' + m × ξ) in space, (ξ, m' − m × ξ) in body.
#pragma once

#include "reference/Layout.h"

#include <functional>

namespace lmc::reference {

/// The action of one model's phase group: algebra elements are stacked (ξ of every member, then a of every velocity).
template <class S> class PhaseSpace {
public:
  explicit PhaseSpace(Layout layout) : layout_(std::move(layout)) {
    for (const Member& m : layout_.members) velocityParts_ += m.second ? m.algebraSize : 0;
  }

  [[nodiscard]] int algebraSize() const { return layout_.rateSize + velocityParts_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  /// f : M → 𝔤 from the model's rates.
  template <class M> [[nodiscard]] Vector<S> field(const M& model, S t, const Vector<S>& x) const {
    const Vector<S> rates = model.rates(t, x), xi = velocities(model, t, x, rates);
    Vector<S> f = Vector<S>::Zero(algebraSize());
    each([&](const Member& m, int a) {
      f.segment(m.rate, m.algebraSize) = xi.segment(m.rate, m.algebraSize);
      if (!m.second) return;
      f.segment(a, m.algebraSize) = rates.segment(m.rate, m.algebraSize);
      if (m.momentum && m.kind != Kind::Line)
        f.template segment<3>(a) += vecAt(x, m.v).cross(vecAt(xi, m.rate)) * S(m.kind == Kind::Body ? -1 : 1);
    });
    return f;
  }

  /// exp(u)·x.
  [[nodiscard]] Vector<S> act(const Vector<S>& u, const Vector<S>& x) const {
    Vector<S> y = x;
    each([&](const Member& m, int a) {
      if (m.kind == Kind::Line) {
        y.segment(m.x, m.pointSize) += u.segment(m.rate, m.algebraSize);
      } else {
        const Mat3<S> A = expSO3<S>(vecAt(u, m.rate));
        if (m.kind == Kind::Sphere) {
          const Vec3<S> q = A * vecAt(x, m.x);
          y.template segment<3>(m.x) = q;
          if (m.second) {
            const Vec3<S> b = dexpSO3<S>(vecAt(u, m.rate), vecAt(u, a));
            y.template segment<3>(m.v) = A * vecAt(x, m.v) + b - q * q.dot(b);
          }
          return;
        }
        const Mat3<S> R = rotationAt(x, m.x);
        const bool body = m.kind == Kind::Body;
        storeRotation<S>(y, m.x, body ? Mat3<S>(R * A) : Mat3<S>(A * R));
        if (m.momentum) {
          const Mat3<S> carry = body ? Mat3<S>(A.transpose()) : A;
          y.template segment<3>(m.v) =
              carry * vecAt(x, m.v) + dexpSO3<S>(vecAt(u, m.rate) * S(body ? -1 : 1), vecAt(u, a));
          return;
        }
      }
      if (m.second) y.segment(m.v, m.algebraSize) += u.segment(a, m.algebraSize);
    });
    return y;
  }

  [[nodiscard]] Vector<S> bracket(const Vector<S>& u, const Vector<S>& v) const {
    Vector<S> w = Vector<S>::Zero(algebraSize());
    each([&](const Member& m, int a) {
      if (m.kind == Kind::Line) return;
      const Vec3<S> x = vecAt(u, m.rate), y = vecAt(v, m.rate);
      w.template segment<3>(m.rate) = x.cross(y) * S(m.kind == Kind::Body ? -1 : 1);
      if (!m.second || (m.kind != Kind::Sphere && !m.momentum)) return;
      w.template segment<3>(a) = (x.cross(vecAt(v, a)) - y.cross(vecAt(u, a))) * S(m.kind == Kind::Body ? -1 : 1);
    });
    return w;
  }

  /// dexp⁻¹_u v by its series through ad⁸: Bernoulli numbers over factorials.
  [[nodiscard]] Vector<S> dexpinv(const Vector<S>& u, const Vector<S>& v) const {
    const std::array<S, 4> even{S(1) / S(12), S(-1) / S(720), S(1) / S(30240), S(-1) / S(1209600)};
    Vector<S> power = bracket(u, v), sum = v - power / S(2);
    for (const S& c : even) {
      power = bracket(u, power);
      sum += power * c;
      power = bracket(u, power);
    }
    return sum;
  }

  /// d/dt of the state in storage coordinates.
  template <class M> [[nodiscard]] Vector<S> ambientRate(const M& model, S t, const Vector<S>& x) const {
    const Vector<S> rates = model.rates(t, x), all = velocities(model, t, x, rates);
    Vector<S> dx(x.size());
    for (const Member& m : layout_.members) {
      const Vector<S> xi = all.segment(m.rate, m.algebraSize);
      if (m.second) dx.segment(m.v, m.algebraSize) = rates.segment(m.rate, m.algebraSize);
      if (m.kind == Kind::Line) {
        dx.segment(m.x, m.pointSize) = xi;
      } else if (m.kind == Kind::Sphere) {
        dx.template segment<3>(m.x) = Vec3<S>(xi).cross(vecAt(x, m.x));
      } else {
        const Mat3<S> R = rotationAt(x, m.x), W = hat<S>(xi);
        storeRotation<S>(dx, m.x, m.kind == Kind::Body ? Mat3<S>(R * W) : Mat3<S>(W * R));
      }
    }
    return dx;
  }

private:
  /// xi of every member: its velocity, what the model says it is, or the flow of a first-order state.
  template <class M>
  [[nodiscard]] Vector<S> velocities(const M& model, S t, const Vector<S>& x, const Vector<S>& rates) const {
    Vector<S> xi = rates;
    if constexpr (requires { model.velocities(t, x); }) xi = model.velocities(t, x);
    for (const Member& m : layout_.members) {
      if (m.second && !m.momentum) xi.segment(m.rate, m.algebraSize) = x.segment(m.v, m.algebraSize);
    }
    return xi;
  }

  /// Calls f(member, place of its velocity part in an algebra element).
  template <class F> void each(const F& f) const {
    int a = layout_.rateSize;
    for (const Member& m : layout_.members) {
      f(m, a);
      if (m.second) a += m.algebraSize;
    }
  }

  Layout layout_;
  int velocityParts_ = 0;
};

/// An explicit tableau; c is the row sums.
struct Tableau {
  std::vector<std::vector<double>> a; ///< row i has i entries
  std::vector<double> b;
};

/// A commutator-free method: every stage is a product of exponentials applied to y, innermost first; each exponent is
/// a combination of the earlier fields.
struct CommutatorFree {
  using Exponents = std::vector<std::vector<double>>;
  std::vector<Exponents> stages; ///< the first stage is y itself: empty
  Exponents update;
};

namespace tableaux {
inline const Tableau lieEuler{{{}}, {1}};
inline const Tableau midpoint{{{}, {0.5}}, {0, 1}};
inline const Tableau heun{{{}, {1}}, {0.5, 0.5}};
inline const Tableau kutta3{{{}, {0.5}, {-1, 2}}, {1. / 6, 2. / 3, 1. / 6}};
inline const Tableau rk4{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};
inline const Tableau dormandPrince{{{},
                                    {1. / 5},
                                    {3. / 40, 9. / 40},
                                    {44. / 45, -56. / 15, 32. / 9},
                                    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656}},
                                   {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
inline const Tableau cg3{{{}, {3. / 4}, {119. / 216, 17. / 108}}, {13. / 51, -2. / 3, 24. / 17}};
inline const Tableau cg4{
    {{},
     {0.81772279881248518},
     {0.31998763754764268, 0.065986426355602187},
     {0.92144171944649461, 0.49978577767735730, -1.0969984448371582},
     {0.35523585590233220, 0.23909583723073257, 1.3918565724203246, -1.1092979392113465}},
    {0.13708315206307554, -0.018369853156402019, 0.73978139853707800, -0.19071425655058890, 0.33221955910685374}};
inline const CommutatorFree cf2{{{}, {{1}}}, {{0.5, 0.5}}};
inline const CommutatorFree cf3{{{}, {{1. / 3}}, {{0, 2. / 3}}}, {{1. / 3}, {-1. / 12, 0, 3. / 4}}};
inline const CommutatorFree cf3b{{{}, {{2. / 3}}, {{5. / 12, 1. / 4}}}, {{5. / 12, 1. / 4}, {-1. / 6, -0.5, 1}}};
inline const CommutatorFree cf4{{{}, {{0.5}}, {{0, 0.5}}, {{0.5}, {-0.5, 0, 1}}},
                                {{3. / 12, 2. / 12, 2. / 12, -1. / 12}, {-1. / 12, 2. / 12, 2. / 12, 3. / 12}}};
} // namespace tableaux

/// One model with one way to step it.
template <class S, class M> class Stepper {
public:
  using Step = std::function<Vector<S>(S t, const Vector<S>& y, S h)>;

  explicit Stepper(M model) : model_(std::move(model)), space_(model_.layout()) {}

  [[nodiscard]] const PhaseSpace<S>& space() const { return space_; }

  /// The fourth order method with two commutators (Casas, Owren; Celledoni et al. 2021 after eq. 8).
  [[nodiscard]] Vector<S> rkmk4(S t, const Vector<S>& y, S h) const {
    const Vector<S> k1 = f(t, y) * h;
    const Vector<S> k2 = f(t + h / S(2), space_.act(k1 / S(2), y)) * h;
    const Vector<S> k3 = f(t + h / S(2), space_.act(k2 / S(2) - space_.bracket(k1, k2) / S(8), y)) * h;
    const Vector<S> k4 = f(t + h, space_.act(k3, y)) * h;
    return space_.act((k1 + k2 * S(2) + k3 * S(2) + k4 - space_.bracket(k1, k4) / S(2)) / S(6), y);
  }

  [[nodiscard]] Vector<S> rkmk(const Tableau& T, S t, const Vector<S>& y, S h) const {
    std::vector<Vector<S>> k;
    for (const auto& row : T.a) {
      S c(0);
      for (double a : row) c += S(a);
      if (row.empty()) {
        k.push_back(f(t, y) * h);
        continue;
      }
      const Vector<S> u = combine(row, k);
      k.push_back(space_.dexpinv(u, f(t + c * h, space_.act(u, y)) * h));
    }
    return space_.act(combine(T.b, k), y);
  }

  [[nodiscard]] Vector<S> crouchGrossman(const Tableau& T, S t, const Vector<S>& y, S h) const {
    std::vector<Vector<S>> k;
    for (const auto& row : T.a) {
      S c(0);
      Vector<S> stage = y;
      for (std::size_t j = 0; j < row.size(); ++j) {
        c += S(row[j]);
        stage = space_.act(k[j] * S(row[j]), stage);
      }
      k.push_back(f(t + c * h, stage) * h);
    }
    Vector<S> out = y;
    for (std::size_t j = 0; j < k.size(); ++j) out = space_.act(k[j] * S(T.b[j]), out);
    return out;
  }

  [[nodiscard]] Vector<S> commutatorFree(const CommutatorFree& C, S t, const Vector<S>& y, S h) const {
    std::vector<Vector<S>> k;
    const auto apply = [&](const CommutatorFree::Exponents& list, S& c) {
      Vector<S> x = y;
      for (const auto& row : list) {
        for (double a : row) c += S(a);
        x = space_.act(combine(row, k), x);
      }
      return x;
    };
    for (const auto& stage : C.stages) {
      S c(0);
      const Vector<S> x = apply(stage, c);
      k.push_back(f(t + c * h, x) * h);
    }
    S c(0);
    return apply(C.update, c);
  }

  /// n equal steps from t0 to t1.
  [[nodiscard]] Vector<S> run(const Step& step, S t0, S t1, int n, Vector<S> y) const {
    const S h = (t1 - t0) / S(n);
    for (int i = 0; i < n; ++i) y = step(t0 + h * S(i), y, h);
    return y;
  }

  /// A tight reference: n steps of the extrapolated modified midpoint rule of order 2k in storage coordinates
  /// (Gragg, Bulirsch, Stoer), which shares nothing with the methods above.
  [[nodiscard]] Vector<S> reference(S t0, S t1, int n, Vector<S> y, int k = 8) const {
    const S H = (t1 - t0) / S(n);
    for (int i = 0; i < n; ++i) y = extrapolated(t0 + H * S(i), y, H, k);
    return y;
  }

private:
  [[nodiscard]] Vector<S> f(S t, const Vector<S>& y) const { return space_.field(model_, t, y); }

  [[nodiscard]] Vector<S> combine(const std::vector<double>& row, const std::vector<Vector<S>>& k) const {
    Vector<S> sum = Vector<S>::Zero(space_.algebraSize());
    for (std::size_t j = 0; j < row.size(); ++j) sum += k[j] * S(row[j]);
    return sum;
  }

  [[nodiscard]] Vector<S> extrapolated(S t, const Vector<S>& y, S H, int columns) const {
    std::vector<Vector<S>> row, previous;
    for (int j = 0; j < columns; ++j) {
      const int n = 2 * (j + 1);
      const S h = H / S(n);
      Vector<S> a = y, b = y + space_.ambientRate(model_, t, y) * h;
      for (int i = 1; i < n; ++i) {
        Vector<S> c = a + space_.ambientRate(model_, t + h * S(i), b) * (S(2) * h);
        a = std::move(b);
        b = std::move(c);
      }
      row = {(a + b + space_.ambientRate(model_, t + H, b) * h) / S(2)};
      for (int i = 1; i <= j; ++i) {
        const S ratio = S(j + 1) / S(j + 1 - i), factor = ratio * ratio - S(1);
        row.push_back(row.back() + (row.back() - previous[static_cast<std::size_t>(i - 1)]) / factor);
      }
      previous = row;
    }
    return row.back();
  }

  M model_;
  PhaseSpace<S> space_;
};

} // namespace lmc::reference
