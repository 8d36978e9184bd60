// Derivatives across jumps beside differences of runs.
#pragma once

#include "Support.h"

#include <Eigen/Dense>

#include <algorithm>
#include <string>
#include <vector>

namespace host {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Derivatives of the state behind n steps along a basis at the first state, and by parameters.
struct Sensitivities {
  Matrix byState, byParameters;
};

/// An orthonormal basis of the tangent space at the first state.
inline Matrix basisOf(lmc::Linearization& l) {
  const std::vector<double> vectors = l.basis();
  const auto n = static_cast<Eigen::Index>(l.coordinates().size());
  return Eigen::Map<const Matrix>(vectors.data(), n, static_cast<Eigen::Index>(vectors.size()) / n);
}

/// Derivatives from a state, or, where it is empty, from the initial one.
inline lmc::Linearization derivativesFrom(const lmc::Model& m, const std::vector<double>& state) {
  lmc::Linearization l(m);
  std::copy(state.begin(), state.end(), l.state().begin());
  return l;
}

inline Sensitivities propagated(const lmc::Model& m, double h, std::int64_t steps,
                                const std::vector<double>& from = {}) {
  lmc::Linearization l = derivativesFrom(m, from);
  const Matrix basis = basisOf(l);
  const auto n = basis.rows(), np = static_cast<Eigen::Index>(l.parameters().size()), count = basis.cols() + np;
  Matrix z = Matrix::Zero(n, count), p = Matrix::Zero(np, count);
  z.leftCols(basis.cols()) = basis;
  p.rightCols(np).setIdentity();
  const auto numbers = [](const Matrix& a) { return std::vector<double>(a.data(), a.data() + a.size()); };
  const std::vector<double> end = l.propagate(h, steps, numbers(z), {}, numbers(p));
  const Matrix all = Eigen::Map<const Matrix>(end.data(), n, count);
  return {all.leftCols(basis.cols()), all.rightCols(np)};
}

/// The state at the end of a run of so many steps from a state, with parameters in the order of the model.
inline std::vector<double> endOf(const lmc::Model& m, const std::vector<double>& begin,
                                 const std::vector<double>& parameters, double h, std::int64_t steps) {
  lmc::Workspace w = m.workspace();
  std::copy(begin.begin(), begin.end(), w.state().begin());
  std::size_t k = 0;
  for (const lmc::Quantity& q : m.parameters()) {
    const auto size = static_cast<std::size_t>(q.storage.size());
    w.set(q.name, lmc::Span<const double>(parameters.data() + k, size));
    k += size;
  }
  lmc::RunSettings settings;
  settings.to = static_cast<double>(steps) * h;
  settings.step = h;
  const lmc::RunResult r = w.run(settings);
  if (!r) throw std::runtime_error("the run fails: " + (r.failure ? r.failure->message : std::string("stopped")));
  return w.state().copy();
}

inline std::vector<double> parametersOf(const lmc::Model& m) {
  std::vector<double> all;
  for (const lmc::Quantity& q : m.parameters()) all.insert(all.end(), q.value.begin(), q.value.end());
  return all;
}

/// The same by central differences of fourth order of runs, which share no derivative with what they check.
inline Sensitivities differences(const lmc::Model& m, double h, std::int64_t steps, double e,
                                 const std::vector<double>& from) {
  lmc::Linearization l = derivativesFrom(m, from);
  const std::vector<double> begin = l.state().copy(), parameters = parametersOf(m);
  const Matrix basis = basisOf(l);
  const std::size_t n = l.coordinates().size(), np = l.parameters().size(),
                    dim = static_cast<std::size_t>(basis.cols());
  const std::vector<double> there = endOf(m, begin, parameters, h, steps);
  const auto endFor = [&](std::size_t column, double by) {
    std::copy(begin.begin(), begin.end(), l.state().begin());
    std::vector<double> p = parameters;
    if (column < dim)
      l.move(Vector(by * basis.col(static_cast<Eigen::Index>(column))));
    else
      p[column - dim] += by;
    const std::vector<double> end = endOf(m, l.state().copy(), p, h, steps);
    std::copy(there.begin(), there.end(), l.state().begin());
    const std::vector<double> z = l.difference(end);
    return Vector(Eigen::Map<const Vector>(z.data(), static_cast<Eigen::Index>(n)));
  };
  Matrix all(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(dim + np));
  for (std::size_t j = 0; j < dim + np; ++j)
    all.col(static_cast<Eigen::Index>(j)) =
        (8 * (endFor(j, e) - endFor(j, -e)) - (endFor(j, 2 * e) - endFor(j, -2 * e))) / (12 * e);
  return {all.leftCols(basis.cols()), all.rightCols(static_cast<Eigen::Index>(np))};
}

inline double relative(const Matrix& got, const Matrix& expected) {
  return (got - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

/// `settled`: from the state behind one step, whose contacts are closed where they touch.
inline void expectDifferences(const std::string& text, double h, std::int64_t steps, double e = 1e-4,
                              double bound = 1e-7, bool settled = false) {
  const lmc::Model m = compiled(text);
  std::vector<double> from;
  if (settled) from = endOf(m, m.workspace().state().copy(), parametersOf(m), h, 1);
  const Sensitivities got = propagated(m, h, steps, from), expected = differences(m, h, steps, e, from);
  EXPECT_LT(relative(got.byState, expected.byState), bound) << got.byState << "\n\n" << expected.byState;
  if (got.byParameters.size() > 0) {
    EXPECT_LT(relative(got.byParameters, expected.byParameters), bound) << got.byParameters << "\n\n"
                                                                        << expected.byParameters;
  }
  // The adjoint is the transpose of what was propagated.
  lmc::Linearization l = derivativesFrom(m, from);
  if (l.outputs().empty()) return;
  const std::size_t outputs = l.outputs().size();
  const auto weights = [&](std::int64_t k, lmc::Span<const double>) {
    return k == steps ? std::vector<double>(outputs, 1.0) : std::vector<double>();
  };
  const lmc::CostGradient g = l.gradient(h, steps, {}, weights);
  const Matrix basis = basisOf(l);
  const std::size_t n = l.coordinates().size();
  (void)l.propagate(h, steps, std::vector<double>(n, 0.0));
  const lmc::Jacobians c = l.jacobians(lmc::Linearized::Outputs);
  const auto rows = static_cast<Eigen::Index>(c.rows);
  const Matrix byState = Eigen::Map<const Matrix>(c.state.data(), rows, static_cast<Eigen::Index>(n));
  const Vector along = (byState * got.byState).colwise().sum();
  EXPECT_LT(relative(basis.transpose() * Eigen::Map<const Vector>(g.state.data(), basis.rows()), along), 1e-11);
  if (g.parameters.empty()) return;
  const Matrix direct =
      Eigen::Map<const Matrix>(c.parameters.data(), rows, static_cast<Eigen::Index>(g.parameters.size()));
  const Vector byData = (byState * got.byParameters + direct).colwise().sum();
  EXPECT_LT(relative(Eigen::Map<const Vector>(g.parameters.data(), byData.size()), byData), 1e-11);
}

} // namespace host
