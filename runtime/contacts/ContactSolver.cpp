#include "runtime/contacts/ContactSolver.h"

#include "runtime/contacts/Dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lmc::runtime {

namespace {

using State = ContactSolution::State;

constexpr double rounding = 1e-13; ///< of rates and multipliers, in units of the largest ones
constexpr double jammed = 1e-9;    ///< of the resistance of a normal, that friction may leave
constexpr int firstSweeps = 20;    ///< before the states are tried
constexpr int mostSweeps = 20'000;
constexpr int mostTurns = 60;        ///< of states for one guess
constexpr int mostDirections = 2000; ///< of fixed point iterations of slips in space
constexpr int pieces = 72;           ///< of the circle in which a direction is looked for

/// The problem without bilateral rows, of which only rows of contacts are left.
class Solver {
public:
  explicit Solver(const ContactProblem& p) : p_(p), n_(p.size), g_(p.matrix), c_(p.offset) {
    eliminateBilateral();
    directions_.resize(p.contacts.size());
    restart();
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const ContactLaw& l = p.contacts[k];
      scale_ = std::max({scale_, std::abs(l.bound), std::abs(c_[l.normal])});
      for (int t = 0; t < l.tangents; ++t)
        scale_ = std::max(scale_, std::abs(c_[l.slip + static_cast<std::size_t>(t)]));
    }
  }

  ContactSolution run() {
    ContactSolution s;
    if (isJammed(s)) return finish(std::move(s));
    // Where forces are not determined sweeps can end with friction of one contact against that of another; what holds
    // without a slip is shorter.
    for (std::size_t k = 0; k < states_.size(); ++k) states_[k] = canStick(k) ? State::Sticks : State::Slides;
    if (refine()) return finish(std::move(s));
    restart();
    int sweeps = firstSweeps;
    for (int done = 0; done < mostSweeps; sweeps *= 2) {
      for (int k = 0; k < sweeps && !settled_; ++k) sweep();
      done += sweeps;
      const std::vector<double> x = x_;
      const std::vector<State> states = states_;
      const auto directions = directions_;
      if (refine()) return finish(std::move(s));
      x_ = x;
      states_ = states;
      directions_ = directions;
      evaluate();
      if (settled_ && violation() <= rounding * scale_) return finish(std::move(s));
      settled_ = false;
    }
    s.why = "no forces that satisfy the laws of all contacts were found";
    return finish(std::move(s));
  }

private:
  [[nodiscard]] bool canStick(std::size_t k) const {
    const ContactLaw& l = p_.contacts[k];
    return l.tangents > 0 && !l.slides && l.friction > 0;
  }

