// Random models. All choices come from one generator of numbers, so that a seed is a model.
#include "differential/Expressions.h"

#include <algorithm>
#include <numbers>

namespace lmc::differential {

namespace {

using namespace trees;

class Generator : Expressions {
public:
  explicit Generator(std::uint64_t seed) : Expressions(seed) { m.seed = seed; }

  RandomModel make() {
    m.hamiltonian = chance(0.25);
    indefinite_ = !m.hamiltonian && chance(0.25);
    light_ = !m.hamiltonian && chance(0.12);
    m.time = chance(0.5) ? 0 : number(0, 3);
    addFactors();
    for (const Factor& f : m.factors) kinetic(f);
    for (const Factor& f : m.factors)
      if (f.extent > 0) along(f);
    couple();
    if (chance(0.4)) addStates();
    if (chance(0.5)) addForces();
    if (chance(0.4)) addDissipation();
    addObservables();
    if (chance(0.3)) addSettings();
    // A number that ensembles vary.
    m.params.push_back({"tune", 0, 1, 1, false, {{1}}});
    m.energy[0] = trees::multiply(trees::reference("tune", {}, {}), m.energy[0]);
    return std::move(m);
  }

private:
  // --- factors and their states ---------------------------------------------------------------------------------

  void addFactors() {
    const int count = chance(0.5) ? 1 : chance(0.6) ? 2 : 3;
    const bool families = chance(0.45);
    if (families) {
      m.n = 1 + integer(0, chance(0.3) ? 11 : 4);
      if (chance(0.06)) m.n = integer(20, 40);
      if (chance(0.01)) m.n = 100;
    }
    const bool wide = m.n > 12; // then few numbers for each member, or the reference takes minutes
    for (int k = 0; k < count; ++k) {
      Factor f;
      f.space = &someSpace();
      // Spaces of many dimensions are for few factors.
      while (f.space->algebraSize() > (wide ? 3 : 9)) f.space = &someSpace();
      f.name = std::string("XYZ").substr(static_cast<std::size_t>(k), 1);
      f.fiber = std::string("uvw").substr(static_cast<std::size_t>(k), 1);
      f.extent = families && (k == 0 || (!wide && chance(0.5))) ? m.n : 0;
      f.momentum = m.hamiltonian;
      f.inSpace = !f.space->homogeneous() && chance(0.4);
      for (int i = 0; i < f.members(); ++i) {
        f.points.push_back(somePoint(*f.space));
        f.fibers.push_back(someFiber(*f.space, f.points.back()));
      }
      m.factors.push_back(std::move(f));
    }
  }

  const Space& someSpace() {
    // The usual ones as often as all others together.
    static const std::vector<std::string> usual = {"R", "R^3", "SO(3)", "S^2", "SE(3)"};
    const std::vector<Space>& list = spaces();
    if (chance(0.5)) {
      const std::string& text = usual[static_cast<std::size_t>(integer(0, static_cast<int>(usual.size()) - 1))];
      return *std::find_if(list.begin(), list.end(), [&](const Space& s) { return s.text == text; });
    }
    return list[static_cast<std::size_t>(integer(0, static_cast<int>(list.size()) - 1))];
  }

  Matrix<Real> someElement(const Space& s) {
    std::vector<Real> w(static_cast<std::size_t>(s.algebraSize()));
    for (Real& x : w) x = s.reach * static_cast<Real>(s.flat() ? number(-2, 2) : number(-1.2, 1.2));
    if (!s.flat() && chance(0.1)) { // a rotation by nearly a half turn, or by nearly nothing
      Real length = 0;
      for (const Real x : w) length += x * x;
      const double angle =
          chance(0.5) ? std::numbers::pi - std::pow(10.0, number(-12, -2)) : std::pow(10.0, number(-12, -2));
      for (Real& x : w) x *= static_cast<Real>(angle) / std::sqrt(length);
    }
    const Values<Real> A = algebraMatrix(s, w);
    Matrix<Real> a(A.rows, A.cols);
    for (int i = 0; i < A.rows; ++i)
      for (int j = 0; j < A.cols; ++j) a(i, j) = A(i, j);
    return exponential(a);
  }

