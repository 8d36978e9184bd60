#include "checks/study/Symplecticity.h"

#include "checks/states/NullSpace.h"
#include "checks/study/Convergence.h"
#include "linear/Decompositions.h"
#include "runtime/run/Workspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lmc::study {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  double time = 0;
  std::vector<double> y;
};

/// One workspace, and the functions of a tangent problem on it. Calls return false when an iteration fails.
class Map {
public:
  explicit Map(const runtime::TangentProblem& p) : p_(p), w_(p.problem) { good_ = w_.start() == runtime::Ok; }
  [[nodiscard]] bool good() const { return good_; }

  void set(const Sample& s) { std::copy(s.y.begin(), s.y.end(), w_.state().begin()); }
  [[nodiscard]] std::vector<double> state() const {
    return {w_.state().begin(), w_.state().begin() + static_cast<std::ptrdiff_t>(p_.stateSize)};
  }
  std::span<double> change() { return w_.numbers(p_.change); }
  /// The change along a direction in the algebra of the phase group.
  bool direct(const Vector& direction) {
    std::copy(direction.begin(), direction.end(), w_.numbers(p_.shift).begin());
    return w_.call(p_.directFunction, 0) == runtime::Ok;
  }
  bool step(double t, double h) { return w_.call(p_.stepFunction, t, h) == runtime::Ok && w_.finite(); }
  bool hold(double t) { return w_.call(p_.holdFunction, t) == runtime::Ok; }
  bool form(double t) { return w_.call(p_.formFunction, t) == runtime::Ok; }
  [[nodiscard]] Eigen::Map<const Vector> output(const runtime::Field& field) const {
    return {w_.numbers(field).data(), field.count()};
  }

private:
  const runtime::TangentProblem& p_;
  runtime::Workspace w_;
  bool good_ = false;
};

/// A bilinear form on all pairs of directions, and the sums of the absolute values of its terms.
struct Form {
  Matrix value, size;
};

/// The three vectors of every direction, as columns.
struct Columns {
  Matrix eta, dp, turned;
  Columns(std::int64_t n, std::int64_t count) : eta(n, count), dp(n, count), turned(n, count) {}
  void take(const Map& map, const runtime::TangentProblem& p, Eigen::Index k) {
    eta.col(k) = map.output(p.eta);
    dp.col(k) = map.output(p.dp);
    turned.col(k) = map.output(p.turned);
  }
  [[nodiscard]] Form form() const {
    const auto pairs = [](const Matrix& e, const Matrix& d, const Matrix& t, double sign) -> Matrix {
      return e.transpose() * d + sign * (d.transpose() * e) + t.transpose() * e;
    };
    return {pairs(eta, dp, turned, -1), pairs(eta.cwiseAbs(), dp.cwiseAbs(), turned.cwiseAbs(), 1)};
  }
};

/// The largest difference of two forms, every direction in units of its own largest terms.
double defectOf(const Form& before, const Form& after) {
  const Matrix size = before.size.cwiseMax(after.size);
  const Vector unit = size.rowwise().maxCoeff().cwiseMax(size.colwise().maxCoeff().transpose()).cwiseSqrt();
  double worst = 0;
  for (Eigen::Index i = 0; i < size.rows(); ++i) {
    for (Eigen::Index j = 0; j < size.cols(); ++j) {
      const double scale = unit(i) * unit(j);
      const double d = std::abs(after.value(i, j) - before.value(i, j));
      if (std::isnan(d)) return nothing;
      if (scale > 0) worst = std::max(worst, d / scale);
    }
  }
  return worst;
}

/// More numbers than these are not changed one by one.
constexpr std::int64_t mostDirections = 192;

/// All unit directions, or of large systems some pseudo-random ones, always the same.
Matrix directions(std::int64_t n) {
  constexpr std::int64_t some = 48;
  if (n <= mostDirections) return Matrix::Identity(n, n);
  std::mt19937_64 generator(1);
  Matrix m(n, some);
  for (double& x : m.reshaped()) x = (generator() & 1U) != 0 ? 1 : -1;
  return m;
}

/// The gradients of the constraints and of their rates at a state, as columns of length one.
std::optional<Matrix> gradients(const runtime::TangentProblem& p, Map& map, const Sample& s) {
  const std::int64_t n = p.shift.count();
  Matrix g(n, p.held.count());
  map.set(s);
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!map.direct(Vector::Unit(n, k)) || !map.hold(s.time)) return std::nullopt;
    g.row(k) = map.output(p.held).transpose();
  }
  if (!g.allFinite()) return std::nullopt;
  for (Eigen::Index i = 0; i < g.cols(); ++i)
    if (const double length = g.col(i).norm(); length > 0) g.col(i) /= length;
  return g;
}

