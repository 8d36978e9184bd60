#include "runtime/contacts/ConeSweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lmc::runtime {

namespace {

using Rows = ConeSweeps::Rows;
/// Sweeps without a smaller residual than before, after which there is no hope of one: with friction the solution may
/// be a fixed point of sweeps that repels, and they go round it at a small distance.
constexpr std::int64_t patience = 1000;
constexpr std::size_t width = ConeSweeps::mostRows;
using Matrix = std::array<double, width * width>;

/// x with A x = b for the leading n rows, by elimination with pivots; a pivot of zero leaves its unknown zero.
Rows eliminated(std::size_t n, Matrix a, Rows b) {
  std::array<std::size_t, width> order{0, 1, 2};
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(a[i * width + j]));
  const double small = 1e-14 * largest;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[order[i] * width + k]) > std::abs(a[order[best] * width + k])) best = i;
    std::swap(order[k], order[best]);
    const double pivot = a[order[k] * width + k];
    if (!(std::abs(pivot) > small)) continue;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[order[i] * width + k] / pivot;
      for (std::size_t j = k; j < n; ++j) a[order[i] * width + j] -= factor * a[order[k] * width + j];
      b[order[i]] -= factor * b[order[k]];
    }
  }
  Rows x{};
  for (std::size_t k = n; k-- > 0;) {
    double rest = b[order[k]];
    for (std::size_t j = k + 1; j < n; ++j) rest -= a[order[k] * width + j] * x[j];
    const double pivot = a[order[k] * width + k];
    x[k] = std::abs(pivot) > small ? rest / pivot : 0;
  }
  return x;
}

double along(const Rows& p) {
  return std::hypot(p[1], p[2]);
}

/// (W + diag(0, s, s)) P = -b.
Rows withSlip(std::size_t rows, Matrix w, const Rows& b, double s) {
  for (std::size_t i = 1; i < rows; ++i) w[i * width + i] += s;
  return eliminated(rows, w, {-b[0], -b[1], -b[2]});
}

/// The normal apart from the tangents, and these alike: what a sphere has.
bool isIsotropic(std::size_t rows, const Matrix& w) {
  double mixed = std::abs(w[1]);
  if (rows == 3) mixed = std::max({mixed, std::abs(w[2]), std::abs(w[5]), std::abs(w[4] - w[8])});
  return mixed <= 1e-14 * std::abs(w[4]);
}

/// Contacts between sweeps: their own matrices, and what acceleration needs.
struct Work {
  Matrix own{};
  Rows step{}, direction{};
};

double* velocities(std::vector<double>& change, const ConeSweeps::Block& b) {
  return change.data() + b.column;
}

Rows rateOf(const ConeSweeps::Contact& c, std::vector<double>& change) {
  Rows u = c.rate;
  for (const ConeSweeps::Block& b : c.blocks) {
    const double* const v = velocities(change, b);
    const double* row = b.rows.data();
    for (std::size_t r = 0; r < c.rows; ++r, row += b.dimension)
      for (std::size_t k = 0; k < b.dimension; ++k) u[r] += row[k] * v[k];
  }
  u[0] -= c.bound;
  return u;
}

void push(const ConeSweeps::Contact& c, std::vector<double>& change, const Rows& impulse) {
  for (const ConeSweeps::Block& b : c.blocks) {
    double* const v = velocities(change, b);
    const double* row = b.response.data();
    for (std::size_t r = 0; r < c.rows; ++r, row += b.dimension)
      for (std::size_t k = 0; k < b.dimension; ++k) v[k] += row[k] * impulse[r];
  }
}

Matrix ownMatrix(const ConeSweeps::Contact& c) {
  Matrix w{};
  for (const ConeSweeps::Block& b : c.blocks)
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.rows; ++j)
        for (std::size_t k = 0; k < b.dimension; ++k)
          w[i * width + j] += b.rows[i * b.dimension + k] * b.response[j * b.dimension + k];
  for (std::size_t i = 0; i < c.rows; ++i) // symmetric but for rounding
    for (std::size_t j = 0; j < i; ++j) w[i * width + j] = w[j * width + i] = (w[i * width + j] + w[j * width + i]) / 2;
  return w;
}

Rows times(std::size_t rows, const Matrix& w, const Rows& p) {
  Rows u{};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) u[i] += w[i * width + j] * p[j];
  return u;
}

double largestOf(const Rows& u) {
  return std::max({std::abs(u[0]), std::abs(u[1]), std::abs(u[2])});
}

/// One sweep: changes of rates at their own contacts, and the square of the steps in the norm of these matrices.
struct Swept {
  double change = 0, scale = 0, square = 0;
};

