#include "runtime/derivatives/JumpTrajectory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lmc::runtime {

namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The motion over all steps, and where the state is behind each.
class JumpingTrajectory {
public:
  JumpingTrajectory(LinearizedWorkspace& w, const TrajectorySteps& steps)
      : w_(w), p_(w.problem()), columns_(columnsOf(p_)), steps_(steps) {}

protected:
  [[nodiscard]] double time(std::int64_t k) const { return steps_.t + static_cast<double>(k) * steps_.h; }

  void setInputs(std::int64_t k) {
    if (!steps_.inputs.empty() && k < steps_.count)
      w_.setInputs(steps_.inputs.subspan(at(k * p_.inputs), at(p_.inputs)));
  }

  [[nodiscard]] JumpSteps::Begin how() const {
    return steps_.goesOn ? JumpSteps::Begin::Again : JumpSteps::Begin::Anew;
  }
  /// Between steps k - 1 and k inputs change.
  [[nodiscard]] bool changes(std::int64_t k) const { return k > 0 && !steps_.inputs.empty(); }

  void setState(std::span<const double> y) { std::copy_n(y.begin(), w_.state().size(), w_.state().begin()); }
  [[nodiscard]] std::vector<double> state() { return {w_.state().begin(), w_.state().end()}; }

  LinearizedWorkspace& w_;
  const LinearizedProblem& p_;
  JumpColumns columns_;
  const TrajectorySteps& steps_;
};

class JumpPropagation : public JumpingTrajectory {
public:
  using JumpingTrajectory::JumpingTrajectory;

  std::int32_t run(std::span<double> z, std::span<const double> u, std::span<const double> p) {
    const std::size_t n = columns_.state, count = n == 0 ? 0 : z.size() / n;
    std::vector<double> late(count, 0.0); // tau at the begin of the piece
    JumpMotion motion(w_, steps_.t);
    std::vector<Passage> passages;
    setInputs(0);
    std::int32_t status = motion.begin(steps_.t, how(), &passages);
    for (std::int64_t k = 0; k <= steps_.count && status == Ok; ++k) {
      const std::vector<double> end = state();
      for (const Passage& passage : passages)
        for (std::size_t j = 0; j < count && status == Ok; ++j) {
          const auto part = [j](std::span<const double> all, std::size_t size) {
            return all.empty() ? all : all.subspan(j * size, size);
          };
          status = carryAlong(w_, passage, z.subspan(j * n, n), part(u, columns_.inputs), part(p, columns_.parameters),
                              late[j]);
        }
      setState(end);
      passages.clear();
      if (k == steps_.count || status != Ok) break;
      setInputs(k);
      if (changes(k)) status = motion.changed(time(k), &passages);
      if (status == Ok) status = motion.step(steps_.t, steps_.h, k, passages);
    }
    return status;
  }
};

class JumpAdjoint : public JumpingTrajectory {
public:
  JumpAdjoint(LinearizedWorkspace& w, const TrajectorySteps& steps, const CostDerivative& cost, TrajectoryGradient& g)
      : JumpingTrajectory(w, steps), cost_(cost), g_(g) {
    g_.state.assign(columns_.state, 0.0);
    g_.inputs.assign(at(steps.count) * columns_.inputs, 0.0);
    g_.parameters.assign(columns_.parameters, 0.0);
  }

  std::int32_t run(std::int64_t section) {
    const std::int64_t n = steps_.count;
    if (section <= 0) section = std::max<std::int64_t>(1, std::llround(std::sqrt(static_cast<double>(n))));
    const std::vector<double> first = state();
    JumpMotion motion(w_, steps_.t);
    std::vector<Passage> initial;
    std::vector<JumpSteps::Memory> begins;
    setInputs(0);
    std::int32_t status = motion.begin(steps_.t, how(), &initial);
    for (std::int64_t k = 0; k < n && status == Ok; ++k) {
      if (k % section == 0) begins.push_back(motion.memory());
      setInputs(k);
      if (changes(k)) status = motion.changed(time(k), nullptr);
      if (status == Ok) status = motion.step(steps_.t, steps_.h, k);
    }
    if (status == Ok) status = addCost(n, state());
    double late = 0; // the covector of tau
    for (std::int64_t k = (n - 1) / section * section; k >= 0 && n > 0 && status == Ok; k -= section)
      status = backThrough(motion, k, std::min(k + section, n), begins[at(k / section)], late);
    for (std::size_t i = initial.size(); i > 0 && status == Ok; --i) status = back(initial[i - 1], 0, late);
    setState(first);
    return status;
  }

private:
  [[nodiscard]] std::span<double> inputsOf(std::int64_t k) {
    return k < steps_.count ? std::span<double>(g_.inputs).subspan(at(k) * columns_.inputs, columns_.inputs)
                            : std::span<double>();
  }

  /// Once more over some steps, and back.
  std::int32_t backThrough(JumpMotion& motion, std::int64_t first, std::int64_t last, const JumpSteps::Memory& begin,
                           double& late) {
    std::vector<std::vector<Passage>> passages(at(last - first));
    std::vector<std::vector<double>> states;
    setInputs(first);
    std::int32_t status = motion.restore(time(first), begin);
    for (std::int64_t k = first; k < last && status == Ok; ++k) {
      states.push_back(state());
      setInputs(k);
      std::vector<Passage>& own = passages[at(k - first)];
      if (changes(k)) status = motion.changed(time(k), &own);
      if (status == Ok) status = motion.step(steps_.t, steps_.h, k, own);
    }
    for (std::int64_t k = last - 1; k >= first && status == Ok; --k) {
      setInputs(k);
      const std::vector<Passage>& own = passages[at(k - first)];
      for (std::size_t i = own.size(); i > 0 && status == Ok; --i) status = back(own[i - 1], k, late);
      if (status == Ok) status = addCost(k, states[at(k - first)]);
    }
    return status;
  }

