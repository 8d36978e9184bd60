#include "Differences.h"

#include "diagnostics/Diagnostics.h"

#include <gtest/gtest.h>

namespace lmc::test {

namespace {

Eigen::Map<const Vector> vectorOf(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

Matrix matrixOf(std::span<const double> x, Eigen::Index columns) {
  const Eigen::Index rows = columns == 0 ? 0 : static_cast<Eigen::Index>(x.size()) / columns;
  return Eigen::Map<const Matrix>(x.data(), rows, columns);
}

products::PipelineOptions optionsFor(const std::string& method) {
  products::PipelineOptions o;
  o.compilation.libraryRoot = libraryRoot();
  o.method = method;
  o.compile.optimization = 0;
  o.compile.useCache = false;
  return o;
}

std::span<const double> spanOf(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

} // namespace

void LinearizedModel::build(products::Pipeline& pipeline, bool loaded, const methods::LinearizationRequest& request) {
  if (loaded) problem_ = pipeline.buildLinearization(request);
  if (!problem_) {
    for (const auto& d : pipeline.diagnostics().sorted()) errors_ += d.message + "\n";
    return;
  }
  workspace_ = std::make_unique<runtime::LinearizedWorkspace>(*problem_);
  if (workspace_->start() != runtime::Ok) errors_ = "setup fails";
  if (std::isfinite(problem_->problem.step)) h = problem_->problem.step;
}

LinearizedModel LinearizedModel::ofExample(const std::string& file, const std::string& method,
                                           const methods::LinearizationRequest& request) {
  LinearizedModel m;
  products::Pipeline pipeline(optionsFor(method));
  m.build(pipeline, pipeline.load(LMC_SOURCE_DIR "/examples/" + file), request);
  return m;
}

LinearizedModel LinearizedModel::ofText(const std::string& text, const std::string& method) {
  LinearizedModel m;
  products::Pipeline pipeline(optionsFor(method));
  m.build(pipeline, pipeline.loadText("model.lie", text), {});
  return m;
}

Vector LinearizedModel::state() {
  return vectorOf(workspace_->state());
}

void LinearizedModel::setState(const Vector& y) {
  std::copy(y.begin(), y.end(), workspace_->state().begin());
}

Vector LinearizedModel::value(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->forward(map, t, h, {}), runtime::Ok);
  return vectorOf(workspace_->value(map));
}

void LinearizedModel::advance(int n) {
  for (int k = 0; k < n; ++k) {
    setState(value(runtime::LinearizedMap::Step));
    t += h;
  }
}

Matrix LinearizedModel::stateMatrix(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->matrices(map, t, h), runtime::Ok);
  return matrixOf(workspace_->stateMatrix(map), problem_->coordinates);
}
Matrix LinearizedModel::inputMatrix(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->matrices(map, t, h), runtime::Ok);
  return matrixOf(workspace_->inputMatrix(map), problem_->inputs);
}
Matrix LinearizedModel::parameterMatrix(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->matrices(map, t, h), runtime::Ok);
  return matrixOf(workspace_->parameterMatrix(map), problem_->parameters);
}
Matrix LinearizedModel::fieldMatrix() {
  EXPECT_EQ(workspace_->matrices(runtime::LinearizedMap::Field, t, h), runtime::Ok);
  return matrixOf(workspace_->fieldMatrix(), problem_->coordinates);
}

Matrix LinearizedModel::projection() {
  const Eigen::Index n = problem_->coordinates;
  Matrix p(n, n);
  Vector change(problem_->stateSize), z(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Vector e = Vector::Unit(n, j);
    EXPECT_EQ(workspace_->lift(spanOf(e), {change.data(), static_cast<std::size_t>(change.size())}), runtime::Ok);
    EXPECT_EQ(workspace_->coordinates(spanOf(change), {z.data(), static_cast<std::size_t>(n)}), runtime::Ok);
    p.col(j) = z;
  }
  return p;
}

