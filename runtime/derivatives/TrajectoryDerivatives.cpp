#include "runtime/derivatives/TrajectoryDerivatives.h"

#include "runtime/derivatives/JumpTrajectory.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

namespace {

void copy(std::span<const double> from, std::span<double> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

void addTo(std::span<double> sum, std::span<const double> more) {
  std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
}

/// y += A x for a matrix with its columns one after the other.
void addProduct(std::span<const double> a, std::span<const double> x, std::span<double> y) {
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += a[i + j * y.size()] * x[j];
}

class Trajectory {
public:
  Trajectory(LinearizedWorkspace& w, const TrajectorySteps& steps) : w_(w), p_(w.problem()), steps_(steps) {}

  [[nodiscard]] double time(std::int64_t k) const { return steps_.t + static_cast<double>(k) * steps_.h; }

  void setInputs(std::int64_t k) {
    if (!steps_.inputs.empty()) w_.setInputs(steps_.inputs.subspan(at(k * p_.inputs), at(p_.inputs)));
  }

  /// The state after step k.
  std::int32_t step(std::int64_t k) {
    setInputs(k);
    const std::int32_t status = w_.forward(LinearizedMap::Step, time(k), steps_.h, {});
    if (status == Ok) copy(w_.value(LinearizedMap::Step), w_.state());
    return status;
  }

protected:
  LinearizedWorkspace& w_;
  const LinearizedProblem& p_;
  const TrajectorySteps& steps_;
};

class Propagation : public Trajectory {
public:
  using Trajectory::Trajectory;

  std::int32_t run(std::span<double> z, std::span<const double> u, std::span<const double> p) {
    const std::size_t n = at(p_.coordinates), count = n == 0 ? 0 : z.size() / n;
    // All columns of the matrix cost about as much as a quarter of them one by one.
    const bool whole = p_.of(LinearizedMap::Step).matrices >= 0 && 4 * count > n;
    std::vector<double> next(z.size());
    std::int32_t status = Ok;
    for (std::int64_t k = 0; k < steps_.count && status == Ok; ++k) {
      setInputs(k);
      status = whole ? w_.matrices(LinearizedMap::Step, time(k), steps_.h) : static_cast<std::int32_t>(Ok);
      for (std::size_t j = 0; j < count && status == Ok; ++j) {
        const auto part = [j](std::span<const double> all, std::int64_t size) {
          return all.empty() ? all : all.subspan(j * at(size), at(size));
        };
        const std::span<double> image(next.data() + j * n, n);
        if (whole)
          multiply(z.subspan(j * n, n), part(u, p_.inputs), part(p, p_.parameters), image);
        else
          status = w_.forward(LinearizedMap::Step, time(k), steps_.h, z.subspan(j * n, n), part(u, p_.inputs),
                              part(p, p_.parameters));
        if (!whole) copy(w_.image(LinearizedMap::Step), image);
      }
      if (count == 0) status = w_.forward(LinearizedMap::Step, time(k), steps_.h, {});
      if (status != Ok) return status;
      copy(next, z);
      copy(w_.value(LinearizedMap::Step), w_.state());
    }
    return status;
  }

private:
  void multiply(std::span<const double> z, std::span<const double> u, std::span<const double> p,
                std::span<double> image) {
    std::fill(image.begin(), image.end(), 0.0);
    addProduct(w_.stateMatrix(LinearizedMap::Step), z, image);
    addProduct(w_.inputMatrix(LinearizedMap::Step), u, image);
    addProduct(w_.parameterMatrix(LinearizedMap::Step), p, image);
  }
};

class Adjoint : public Trajectory {
public:
  Adjoint(LinearizedWorkspace& w, const TrajectorySteps& steps, const CostDerivative& cost, TrajectoryGradient& g)
      : Trajectory(w, steps), cost_(cost), g_(g) {
    g_.state.assign(at(p_.coordinates), 0.0);
    g_.inputs.assign(at(steps.count * p_.inputs), 0.0);
    g_.parameters.assign(at(p_.parameters), 0.0);
  }

  std::int32_t run(std::int64_t section) {
    const std::int64_t n = steps_.count;
    if (section <= 0) section = std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(n))));
    std::vector<std::vector<double>> begins;
    std::int32_t status = Ok;
    for (std::int64_t k = 0; k < n && status == Ok; ++k) {
      if (k % section == 0) begins.push_back(state());
      status = step(k);
    }
    if (begins.empty()) begins.push_back(state());
    if (status == Ok) status = addCost(n, {});
    for (std::int64_t first = (n - 1) / section * section; first >= 0 && n > 0 && status == Ok; first -= section)
      status = back(first, std::min(first + section, n), begins[at(first / section)]);
    copy(begins[0], w_.state());
    return status;
  }

