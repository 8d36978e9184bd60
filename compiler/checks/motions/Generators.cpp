#include "checks/motions/Generators.h"

#include "checks/states/NullSpace.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>

namespace lmc::checks {

using sym::Expr;

namespace {

/// Families up to this size have candidates for each member.
constexpr std::int64_t membersAlone = 8;
/// Changes of f below this part of its size are rounding and the error of differences.
constexpr double invariant = 1e-7;
constexpr double width = 2e-3; // of the differences, of fourth order
constexpr int spare = 4;       // states beyond those that the candidates need

const sema::ArrayTuple& pointsOf(const sema::Model& m, const Variable& v) {
  return v.isFactor() ? m.factors[v.index].point : m.states[v.index].point;
}

const sema::ArrayTuple& fibersOf(const sema::Model& m, const Variable& v) {
  return v.isFactor() ? m.factors[v.index].velocity : m.states[v.index].point;
}

/// The infinitesimal rotation of a vector of R^2 or R^3.
Expr rotated(sym::Graph& g, std::size_t entry, Expr x) {
  if (x->shape.rows == 2) return g.vector({g.neg(g.entry(x, 1)), g.entry(x, 0)});
  std::vector<Expr> axis(3, g.number(0));
  axis[entry] = g.number(1);
  return g.cross(g.vector(axis), x);
}

/// What the motion does to things of one variable: points, tangent vectors, velocities or momenta.
class Pushed {
public:
  Pushed(sym::Program& p, const Variable& v, Motion motion, std::size_t entry)
      : p_(p), g_(p.graph()), v_(v), motion_(motion), entry_(entry),
        unit_(sema::unit(g_, v.manifold->algebra(), static_cast<int>(motion == Motion::Rotation ? 0 : entry))),
        frame_(motion == Motion::Body ? sema::Frame::Body : sema::Frame::Space) {}

  [[nodiscard]] sema::Tuple point(const sema::Tuple& q) const {
    if (motion_ == Motion::Rotation) return {rotated(g_, entry_, q[0])};
    return sema::generator(p_, *v_.manifold, frame_, q, unit_);
  }
  /// Algebra elements in the frame of the variable.
  [[nodiscard]] sema::Tuple vector(const sema::Tuple& u) const {
    if (motion_ == Motion::Rotation) return {rotated(g_, entry_, u[0])};
    if (goesAlong()) return sema::zero(g_, v_.manifold->algebra());
    return signed_(mechanics::bracket(*v_.manifold, unit_, u), motion_ == Motion::Space);
  }
  /// Velocities, or momenta and elements of duals.
  [[nodiscard]] sema::Tuple fiber(const sema::Tuple& a) const {
    if (v_.kind == methods::PhaseKind::Velocity || motion_ == Motion::Rotation) return vector(a);
    if (goesAlong()) return sema::zero(g_, v_.manifold->algebra());
    return signed_(mechanics::adstar(p_, *v_.manifold, unit_, a), motion_ == Motion::Body);
  }

private:
  /// The frame of the variable is carried along, so that numbers in it do not change.
  [[nodiscard]] bool goesAlong() const {
    if (v_.kind == methods::PhaseKind::Dual || !v_.manifold->isGroup()) return false;
    return (v_.frame == sema::Frame::Body) != (motion_ == Motion::Body);
  }
  [[nodiscard]] sema::Tuple signed_(const sema::Tuple& x, bool positive) const {
    return positive ? x : sema::scale(g_, g_.number(-1), x);
  }

  sym::Program& p_;
  sym::Graph& g_;
  const Variable& v_;
  Motion motion_;
  std::size_t entry_;
  sema::Tuple unit_;
  sema::Frame frame_;
};

} // namespace

Generators::Generators(StateSpace& space) : s_(space), p_(space.layer().program()), g_(p_.graph()) {
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    add(k, Motion::Space);
    if (v.kind == methods::PhaseKind::Dual) continue;
    if (v.vector) {
      const sym::Shape shape = v.manifold->point()[0].shape;
      if (shape.rank == 1 && (shape.rows == 2 || shape.rows == 3)) add(k, Motion::Rotation);
    } else if (v.manifold->isGroup()) {
      add(k, Motion::Body);
    }
  }
}

void Generators::add(std::size_t variable, Motion motion) {
  const Variable& v = s_.variables()[variable];
  auto entries = static_cast<std::size_t>(v.manifold->algebraSize());
  if (motion == Motion::Rotation && entries == 2) entries = 1;
  groups_.push_back({variable, motion, entries, 0, 0});
  functions_.emplace_back();
  for (std::size_t entry = 0; entry < entries; ++entry) addEntry(variable, motion, entry);
}

