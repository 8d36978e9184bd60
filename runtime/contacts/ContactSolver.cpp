#include "runtime/contacts/ContactSolver.h"

#include "runtime/contacts/Dense.h"
#include "runtime/contacts/OneContact.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

namespace {

using State = ContactSolution::State;

constexpr double rounding = 1e-13;  ///< of rates and multipliers, in units of the largest ones
constexpr double partOfTerms = 0.1; ///< large multipliers of unequal bodies may cancel each other in a rate
constexpr double knownTo = 1e-10;   ///< contacts touch to this part of their sides, and matrices are known no better
constexpr double jammed = 1e-9;     ///< of the resistance of a normal, that friction may leave
constexpr int firstSweeps = 20;     ///< before the states are tried
constexpr int mostSweeps = 20'000;
constexpr int mostTurns = 60;        ///< of states for one guess
constexpr int mostSingle = 2000;     ///< without friction
constexpr int mostIdle = 10;         ///< turns that make no progress, before states change one by one
constexpr int mostDirections = 2000; ///< of fixed point iterations of slips in space

/// The problem without bilateral rows, of which only rows of contacts are left.
class Solver {
public:
  explicit Solver(const ContactProblem& p) : p_(p), n_(p.size), g_(p.matrix), c_(p.offset), terms_(n_) {
    eliminateBilateral();
    directions_.resize(p.contacts.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const ContactLaw& l = p.contacts[k];
      scale_ = std::max({scale_, std::abs(l.bound), std::abs(c_[l.normal]), at(l.normal, l.normal) * l.least});
      for (int t = 0; t < l.tangents; ++t)
        scale_ = std::max(scale_, std::abs(c_[l.slip + static_cast<std::size_t>(t)]));
    }
    restart();
  }

  ContactSolution run() {
    ContactSolution s;
    if (isJammed(s)) return finish(std::move(s));
    // Where forces are not determined sweeps can end with friction of one contact against that of another; what holds
    // without a slip is shorter.
    for (std::size_t k = 0; k < states_.size(); ++k) {
      states_[k] = canStick(k) ? State::Sticks : State::Slides;
      held_[k] = true;
    }
    if (refine()) return finish(std::move(s));
    restart();
    int sweeps = firstSweeps;
    for (int done = 0; done < mostSweeps; sweeps *= 2) {
      for (int k = 0; k < sweeps && !settled_; ++k) sweep();
      done += sweeps;
      const std::vector<double> x = x_;
      const std::vector<State> states = states_;
      const std::vector<bool> held = held_;
      const auto directions = directions_;
      if (refine()) return finish(std::move(s));
      x_ = x;
      states_ = states;
      held_ = held;
      directions_ = directions;
      evaluate();
      if (settled_ && violation() <= rounding) return finish(std::move(s));
      settled_ = false;
    }
    // Nearly dependent rows, such as slips of two corners on one floor, leave sweeps a way that has no end.
    if (violation() <= knownTo) return finish(std::move(s));
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
    states_.assign(p_.contacts.size(), State::Open);
    held_.assign(p_.contacts.size(), false);
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      directions_[k] = l.direction;
      x_[l.normal] = l.least;
      if (l.least > 0) states_[k] = State::Slides;
    }
    evaluate();
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
    forRows([&](std::size_t i) { terms_[i] = scale_; });
    forRows([&](std::size_t j) {
      if (x_[j] == 0) return;
      forRows([&](std::size_t i) {
        const double own = at(i, j) * x_[j];
        v_[i] += own;
        terms_[i] = std::max(terms_[i], partOfTerms * std::abs(own));
      });
    });
  }

  template <class Body> void forRows(const Body& body) const {
    for (const ContactLaw& l : p_.contacts) {
      body(l.normal);
      for (int t = 0; t < l.tangents; ++t) body(l.slip + static_cast<std::size_t>(t));
    }
  }

