#include "runtime/contacts/OneContact.h"

#include "runtime/contacts/Dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace lmc::runtime {

namespace {

constexpr double jammedAlone = 1e-9; ///< of the resistance of a normal, that friction may leave
constexpr int pieces = 72;           ///< of the circle in which a direction is looked for

} // namespace

double OneContact::resistance(const std::array<double, 2>& d) const {
  double a = own_[0][0];
  for (std::size_t i = 0; i < m_; ++i) a -= law_.friction * d[i] * own_[0][1 + i];
  return a;
}

/// The friction against a slip that would be `slip` without it, of which the largest possible size is known: the
/// slip behind it is w + A P, and friction against it with |P| = most is the P of (A + lambda) P = -w with lambda > 0.
std::array<double, 2> OneContact::pullInSpace(const std::array<double, 2>& slip, double most, bool& sticks) const {
  const double a = own_[1][1], b = own_[1][2], c = own_[2][2];
  // Axes of A: by the angle of its larger one.
  const double angle = std::atan2(2 * b, a - c) / 2, s = std::sin(angle), k = std::cos(angle);
  const double large = a * k * k + 2 * b * k * s + c * s * s;
  const double small = std::max(a * s * s - 2 * b * k * s + c * k * k, 0.0);
  const double w1 = k * slip[0] + s * slip[1], w2 = k * slip[1] - s * slip[0];
  const auto pull = [&](double lambda) {
    const double p1 = w1 == 0 ? 0 : -w1 / (large + lambda), p2 = w2 == 0 ? 0 : -w2 / (small + lambda);
    return std::array<double, 2>{k * p1 - s * p2, s * p1 + k * p2};
  };
  const auto size = [](const std::array<double, 2>& p) { return std::hypot(p[0], p[1]); };
  const std::array<double, 2> stuck = pull(0);
  sticks = size(stuck) <= most;
  if (sticks) return stuck;
  const double length = size(slip);
  if (most == 0 || length == 0) return {0, 0};
  double low = 0, high = length / most;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (size(pull(middle)) > most ? low : high) = middle;
  }
  const std::array<double, 2> p = pull(high);
  return {p[0] * (most / size(p)), p[1] * (most / size(p))};
}

/// With the least multiplier of the normal.
OneContact::Answer OneContact::released(const Rows& free) const {
  Answer r;
  r.direction = law_.direction;
  r.normal = law_.least;
  if (!(law_.least > 0)) return r;
  r.state = ContactSolution::State::Slides;
  if (m_ == 0) return r;
  std::array<double, 2> slip{};
  for (std::size_t i = 0; i < m_; ++i) slip[i] = free[1 + i] + own_[1 + i][0] * r.normal;
  const double most = law_.friction * r.normal;
  bool stuck = false;
  if (law_.slides) {
    for (std::size_t i = 0; i < m_; ++i) r.slip[i] = -most * law_.direction[i];
  } else if (m_ == 1) {
    const double wanted = slip[0] == 0 ? 0 : -slip[0] / own_[1][1];
    stuck = std::abs(wanted) <= most;
    r.slip[0] = stuck ? wanted : std::copysign(most, wanted);
    r.direction = {std::copysign(1.0, slip[0]), 0};
  } else {
    r.slip = pullInSpace(slip, most, stuck);
    const double pull = std::hypot(r.slip[0], r.slip[1]), length = std::hypot(slip[0], slip[1]);
    for (std::size_t i = 0; i < 2; ++i)
      r.direction[i] = pull > 0 ? -r.slip[i] / pull : length > 0 ? slip[i] / length : (i == 0 ? 1.0 : 0.0);
  }
  if (stuck && law_.friction > 0) r.state = ContactSolution::State::Sticks;
  return r;
}

OneContact::Answer OneContact::solve(const Rows& free) const {
  Answer r = released(free);
  double rate = free[0] + own_[0][0] * r.normal;
  for (std::size_t i = 0; i < m_; ++i) rate += own_[0][1 + i] * r.slip[i];
  if (law_.bound - rate <= 0 || !(own_[0][0] > 0)) return r;
  const Answer otherwise = r;
  r.held = true;
  const double missing = law_.bound - free[0];
  if (m_ == 0 || law_.slides || law_.friction == 0) {
    r.state = ContactSolution::State::Slides;
    if (m_ > 0 && !law_.slides) r.direction = along(free, missing / own_[0][0]);
    r.normal = missing / resistance(r.direction);
    for (std::size_t i = 0; i < m_; ++i) r.slip[i] = -law_.friction * r.normal * r.direction[i];
    return r;
  }
  if (sticks(free, r)) return r;
  return m_ == 1 ? slipsInPlane(free, otherwise) : slipsInSpace(free, otherwise);
}