Matrix LinearizedModel::differences(runtime::LinearizedMap map, Eigen::Index columns,
                                    const std::function<Vector(Eigen::Index, double)>& valueAt) {
  const Vector base = state();
  const Vector next = map == runtime::LinearizedMap::Step ? value(map) : base;
  constexpr double e = 2.5e-3;
  Matrix result(problem_->of(map).size, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const auto pair = [&](double s) -> Vector { return valueAt(j, s) - valueAt(j, -s); };
    const Vector d = (45 * pair(e) - 9 * pair(2 * e) + pair(3 * e)) / (60 * e);
    if (map != runtime::LinearizedMap::Step) {
      result.col(j) = d;
      continue;
    }
    setState(next);
    Vector z(result.rows());
    EXPECT_EQ(workspace_->coordinates(spanOf(d), {z.data(), static_cast<std::size_t>(z.size())}), runtime::Ok);
    result.col(j) = z;
    setState(base);
  }
  setState(base);
  return result;
}

Matrix LinearizedModel::stateDifferences(runtime::LinearizedMap map) {
  const Vector base = state();
  Vector near(base.size());
  // Velocities by their size: a change of 1e-3 is small for an angle, and nothing for a fast rotation.
  return differences(map, problem_->coordinates, [&](Eigen::Index j, double e) -> Vector {
    const Vector z = e * Vector::Unit(problem_->coordinates, j);
    setState(base);
    EXPECT_EQ(workspace_->moved(spanOf(z), {near.data(), static_cast<std::size_t>(near.size())}), runtime::Ok);
    setState(near);
    const Vector v = value(map);
    setState(base);
    return v;
  });
}

std::vector<double> LinearizedModel::params() {
  std::vector<double> list;
  for (const std::int64_t place : problem_->parameterPlaces)
    list.push_back(problem_->problem.params[static_cast<std::size_t>(place)]);
  return list;
}

/// The value, or where it is 0 the largest number of its array.
Vector LinearizedModel::parameterSizes() {
  const std::vector<double> p = params();
  Vector sizes(problem_->parameters);
  std::size_t next = 0;
  const auto nameOf = [&](std::size_t k) {
    const std::string& name = problem_->parameterNames[k];
    return name.substr(0, name.find('['));
  };
  while (next < p.size()) {
    std::size_t end = next;
    double largest = 0;
    for (; end < p.size() && nameOf(end) == nameOf(next); ++end) largest = std::max(largest, std::abs(p[end]));
    for (; next < end; ++next)
      sizes[static_cast<Eigen::Index>(next)] = p[next] != 0 ? std::abs(p[next]) : largest > 0 ? largest : 0.1;
  }
  return sizes;
}

Matrix LinearizedModel::parameterDifferences(runtime::LinearizedMap map) {
  const std::vector<double> p = params();
  const Vector sizes = parameterSizes();
  const Matrix result = differences(map, problem_->parameters, [&](Eigen::Index j, double e) -> Vector {
    const double size = sizes[j];
    std::vector<double> changed = p;
    changed[static_cast<std::size_t>(j)] += e * size;
    EXPECT_EQ(workspace_->setParameters(changed), runtime::Ok);
    const Vector v = value(map) / size;
    EXPECT_EQ(workspace_->setParameters(p), runtime::Ok);
    return v;
  });
  return result;
}

Matrix LinearizedModel::inputDifferences(runtime::LinearizedMap map) {
  const Vector u = Vector::LinSpaced(problem_->inputs, 0.2, 0.7);
  workspace_->setInputs(spanOf(u));
  const Matrix result = differences(map, problem_->inputs, [&](Eigen::Index j, double e) -> Vector {
    const Vector changed = u + e * Vector::Unit(u.size(), j);
    workspace_->setInputs(spanOf(changed));
    const Vector v = value(map);
    workspace_->setInputs(spanOf(u));
    return v;
  });
  return result;
}

