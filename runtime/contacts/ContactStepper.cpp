#include "runtime/contacts/ContactStepper.h"

#include "runtime/contacts/NearMembers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lmc::runtime {

namespace {

using Rows = ConeSweeps::Rows;

/// Of |left| + |right|: a gap that is smaller is closed, so that a body which rests does not leave its contact and come
/// back by what an iteration has left of its velocity.
constexpr double closedOverSteps = 1e-6;
/// Likewise, what rounding explains of a gap below zero at the begin.
constexpr double atTheBegin = 1e-10;
constexpr double roundOff = 16 * std::numeric_limits<double>::epsilon();
constexpr std::int64_t mostConeSweeps = 2000;

double dot(std::size_t n, const Rows& a, const Rows& b) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// The inverse of a symmetric positive definite matrix, by its Cholesky factor; false where it is none.
bool invert(std::vector<double>& a, std::size_t n) {
  std::vector<double> l(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0)) return false;
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> x(n, 0.0);
    x[c] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
      x[i] /= l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
      x[i] /= l[i * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) a[i * n + c] = x[i];
  }
  return true;
}

/// How fast points move at most, and how fast what is subtracted from distances grows.
struct Fastest {
  double speed = 0, size = -std::numeric_limits<double>::infinity(), growth = 0;
};

Fastest fastest(const double* points, std::int64_t numbers) {
  Fastest f;
  for (const double* const end = points + numbers; points < end; points += SteppedFamily::pointNumbers) {
    f.speed = std::max(f.speed, std::hypot(points[3], points[4], points[5]));
    f.size = std::max(f.size, points[6]);
    f.growth = std::max(f.growth, std::abs(points[7]));
  }
  return f;
}

} // namespace

ContactStepper::ContactStepper(const Problem& problem, double* const* bases)
    : problem_(problem), steps_(*problem.contactSteps), bases_(bases) {
  numberBlocks();
}

/// Columns of one block stand together in the numbering of the sweeps.
void ContactStepper::numberBlocks() {
  blockOf_.resize(static_cast<std::size_t>(steps_.columns));
  position_.resize(static_cast<std::size_t>(steps_.columns));
  std::size_t next = 0;
  for (const SteppedMass& m : steps_.masses) {
    for (std::int64_t member = 0; member < m.extent; ++member) {
      MassBlock b;
      b.begin = next;
      for (const SteppedFamily::Touched& c : m.columns)
        for (std::int64_t e = 0; e < c.dimension; ++e) {
          const auto column = static_cast<std::size_t>(c.column + member * c.dimension + e);
          blockOf_[column] = blocks_.size();
          position_[column] = next++;
        }
      b.size = next - b.begin;
      blocks_.push_back(std::move(b));
    }
  }
}

std::int32_t ContactStepper::call(int function, double t, double first, double second) const {
  const std::array<double, 3> arguments{t, first, second};
  return problem_.code->function(function)(bases_, arguments.data());
}

const double* ContactStepper::numbers(const Field& f) const {
  return bases_[static_cast<std::size_t>(f.role)] + f.offset;
}

std::int32_t ContactStepper::invertMasses(double t) {
  if (steps_.constantMasses && !blocks_.empty() && !blocks_.front().inverse.empty()) return Ok;
  if (const std::int32_t status = call(steps_.massFunction, t, 0, 0); status != Ok) return status;
  std::size_t next = 0;
  for (const SteppedMass& m : steps_.masses) {
    const double* matrix = numbers(m.matrix);
    const auto size = static_cast<std::size_t>(m.size);
    for (std::int64_t member = 0; member < m.extent; ++member, matrix += size * size, ++next) {
      blocks_[next].inverse.assign(matrix, matrix + size * size);
      if (invert(blocks_[next].inverse, size)) continue;
      cause_ = "the mass matrix of a member is not positive definite, and impulses would be without a solution";
      return SingularMass;
    }
  }
  return Ok;
}