  /// What one contact does while the others stay as they are.
  [[nodiscard]] OneContact alone(std::size_t k) const {
    const ContactLaw& l = p_.contacts[k];
    const auto row = [&](std::size_t i) { return i == 0 ? l.normal : l.slip + i - 1; };
    std::array<OneContact::Rows, 3> own{};
    for (std::size_t i = 0; i < 1 + static_cast<std::size_t>(l.tangents); ++i)
      for (std::size_t j = 0; j < 1 + static_cast<std::size_t>(l.tangents); ++j) own[i][j] = at(row(i), row(j));
    return {l, own, scale_};
  }

  bool isJammed(ContactSolution& s) const {
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      if (!l.slides || alone(k).resistance(l.direction) > jammed * at(l.normal, l.normal)) continue;
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

  void sweep() {
    double change = 0, size = 0;
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      const OneContact::Answer local = solve(k);
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
      held_[k] = local.held;
      directions_[k] = local.direction;
    }
    evaluate();
    settled_ = change <= 1e-15 * size;
  }

  [[nodiscard]] OneContact::Answer solve(std::size_t k) const {
    const ContactLaw& l = p_.contacts[k];
    const std::size_t n = l.normal, t = l.slip;
    const auto m = static_cast<std::size_t>(l.tangents);
    OneContact::Rows free{}; // rates without the own multipliers
    free[0] = v_[n] - at(n, n) * x_[n];
    for (std::size_t i = 0; i < m; ++i) free[0] -= at(n, t + i) * x_[t + i];
    for (std::size_t i = 0; i < m; ++i) {
      free[1 + i] = v_[t + i] - at(t + i, n) * x_[n];
      for (std::size_t j = 0; j < m; ++j) free[1 + i] -= at(t + i, t + j) * x_[t + j];
    }
    return alone(k).solve(free);
  }

  // --- all contacts, with known states ----------------------------------------------------------------------------