  std::int32_t addCost(std::int64_t k, std::span<const double> y) {
    setState(y);
    return cost_(w_, k, time(k), {g_.state, inputsOf(k), g_.parameters});
  }

  void addData(std::span<const double> row, double c, std::int64_t k) {
    const std::span<double> inputs = inputsOf(k);
    for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] += c * row[columns_.state + j];
    for (std::size_t j = 0; j < columns_.parameters; ++j)
      g_.parameters[j] += c * row[columns_.state + columns_.inputs + j];
  }

  /// From covectors of z+ and tau+ to those at the begin of the piece.
  std::int32_t back(const Passage& passage, std::int64_t k, double& late) {
    std::vector<double>& lambda = g_.state;
    if (passage.jump) {
      const JumpLinear& jump = *passage.jump;
      std::vector<double> row(columns_.count());
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = product(lambda, jump.map.column(j));
      addData(row, 1, k);
      late += row[columns_.time()];
      std::copy_n(row.begin(), lambda.size(), lambda.begin());
      if (!jump.length.empty()) late += product(lambda, jump.length);
      addData(jump.timing, late, k);
      for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += late * jump.timing[i];
    }
    late = 0;
    if (passage.length == 0) return Ok;
    setState(passage.begin);
    const std::array<double, 2> moved{1, -1};
    std::int32_t status = w_.forward(LinearizedMap::Step, passage.from, passage.length, {}, {}, {}, moved);
    if (status != Ok) return status;
    late = product(lambda, w_.image(LinearizedMap::Step));
    status = w_.adjoint(LinearizedMap::Step, passage.from, passage.length, lambda);
    if (status != Ok) return status;
    const std::span<const double> byInputs = w_.byInputs(LinearizedMap::Step);
    const std::span<const double> byParameters = w_.byParameters(LinearizedMap::Step);
    const std::span<double> inputs = inputsOf(k);
    std::copy_n(w_.byState(LinearizedMap::Step).begin(), lambda.size(), lambda.begin());
    for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] += byInputs[j];
    for (std::size_t j = 0; j < byParameters.size(); ++j) g_.parameters[j] += byParameters[j];
    return Ok;
  }

  const CostDerivative& cost_;
  TrajectoryGradient& g_;
};

} // namespace

std::int32_t carryAlong(LinearizedWorkspace& w, const Passage& passage, std::span<double> z, std::span<const double> u,
                        std::span<const double> p, double& late) {
  const JumpColumns columns = columnsOf(w.problem());
  if (passage.length != 0) {
    std::copy(passage.begin.begin(), passage.begin.end(), w.state().begin());
    const std::array<double, 2> moved{late, -late};
    const std::int32_t status = w.forward(LinearizedMap::Step, passage.from, passage.length, z, u, p, moved);
    if (status != Ok) return status;
    std::copy_n(w.image(LinearizedMap::Step).begin(), z.size(), z.begin());
  }
  late = 0;
  if (!passage.jump) return Ok;
  const JumpLinear& jump = *passage.jump;
  const std::span<const double> timing = jump.timing;
  const auto data = [&](std::span<const double> row) {
    double sum = 0;
    if (!u.empty()) sum += product(u, row.subspan(columns.state));
    if (!p.empty()) sum += product(p, row.subspan(columns.state + columns.inputs));
    return sum;
  };
  late = product(z, timing) + data(timing);
  for (std::size_t i = 0; i < z.size() && !jump.length.empty(); ++i) z[i] += jump.length[i] * late;
  std::vector<double> next(z.size(), 0.0);
  const auto add = [&](std::size_t column, double c) {
    for (std::size_t i = 0; i < next.size() && c != 0; ++i) next[i] += c * jump.map.column(column)[i];
  };
  for (std::size_t j = 0; j < z.size(); ++j) add(j, z[j]);
  for (std::size_t j = 0; j < u.size(); ++j) add(columns.state + j, u[j]);
  for (std::size_t j = 0; j < p.size(); ++j) add(columns.state + columns.inputs + j, p[j]);
  add(columns.time(), late);
  std::copy(next.begin(), next.end(), z.begin());
  return Ok;
}

std::int32_t stepThroughJumps(LinearizedWorkspace& w, const TrajectorySteps& steps, JumpedStep& result) {
  const JumpColumns columns = columnsOf(w.problem());
  const std::size_t n = columns.state, count = columns.time();
  std::vector<double> z, u, p;
  for (std::size_t j = 0; j < count; ++j) {
    const UnitDirection d(columns, j);
    z.insert(z.end(), d.state.begin(), d.state.end());
    u.insert(u.end(), d.inputs.begin(), d.inputs.end());
    p.insert(p.end(), d.parameters.begin(), d.parameters.end());
  }
  const KeptState kept(w);
  const std::int32_t status = propagateThroughJumps(w, {steps.t, steps.h, 1, steps.inputs, steps.goesOn}, z, u, p);
  result.next.assign(w.state().begin(), w.state().end());
  z.resize(n * columns.count(), 0.0);
  result.map = {n, std::move(z)};
  return status;
}

std::int32_t propagateThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                   std::span<double> directions, std::span<const double> inputs,
                                   std::span<const double> parameters) {
  return JumpPropagation(workspace, steps).run(directions, inputs, parameters);
}

std::int32_t gradientThroughJumps(LinearizedWorkspace& workspace, const TrajectorySteps& steps,
                                  const CostDerivative& cost, TrajectoryGradient& gradient, std::int64_t section) {
  return JumpAdjoint(workspace, steps, cost, gradient).run(section);
}

} // namespace lmc::runtime
