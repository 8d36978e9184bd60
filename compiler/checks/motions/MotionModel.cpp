#include "checks/motions/MotionModel.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::checks {

namespace {

using runtime::LinearizedMap;

Vector vectorOf(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Matrix matrixOf(std::span<const double> x, Eigen::Index rows, Eigen::Index columns) {
  if (x.empty()) return Matrix::Zero(rows, columns);
  return Eigen::Map<const Matrix>(x.data(), rows, columns);
}

std::span<const double> spanOf(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

} // namespace

MotionModel::MotionModel(const runtime::LinearizedProblem& problem) : w_(problem), params_(problem.problem.params) {
  status_ = w_.start();
  if (problem.jumps) motion_ = std::make_unique<runtime::JumpMotion>(w_, 0);
}

bool MotionModel::good(std::int32_t status) {
  status_ = status;
  if (status != runtime::Ok) why_.clear();
  return status == runtime::Ok;
}

/// The step, with the state behind it in the workspace. Null: no derivatives are wanted, and there may be none.
bool MotionModel::jumpingStep(const State& y, double t, double h, std::vector<runtime::Passage>* passages) {
  if (!at(y)) return false;
  try {
    std::int32_t status = motion_->begin(t, runtime::JumpSteps::Begin::Again, passages);
    if (status == runtime::Ok)
      status = passages != nullptr ? motion_->step(t, h, 0, *passages) : motion_->step(t, h, 0);
    return good(status);
  } catch (const runtime::NoDerivative& e) {
    good(runtime::NonFinite);
    why_ = fmt::format("at t = {:.9g}, {}", e.time, e.what());
    return false;
  }
}

bool MotionModel::setParams(const std::vector<double>& params) {
  params_ = params;
  return good(w_.load(params));
}

void MotionModel::limit(double seconds) {
  using Seconds = std::chrono::duration<double>;
  constexpr double most = 1e8; // years
  end_ = std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(Seconds(std::min(seconds, most)));
}

bool MotionModel::at(const State& y) {
  std::copy_n(y.begin(), w_.state().size(), w_.state().begin());
  return !late();
}

std::optional<FieldAt> MotionModel::field(const State& y, double t) {
  if (!at(y)) return std::nullopt;
  const auto& p = problem();
  if (!good(w_.matrices(LinearizedMap::Field, t, 0))) return std::nullopt;
  FieldAt f;
  f.byState = matrixOf(w_.stateMatrix(LinearizedMap::Field), p.coordinates, p.coordinates);
  f.byInputs = matrixOf(w_.inputMatrix(LinearizedMap::Field), p.coordinates, p.inputs);
  f.byParameters = matrixOf(w_.parameterMatrix(LinearizedMap::Field), p.coordinates, p.parameters);
  f.rate = vectorOf(w_.value(LinearizedMap::Field));
  auto gradients = constraintsByState(y, t);
  if (!gradients) return std::nullopt;
  f.constraintsByState = std::move(*gradients);
  if (f.constraintsByState.rows() > 0) f.constraints = vectorOf(w_.value(LinearizedMap::Constraints));
  const bool numbers =
      f.rate.allFinite() && f.byState.allFinite() && f.byInputs.allFinite() && f.constraints.allFinite();
  if (!numbers) return good(runtime::NonFinite), std::nullopt;
  return f;
}

std::optional<Vector> MotionModel::rate(const State& y, double t) {
  if (!at(y)) return std::nullopt;
  if (!good(w_.forward(LinearizedMap::Field, t, 0, {}))) return std::nullopt;
  Vector r = vectorOf(w_.value(LinearizedMap::Field));
  if (!r.allFinite()) return good(runtime::NonFinite), std::nullopt;
  return r;
}

std::optional<Vector> MotionModel::constraints(const State& y, double t) {
  if (problem().of(LinearizedMap::Constraints).size == 0) return Vector();
  if (!at(y)) return std::nullopt;
  if (!good(w_.forward(LinearizedMap::Constraints, t, 0, {}))) return std::nullopt;
  Vector c = vectorOf(w_.value(LinearizedMap::Constraints));
  if (!c.allFinite()) return good(runtime::NonFinite), std::nullopt;
  return c;
}

std::optional<Matrix> MotionModel::constraintsByState(const State& y, double t) {
  const Eigen::Index rows = problem().of(LinearizedMap::Constraints).size;
  if (rows == 0) return Matrix::Zero(0, coordinates());
  if (!at(y)) return std::nullopt;
  if (!good(w_.matrices(LinearizedMap::Constraints, t, 0))) return std::nullopt;
  Matrix g = matrixOf(w_.stateMatrix(LinearizedMap::Constraints), rows, coordinates());
  if (!g.allFinite()) return good(runtime::NonFinite), std::nullopt;
  return g;
}

std::optional<StepAt> MotionModel::step(const State& y, double t, double h) {
  if (motion_) {
    std::vector<runtime::Passage> list;
    if (!jumpingStep(y, t, h, &list)) return std::nullopt;
    StepAt s{State(w_.state().begin(), w_.state().end()), Matrix::Identity(coordinates(), coordinates())};
    for (Eigen::Index j = 0; j < coordinates(); ++j) {
      double late = 0;
      const std::span<double> z(s.byState.col(j).data(), static_cast<std::size_t>(coordinates()));
      for (const runtime::Passage& p : list)
        if (!good(runtime::carryAlong(w_, p, z, {}, {}, late))) return std::nullopt;
    }
    if (!finite(s.next) || !s.byState.allFinite()) return good(runtime::NonFinite), std::nullopt;
    return s;
  }
  if (!at(y)) return std::nullopt;
  if (!good(w_.matrices(LinearizedMap::Step, t, h))) return std::nullopt;
  StepAt s;
  s.byState = matrixOf(w_.stateMatrix(LinearizedMap::Step), coordinates(), coordinates());
  const auto next = w_.value(LinearizedMap::Step);
  s.next.assign(next.begin(), next.end());
  if (!finite(s.next) || !s.byState.allFinite()) return good(runtime::NonFinite), std::nullopt;
  return s;
}

std::optional<State> MotionModel::stepped(const State& y, double t, double h) {
  if (motion_) {
    if (!jumpingStep(y, t, h, nullptr)) return std::nullopt;
    State next(w_.state().begin(), w_.state().end());
    if (!finite(next)) return good(runtime::NonFinite), std::nullopt;
    return next;
  }
  if (!at(y)) return std::nullopt;
  if (!good(w_.forward(LinearizedMap::Step, t, h, {}))) return std::nullopt;
  const auto next = w_.value(LinearizedMap::Step);
  State result(next.begin(), next.end());
  if (!finite(result)) return good(runtime::NonFinite), std::nullopt;
  return result;
}

std::optional<Vector> MotionModel::jumpsAt(const State& y, double t) {
  std::vector<double> all;
  const runtime::Problem& p = problem().problem;
  runtime::Workspace& w = w_.memory();
  if (!jumps()) return Vector();
  if (!at(y)) return std::nullopt;
  if (!good(w.events(t))) return std::nullopt;
  for (const runtime::EventOutput& e : p.events()) all.push_back(w.output()[static_cast<std::size_t>(e.offset)]);
  for (const int reset : p.functions.resets) {
    if (!at(y)) return std::nullopt;
    if (!good(w.call(reset, t, 1))) return std::nullopt;
    all.insert(all.end(), w_.state().begin(), w_.state().end());
  }
  return vectorOf(all);
}

std::optional<Vector> MotionModel::outputs(const State& y, double t) {
  if (problem().outputs == 0) return Vector();
  if (!at(y)) return std::nullopt;
  if (!good(w_.forward(LinearizedMap::Outputs, t, 0, {}))) return std::nullopt;
  return vectorOf(w_.value(LinearizedMap::Outputs));
}

std::optional<Matrix> MotionModel::outputsByState(const State& y, double t) {
  if (problem().outputs == 0) return Matrix::Zero(0, coordinates());
  if (!at(y)) return std::nullopt;
  if (!good(w_.matrices(LinearizedMap::Outputs, t, 0))) return std::nullopt;
  return matrixOf(w_.stateMatrix(LinearizedMap::Outputs), problem().outputs, coordinates());
}

std::optional<State> MotionModel::moved(const State& y, const Vector& z) {
  if (!at(y)) return std::nullopt;
  State result(y.size());
  if (!good(w_.moved(spanOf(z), result))) return std::nullopt;
  if (!finite(result)) return good(runtime::NonFinite), std::nullopt;
  return result;
}

std::optional<Vector> MotionModel::difference(const State& from, const State& to) {
  if (!at(from)) return std::nullopt;
  Vector z(coordinates());
  if (!good(w_.difference(to, {z.data(), static_cast<std::size_t>(z.size())}))) return std::nullopt;
  return z;
}

std::optional<Vector> MotionModel::coordinatesOf(const State& y, const State& change) {
  if (!at(y)) return std::nullopt;
  Vector z(coordinates());
  if (!good(w_.coordinates(change, {z.data(), static_cast<std::size_t>(z.size())}))) return std::nullopt;
  return z;
}

std::optional<Matrix> MotionModel::basis(const State& y, double t) {
  if (!at(y)) return std::nullopt;
  std::vector<double> vectors;
  if (!good(w_.basis(t, vectors))) return std::nullopt;
  const Eigen::Index n = coordinates();
  return matrixOf(vectors, n, n == 0 ? 0 : static_cast<Eigen::Index>(vectors.size()) / n);
}

bool dependsOnTime(MotionModel& model, StateSpace& space, double t) {
  constexpr double visible = 1e-10;
  std::mt19937_64 engine(1);
  if (!model.problem().problem.ticks.empty()) return true;
  const State near = space.near(model.initialState(), t, engine);
  const auto all = [&](double at) -> std::optional<Vector> {
    const auto rate = model.rate(near, at);
    const auto held = rate ? model.constraints(near, at) : std::nullopt;
    if (!held) return std::nullopt;
    const auto jumps = held ? model.jumpsAt(near, at) : std::nullopt;
    if (!jumps) return std::nullopt;
    Vector v(rate->size() + held->size() + jumps->size());
    v << *rate, *held, *jumps;
    return v;
  };
  const auto now = all(t);
  for (const double later : {0.37, 1.7, 11.3}) {
    const auto then = all(t + later);
    if (now && then && (*then - *now).norm() > visible * (1 + now->norm())) return true;
  }
  return false;
}

Vector coordinateSizes(const StateSpace& space, const State& y) {
  Vector sizes = Vector::Ones(static_cast<Eigen::Index>(space.directionSize()));
  const auto fill = [&](std::size_t first, std::size_t count, double size) {
    sizes.segment(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)).setConstant(size);
  };
  for (const Variable& v : space.variables()) {
    if (v.hasPoint()) fill(v.points, v.size, space.pointScale(v, y));
    if (v.hasFiber()) fill(v.fibers, v.size, space.fiberScale(v, y));
  }
  return sizes;
}

Vector coordinateSizes(const MotionModel& model, const StateSpace& space, const State& y) {
  const Vector own = coordinateSizes(space, y);
  Vector sizes = Vector::Ones(model.coordinates());
  sizes.head(own.size()) = own;
  return sizes;
}

} // namespace lmc::checks