  /// Solves with the present states, and changes those that the solution contradicts, until it contradicts none.
  bool refine() {
    // Without friction one change a turn, of the last contact, comes to the end from any states (K. G. Murty, Opsearch
    // 11 (1974)); all changes at once come there sooner, but for some which go round.
    const bool plain =
        std::all_of(p_.contacts.begin(), p_.contacts.end(), [](const auto& l) { return l.tangents == 0; });
    const int turns = plain ? mostSingle : mostTurns;
    std::size_t least = p_.contacts.size() + 1;
    int idle = 0;
    for (int turn = 0; turn < turns; ++turn) {
      if (!solveStates()) return false;
      const std::size_t wrong = corrected(plain && idle >= mostIdle);
      if (wrong == 0) return violation() <= rounding * 10;
      idle = wrong < least ? 0 : idle + 1;
      least = std::min(least, wrong);
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
      if (held_[k]) {
        rows.push_back(l.normal);
        missing.push_back(l.bound - c_[l.normal]);
      }
      for (int t = 0; t < l.tangents && states_[k] == State::Sticks; ++t) {
        rows.push_back(l.slip + static_cast<std::size_t>(t));
        missing.push_back(-c_[rows.back()]);
      }
    }
    const std::size_t m = rows.size(), f = sliding.size();
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      for (std::size_t i = 0; i < m && !held_[k] && l.least > 0; ++i) missing[i] -= at(rows[i], l.normal) * l.least;
    }
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
      if (!held_[sliding[i]]) { // its normal is known
        matrix[i * f + i] = 1;
        normal[i] = p_.contacts[sliding[i]].least;
        continue;
      }
      const auto row =
          static_cast<std::size_t>(std::find(rows.begin(), rows.end(), p_.contacts[sliding[i]].normal) - rows.begin());
      normal[i] = x[row];
      for (std::size_t j = 0; j < f; ++j) matrix[i * f + j] = (i == j ? 1.0 : 0.0) - y[j][row];
    }
    if (f > 0 && !eliminate(std::move(matrix), normal)) return false;
    std::fill(x_.begin(), x_.end(), 0.0);
    for (std::size_t k = 0; k < p_.contacts.size(); ++k)
      if (!held_[k]) x_[p_.contacts[k].normal] = p_.contacts[k].least;
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

  /// Changes the states that the multipliers and rates contradict, or the last one alone; returns how many there are.
  std::size_t corrected(bool lastAlone) {
    std::size_t wrong = 0;
    for (std::size_t k = p_.contacts.size(); k-- > 0;) {
      const State state = states_[k];
      const bool held = held_[k];
      if (!correct(k)) continue;
      if (++wrong == 1 || !lastAlone) continue;
      states_[k] = state;
      held_[k] = held;
    }
    return wrong;
  }

  /// Changes the state of a contact that its multipliers and rates contradict. False where they do not.
  bool correct(std::size_t k) {
    const ContactLaw& l = p_.contacts[k];
    const double own = terms_[l.normal], unit = at(l.normal, l.normal) > 0 ? own / at(l.normal, l.normal) : 0;
    const double normal = x_[l.normal];
    double pull = 0;
    for (int t = 0; t < l.tangents; ++t) pull = std::hypot(pull, x_[l.slip + static_cast<std::size_t>(t)]);
    const State closed = canStick(k) ? State::Sticks : State::Slides;
    if (!held_[k] && v_[l.normal] < l.bound - rounding * own) {
      held_[k] = true;
      states_[k] = closed;
      return true;
    }
    if (held_[k] && normal < l.least - rounding * unit) {
      held_[k] = false;
      states_[k] = l.least > 0 ? closed : State::Open;
      return true;
    }
    if (states_[k] == State::Sticks && pull > l.friction * normal + rounding * unit) {
      for (int t = 0; t < l.tangents; ++t)
        directions_[k][static_cast<std::size_t>(t)] = -x_[l.slip + static_cast<std::size_t>(t)] / pull;
      states_[k] = State::Slides;
      return true;
    }
    if (states_[k] != State::Slides || !canStick(k)) return false;
    double forward = 0;
    for (int t = 0; t < l.tangents; ++t)
      forward += directions_[k][static_cast<std::size_t>(t)] * v_[l.slip + static_cast<std::size_t>(t)];
    if (forward >= -rounding * scale_) return false;
    states_[k] = State::Sticks;
    return true;
  }

  /// The largest violation of a law, in units of the terms of its row.
  [[nodiscard]] double violation() const {
    double most = 0;
    const auto take = [&](double x, double unit) {
      most = std::isnan(x) ? INFINITY : std::max(most, unit > 0 ? x / unit : x);
    };
    for (std::size_t k = 0; k < p_.contacts.size(); ++k) {
      const ContactLaw& l = p_.contacts[k];
      const double rate = v_[l.normal] - l.bound, push = (x_[l.normal] - l.least) * at(l.normal, l.normal);
      take(std::abs(std::min(rate, push)), terms_[l.normal]);
      if (l.tangents == 0) continue;
      const double allowed = l.friction * x_[l.normal];
      const double slip = slipOf(l);
      double pull = 0, sideways = 0, own = 0, unit = 0;
      for (int t = 0; t < l.tangents; ++t) {
        const std::size_t r = l.slip + static_cast<std::size_t>(t);
        pull = std::hypot(pull, x_[r]);
        own = std::max(own, at(r, r));
        unit = std::max(unit, terms_[r]);
        const double against = l.slides ? l.direction[static_cast<std::size_t>(t)] : slip > 0 ? v_[r] / slip : 0;
        sideways = std::hypot(sideways, x_[r] + allowed * against);
      }
      take(l.slides ? sideways * own : (pull - allowed) * own, unit);
      // Where it slips, friction has the opposite direction: as far as the slip has one.
      if (!l.slides && slip > 0) take(std::min(slip, sideways * own * std::min(1.0, slip / scale_)), unit);
    }
    return most;
  }

  ContactSolution finish(ContactSolution s) {
    evaluate();
    s.residual = violation();
    s.states = states_;
    s.held = held_;
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
  std::vector<bool> held_; ///< the rate of the normal is its bound; else its multiplier is the least one
  std::vector<std::array<double, 2>> directions_;
  double scale_ = 0;          ///< of rates
  std::vector<double> terms_; ///< by rows: what the rounding of their rates is measured in
  bool settled_ = false;
};

} // namespace

ContactSolution solveContacts(const ContactProblem& problem) {
  return Solver(problem).run();
}

} // namespace lmc::runtime