  std::vector<double> somePoint(const Space& s) {
    Matrix<Real> G = someElement(s);
    if (s.homogeneous()) {
      if (!chance(0.2)) G = someElement(s) * G;
      G = s.acts == Acts::ByConjugation ? Matrix<Real>(G * s.base * G.transpose()) : Matrix<Real>(G * s.base);
    }
    std::vector<double> x;
    for (const auto& [i, j] : s.entries) x.push_back(static_cast<double>(G(i, j)));
    return x;
  }

  std::vector<double> someFiber(const Space& s, const std::vector<double>& point) {
    std::vector<Real> w(static_cast<std::size_t>(s.algebraSize()));
    if (!chance(0.08))
      for (Real& x : w) x = static_cast<Real>(number(-1.5, 1.5));
    if (s.homogeneous() && s.algebraSize() > 1) {
      const Values<Real> X = matrixOf(s, std::vector<Real>(point.begin(), point.end()));
      w = m.hamiltonian ? conormalPart(s, X, w) : algebraCoordinates(s, horizontalPart(s, X, algebraMatrix(s, w)));
    }
    return {w.begin(), w.end()};
  }

  // --- kinetic energies ---------------------------------------------------------------------------------------------

  /// A positive number over four decades, rarely one that is near 1.
  double mass() { return std::pow(10.0, number(-2, 2)); }

  /// Factors and members whose kinetic energy is negative.
  double sign() { return indefinite_ && chance(0.4) ? -1 : 1; }

  /// A definite matrix whose axes are those of nothing, or an indefinite one.
  std::string inertia(int n) {
    Matrix<Real> B = Matrix<Real>::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) B(i, j) = static_cast<Real>(number(-1, 1));
    Matrix<Real> J = Matrix<Real>::Zero(n, n);
    for (int k = 0; k < n; ++k)
      J += static_cast<Real>(sign() * std::pow(10.0, number(-1, 1))) * B.col(k) * B.col(k).transpose();
    J += static_cast<Real>(0.2 * sign()) * Matrix<Real>::Identity(n, n);
    Param p{fresh("J"), 0, n, n, false, {{}}};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) p.values[0].push_back(static_cast<double>(std::min(i, j) == i ? J(i, j) : J(j, i)));
    m.params.push_back(p);
    return m.params.back().name;
  }

  Tree square(const Factor& f, const Place& at, std::size_t piece) {
    const Piece& p = f.space->algebra[piece];
    const Tree w = trees::reference(f.fiber, at, p);
    if (!p.vector) return trees::power(w, 2);
    if (chance(0.6))
      return trees::call("dot", {w, trees::multiply(parameter(inertia(p.size()), p.size(), p.size()), w)});
    return trees::call("dot", {w, w});
  }

  void kinetic(const Factor& f) {
    const std::string scale = f.extent > 0 && chance(0.5) ? family("m", f.extent) : std::string();
    if (!scale.empty())
      for (std::vector<double>& x : m.params.back().values) x[0] *= sign();
    // Next to no mass of its own: what others couple it to decides.
    const double light = light_ && chance(0.5) ? std::pow(10.0, -number(2, 15)) : 1;
    Tree sum;
    for (std::size_t k = 0; k < f.space->algebra.size(); ++k) {
      const Place at = f.extent > 0 ? Place{true, "i", 0} : Place{};
      const Tree coefficient = !scale.empty() ? trees::reference(scale, at, {})
                                              : trees::value(0.5 * sign() * light * (chance(0.5) ? 1 : mass()));
      Tree term = trees::multiply(coefficient, square(f, at, k));
      if (chance(0.15))
        term = trees::multiply(
            term, trees::add(trees::value(1.5), trees::call("sin", {position(1, at)}))); // depends on the point
      if (chance(0.1)) term = trees::add(term, trees::multiply(trees::value(0.05), trees::power(square(f, at, k), 2)));
      sum = sum ? trees::add(sum, term) : term;
    }
    m.energy.push_back(f.extent > 0 ? trees::summed("i", sum) : sum);
  }