/// Directions along which the constraints hold: a basis of them all, or some of a large system; as columns.
std::optional<Matrix> tangentDirections(const runtime::TangentProblem& p, Map& map, const Sample& s) {
  Matrix u = directions(p.shift.count());
  if (p.holdFunction < 0) return u;
  const auto g = gradients(p, map, s);
  if (!g) return std::nullopt;
  constexpr double dependent = 1e-9; // of gradients of length one
  if (u.rows() <= mostDirections) return checks::nullSpace(g->transpose(), dependent);
  const Matrix across = linear::PivotedQR(*g, dependent).range();
  for (int pass = 0; pass < 2; ++pass) u -= across * (across.transpose() * u).eval();
  return u;
}

double symplecticDefect(const runtime::TangentProblem& p, Map& map, const Sample& s, double h) {
  const auto along = tangentDirections(p, map, s);
  if (!along) return nothing;
  const Matrix& u = *along;
  Columns before(p.eta.count(), u.cols());
  Columns after(p.eta.count(), u.cols());
  for (Eigen::Index k = 0; k < u.cols(); ++k) {
    map.set(s);
    if (!map.direct(u.col(k)) || !map.form(s.time)) return nothing;
    before.take(map, p, k);
    if (!map.step(s.time, h) || !map.form(s.time + h)) return nothing;
    after.take(map, p, k);
  }
  return defectOf(before.form(), after.form());
}

/// {a, b} of all pairs of coordinates at the state in the workspace.
bool brackets(const runtime::TangentProblem& p, Map& map, double t, Matrix& result) {
  for (Eigen::Index k = 0; k < p.stateSize; ++k) {
    std::fill(map.change().begin(), map.change().end(), 0.0);
    map.change()[static_cast<std::size_t>(k)] = 1;
    if (!map.form(t)) return false;
    result.row(k) = map.output(p.turned).transpose();
  }
  return true;
}

double poissonDefect(const runtime::TangentProblem& p, Map& map, const Sample& s, double h) {
  const std::int64_t n = p.stateSize;
  Matrix before(n, n), after(n, n), tangent(n, n);
  map.set(s);
  if (!brackets(p, map, s.time, before)) return nothing;
  for (Eigen::Index k = 0; k < n; ++k) {
    map.set(s);
    std::fill(map.change().begin(), map.change().end(), 0.0);
    map.change()[static_cast<std::size_t>(k)] = 1;
    if (!map.step(s.time, h)) return nothing;
    std::copy(map.change().begin(), map.change().end(), tangent.col(k).begin());
  }
  if (!brackets(p, map, s.time + h, after)) return nothing;
  const auto moved = [](const Matrix& a, const Matrix& b) -> Matrix { return a * b * a.transpose(); };
  return defectOf({moved(tangent, before), moved(tangent.cwiseAbs(), before.cwiseAbs())}, {after, after.cwiseAbs()});
}

/// The largest defect at some states; NaN where a step fails.
double defect(const runtime::TangentProblem& p, Map& map, const std::vector<Sample>& states, double h) {
  double worst = 0;
  for (const Sample& s : states) {
    const double d = p.poisson ? poissonDefect(p, map, s, h) : symplecticDefect(p, map, s, h);
    if (std::isnan(d)) return nothing;
    worst = std::max(worst, d);
  }
  return worst;
}

/// The initial state and others along a run of the method, at times that the largest step gives.
std::vector<Sample> statesOf(const runtime::TangentProblem& p, Map& map, double largest) {
  constexpr int more = 2, between = 40; // steps of an eighth of the largest
  const double h = largest / 8;
  Sample s{std::isfinite(p.problem.timeFrom) ? p.problem.timeFrom : 0.0, p.problem.initialState};
  std::vector<Sample> states{s};
  std::fill(map.change().begin(), map.change().end(), 0.0);
  for (int k = 0; k < more; ++k) {
    for (int i = 0; i < between; ++i) {
      map.set(s);
      if (!map.step(s.time, h)) return states;
      s = {s.time + h, map.state()};
    }
    states.push_back(s);
  }
  return states;
}

/// The slope of the logarithms of the visible defects.
std::optional<double> powerOf(const std::vector<double>& steps, const std::vector<double>& defects) {
  std::vector<double> used, seen;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!(defects[k] > visibleDefect)) continue;
    used.push_back(steps[k]);
    seen.push_back(defects[k]);
  }
  if (std::adjacent_find(used.begin(), used.end(), std::not_equal_to<>()) == used.end()) return std::nullopt;
  return logarithmicSlope(used, seen);
}