/// Points that are farther apart are in no contact that acts. The gap D - s, or D^2 - s, of points that approach by V
/// at most is closed in the middle of the step, or at its end, at D <= s + h V; impulses of the last step are in these
/// speeds, forces of this one are looked at by what touches already.
double ContactStepper::reach(const SteppedFamily& f, double h) const {
  const Fastest a = fastest(numbers(f.first), f.first.count());
  const Fastest b = fastest(numbers(f.second), f.second.count());
  const double near = h * (a.speed + b.speed);
  const double size = a.size + b.size + h * (a.growth + b.growth);
  return (f.squared ? std::sqrt(std::max(size, 0.0)) : size) * (1 + 4 * closedOverSteps) + near;
}

std::int32_t ContactStepper::members(double t, double h, const Visit& visit) {
  for (std::size_t k = 0; k < steps_.families.size(); ++k) {
    const SteppedFamily& f = steps_.families[k];
    const auto family = static_cast<std::int64_t>(k);
    std::int32_t status = Ok;
    const auto one = [&](std::int64_t i, std::int64_t j) {
      const Key key{family, i, j};
      status = call(f.function, t, static_cast<double>(i), static_cast<double>(j));
      if (status == Ok) status = lawsOf(f, key);
      return status == Ok && visit(f, key);
    };
    const std::int64_t low = f.indices > 0 ? f.low[0].at(0) : 0, high = f.indices > 0 ? f.high[0].at(0) : 0;
    if (f.points >= 0) {
      if (status = call(f.points, t, 0, 0); status != Ok) return status;
      const std::int64_t columns = f.second.first.empty() ? 1 : f.second.first[0];
      const auto count = [](const Field& p) { return static_cast<std::size_t>(p.count()); };
      // Functions of members write elsewhere: the points stay while they are called.
      nearPairs(
          {{numbers(f.first), count(f.first)}, {numbers(f.second), count(f.second)}, SteppedFamily::pointNumbers},
          reach(f, h),
          [&](std::int64_t i) {
            return std::pair{f.low[1].at(low + i) - columns, f.high[1].at(low + i) - columns};
          },
          [&](std::int64_t i, std::int64_t j) { return one(low + i, columns + j); });
    } else {
      for (std::int64_t i = low; i <= high && status == Ok; ++i)
        if (f.indices < 2)
          (void)one(i, 0);
        else
          for (std::int64_t j = f.low[1].at(i); j <= f.high[1].at(i) && one(i, j);) ++j;
    }
    if (status != Ok) return status;
  }
  return Ok;
}

std::string ContactStepper::nameOf(const SteppedFamily& f, const Key& key) const {
  if (f.indices == 0) return f.name;
  return f.indices == 1 ? fmt::format("{}[{}]", f.name, key.first)
                        : fmt::format("{}[{},{}]", f.name, key.first, key.second);
}

/// Numbers of a member that are none, and laws that it cannot have.
std::int32_t ContactStepper::lawsOf(const SteppedFamily& f, const Key& key) {
  const double* const x = numbers(f.values);
  if (!std::isfinite(x[0] + x[1] + x[5])) {
    cause_ = fmt::format("the gap of the contact `{}`, or its rate, is not a number", nameOf(f, key));
    return NonFinite;
  }
  const auto wrong = [&](const char* what, double value, const char* law) {
    cause_ = fmt::format("{} of the contact `{}` is {}: it {}", what, nameOf(f, key), value, law);
    return ContactLawWrong;
  };
  if (!(x[2] >= 0 && x[2] <= 1)) return wrong("the restitution", x[2], "lies between 0 and 1");
  if (!(x[3] >= 0 && std::isfinite(x[3]))) return wrong("the coefficient of friction", x[3], "is not negative");
  if (std::isnan(x[4]) || (x[4] < 0 && x[4] != -1)) return wrong("the speed of rest", x[4], "is not negative");
  return Ok;
}