  /// Points along a family, with masses: open chains of every body type, in either direction.
  void along(const Factor& f) {
    const Place here{true, "i", 0};
    if (!m.hamiltonian && chance(0.7)) {
      // From the other end: the point of member i hangs on that of the one behind it.
      const bool backwards = chance(0.4);
      const Place link{true, "i", 0, backwards};
      Let p{fresh("p"), m.n, 3, 1, false, nullptr, nullptr};
      p.first = pointOf(f, {true, "", backwards ? m.n : 1});
      const Tree before = trees::reference(p.name, {true, "i", -1}, trees::vec3());
      p.next = trees::add(before, pointOf(f, link));
      if (!backwards && chance(0.5))
        p.next = trees::add(p.next, trees::multiply(trees::value(number(-1, 1)), pointOf(f, {true, "i", -1})));
      if (m.n == 1) {
        p.next = pointOf(f, here);
        p.first = nullptr;
      }
      m.lets.push_back(p);
      const Tree rate = trees::prime(trees::reference(p.name, here, trees::vec3()));
      const Tree weight =
          chance(0.5) ? trees::value(0.5 * sign() * mass()) : trees::reference(family("mu", m.n), here, {});
      m.energy.push_back(trees::summed("i", trees::multiply(weight, trees::call("dot", {rate, rate}))));
      if (chance(0.7))
        m.energy.push_back(trees::negate(
            trees::multiply(trees::value(number(0, 10)),
                            trees::summed("i", trees::entry(trees::reference(p.name, here, trees::vec3()), 3)))));
      points_.push_back({p.name, true});
    }
    if (chance(0.5)) { // neighbours
      const Tree a = pointOf(f, here), b = pointOf(f, {true, "i", 1});
      const Tree term = trees::multiply(trees::value(number(-2, 2)), trees::call("dot", {a, b}));
      if (m.n > 1) m.energy.push_back(trees::sum("i", 1, -1, term));
      if (m.n > 1 && !m.hamiltonian && chance(0.4)) { // coupled by their velocities
        const Tree d = trees::subtract(trees::prime(b), trees::prime(a));
        m.energy.push_back(
            trees::sum("i", 1, -1, trees::multiply(trees::value(sign() * mass()), trees::call("dot", {d, d}))));
      }
    }
    if (m.n > 1 && m.n <= 20 && chance(0.35)) { // all pairs
      const Tree distance = trees::subtract(pointOf(f, here), pointOf(f, {true, "j", 0}));
      const Tree term =
          trees::divide(trees::value(number(-1, 1)),
                        trees::call("sqrt", {trees::add(trees::value(0.7), trees::call("dot", {distance, distance}))}));
      m.energy.push_back(
          chance(0.5) ? trees::sum("i", 1, 0, trees::sumAbove("j", "i", term))
                      : trees::sum("i", 1, 0, trees::sumWithout("j", "i", trees::multiply(trees::value(0.5), term))));
    }
  }

  // --- what acts on several factors
  // -----------------------------------------------------------------------------------