/// The direction of the slip that a normal multiplier leaves, without friction.
std::array<double, 2> OneContact::along(const Rows& free, double normal) const {
  std::array<double, 2> d{};
  double length = 0;
  for (std::size_t i = 0; i < m_; ++i) {
    d[i] = free[1 + i] + own_[1 + i][0] * normal;
    length = std::hypot(length, d[i]);
  }
  if (length == 0) return {1, 0};
  for (double& e : d) e /= length;
  return d;
}

/// v_N at its bound and no slip, within the cone.
bool OneContact::sticks(const Rows& free, Answer& r) const {
  const std::size_t n = 1 + m_;
  std::vector<double> a, b = {law_.bound - free[0]};
  for (std::size_t i = 0; i < m_; ++i) b.push_back(-free[1 + i]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a.push_back(own_[i][j]);
  const Semidefinite own(a, n);
  const std::vector<double> x = own.solve(b);
  double left = 0;
  for (std::size_t i = 0; i < n && own.rank() < n; ++i) {
    double value = -b[i];
    for (std::size_t j = 0; j < n; ++j) value += a[i * n + j] * x[j];
    left = std::max(left, std::abs(value));
  }
  const double length = m_ == 1 ? std::abs(x[1]) : std::hypot(x[1], x[2]);
  if (left > 1e-9 * scale_ || !(x[0] > 0) || x[0] < law_.least || length > law_.friction * x[0]) return false;
  r.normal = x[0];
  for (std::size_t i = 0; i < m_; ++i) r.slip[i] = x[i + 1];
  r.state = ContactSolution::State::Sticks;
  return true;
}

OneContact::Answer OneContact::slipsInPlane(const Rows& free, Answer r) const {
  double best = -std::numeric_limits<double>::infinity();
  for (const double d : {1.0, -1.0}) {
    const double a = resistance({d, 0});
    if (!(a > jammedAlone * own_[0][0])) continue;
    const double normal = (law_.bound - free[0]) / a;
    const double slip = free[1] + own_[1][0] * normal - own_[1][1] * law_.friction * normal * d;
    if (normal < law_.least || d * slip <= best) continue;
    best = d * slip;
    r.state = ContactSolution::State::Slides;
    r.held = true;
    r.normal = normal;
    r.slip[0] = -law_.friction * normal * d;
    r.direction = {d, 0};
  }
  return r;
}

/// The slip v_T at a friction against the direction of the angle, of which it must have the direction itself.
OneContact::Answer OneContact::slipsInSpace(const Rows& free, const Answer& otherwise) const {
  const auto trial = [&](double angle) {
    Answer r;
    r.state = ContactSolution::State::Slides;
    r.held = true;
    r.direction = {std::cos(angle), std::sin(angle)};
    const double a = resistance(r.direction);
    r.normal = a > jammedAlone * own_[0][0] ? (law_.bound - free[0]) / a : std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < 2; ++i) r.slip[i] = -law_.friction * r.normal * r.direction[i];
    return r;
  };
  const auto slipOf = [&](const Answer& r) {
    std::array<double, 2> v{free[1], free[2]};
    for (std::size_t i = 0; i < 2; ++i)
      v[i] += own_[1 + i][0] * r.normal + own_[1 + i][1] * r.slip[0] + own_[1 + i][2] * r.slip[1];
    return v;
  };
  const auto across = [&](double angle) {
    const Answer r = trial(angle);
    const std::array<double, 2> v = slipOf(r);
    return r.direction[0] * v[1] - r.direction[1] * v[0];
  };
  const double step = 2 * std::numbers::pi / pieces;
  Answer best = otherwise;
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
    const Answer r = trial(std::abs(low) < std::abs(high) ? lo : hi);
    const std::array<double, 2> v = slipOf(r);
    const double forward = v[0] * r.direction[0] + v[1] * r.direction[1];
    if (!(forward > most) || r.normal < law_.least) continue;
    most = forward;
    best = r;
  }
  return best;
}

} // namespace lmc::runtime