void Generators::addEntry(std::size_t variable, Motion motion, std::size_t entry) {
  const Variable& v = s_.variables()[variable];
  const sema::Model& m = *s_.system().model;
  const Pushed pushed(p_, v, motion, entry);
  const std::vector<Expr> index = v.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
  sema::ArrayTuple change, turned;
  const auto define = [&](sema::ArrayTuple& list, const std::vector<sema::Part>& parts, const sema::Tuple& values) {
    const sema::ArrayTuple arrays = mechanics::defineParts(p_, "X." + v.name, parts, v.extent, index, values);
    list.insert(list.end(), arrays.begin(), arrays.end());
  };
  const std::vector<sema::Part>& algebra = v.manifold->algebra();
  if (v.hasPoint()) {
    define(change, v.manifold->point(), pushed.point(sema::loads(g_, pointsOf(m, v), index)));
    define(turned, algebra, pushed.vector(sema::loads(g_, s_.pointDirection(variable), index)));
  }
  if (v.hasFiber()) {
    define(change, algebra, pushed.fiber(sema::loads(g_, fibersOf(m, v), index)));
    define(turned, algebra, pushed.fiber(sema::loads(g_, s_.fiberDirection(variable), index)));
  }
  functions_.back().push_back({s_.functions().function("motion of " + v.name, change),
                               s_.functions().function("turning of " + v.name, turned)});
}

std::vector<Candidate> Generators::candidates() const {
  std::vector<Candidate> list;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Variable& v = s_.variables()[groups_[k].variable];
    const std::int64_t last = v.extent > membersAlone ? 0 : v.extent;
    for (std::int64_t member = last > 0 ? 1 : 0; member <= last; ++member)
      for (std::size_t entry = 0; entry < groups_[k].entries; ++entry) list.push_back({k, entry, member});
  }
  return list;
}

namespace {

/// Of the numbers of one part after another, those of all members each, the ones of one member (from 1; 0: all).
void copyMember(const std::vector<double>& from, std::size_t first, const std::vector<sema::Part>& parts,
                std::int64_t members, std::int64_t member, double* to) {
  std::size_t place = 0;
  for (const sema::Part& part : parts) {
    const auto size = static_cast<std::size_t>(part.shape.size());
    for (std::int64_t i = 0; i < members; ++i, place += size)
      if (member == 0 || member == i + 1)
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first + place), size, to + place);
  }
}

} // namespace

State Generators::change(const Candidate& c, const State& y) {
  const CandidateGroup& group = groups_[c.group];
  const Variable& v = s_.variables()[group.variable];
  const std::vector<double> numbers = s_.call(functions_[c.group][c.entry].change, y, 0);
  State result(y.size(), 0.0);
  std::size_t first = 0;
  if (v.hasPoint()) {
    copyMember(numbers, 0, v.manifold->point(), v.members(), c.member, result.data() + v.pointState);
    first = v.pointSize;
  }
  if (v.hasFiber())
    copyMember(numbers, first, v.manifold->algebra(), v.members(), c.member, result.data() + v.fiberState);
  return result;
}

Matrix Generators::turning(const Candidate& c, const State& y) {
  const CandidateGroup& group = groups_[c.group];
  const Variable& v = s_.variables()[group.variable];
  const auto n = static_cast<Eigen::Index>(s_.directionSize());
  Matrix l = Matrix::Zero(n, n);
  const auto column = [&](std::size_t place) {
    Direction d(s_.directionSize(), 0.0);
    d[place] = 1;
    const std::vector<double> numbers = s_.call(functions_[c.group][c.entry].turned, y, 0, d);
    double* const to = l.col(static_cast<Eigen::Index>(place)).data();
    if (v.hasPoint()) copyMember(numbers, 0, v.manifold->algebra(), v.members(), c.member, to + v.points);
    if (v.hasFiber())
      copyMember(numbers, v.hasPoint() ? v.size : 0, v.manifold->algebra(), v.members(), c.member, to + v.fibers);
  };
  for (std::size_t k = 0; v.hasPoint() && k < v.size; ++k) column(v.points + k);
  for (std::size_t k = 0; v.hasFiber() && k < v.size; ++k) column(v.fibers + k);
  return l;
}

namespace {

/// The columns that are no combinations of earlier ones, by their places.
std::vector<Eigen::Index> independentColumns(const Matrix& columns) {
  constexpr double dependent = 1e-9;
  std::vector<Eigen::Index> kept;
  std::vector<Vector> basis;
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const double size = columns.col(k).norm();
    Vector rest = columns.col(k);
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& b : basis) rest -= b.dot(rest) * b;
    if (!(rest.norm() > dependent * size)) continue;
    basis.push_back(rest.normalized());
    kept.push_back(k);
  }
  return kept;
}

} // namespace