/// True if the last three defects, of steps that double, grow like one power of the step.
bool growsLikeAPower(const std::vector<double>& defects) {
  const std::size_t n = defects.size();
  if (n < 3 || !(defects[n - 3] > visibleDefect && defects[n - 1] > roundOffDefect)) return false;
  const double first = std::log2(defects[n - 2] / defects[n - 3]);
  const double second = std::log2(defects[n - 1] / defects[n - 2]);
  return first > 1.5 && first < 14 && std::abs(first - second) < 1;
}

/// What a step differs from two of half the length, relative to the size of the state.
double stepError(const runtime::TangentProblem& p, Map& map, const Sample& s, double h) {
  const auto run = [&](int n) -> std::vector<double> {
    map.set(s);
    std::fill(map.change().begin(), map.change().end(), 0.0);
    for (int k = 0; k < n; ++k)
      if (!map.step(s.time + k * h / n, h / n)) return {};
    return map.state();
  };
  const std::vector<double> one = run(1), two = run(2);
  if (one.empty() || two.empty()) return nothing;
  double size = 1, error = 0;
  for (Eigen::Index k = 0; k < p.stateSize; ++k) {
    const auto at = static_cast<std::size_t>(k);
    size = std::max(size, std::abs(s.y[at]));
    error = std::max(error, std::abs(one[at] - two[at]));
  }
  return error / size;
}

/// True if the last defect is no round-off but about as large as the error of the step, and has grown fast with the
/// last steps, if not evenly: steps of high order leave round-off within a few doublings, and then stop to show their
/// power.
bool growsWithTheError(const std::vector<double>& defects, double error) {
  constexpr double plain = 1e-9, part = 1e-3; // of the error
  const std::size_t n = defects.size();
  if (n < 3 || !(defects[n - 1] > plain && defects[n - 1] > part * error)) return false;
  constexpr double fast = 8; // a power of at least three
  return defects[n - 1] > fast * defects[n - 2] && defects[n - 2] > fast * defects[n - 3];
}

/// Doubles the smallest step: a defect of a high power of h may be invisible at the given steps. It is told from
/// round-off, which ill-conditioned equations of large steps amplify, by its growth.
void searchAtLargerSteps(Symplecticity& r, const runtime::TangentProblem& p, Map& map, const Sample& s) {
  constexpr int doublings = 10, most = 30; // more until the error of the method is visible
  constexpr double large = 1e-2;           // of no interest any more
  constexpr double visible = 1e-8;         // of an error: a defect like it would be seen
  constexpr double plain = 1e-4;           // and one that is much smaller, too
  std::vector<double> steps, defects;
  double h = *std::min_element(r.steps.begin(), r.steps.end());
  double error = 0;
  for (int k = 0; k <= doublings || (k <= most && error < plain); ++k, h *= 2) {
    const double d = defect(p, map, {s}, h);
    if (!(d < large)) break;
    const double own = stepError(p, map, s, h);
    error = std::max(error, own);
    steps.push_back(h);
    defects.push_back(d);
    if (!growsLikeAPower(defects) && !growsWithTheError(defects, own)) continue;
    r.symplectic = false;
    r.power = std::log2(defects[defects.size() - 1] / defects[defects.size() - 3]) / 2;
    return;
  }
  r.decided = error >= visible || static_cast<int>(steps.size()) > most;
  if (!steps.empty()) r.largest = steps.back();
}

} // namespace

bool Symplecticity::measured() const {
  return std::any_of(defects.begin(), defects.end(), [](double d) { return !std::isnan(d); });
}

Symplecticity symplecticity(const runtime::TangentProblem& problem, const std::vector<double>& steps) {
  Symplecticity r;
  r.method = problem.problem.method;
  r.steps = steps;
  Map map(problem);
  const double largest = *std::max_element(steps.begin(), steps.end());
  const std::vector<Sample> states = map.good() ? statesOf(problem, map, largest) : std::vector<Sample>{};
  for (const double h : steps) r.defects.push_back(map.good() ? defect(problem, map, states, h) : nothing);
  if (!r.measured()) return r;
  const auto smallest = std::min_element(steps.begin(), steps.end()) - steps.begin();
  r.symplectic = r.defects[static_cast<std::size_t>(smallest)] <= roundOffDefect;
  if (r.symplectic) searchAtLargerSteps(r, problem, map, states.back());
  if (!r.symplectic && !r.power) r.power = powerOf(r.steps, r.defects);
  return r;
}

} // namespace lmc::study