Matrix LinearizedModel::motionDifferences() {
  const double step = h;
  const auto slope = [&](double s) -> Matrix {
    h = s;
    const Matrix forward = stateMatrix(runtime::LinearizedMap::Step);
    h = -s;
    return (forward - stateMatrix(runtime::LinearizedMap::Step)) / (2 * s);
  };
  const double small = 5e-3 / stateMatrix(runtime::LinearizedMap::Field).norm();
  const Matrix a = slope(small), b = slope(2 * small), c = slope(4 * small);
  h = step;
  const Matrix ab = (4 * a - b) / 3, bc = (4 * b - c) / 3;
  return (16 * ab - bc) / 15;
}

double LinearizedModel::forwardError(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->matrices(map, t, h), runtime::Ok);
  const Matrix a = matrixOf(workspace_->stateMatrix(map), problem_->coordinates);
  const Matrix b = matrixOf(workspace_->inputMatrix(map), problem_->inputs);
  const Matrix c = matrixOf(workspace_->parameterMatrix(map), problem_->parameters);
  const auto random = [](Eigen::Index n) -> Vector { return Vector::Random(n); };
  double worst = 0;
  for (int k = 0; k < 3; ++k) {
    const Vector z = random(a.cols()), u = random(b.cols()), p = random(c.cols());
    EXPECT_EQ(workspace_->forward(map, t, h, spanOf(z), spanOf(u), spanOf(p)), runtime::Ok);
    Vector expected = a * z, size = a.cwiseAbs() * z.cwiseAbs();
    if (b.cols() > 0) expected += b * u, size += b.cwiseAbs() * u.cwiseAbs();
    if (c.cols() > 0) expected += c * p, size += c.cwiseAbs() * p.cwiseAbs();
    const Vector error = vectorOf(workspace_->image(map)) - expected;
    worst = std::max(worst, error.lpNorm<Eigen::Infinity>() / size.lpNorm<Eigen::Infinity>());
  }
  return worst;
}

double LinearizedModel::adjointError(runtime::LinearizedMap map) {
  EXPECT_EQ(workspace_->matrices(map, t, h), runtime::Ok);
  const Matrix a = matrixOf(workspace_->stateMatrix(map), problem_->coordinates);
  const Matrix b = matrixOf(workspace_->inputMatrix(map), problem_->inputs);
  const Matrix c = matrixOf(workspace_->parameterMatrix(map), problem_->parameters);
  double worst = 0;
  const auto compare = [&](std::span<const double> got, const Matrix& m, Eigen::Index row) {
    if (m.cols() == 0) return;
    const double size = m.lpNorm<Eigen::Infinity>();
    if (size == 0) worst = std::max(worst, vectorOf(got).lpNorm<Eigen::Infinity>());
    if (size > 0) worst = std::max(worst, (vectorOf(got) - m.row(row).transpose()).lpNorm<Eigen::Infinity>() / size);
  };
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const Vector unit = Vector::Unit(a.rows(), i);
    EXPECT_EQ(workspace_->adjoint(map, t, h, spanOf(unit)), runtime::Ok);
    compare(workspace_->byState(map), a, i);
    compare(workspace_->byInputs(map), b, i);
    compare(workspace_->byParameters(map), c, i);
  }
  if (map != runtime::LinearizedMap::Field) return worst;
  const Matrix d = fieldMatrix();
  const Vector none = Vector::Zero(d.rows());
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    const Vector unit = Vector::Unit(d.rows(), i);
    EXPECT_EQ(workspace_->adjoint(map, t, h, spanOf(none), spanOf(unit)), runtime::Ok);
    compare(workspace_->byState(map), d, i);
  }
  return worst;
}

double relativeError(const Matrix& got, const Matrix& expected, double least) {
  if (expected.size() == 0) return 0;
  const double all = std::max(expected.cwiseAbs().maxCoeff(), least);
  double worst = 0;
  for (Eigen::Index j = 0; j < expected.cols(); ++j) {
    const double size = std::max(expected.col(j).cwiseAbs().maxCoeff(), 1e-5 * all);
    if (size > 0) worst = std::max(worst, (got.col(j) - expected.col(j)).cwiseAbs().maxCoeff() / size);
    if (!(worst >= 0)) return worst;
  }
  return worst;
}

} // namespace lmc::test