Swept sweep(std::vector<ConeSweeps::Contact>& contacts, std::vector<Work>& work, std::vector<double>& change) {
  Swept s;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    ConeSweeps::Contact& c = contacts[k];
    const Matrix& w = work[k].own;
    Rows b = rateOf(c, change);
    const Rows before = times(c.rows, w, c.impulse);
    for (std::size_t i = 0; i < c.rows; ++i) b[i] -= before[i];
    const Rows p = ConeSweeps::alone(c.rows, w, b, c.friction);
    Rows& d = work[k].step;
    for (std::size_t i = 0; i < c.rows; ++i) d[i] = p[i] - c.impulse[i];
    push(c, change, d);
    c.impulse = p;
    const Rows moved = times(c.rows, w, d);
    s.change = std::max(s.change, largestOf(moved));
    s.scale = std::max(s.scale, largestOf(times(c.rows, w, p)));
    for (std::size_t i = 0; i < c.rows; ++i) s.square += d[i] * moved[i];
  }
  return s;
}

/// A step along the directions, by as much as the steps of sweeps have shrunk; none where they have grown.
void accelerate(std::vector<ConeSweeps::Contact>& contacts, std::vector<Work>& work, std::vector<double>& change,
                double square, double before) {
  const double share = before > 0 ? square / before : 0;
  const bool anew = !(share <= 1);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    ConeSweeps::Contact& c = contacts[k];
    Work& own = work[k];
    if (anew) {
      own.direction = {};
      continue;
    }
    Rows d{};
    for (std::size_t i = 0; i < c.rows; ++i) {
      d[i] = share * own.direction[i];
      c.impulse[i] += d[i];
      own.direction[i] = d[i] + own.step[i];
    }
    push(c, change, d);
  }
}

} // namespace

Rows ConeSweeps::alone(std::size_t rows, const Matrix& w, const Rows& b, double friction) {
  if (b[0] >= 0) return {};
  const double normal = -b[0] / w[0];
  if (rows == 1 || friction == 0) return {normal, 0, 0};
  if (isIsotropic(rows, w)) {
    Rows p{normal, -b[1] / w[4], rows == 3 ? -b[2] / w[4] : 0};
    const double size = along(p), most = friction * normal;
    if (size > most) {
      p[1] *= most / size;
      p[2] *= most / size;
    }
    return p;
  }
  const auto excess = [&](const Rows& p) { return along(p) - friction * p[0]; };
  Rows p = withSlip(rows, w, b, 0);
  double low = 0, atLow = excess(p);
  if (atLow <= 0) return p;
  double high = w[0] + w[4] + w[8];
  double atHigh = excess(withSlip(rows, w, b, high));
  for (int k = 0; k < 100 && atHigh > 0; ++k) {
    low = high;
    atLow = atHigh;
    high *= 4;
    atHigh = excess(withSlip(rows, w, b, high));
  }
  // Regula falsi with halved values (the Illinois method): one of both ends moves each time.
  int side = 0;
  for (int k = 0; k < 100; ++k) {
    const double s = (low * atHigh - high * atLow) / (atHigh - atLow);
    p = withSlip(rows, w, b, s);
    const double value = excess(p);
    if (std::abs(value) <= 1e-15 * friction * std::abs(p[0]) || high - low <= 1e-15 * high) break;
    if (value > 0) {
      low = s;
      atLow = value;
      if (side == 1) atHigh /= 2;
      side = 1;
    } else {
      high = s;
      atHigh = value;
      if (side == -1) atLow /= 2;
      side = -1;
    }
  }
  return p;
}

ConeSweeps::Result ConeSweeps::solve(std::vector<Contact>& contacts, std::vector<double>& change, double tolerance,
                                     std::int64_t most) {
  Result result;
  std::vector<Work> work(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    work[k].own = ownMatrix(contacts[k]);
    push(contacts[k], change, contacts[k].impulse);
  }
  double before = 0, best = std::numeric_limits<double>::infinity();
  std::int64_t improved = 0;
  while (result.sweeps < most) {
    const Swept s = sweep(contacts, work, change);
    ++result.sweeps;
    result.scale = s.scale;
    result.residual = s.scale > 0 ? s.change / s.scale : s.change;
    result.solved = result.residual <= tolerance;
    if (result.residual < best) {
      best = result.residual;
      improved = result.sweeps;
    }
    if (result.solved || result.sweeps == most || result.sweeps - improved > patience) break;
    accelerate(contacts, work, change, s.square, before);
    before = s.square;
  }
  return result;
}

} // namespace lmc::runtime