  void couple() {
    for (int k = integer(0, 2); k > 0; --k) m.energy.push_back(trees::negate(position(3, {})));
    if (m.hamiltonian) {
      if (chance(0.5)) m.energy.push_back(trees::multiply(position(1, {}), fiberNumber({})));
      if (chance(0.5))
        m.energy.push_back(trees::multiply(trees::value(number(0.1, 1)),
                                           trees::power(trees::add(fiberNumber({}), position(1, {})), 2)));
      return;
    }
    if (indefinite_ || light_)
      m.energy.push_back(
          trees::multiply(trees::value(sign() * mass()), trees::multiply(fiberNumber({}), fiberNumber({}))));
    if (chance(light_ ? 0.9 : 0.6)) { // a point that depends on several factors
      Let c{fresh("c"), 0, 3, 1, false, somePosition({}), nullptr};
      if (chance(0.7)) c.first = trees::add(c.first, somePosition({}));
      if (chance(0.2)) c.first = trees::add(c.first, trees::call("cross", {somePosition({}), somePosition({})}));
      if (chance(0.3))
        c.first = trees::add(
            c.first, trees::build({trees::call("sin", {trees::multiply(trees::value(number(0.5, 3)), trees::time())}),
                                   trees::value(0), trees::power(trees::time(), 2)}));
      m.lets.push_back(c);
      points_.push_back({c.name, false});
      const Tree rate = trees::prime(trees::reference(c.name, {}, trees::vec3()));
      m.energy.push_back(trees::multiply(trees::value(0.5 * sign() * mass()), trees::call("dot", {rate, rate})));
    }
    if (chance(0.3)) m.energy.push_back(trees::multiply(position(1, {}), fiberNumber({}))); // gyroscopic
    if (chance(0.2)) m.energy.push_back(trees::call("dot", {somePosition({}), trees::prime(somePosition({}))}));
    if (chance(0.1))
      m.energy.push_back(trees::call("sqrt", {trees::add(trees::value(1), trees::power(fiberNumber({}), 2))}));
  }

  void addStates() {
    for (int k = integer(1, 2); k > 0; --k) {
      State s;
      s.space = &someSpace();
      while (s.space->homogeneous() || s.space->algebraSize() > 9) s.space = &someSpace();
      s.name = fresh("z");
      s.inSpace = chance(0.4) && !s.space->flat();
      s.dual = m.hamiltonian && !s.space->flat() && chance(0.6);
      if (s.dual) {
        for (int i = 0; i < s.space->algebraSize(); ++i) s.value.push_back(number(-1.5, 1.5));
        Tree h;
        for (const Piece& p : s.space->algebra) {
          const Tree mu = trees::reference(s.name, {}, p);
          const Tree term =
              p.vector ? trees::call("dot", {mu, trees::multiply(parameter(inertia(p.size()), p.size(), p.size()), mu)})
                       : trees::power(mu, 2);
          h = h ? trees::add(h, term) : term;
        }
        m.energy.push_back(trees::multiply(
            chance(0.5) ? trees::value(0.5) : trees::add(trees::value(1.5), trees::call("sin", {position(1, {})})), h));
      } else {
        s.value = somePoint(*s.space);
        for (const Piece& p : s.space->algebra) s.flow.push_back(anything(p, {}));
      }
      m.states.push_back(s);
      stateNames_.push_back(s.name);
    }
  }

  void addForces() {
    if (chance(0.5)) {
      Let u{fresh("U"), 0, 3, 1, true, anything(trees::vec3(), {}), nullptr};
      m.lets.push_back(u);
      inputs_.push_back(u.name);
    }
    for (int k = integer(1, 2); k > 0; --k) {
      Force force;
      if (chance(0.5)) {
        force.at = somePosition({});
        force.vector = anything(trees::vec3(), {});
        if (!isMoving(force.at)) continue;
      } else {
        const Factor& f = someFactor();
        force.factor = f.name;
        force.member = f.extent > 0 ? integer(1, f.extent) : 0;
        const Place at = f.extent > 0 ? Place{true, "", force.member} : Place{};
        for (const Piece& p : f.space->algebra) force.pieces.push_back(anything(p, at));
        if (f.space->algebra.size() > 1 && f.space->algebra[0].name.find('.') == std::string::npos && chance(0.3))
          force.pieces[static_cast<std::size_t>(integer(0, static_cast<int>(f.space->algebra.size()) - 1))] = nullptr;
      }
      m.forces.push_back(force);
    }
  }