std::optional<Vector> Generators::at(MotionModel& model, const Generator& generator, const State& y) {
  State sum(y.size(), 0.0);
  for (const auto& [candidate, factor] : generator.terms) {
    const State one = change(candidate, y);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * one[k];
  }
  auto z = model.coordinatesOf(y, sum);
  return z && z->allFinite() ? z : std::nullopt;
}

/// The change of the coordinates of f along a direction, less L times them; by differences, which have the accuracy
/// that telling needs.
std::optional<Vector> Generators::defects(MotionModel& model, const Vector& direction, const Matrix& turning,
                                          const State& y, double t) {
  const auto along = [&](double s) -> std::optional<Vector> {
    const auto moved = model.moved(y, s * width * direction);
    return moved ? model.rate(*moved, t) : std::nullopt;
  };
  const auto here = model.rate(y, t), a = along(1), b = along(-1), c = along(2), d = along(-2);
  if (!here || !a || !b || !c || !d) return std::nullopt;
  return Vector((8 * (*a - *b) - (*c - *d)) / (12 * width) - turning * *here);
}

std::optional<double> Generators::defect(MotionModel& model, const Vector& direction, const Matrix& turning,
                                         const Vector& sizes, const State& y, double t) {
  const double length = direction.cwiseQuotient(sizes).cwiseAbs().maxCoeff();
  if (!(length > 0)) return 0;
  const auto e = defects(model, direction / length, turning / length, y, t);
  if (!e) return std::nullopt;
  return e->cwiseQuotient(sizes).cwiseAbs().maxCoeff() / s_.rate(y, s_.field(y, t));
}

namespace {

/// Gradients of constraints and of their rates, of length one in these units.
std::optional<Matrix> unitGradients(MotionModel& model, const State& y, double t, const Vector& units) {
  auto gradients = model.constraintsByState(y, t);
  for (Eigen::Index i = 0; gradients && i < gradients->rows(); ++i)
    if (const double size = gradients->row(i).cwiseProduct(units.transpose()).norm(); size > 0)
      gradients->row(i) /= size;
  return gradients;
}

} // namespace

std::vector<Generator> Generators::find(MotionModel& model, const State& y, double from, double to,
                                        std::mt19937_64& engine) {
  const std::vector<Candidate> all = candidates();
  const auto columns = static_cast<Eigen::Index>(all.size());
  const Eigen::Index n = model.coordinates();
  const Eigen::Index held = model.problem().of(runtime::LinearizedMap::Constraints).size;
  const Eigen::Index states = columns / std::max<Eigen::Index>(n, 1) + spare;
  std::vector<Matrix> turnings;
  turnings.reserve(all.size());
  for (const Candidate& c : all) turnings.push_back(turning(c, y));
  std::uniform_real_distribution<double> time(from, to);
  Matrix rows = Matrix::Zero(states * (n + held), columns), fields = Matrix::Zero(states * n, columns);
  for (Eigen::Index s = 0; s < states; ++s) {
    const double t = time(engine);
    const State near = s_.near(y, t, engine);
    const Vector units = coordinateSizes(s_, near), sizes = units * s_.rate(near, s_.field(near, t));
    const auto gradients = unitGradients(model, near, t, units);
    if (!gradients) return {};
    for (Eigen::Index k = 0; k < columns; ++k) {
      const auto& c = all[static_cast<std::size_t>(k)];
      const auto z = model.coordinatesOf(near, change(c, near));
      const auto e = z ? defects(model, *z, turnings[static_cast<std::size_t>(k)], near, t) : std::nullopt;
      if (!e) return {};
      fields.col(k).segment(s * n, n) = *z;
      rows.col(k).segment(s * (n + held), n) = e->cwiseQuotient(sizes);
      rows.col(k).segment(s * (n + held) + n, held) = *gradients * *z;
    }
  }
  const std::vector<Eigen::Index> kept = independentColumns(fields);
  std::vector<Generator> result;
  for (const Vector& c : readableBasis(nullSpace(rows(Eigen::all, kept), invariant))) {
    Generator one;
    one.turning = Matrix::Zero(n, n);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const double factor = c(static_cast<Eigen::Index>(i));
      if (factor == 0) continue;
      one.terms.emplace_back(all[static_cast<std::size_t>(kept[i])], factor);
      one.turning += factor * turnings[static_cast<std::size_t>(kept[i])];
    }
    one.name = describe(s_, groups_, one.terms);
    result.push_back(std::move(one));
  }
  return result;
}

} // namespace lmc::checks