private:
  [[nodiscard]] std::vector<double> state() { return {w_.state().begin(), w_.state().end()}; }

  std::int32_t addCost(std::int64_t k, std::span<double> inputs) {
    return cost_(w_, k, time(k), {g_.state, inputs, g_.parameters});
  }

  /// From lambda at `last` to lambda at `first`.
  std::int32_t back(std::int64_t first, std::int64_t last, const std::vector<double>& begin) {
    std::vector<std::vector<double>> states{begin};
    copy(begin, w_.state());
    std::int32_t status = Ok;
    for (std::int64_t k = first; k + 1 < last && status == Ok; ++k) {
      status = step(k);
      states.push_back(state());
    }
    for (std::int64_t k = last - 1; k >= first && status == Ok; --k) {
      copy(states[at(k - first)], w_.state());
      setInputs(k);
      status = w_.adjoint(LinearizedMap::Step, time(k), steps_.h, g_.state);
      if (status != Ok) break;
      copy(w_.byState(LinearizedMap::Step), g_.state);
      const std::span<double> inputs(g_.inputs.data() + at(k * p_.inputs), at(p_.inputs));
      copy(w_.byInputs(LinearizedMap::Step), inputs);
      addTo(g_.parameters, w_.byParameters(LinearizedMap::Step));
      status = addCost(k, inputs);
    }
    return status;
  }

  const CostDerivative& cost_;
  TrajectoryGradient& g_;
};

} // namespace

std::int32_t propagate(LinearizedWorkspace& workspace, const TrajectorySteps& steps, std::span<double> directions,
                       std::span<const double> inputs, std::span<const double> parameters) {
  if (workspace.problem().jumps) return propagateThroughJumps(workspace, steps, directions, inputs, parameters);
  return Propagation(workspace, steps).run(directions, inputs, parameters);
}

std::int32_t trajectoryGradient(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                const CostDerivative& cost, TrajectoryGradient& gradient, std::int64_t section) {
  if (workspace.problem().jumps) return gradientThroughJumps(workspace, steps, cost, gradient, section);
  return Adjoint(workspace, steps, cost, gradient).run(section);
}

CostDerivative costOfOutputs(std::function<std::vector<double>(std::int64_t, std::span<const double>)> weights) {
  return [weights = std::move(weights)](LinearizedWorkspace& w, std::int64_t k, double t, const CostCovectors& add) {
    std::int32_t status = w.forward(LinearizedMap::Outputs, t, 0, {});
    if (status != Ok) return status;
    const std::vector<double> covector = weights(k, w.value(LinearizedMap::Outputs));
    if (covector.empty()) return status;
    status = w.adjoint(LinearizedMap::Outputs, t, 0, covector);
    if (status != Ok) return status;
    addTo(add.state, w.byState(LinearizedMap::Outputs));
    if (!add.inputs.empty()) addTo(add.inputs, w.byInputs(LinearizedMap::Outputs));
    addTo(add.parameters, w.byParameters(LinearizedMap::Outputs));
    return status;
  };
}

} // namespace lmc::runtime