  void addDissipation() {
    if (m.hamiltonian) {
      const Tree rate = trees::prime(somePosition({}));
      m.dissipation.push_back(trees::multiply(trees::value(mass()), trees::call("dot", {rate, rate})));
      return;
    }
    for (const Factor& f : m.factors) {
      if (chance(0.4)) continue;
      const Place at = f.extent > 0 ? Place{true, "i", 0} : Place{};
      const auto piece = static_cast<std::size_t>(integer(0, static_cast<int>(f.space->algebra.size()) - 1));
      Tree d = trees::multiply(trees::value(number(0, 2)), square(f, at, piece));
      if (chance(0.3)) d = trees::add(d, trees::multiply(trees::value(0.1), trees::power(square(f, at, piece), 2)));
      if (chance(0.3)) {
        const Tree rate = trees::prime(pointOf(f, at));
        d = trees::add(d, trees::multiply(trees::value(number(0, 1)), trees::call("dot", {rate, rate})));
      }
      m.dissipation.push_back(f.extent > 0 ? trees::summed("i", d) : d);
    }
  }

  void addObservables() {
    for (const Factor& f : m.factors) {
      const Place at = f.extent > 0 ? Place{true, "", integer(1, f.extent)} : Place{};
      const Tree whole = trees::reference(f.name, at, {});
      for (const Piece& p : f.space->algebra)
        m.observables.push_back(
            {fresh("o"), trees::part(trees::call(m.hamiltonian ? "velocity" : "momentum", {whole}), p)});
    }
    m.observables.push_back({fresh("o"), trees::prime(somePosition({}))});
    m.observables.push_back({fresh("o"), anything(trees::vec3(), {})});
    const Factor& f = someFactor();
    const std::vector<Piece>& pieces = f.space->point;
    const Piece& p = pieces[static_cast<std::size_t>(integer(0, static_cast<int>(pieces.size()) - 1))];
    const Tree x = trees::reference(f.name, f.extent > 0 ? Place{true, "", integer(1, f.extent)} : Place{}, p);
    m.observables.push_back({fresh("o"), trees::multiply(anyNumber({}), chance(0.5) ? x : trees::prime(x))});
  }

  // --- values that are set from outside -----------------------------------------------------------------------------

  void addSettings() {
    const auto add = [&](const std::string& name, int member, const std::vector<Piece>& pieces,
                         const std::vector<double>& x) {
      const int chosen = integer(0, static_cast<int>(pieces.size()) - 1);
      auto first = x.begin();
      for (int k = 0; k < chosen; ++k) first += pieces[static_cast<std::size_t>(k)].size();
      const Piece& p = pieces[static_cast<std::size_t>(chosen)];
      m.settings.push_back({name, member, p.name, {first, first + p.size()}});
    };
    for (int k = integer(1, 3); k > 0; --k) {
      if (chance(0.2) && !m.params.empty()) {
        const Param& p = m.params[static_cast<std::size_t>(integer(0, static_cast<int>(m.params.size()) - 1))];
        const int i = p.extent > 0 ? integer(1, p.extent) : 0;
        std::vector<double> x = p.values[static_cast<std::size_t>(std::max(i - 1, 0))];
        for (double& v : x) v *= 1.25;
        m.settings.push_back({p.name, i, "", x});
      } else if (chance(0.2) && !m.states.empty()) {
        const State& s = m.states.back();
        const std::vector<double> x = s.dual ? std::vector<double>(s.value.size(), number(-1, 1)) : somePoint(*s.space);
        add(s.name, 0, s.dual ? s.space->algebra : s.space->point, x);
      } else {
        const Factor& f = someFactor();
        const int i = f.extent > 0 ? integer(1, f.extent) : 0;
        // The velocity of a homogeneous manifold is one at its point.
        const std::vector<double>& point = f.points[static_cast<std::size_t>(std::max(i - 1, 0))];
        const bool whole = f.space->algebra.size() == 1;
        if (f.space->homogeneous() ? whole : chance(0.5))
          add(f.fiber, i, f.space->algebra, someFiber(*f.space, point));
        else if (!f.space->homogeneous())
          add(f.name, i, f.space->point, somePoint(*f.space));
      }
    }
  }

  bool indefinite_ = false, light_ = false;
};

} // namespace

RandomModel generate(std::uint64_t seed) {
  return Generator(seed).make();
}

} // namespace lmc::differential
