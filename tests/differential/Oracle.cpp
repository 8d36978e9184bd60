#include "differential/Oracle.h"

#include "differential/Evaluate.h"

#include <Eigen/LU>

namespace lmc::differential {

namespace {

std::string numbered(std::string name, int i) {
  return name.append("[").append(std::to_string(i)).append("]");
}

/// The columns of a value by its pieces: BASE.piece[member][row][column].
template <class Use>
void eachColumn(const std::string& base, const std::vector<Piece>& pieces, int extent, int member, const Use& use) {
  std::size_t k = 0;
  for (const Piece& p : pieces) {
    std::string name = p.name.empty() ? base : base + "." + p.name;
    if (extent > 0) name = numbered(name, member + 1);
    for (int i = 0; i < p.rows; ++i)
      for (int j = 0; j < p.cols; ++j) {
        const bool alone = !p.vector && p.size() == 1;
        use(alone ? name : p.vector ? numbered(name, i + 1) : numbered(numbered(name, i + 1), j + 1), k++);
      }
  }
}

template <class R> using Numbers = std::vector<R>;

template <class R, class X> X constant(R value) {
  return X(Dual<R>(value, R(0)));
}

/// One member of a factor with its minimal coordinates.
template <class R> class Chart {
public:
  Chart(const Factor& f, const Numbers<R>& point) : f_(f), s_(*f.space) {
    origin_ = matrixOf(s_, lifted<Dual<R>>(point));
    const int d = s_.algebraSize();
    for (int k = 0; k < d; ++k) {
      Vector<R> e = Vector<R>::Unit(d, k);
      if (s_.homogeneous() && d > 1) {
        e = horizontal(e);
        for (int pass = 0; pass < 2; ++pass)
          for (const Vector<R>& b : directions_) e -= b.dot(e) * b;
        if (e.norm() < R(1e-6)) continue;
        e /= e.norm();
      }
      directions_.push_back(e);
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(directions_.size()); }
  /// The square of the size of the projection on velocities: 1 of orthogonal ones. Solving in coordinates of the
  /// algebra is that much worse conditioned.
  [[nodiscard]] R skewness() const {
    if (!s_.homogeneous()) return R(1);
    R sum = 0;
    for (int k = 0; k < s_.algebraSize(); ++k) sum += horizontal(Vector<R>::Unit(s_.algebraSize(), k)).squaredNorm();
    return std::max(R(1), sum / R(size()));
  }
  [[nodiscard]] const Vector<R>& direction(int a) const { return directions_[static_cast<std::size_t>(a)]; }
  /// θ' of a velocity, or the momentum that is conjugate to θ of a momentum.
  [[nodiscard]] Vector<R> local(const Numbers<R>& w) const {
    const Eigen::Map<const Vector<R>> v(w.data(), static_cast<Eigen::Index>(w.size()));
    Vector<R> out(size());
    for (int a = 0; a < size(); ++a) out[a] = direction(a).dot(v);
    return out;
  }

  /// Storage of the point at θ with its rate along θ'.
  template <class X> std::vector<Timed<X>> point(const std::vector<X>& theta, const std::vector<X>& thetaDot) const {
    const Values<X> U = algebraMatrix(s_, spread(theta)), V = algebraMatrix(s_, spread(thetaDot));
    const X half(0.5);
    const Values<X> E = Values<X>::identity(U.rows) + U + scaled(half, U * U);
    const Values<X> dE = V + scaled(half, U * V + V * U);
    Values<X> G0(origin_.rows, origin_.cols);
    for (std::size_t k = 0; k < G0.x.size(); ++k) G0.x[k] = X(origin_.x[k]);
    Values<X> G, dG;
    if (s_.acts == Acts::ByConjugation) {
      G = E * G0 * transposed(E);
      dG = dE * G0 * transposed(E) + E * G0 * transposed(dE);
    } else if (s_.homogeneous() || f_.inSpace) {
      G = E * G0;
      dG = dE * G0;
    } else {
      G = G0 * E;
      dG = G0 * dE;
    }
    std::vector<Timed<X>> out;
    for (const auto& [i, j] : s_.entries) out.emplace_back(G(i, j), dG(i, j));
    return out;
  }

  /// The trivialized velocity at θ of the rate θ', to first order in θ.
  template <class X> std::vector<X> velocity(const std::vector<X>& theta, const std::vector<X>& thetaDot) const {
    const Values<X> U = algebraMatrix(s_, spread(theta)), V = algebraMatrix(s_, spread(thetaDot));
    const bool left = s_.homogeneous() || f_.inSpace;
    const Values<X> W = V + scaled(X(left ? 0.5 : -0.5), commutator(U, V));
    if (!s_.homogeneous() || s_.algebraSize() == 1) return algebraCoordinates(s_, W);
    return algebraCoordinates(s_, horizontalPart(s_, placeAt(theta), W));
  }

  /// The momentum at θ whose components along the coordinates are pi, to first order in θ.
  template <class X> std::vector<X> momentum(const std::vector<X>& theta, const std::vector<X>& pi) const {
    std::vector<X> p(s_.basis.size());
    if (s_.homogeneous()) {
      // ⟨p, w_a⟩ = pi_a for the velocities w_a of the coordinates, which are the directions and a change; nothing on
      // the isotropy.
      for (int a = 0; a < size(); ++a) {
        std::vector<X> unit(theta.size());
        unit[static_cast<std::size_t>(a)] = X(1.0);
        const std::vector<X> w = velocity(theta, unit);
        X along = pi[static_cast<std::size_t>(a)];
        for (int b = 0; b < size(); ++b) {
          X change = X(a == b ? -1.0 : 0.0);
          for (std::size_t k = 0; k < w.size(); ++k) change = change + component<X>(b, k) * w[k];
          along = along - change * pi[static_cast<std::size_t>(b)];
        }
        for (std::size_t k = 0; k < p.size(); ++k) p[k] = p[k] + component<X>(a, k) * along;
      }
      return s_.algebraSize() == 1 ? p : conormalPart(s_, placeAt(theta), p);
    }
    // xi = J θ' with J = 1 ± ad_θ/2, so that p = J^-T pi.
    const Values<X> U = algebraMatrix(s_, spread(theta));
    for (std::size_t i = 0; i < p.size(); ++i) {
      std::vector<X> unit(p.size());
      unit[i] = X(1.0);
      const std::vector<X> bracket = algebraCoordinates(s_, commutator(U, algebraMatrix(s_, unit)));
      p[i] = pi[i];
      for (std::size_t j = 0; j < p.size(); ++j) p[i] = p[i] + X(f_.inSpace ? -0.5 : 0.5) * pi[j] * bracket[j];
    }
    return p;
  }

  template <class X> static std::vector<X> lifted(const Numbers<R>& x) {
    std::vector<X> out;
    for (const R v : x) out.push_back(constant<R, X>(v));
    return out;
  }

private:
  /// The matrix of the point at θ.
  template <class X> Values<X> placeAt(const std::vector<X>& theta) const {
    std::vector<X> storage;
    for (const Timed<X>& x : point(theta, std::vector<X>(theta.size()))) storage.push_back(x.v);
    return matrixOf(s_, storage);
  }
  /// A number of a direction.
  template <class X> X component(int a, std::size_t k) const {
    return constant<R, X>(direction(a)[static_cast<Eigen::Index>(k)]);
  }
  /// Coordinates along the directions as algebra coordinates.
  template <class X> std::vector<X> spread(const std::vector<X>& theta) const {
    if (!s_.homogeneous()) return theta;
    std::vector<X> w(s_.basis.size());
    for (int a = 0; a < size(); ++a)
      for (std::size_t k = 0; k < w.size(); ++k) w[k] = w[k] + component<X>(a, k) * theta[static_cast<std::size_t>(a)];
    return w;
  }

  Vector<R> horizontal(const Vector<R>& w) const {
    std::vector<Dual<R>> c;
    for (int k = 0; k < w.size(); ++k) c.emplace_back(w[k], R(0));
    const std::vector<Dual<R>> h = algebraCoordinates(s_, horizontalPart(s_, origin_, algebraMatrix(s_, c)));
    Vector<R> out(w.size());
    for (int k = 0; k < w.size(); ++k) out[k] = h[static_cast<std::size_t>(k)].v;
    return out;
  }

  const Factor& f_;
  const Space& s_;
  Values<Dual<R>> origin_;
  std::vector<Vector<R>> directions_;
};

template <class R> class Motion {
public:
  Motion(const RandomModel& m, const Columns& state, Real time) : m_(m), time_(static_cast<R>(time)) {
    for (const Factor& f : m.factors)
      for (int k = 0; k < f.members(); ++k) {
        Numbers<R> point, fiber;
        eachColumn(f.name, f.space->point, f.extent, k,
                   [&](const std::string& c, std::size_t) { point.push_back(static_cast<R>(state.at(c))); });
        eachColumn(f.fiber, f.space->algebra, f.extent, k,
                   [&](const std::string& c, std::size_t) { fiber.push_back(static_cast<R>(state.at(c))); });
        charts_.emplace_back(f, point);
        fibers_.push_back(fiber);
        first_.push_back(size_);
        size_ += charts_.back().size();
      }
    for (const State& s : m.states) {
      Numbers<R> z;
      eachColumn(s.name, s.dual ? s.space->algebra : s.space->point, 0, 0,
                 [&](const std::string& c, std::size_t) { z.push_back(static_cast<R>(state.at(c))); });
      states_.push_back(z);
    }
    rate_ = pi_ = acceleration_ = force_ = Vector<R>::Zero(size_);
    const Vector<R> given = gathered([&](std::size_t k) { return charts_[k].local(fibers_[k]); });
    (m.hamiltonian ? pi_ : rate_) = given;
  }

  Expected run() {
    for (const Chart<R>& c : charts_) out_.skewness = std::max(out_.skewness, static_cast<Real>(c.skewness()));
    out_.condition = out_.skewness;
    if (m_.hamiltonian)
      hamilton();
    else
      lagrange();
    observe();
    return std::move(out_);
  }

private:
  using D = Dual<R>;
  using V = Var<R>;

  template <class F> Vector<R> gathered(const F& f) const {
    Vector<R> all(size_);
    for (std::size_t k = 0; k < charts_.size(); ++k) all.segment(first_[k], charts_[k].size()) = f(k);
    return all;
  }
  template <class X> std::vector<X> part(const std::vector<X>& all, std::size_t k) const {
    return {all.begin() + first_[k], all.begin() + first_[k] + charts_[k].size()};
  }
  template <class X> static std::vector<X> lifted(const Vector<R>& x) {
    std::vector<X> v;
    for (Eigen::Index i = 0; i < x.size(); ++i) v.push_back(constant<R, X>(x[i]));
    return v;
  }

  /// A scope with points at θ that move with θ', and fibers that are the velocities or the momenta pi.
  template <class X>
  Scope<X> scope(const std::vector<X>& theta, const std::vector<X>& thetaDot, const std::vector<X>& pi, X time) const {
    Scope<X> s(m_);
    s.time = Timed<X>(time, X(1.0));
    std::size_t k = 0;
    for (std::size_t f = 0; f < m_.factors.size(); ++f)
      for (int i = 0; i < m_.factors[f].members(); ++i, ++k) {
        const std::vector<X> at = part(theta, k), rate = part(thetaDot, k);
        s.points[f].push_back(charts_[k].point(at, rate));
        const std::vector<X> w = charts_[k].velocity(at, rate), p = charts_[k].momentum(at, part(pi, k));
        std::vector<Timed<X>> tw(w.begin(), w.end()), tp(p.begin(), p.end());
        for (std::size_t j = 0; j < w.size(); ++j) tw[j] = Timed<X>(w[j]), tp[j] = Timed<X>(p[j]);
        s.fibers[f].push_back(m_.hamiltonian ? tp : tw);
        s.velocities[f].push_back(tw);
        s.momenta[f].push_back(tp);
      }
    for (std::size_t z = 0; z < states_.size(); ++z)
      for (const R x : states_[z]) s.states[z].emplace_back(constant<R, X>(x));
    return s;
  }

  /// A scope with plain numbers: the state, nothing varied.
  Scope<D> plainScope() const {
    const std::vector<D> zero(static_cast<std::size_t>(size_));
    return scope<D>(zero, lifted<D>(rate_), lifted<D>(pi_), D(time_, R(0)));
  }

  struct Gradient {
    R value = 0;
    Vector<D> theta, second; ///< by θ, and by θ' or pi
    std::vector<std::vector<R>> states;
  };

  /// Derivatives of Σ terms by θ and by θ' (or pi, of momenta), with those of all of them along the duals' direction.
  Gradient gradient(const std::vector<Tree>& terms, bool byPi, const Vector<R>& alongTheta,
                    const Vector<R>& alongSecond, R alongTime, bool byStates = false) const {
    Tape<R> tape;
    Tape<R>::current() = &tape;
    std::vector<V> theta, second;
    const Vector<R>& at = byPi ? pi_ : rate_;
    for (int a = 0; a < size_; ++a) theta.push_back(V::leaf(D(R(0), alongTheta[a])));
    for (int a = 0; a < size_; ++a) second.push_back(V::leaf(D(at[a], alongSecond[a])));
    const std::vector<V> fixed = lifted<V>(byPi ? rate_ : pi_);
    const V time(D(time_, alongTime));
    Scope<V> s = byPi ? scope<V>(theta, fixed, second, time) : scope<V>(theta, second, fixed, time);
    if (byStates)
      for (auto& z : s.states)
        for (Timed<V>& x : z) x = Timed<V>(V::leaf(x.v.v));
    V total;
    for (const Tree& t : terms) total = total + s(t).number().v;
    const std::vector<D> bar = tape.sweep(total.i);
    Gradient g;
    g.value = total.v.v;
    g.theta = g.second = Vector<D>(size_);
    const auto of = [&](const V& x) { return x.i < 0 || bar.empty() ? D() : bar[static_cast<std::size_t>(x.i)]; };
    for (int a = 0; a < size_; ++a) {
      g.theta[a] = of(theta[static_cast<std::size_t>(a)]);
      g.second[a] = of(second[static_cast<std::size_t>(a)]);
    }
    for (const auto& z : s.states) {
      g.states.emplace_back();
      for (const Timed<V>& x : z) g.states.back().push_back(of(x.v).v);
    }
    Tape<R>::current() = nullptr;
    return g;
  }

  /// Forces and dissipation along the coordinates; velocities must be known.
  void addForces() {
    const Vector<R> zero = Vector<R>::Zero(size_);
    Scope<D> plain = plainScope();
    for (const Force& f : m_.forces) {
      if (f.at) { // the virtual work of a fixed vector
        const Values<Timed<D>> F = plain(f.vector);
        std::vector<Tree> work;
        Tape<R> tape;
        Tape<R>::current() = &tape;
        std::vector<V> theta;
        for (int a = 0; a < size_; ++a) theta.push_back(V::leaf(D()));
        Scope<V> s = scope<V>(theta, lifted<V>(zero), lifted<V>(zero), V(D(time_, R(0))));
        const Values<Timed<V>> P = s(f.at);
        V total;
        for (std::size_t k = 0; k < P.x.size(); ++k) total = total + V(D(F.x[k].v.v, R(0))) * P.x[k].v;
        const std::vector<D> bar = tape.sweep(total.i);
        for (int a = 0; a < size_ && !bar.empty(); ++a)
          force_[a] += bar[static_cast<std::size_t>(theta[static_cast<std::size_t>(a)].i)].v;
        Tape<R>::current() = nullptr;
        continue;
      }
      std::size_t k = 0;
      for (const Factor& g : m_.factors) {
        if (g.name == f.factor) {
          k += static_cast<std::size_t>(g.extent > 0 ? f.member - 1 : 0);
          Numbers<R> w;
          for (std::size_t p = 0; p < f.pieces.size(); ++p) {
            const auto n = static_cast<std::size_t>(g.space->algebra[p].size());
            const Values<Timed<D>> v = f.pieces[p] ? plain(f.pieces[p]) : Values<Timed<D>>(static_cast<int>(n), 1);
            for (std::size_t i = 0; i < n; ++i) w.push_back(v.x[i].v.v);
          }
          force_.segment(first_[k], charts_[k].size()) += charts_[k].local(w);
          break;
        }
        k += static_cast<std::size_t>(g.members());
      }
    }
    if (m_.dissipation.empty()) return;
    const Gradient d = gradient(m_.dissipation, false, zero, zero, R(0));
    for (int a = 0; a < size_; ++a) force_[a] -= d.second[a].v;
  }

  void lagrange() {
    const Vector<R> zero = Vector<R>::Zero(size_);
    Matrix<R> mass(size_, size_);
    for (int j = 0; j < size_; ++j) {
      const Gradient g = gradient(m_.energy, false, zero, Vector<R>::Unit(size_, j), R(0));
      for (int i = 0; i < size_; ++i) mass(i, j) = g.second[i].b;
    }
    const Gradient g = gradient(m_.energy, false, rate_, zero, R(1));
    for (int a = 0; a < size_; ++a) pi_[a] = g.second[a].v;
    addForces();
    Vector<R> right = force_;
    for (int a = 0; a < size_; ++a) right[a] += g.theta[a].v - g.second[a].b;
    // Rows and columns of similar size: masses may be far apart, and some have none of their own.
    Vector<R> scale = Vector<R>::Ones(size_);
    Matrix<R> balanced = mass;
    for (int pass = 0; pass < 20; ++pass) {
      for (int a = 0; a < size_; ++a) {
        const R largest = balanced.row(a).cwiseAbs().maxCoeff();
        if (largest > R(0)) scale[a] /= std::sqrt(largest);
      }
      balanced = scale.asDiagonal() * mass * scale.asDiagonal();
    }
    const Eigen::FullPivLU<Matrix<R>> lu(balanced);
    const Vector<R> scaledRight = scale.cwiseProduct(right);
    acceleration_ = scale.cwiseProduct(lu.solve(scaledRight));
    out_.condition = out_.skewness / static_cast<Real>(lu.rcond());
    out_.unscaled = 1 / static_cast<Real>(Eigen::FullPivLU<Matrix<R>>(mass).rcond());
    // Projections, before and after, mix what is light and what is heavy.
    if (std::any_of(m_.factors.begin(), m_.factors.end(), [](const auto& f) { return f.space->homogeneous(); }))
      out_.condition = 10 * std::max(out_.condition, out_.unscaled);
    out_.observables["energy"] = static_cast<Real>(pi_.dot(rate_) - g.value);
    setRates([&](std::size_t k, const std::vector<D>& theta,
                 const std::vector<D>& second) { return charts_[k].velocity(theta, second); },
             rate_, acceleration_);
    for (std::size_t z = 0; z < m_.states.size(); ++z) setFlow(z);
  }

  void hamilton() {
    const Vector<R> zero = Vector<R>::Zero(size_);
    const Gradient g = gradient(m_.energy, true, zero, zero, R(0), true);
    for (int a = 0; a < size_; ++a) rate_[a] = g.second[a].v;
    addForces();
    Vector<R> piDot = force_;
    for (int a = 0; a < size_; ++a) piDot[a] -= g.theta[a].v;
    out_.observables["energy"] = static_cast<Real>(g.value);
    setRates([&](std::size_t k, const std::vector<D>& theta,
                 const std::vector<D>& second) { return charts_[k].momentum(theta, second); },
             pi_, piDot);
    for (std::size_t z = 0; z < m_.states.size(); ++z) {
      if (m_.states[z].dual)
        liePoisson(z, g.states[z]);
      else
        setFlow(z);
    }
  }

  /// The derivative in time of a fiber that is a function of θ and of `second`, whose rate is `change`.
  template <class F> void setRates(const F& fiber, const Vector<R>& second, const Vector<R>& change) {
    std::size_t k = 0;
    for (const Factor& f : m_.factors)
      for (int i = 0; i < f.members(); ++i, ++k) {
        std::vector<D> theta, other;
        for (int a = first_[k]; a < first_[k] + charts_[k].size(); ++a) {
          theta.emplace_back(R(0), rate_[a]);
          other.emplace_back(second[a], change[a]);
        }
        const std::vector<D> w = fiber(k, theta, other);
        eachColumn(f.fiber + "'", f.space->algebra, f.extent, i,
                   [&](const std::string& c, std::size_t e) { out_.rates[c] = static_cast<Real>(w[e].b); });
      }
  }

  void setFlow(std::size_t z) {
    const State& s = m_.states[z];
    Scope<D> plain = plainScope();
    Numbers<R> flow;
    for (const Tree& t : s.flow)
      for (const Timed<D>& x : plain(t).x) flow.push_back(x.v.v);
    eachColumn(s.name + "'", s.space->algebra, 0, 0,
               [&](const std::string& c, std::size_t e) { out_.rates[c] = static_cast<Real>(flow[e]); });
  }

  /// d/dt ⟨mu, η⟩ = ± ⟨mu, [dH/dmu, η]⟩.
  void liePoisson(std::size_t z, const Numbers<R>& xi) {
    const State& s = m_.states[z];
    const Values<D> X = algebraMatrix(*s.space, Chart<R>::template lifted<D>(xi));
    eachColumn(s.name + "'", s.space->algebra, 0, 0, [&](const std::string& c, std::size_t e) {
      std::vector<D> unit(xi.size());
      unit[e] = D(1.0);
      const std::vector<D> bracket = algebraCoordinates(*s.space, commutator(X, algebraMatrix(*s.space, unit)));
      R sum = 0;
      for (std::size_t k = 0; k < xi.size(); ++k) sum += states_[z][k] * bracket[k].v;
      out_.rates[c] = static_cast<Real>(s.inSpace ? -sum : sum);
    });
  }

  void observe() {
    Scope<D> plain = plainScope();
    for (const Observable& o : m_.observables) {
      const Values<Timed<D>> v = plain(o.value);
      eachColumn(o.name, {Piece{"", v.rows, v.cols, o.value->vector}}, 0, 0,
                 [&](const std::string& c, std::size_t e) { out_.observables[c] = static_cast<Real>(v.x[e].v.v); });
    }
  }

  const RandomModel& m_;
  R time_;
  std::vector<Chart<R>> charts_;
  std::vector<Numbers<R>> fibers_, states_;
  std::vector<int> first_;
  int size_ = 0;
  Vector<R> rate_, pi_, acceleration_, force_; ///< θ', its conjugate momentum, θ'', forces
  Expected out_;
};

} // namespace

Columns initialState(const RandomModel& m) {
  Columns c;
  for (const Factor& f : m.factors)
    for (int k = 0; k < f.members(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      eachColumn(f.name, f.space->point, f.extent, k,
                 [&](const std::string& n, std::size_t e) { c[n] = f.points[i][e]; });
      eachColumn(f.fiber, f.space->algebra, f.extent, k,
                 [&](const std::string& n, std::size_t e) { c[n] = f.fibers[i][e]; });
    }
  for (const State& s : m.states)
    eachColumn(s.name, s.dual ? s.space->algebra : s.space->point, 0, 0,
               [&](const std::string& n, std::size_t e) { c[n] = s.value[e]; });
  return c;
}

template <class R> Expected expected(const RandomModel& m, const Columns& state, Real time) {
  return Motion<R>(m, state, time).run();
}

template Expected expected<double>(const RandomModel&, const Columns&, Real);
template Expected expected<long double>(const RandomModel&, const Columns&, Real);

} // namespace lmc::differential