/// The rows of the member that was evaluated last; rates at the begin of the step.
ConeSweeps::Contact ContactStepper::contactOf(const SteppedFamily& f) const {
  const double* x = numbers(f.values);
  ConeSweeps::Contact c;
  c.rows = static_cast<std::size_t>(1 + f.tangents);
  c.friction = x[3];
  c.rate[0] = x[5];
  for (std::size_t k = 1; k < c.rows; ++k) c.rate[k] = x[SteppedFamily::beforeSlip + static_cast<std::int64_t>(k) - 1];
  const double* next = x + SteppedFamily::beforeSlip + f.tangents;
  std::vector<std::size_t> known;
  for (const SteppedFamily::Touched& touched : f.touched) {
    const auto dimension = static_cast<std::size_t>(touched.dimension);
    const auto member = static_cast<std::int64_t>(*next++) - 1;
    const std::size_t column = static_cast<std::size_t>(touched.column + member * touched.dimension);
    const MassBlock& mass = blocks_[blockOf_[column]];
    auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), blockOf_[column]) - known.begin());
    if (at == known.size()) {
      known.push_back(blockOf_[column]);
      c.blocks.push_back({mass.begin, mass.size, std::vector<double>(c.rows * mass.size, 0.0), {}});
    }
    for (std::size_t r = 0; r < c.rows; ++r)
      for (std::size_t k = 0; k < dimension; ++k)
        c.blocks[at].rows[r * mass.size + position_[column + k] - mass.begin] += next[r * dimension + k];
    next += c.rows * dimension;
  }
  for (std::size_t b = 0; b < known.size(); ++b) {
    const MassBlock& mass = blocks_[known[b]];
    ConeSweeps::Block& own = c.blocks[b];
    own.response.assign(own.rows.size(), 0.0);
    for (std::size_t r = 0; r < c.rows; ++r)
      for (std::size_t i = 0; i < mass.size; ++i)
        for (std::size_t j = 0; j < mass.size; ++j)
          own.response[r * mass.size + i] += mass.inverse[i * mass.size + j] * own.rows[r * mass.size + j];
  }
  return c;
}

Rows ContactStepper::impulseOf(const Key& key) const {
  const auto found = std::lower_bound(known_.begin(), known_.end(), key,
                                      [](const Known& k, const Key& wanted) { return k.key < wanted; });
  return found != known_.end() && found->key == key ? found->impulse : Rows{};
}

std::int32_t ContactStepper::begin(double t) {
  cause_.clear();
  bool holds = true;
  const std::int32_t status = members(t, 0, [&](const SteppedFamily& f, const Key& key) {
    if (!holds) return false;
    const double* const x = numbers(f.values);
    holds = x[0] >= -atTheBegin * x[1];
    if (!holds) cause_ = fmt::format("the contact `{}` does not hold: its gap is {:.6g}", nameOf(f, key), x[0]);
    return holds;
  });
  return status == Ok && !holds ? ContactOverlap : status;
}

std::int32_t ContactStepper::prepare(double t, double h, bool counts) {
  cause_.clear();
  if (const std::int32_t status = invertMasses(t); status != Ok) return status;
  if (const std::int32_t status = call(steps_.free, t, h, 0); status != Ok) return status;
  const double tolerance = numbers(steps_.tolerance)[0];
  if (!(tolerance > 0 && tolerance < 1)) {
    cause_ = fmt::format("the tolerance of the impulses is {}: it lies between 0 and 1", tolerance);
    return ContactLawWrong;
  }
  // What the forces of the step do to the velocities.
  std::vector<double> forced(position_.size());
  for (std::size_t a = 0; a < position_.size(); ++a)
    forced[position_[a]] =
        numbers(steps_.velocities)[steps_.place[a]] - bases_[static_cast<std::size_t>(Role::State)][steps_.state[a]];
  std::vector<ConeSweeps::Contact> contacts;
  std::vector<Known> now;
  const std::int32_t status = members(t, h, [&](const SteppedFamily& f, const Key& key) {
    const double* const x = numbers(f.values);
    const double gap = x[0], size = x[1], rate = x[5];
    if (counts && -gap > report_.penetration) {
      report_.penetration = -gap;
      deepest_ = key;
    }
    const bool soon = gap + h / 2 * rate <= roundOff * size;
    if (!soon && gap > closedOverSteps * size) return true;
    ConeSweeps::Contact c = contactOf(f);
    for (const ConeSweeps::Block& b : c.blocks)
      for (std::size_t r = 0; r < c.rows; ++r)
        for (std::size_t k = 0; k < b.dimension; ++k) c.rate[r] += b.rows[r * b.dimension + k] * forced[b.column + k];
    if (!soon && gap + h / 2 * (rate + c.rate[0]) > 0) return true;
    if (rate < 0 && -rate > std::max(x[4], 0.0)) c.bound = -x[2] * rate;
    c.impulse = impulseOf(key);
    contacts.push_back(std::move(c));
    now.push_back({key, {}});
    return true;
  });
  if (status != Ok) return status;
  std::vector<double> change(position_.size(), 0.0);
  const ConeSweeps::Result result = ConeSweeps::solve(contacts, change, tolerance, mostConeSweeps);
  double* const out = bases_[static_cast<std::size_t>(steps_.change.role)] + steps_.change.offset;
  for (std::size_t a = 0; a < position_.size(); ++a) out[steps_.place[a]] = change[position_[a]];
  if (!counts) return Ok;
  for (std::size_t k = 0; k < now.size(); ++k) now[k].impulse = contacts[k].impulse;
  known_ = std::move(now);
  note(contacts, change, result, tolerance);
  return Ok;
}