  void restart() {
    x_.assign(n_, 0.0);
    v_ = c_;
    states_.assign(p_.contacts.size(), State::Open);
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) directions_[k] = p_.contacts[k].direction;
  }

  double& at(std::size_t i, std::size_t j) { return g_[i * n_ + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return g_[i * n_ + j]; }

  /// P_b = -G_bb^+ (c_b + G_bc P_c): what is left acts on the rows of contacts.
  void eliminateBilateral() {
    const std::size_t m = p_.bilateral.size();
    if (m == 0) return;
    std::vector<double> bb(m * m), b(m);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) bb[i * m + j] = p_.matrix[p_.bilateral[i] * n_ + p_.bilateral[j]];
    const Semidefinite own(bb, m);
    const auto column = [&](const auto& value) {
      for (std::size_t i = 0; i < m; ++i) b[i] = value(p_.bilateral[i]);
      return own.solve(b);
    };
    answer_ = column([&](std::size_t r) { return p_.offset[r]; });
    answers_.resize(n_);
    std::vector<std::size_t> rows;
    for (const ContactLaw& l : p_.contacts) {
      rows.push_back(l.normal);
      for (int t = 0; t < l.tangents; ++t) rows.push_back(l.slip + static_cast<std::size_t>(t));
    }
    for (const std::size_t j : rows) answers_[j] = column([&](std::size_t r) { return p_.matrix[r * n_ + j]; });
    for (const std::size_t i : rows) {
      for (std::size_t k = 0; k < m; ++k) {
        const double own_ = p_.matrix[i * n_ + p_.bilateral[k]];
        c_[i] -= own_ * answer_[k];
        for (const std::size_t j : rows) at(i, j) -= own_ * answers_[j][k];
      }
    }
  }

  void evaluate() {
    v_ = c_;
    forRows([&](std::size_t j) {
      if (x_[j] == 0) return;
      forRows([&](std::size_t i) { v_[i] += at(i, j) * x_[j]; });
    });
  }

  template <class Body> void forRows(const Body& body) const {
    for (const ContactLaw& l : p_.contacts) {
      body(l.normal);
      for (int t = 0; t < l.tangents; ++t) body(l.slip + static_cast<std::size_t>(t));
    }
  }

  /// What a normal resists with while its contact slides along d.
  [[nodiscard]] double resistance(const ContactLaw& l, const std::array<double, 2>& d) const {
    double a = at(l.normal, l.normal);
    for (int t = 0; t < l.tangents; ++t)
      a -= l.friction * d[static_cast<std::size_t>(t)] * at(l.normal, l.slip + static_cast<std::size_t>(t));
    return a;
  }

  bool isJammed(ContactSolution& s) const {
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      if (!l.slides || resistance(l, l.direction) > jammed * at(l.normal, l.normal)) continue;
      const bool none = c_[l.normal] < l.bound;
      s.why =
          none ? "while it slides, a push of the contact makes the bodies approach even more: there is no force that "
                 "keeps them apart"
               : "while it slides, a push of the contact makes the bodies approach even more: they may come apart "
                 "or jam, and the laws of contact do not say which";
      s.at = k;
      return true;
    }
    return false;
  }

  // --- one contact, the others as they are ------------------------------------------------------------------------

  struct Local {
    double normal = 0;
    std::array<double, 2> slip = {};
    State state = State::Open;
    std::array<double, 2> direction = {};
  };

  void sweep() {
    double change = 0, size = 0;
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      Local local = solve(k);
      const auto put = [&](std::size_t row, double value) {
        const double by = value - x_[row];
        x_[row] = value;
        size = std::max(size, std::abs(value * at(row, row)));
        change = std::max(change, std::abs(by * at(row, row)));
        if (by != 0) forRows([&](std::size_t i) { v_[i] += at(i, row) * by; });
      };
      put(l.normal, local.normal);
      for (int t = 0; t < l.tangents; ++t)
        put(l.slip + static_cast<std::size_t>(t), local.slip[static_cast<std::size_t>(t)]);
      states_[k] = local.state;
      directions_[k] = local.direction;
    }
    evaluate();
    settled_ = change <= 1e-15 * size;
  }

  Local solve(std::size_t k) {
    const ContactLaw& l = p_.contacts[k];
    const std::size_t n = l.normal, t = l.slip;
    const auto m = static_cast<std::size_t>(l.tangents);
    // Rates without the own multipliers.
    double q = v_[n] - at(n, n) * x_[n];
    std::array<double, 2> s{};
    for (std::size_t i = 0; i < m; ++i) q -= at(n, t + i) * x_[t + i];
    for (std::size_t i = 0; i < m; ++i) {
      s[i] = v_[t + i] - at(t + i, n) * x_[n];
      for (std::size_t j = 0; j < m; ++j) s[i] -= at(t + i, t + j) * x_[t + j];
    }
    Local r;
    r.direction = l.direction;
    const double missing = l.bound - q;
    if (missing <= 0 || !(at(n, n) > 0)) return r;
    if (m == 0 || l.slides || l.friction == 0) {
      r.state = State::Slides;
      if (m > 0 && !l.slides) r.direction = along(l, s, missing / at(n, n));
      r.normal = missing / resistance(l, r.direction);
      for (std::size_t i = 0; i < m; ++i) r.slip[i] = -l.friction * r.normal * r.direction[i];
      return r;
    }
    if (sticks(l, missing, s, r)) return r;
    return m == 1 ? slipsInPlane(l, missing, s, r) : slipsInSpace(l, missing, s);
  }

  /// The direction of the slip that a normal multiplier leaves, without friction.
  std::array<double, 2> along(const ContactLaw& l, const std::array<double, 2>& s, double normal) const {
    std::array<double, 2> d{};
    double length = 0;
    for (int i = 0; i < l.tangents; ++i) {
      const auto e = static_cast<std::size_t>(i);
      d[e] = s[e] + at(l.slip + e, l.normal) * normal;
      length = std::hypot(length, d[e]);
    }
    if (length == 0) return {1, 0};
    for (double& e : d) e /= length;
    return d;
  }

  /// v_N at its bound and no slip, within the cone.
  bool sticks(const ContactLaw& l, double missing, const std::array<double, 2>& s, Local& r) const {
    const auto m = static_cast<std::size_t>(l.tangents);
    std::vector<std::size_t> rows = {l.normal};
    std::vector<double> b = {missing}, a;
    for (std::size_t i = 0; i < m; ++i) {
      rows.push_back(l.slip + i);
      b.push_back(-s[i]);
    }
    for (const std::size_t i : rows)
      for (const std::size_t j : rows) a.push_back(at(i, j));
    const Semidefinite own(a, rows.size());
    const std::vector<double> x = own.solve(b);
    double left = 0;
    for (std::size_t i = 0; i < rows.size() && own.rank() < rows.size(); ++i) {
      double value = -b[i];
      for (std::size_t j = 0; j < rows.size(); ++j) value += a[i * rows.size() + j] * x[j];
      left = std::max(left, std::abs(value));
    }
    const double length = m == 1 ? std::abs(x[1]) : std::hypot(x[1], x[2]);
    if (left > 1e-9 * scale_ || !(x[0] > 0) || length > l.friction * x[0]) return false;
    r.normal = x[0];
    for (std::size_t i = 0; i < m; ++i) r.slip[i] = x[i + 1];
    r.state = State::Sticks;
    return true;
  }

  Local slipsInPlane(const ContactLaw& l, double missing, const std::array<double, 2>& s, Local r) const {
    r.state = State::Slides;
    double best = -std::numeric_limits<double>::infinity();
    for (const double d : {1.0, -1.0}) {
      const double a = resistance(l, {d, 0});
      if (!(a > jammed * at(l.normal, l.normal))) continue;
      const double normal = missing / a;
      const double slip = s[0] + at(l.slip, l.normal) * normal - at(l.slip, l.slip) * l.friction * normal * d;
      if (d * slip <= best) continue;
      best = d * slip;
      r.normal = normal;
      r.slip[0] = -l.friction * normal * d;
      r.direction = {d, 0};
    }
    return r;
  }

  /// The slip v_T at a friction against the direction of the angle, of which it must have the direction itself.
  Local slipsInSpace(const ContactLaw& l, double missing, const std::array<double, 2>& s) const {
    const std::size_t n = l.normal, t = l.slip;
    const auto trial = [&](double angle) {
      Local r;
      r.state = State::Slides;
      r.direction = {std::cos(angle), std::sin(angle)};
      const double a = resistance(l, r.direction);
      r.normal = a > jammed * at(n, n) ? missing / a : std::numeric_limits<double>::quiet_NaN();
      for (std::size_t i = 0; i < 2; ++i) r.slip[i] = -l.friction * r.normal * r.direction[i];
      return r;
    };
    const auto slipOf = [&](const Local& r) {
      std::array<double, 2> v = s;
      for (std::size_t i = 0; i < 2; ++i)
        v[i] += at(t + i, n) * r.normal + at(t + i, t) * r.slip[0] + at(t + i, t + 1) * r.slip[1];
      return v;
    };
    const auto across = [&](double angle) {
      const Local r = trial(angle);
      const std::array<double, 2> v = slipOf(r);
      return r.direction[0] * v[1] - r.direction[1] * v[0];
    };
    const double step = 2 * std::numbers::pi / pieces;
    Local best;
    double most = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < pieces; ++k) {
      double lo = k * step, hi = lo + step, low = across(lo), high = across(hi);
      if (!(low * high <= 0)) continue;
      for (int turn = 0; turn < 100 && hi - lo > 1e-16; ++turn) {
        const double middle = lo + (hi - lo) / 2, value = across(middle);
        if (!(middle > lo && middle < hi)) break;
        ((value > 0) == (low > 0) ? lo : hi) = middle;
        ((value > 0) == (low > 0) ? low : high) = value;
      }
      const Local r = trial(std::abs(low) < std::abs(high) ? lo : hi);
      const std::array<double, 2> v = slipOf(r);
      const double forward = v[0] * r.direction[0] + v[1] * r.direction[1];
      if (!(forward > most)) continue;
      most = forward;
      best = r;
    }
    return best;
  }

  // --- all contacts, with known states ----------------------------------------------------------------------------

  /// Solves with the present states, and changes those that the solution contradicts, until it contradicts none.
  bool refine() {
    for (int turn = 0; turn < mostTurns; ++turn) {
      if (!solveStates()) return false;
      if (!corrected()) return violation() <= rounding * std::max(scale_, 1e-300) * 10;
    }
    return false;
  }

  /// S x = missing + C x_F, as in mechanics/constraints/Contacts.h.
  bool solveStates() {
    std::vector<std::size_t> rows, sliding;
    std::vector<double> missing;
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      if (states_[k] == State::Open) continue;
      if (states_[k] == State::Slides && l.tangents > 0) sliding.push_back(k);
      rows.push_back(l.normal);
      missing.push_back(l.bound - c_[l.normal]);
      for (int t = 0; t < l.tangents && states_[k] == State::Sticks; ++t) {
        rows.push_back(l.slip + static_cast<std::size_t>(t));
        missing.push_back(-c_[rows.back()]);
      }
    }
    const std::size_t m = rows.size(), f = sliding.size();
    std::vector<double> s(m * m);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) s[i * m + j] = at(rows[i], rows[j]);
    const Semidefinite own(s, m);
    const std::vector<double> x = own.solve(missing);
    for (int turn = 0; turn < mostDirections; ++turn) {
      if (!slide(rows, sliding, own, x)) return false;
      evaluate();
      if (f == 0 || turnTo(sliding) <= 1e-15) return true;
    }
    return true;
  }

  /// Multipliers for the present directions of slips.
  bool slide(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& sliding, const Semidefinite& own,
             const std::vector<double>& x) {
    const std::size_t m = rows.size(), f = sliding.size();
    std::vector<std::vector<double>> y(f);
    for (std::size_t k = 0; k < f; ++k) {
      const ContactLaw& l = p_.contacts[sliding[k]];
      std::vector<double> c(m, 0.0);
      for (std::size_t i = 0; i < m; ++i)
        for (int t = 0; t < l.tangents; ++t)
          c[i] += l.friction * directions_[sliding[k]][static_cast<std::size_t>(t)] *
                  at(rows[i], l.slip + static_cast<std::size_t>(t));
      y[k] = own.solve(c);
    }
    std::vector<double> matrix(f * f), normal(f);
    for (std::size_t i = 0; i < f; ++i) {
      const auto row =
          static_cast<std::size_t>(std::find(rows.begin(), rows.end(), p_.contacts[sliding[i]].normal) - rows.begin());
      normal[i] = x[row];
      for (std::size_t j = 0; j < f; ++j) matrix[i * f + j] = (i == j ? 1.0 : 0.0) - y[j][row];
    }
    if (f > 0 && !eliminate(std::move(matrix), normal)) return false;
    std::fill(x_.begin(), x_.end(), 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      x_[rows[i]] = x[i];
      for (std::size_t k = 0; k < f; ++k) x_[rows[i]] += y[k][i] * normal[k];
    }
    for (std::size_t k = 0; k < f; ++k) {
      const ContactLaw& l = p_.contacts[sliding[k]];
      for (int t = 0; t < l.tangents; ++t)
        x_[l.slip + static_cast<std::size_t>(t)] =
            -l.friction * normal[k] * directions_[sliding[k]][static_cast<std::size_t>(t)];
    }
    return true;
  }

  [[nodiscard]] double slipOf(const ContactLaw& l) const {
    return l.tangents == 0 ? 0 : l.tangents == 1 ? std::abs(v_[l.slip]) : std::hypot(v_[l.slip], v_[l.slip + 1]);
  }

  /// Directions become those of the slips in space; returns how far they have turned.
  double turnTo(const std::vector<std::size_t>& sliding) {
    double most = 0;
    for (const std::size_t k : sliding) {
      const ContactLaw& l = p_.contacts[k];
      const double length = slipOf(l);
      if (l.slides || l.tangents < 2 || length <= rounding * scale_) continue;
      std::array<double, 2> d = {v_[l.slip] / length, v_[l.slip + 1] / length};
      most = std::max(most, std::hypot(d[0] - directions_[k][0], d[1] - directions_[k][1]));
      directions_[k] = d;
    }
    return most;
  }

  /// Changes the states that the multipliers and rates contradict.
  bool corrected() {
    bool any = false;
    const auto become = [&](std::size_t k, State s) {
      states_[k] = s;
      any = true;
    };
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      const double unit = at(l.normal, l.normal) > 0 ? scale_ / at(l.normal, l.normal) : 0;
      const double normal = x_[l.normal];
      double pull = 0;
      for (int t = 0; t < l.tangents; ++t) pull = std::hypot(pull, x_[l.slip + static_cast<std::size_t>(t)]);
      if (states_[k] == State::Open) {
        if (v_[l.normal] < l.bound - rounding * scale_) become(k, canStick(k) ? State::Sticks : State::Slides);
      } else if (normal < -rounding * unit) {
        become(k, State::Open);
      } else if (states_[k] == State::Sticks && pull > l.friction * normal + rounding * unit) {
        for (int t = 0; t < l.tangents; ++t)
          directions_[k][static_cast<std::size_t>(t)] = -x_[l.slip + static_cast<std::size_t>(t)] / pull;
        become(k, State::Slides);
      } else if (states_[k] == State::Slides && canStick(k)) {
        double forward = 0;
        for (int t = 0; t < l.tangents; ++t)
          forward += directions_[k][static_cast<std::size_t>(t)] * v_[l.slip + static_cast<std::size_t>(t)];
        if (forward < -rounding * scale_) become(k, State::Sticks);
      }
    }
    return any;
  }

  [[nodiscard]] double violation() const {
    double most = 0;
    const auto take = [&](double x) { most = std::isnan(x) ? INFINITY : std::max(most, x); };
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      const double rate = v_[l.normal] - l.bound, push = x_[l.normal] * at(l.normal, l.normal);
      take(std::abs(std::min(rate, push)));
      if (l.tangents == 0) continue;
      const double allowed = l.friction * x_[l.normal];
      const double slip = slipOf(l);
      double pull = 0, sideways = 0, own = 0;
      for (int t = 0; t < l.tangents; ++t) {
        const std::size_t r = l.slip + static_cast<std::size_t>(t);
        pull = std::hypot(pull, x_[r]);
        own = std::max(own, at(r, r));
        const double against = l.slides ? l.direction[static_cast<std::size_t>(t)] : slip > 0 ? v_[r] / slip : 0;
        sideways = std::hypot(sideways, x_[r] + allowed * against);
      }
      take(l.slides ? sideways * own : (pull - allowed) * own);
      // Where it slips, friction has the opposite direction: as far as the slip has one.
      if (!l.slides && slip > 0) take(std::min(slip, sideways * own * std::min(1.0, slip / scale_)));
    }
    return most;
  }

  ContactSolution finish(ContactSolution s) {
    evaluate();
    s.residual = scale_ > 0 ? violation() / scale_ : 0;
    s.states = states_;
    s.directions = directions_;
    s.multipliers = x_;
    for (std::size_t k = 0; k < p_.bilateral.size(); ++k) {
      double& own = s.multipliers[p_.bilateral[k]];
      own = -answer_[k];
      forRows([&](std::size_t j) { own -= answers_[j][k] * x_[j]; });
    }
    s.rates = p_.offset;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) s.rates[i] += p_.matrix[i * n_ + j] * s.multipliers[j];
    return s;
  }

  const ContactProblem& p_;
  std::size_t n_;
  std::vector<double> g_, c_;                ///< without bilateral rows
  std::vector<double> answer_;               ///< of the bilateral rows to the offset
  std::vector<std::vector<double>> answers_; ///< and to each row of a contact
  std::vector<double> x_, v_;
  std::vector<State> states_;
  std::vector<std::array<double, 2>> directions_;
  double scale_ = 0; ///< of rates
  bool settled_ = false;
};

} // namespace

ContactSolution solveContacts(const ContactProblem& problem) {
  return Solver(problem).run();
}

} // namespace lmc::runtime