/// Adds a step to the report. What the impulses add to the energy of the velocities that the forces alone would make is
/// their product with the mean of the rates before and behind them.
void ContactStepper::note(const std::vector<ConeSweeps::Contact>& contacts, const std::vector<double>& change,
                          const ConeSweeps::Result& result, double tolerance) {
  report_.tolerance = tolerance;
  if (contacts.empty()) return;
  ++report_.steps;
  report_.acting += static_cast<std::int64_t>(contacts.size());
  report_.most = std::max(report_.most, static_cast<std::int64_t>(contacts.size()));
  report_.sweeps += result.sweeps;
  report_.residual = std::max(report_.residual, result.residual);
  report_.stalled += result.solved ? 0 : 1;
  double work = 0, terms = 0;
  for (const ConeSweeps::Contact& c : contacts) {
    Rows mean = c.rate;
    for (const ConeSweeps::Block& b : c.blocks)
      for (std::size_t r = 0; r < c.rows; ++r)
        for (std::size_t i = 0; i < b.dimension; ++i) mean[r] += b.rows[r * b.dimension + i] * change[b.column + i] / 2;
    work += dot(c.rows, c.impulse, mean);
    for (std::size_t r = 0; r < c.rows; ++r) terms += std::abs(c.impulse[r]);
  }
  constexpr double explained = 10;
  const double allowed = explained * std::max(tolerance, result.residual) * result.scale * terms;
  if (work <= allowed) return;
  ++report_.gains;
  report_.gain = std::max(report_.gain, work);
}

ContactReport ContactStepper::report() const {
  ContactReport r = report_;
  const auto family = static_cast<std::size_t>(deepest_.family);
  if (r.penetration > 0 && family < steps_.families.size()) r.deepest = nameOf(steps_.families[family], deepest_);
  return r;
}

std::vector<double> ContactStepper::memory() const {
  const ContactReport& r = report_;
  std::vector<double> m;
  for (const std::int64_t n : {r.steps, r.acting, r.most, r.sweeps, r.stalled, r.gains})
    m.push_back(static_cast<double>(n));
  for (const double x : {r.tolerance, r.residual, r.penetration, r.gain}) m.push_back(x);
  for (const std::int64_t n : {deepest_.family, deepest_.first, deepest_.second}) m.push_back(static_cast<double>(n));
  for (const Known& k : known_) {
    for (const std::int64_t n : {k.key.family, k.key.first, k.key.second}) m.push_back(static_cast<double>(n));
    m.insert(m.end(), k.impulse.begin(), k.impulse.end());
  }
  return m;
}

void ContactStepper::restore(const std::vector<double>& m) {
  constexpr std::size_t ofReport = 13, ofMember = 6;
  if (m.size() < ofReport) return;
  const auto whole = [&](std::size_t k) { return static_cast<std::int64_t>(m[k]); };
  report_.steps = whole(0);
  report_.acting = whole(1);
  report_.most = whole(2);
  report_.sweeps = whole(3);
  report_.stalled = whole(4);
  report_.gains = whole(5);
  report_.tolerance = m[6];
  report_.residual = m[7];
  report_.penetration = m[8];
  report_.gain = m[9];
  deepest_ = {whole(10), whole(11), whole(12)};
  known_.clear();
  for (std::size_t k = ofReport; k + ofMember <= m.size(); k += ofMember)
    known_.push_back({{whole(k), whole(k + 1), whole(k + 2)}, {m[k + 3], m[k + 4], m[k + 5]}});
}

} // namespace lmc::runtime
