// Derivatives at a state, of trajectories, and the geometry of tangent spaces.
#include "api/Memory.h"

#include "runtime/derivatives/JumpTrajectory.h"
#include "runtime/run/Run.h"

#include <cmath>
#include <fmt/format.h>

namespace lmc::v1 {

struct detail::LinearizationData {
  explicit LinearizationData(const Model& m)
      : model(m), shared(*detail::Access::shared(m)), problem(shared.linearization()), workspace(problem),
        time(std::isfinite(shared.settings.timeFrom) ? shared.settings.timeFrom : 0.0) {
    check(workspace.start());
  }

  void check(std::int32_t status) const {
    if (status != runtime::Ok) throw Error(statusOf(status), time, runtime::statusText(status));
  }

  void requireSize(const char* what, std::size_t expected, Span<const double> values, bool mayBeEmpty = false) const {
    if (values.size() == expected || (mayBeEmpty && values.empty())) return;
    throw Error(Error::Kind::Misuse,
                fmt::format("{} of `{}` have {} numbers, not {}", what, shared.name, expected, values.size()));
  }

  /// Derivatives of a step are only there when the model has a method.
  runtime::LinearizedMap mapOf(Linearized map) const {
    if (map != Linearized::Motion && map != Linearized::Step && map != Linearized::Outputs)
      throw Error(Error::Kind::Misuse, fmt::format("there is no map {} to linearize", static_cast<int>(map)));
    if (map == Linearized::Outputs && problem.outputNames.empty())
      throw Error(Error::Kind::Unavailable, "`" + shared.name + "` has no outputs: neither an energy nor observables");
    if (map == Linearized::Step && shared.method.empty())
      throw Error(Error::Kind::Unavailable,
                  "`" + shared.name + "` has no method to step it: give one in `simulate`, or in Options::method");
    return static_cast<runtime::LinearizedMap>(map);
  }

  void requireSteps(double h, std::int64_t n) const {
    if (!std::isfinite(h)) throw Error(Error::Kind::Misuse, fmt::format("a step of length {} cannot be taken", h));
    if (n < 0) throw Error(Error::Kind::Misuse, fmt::format("{} steps cannot be taken", n));
    if (h < 0 && problem.jumps)
      throw Error(Error::Kind::Misuse, fmt::format("a step of length {} goes back in time, where a state that jumps "
                                                   "has no past of its own",
                                                   h));
  }

  /// Derivatives across jumps, told as failures of a run where there are none.
  template <class Body> void acrossJumps(Body body) const {
    try {
      check(body());
    } catch (const runtime::NoDerivative& e) {
      throw Error(Status::ResetFailed, e.time, e.what());
    }
  }

  [[nodiscard]] bool jumps(runtime::LinearizedMap map) const {
    return map == runtime::LinearizedMap::Step && problem.jumps.has_value();
  }

  [[nodiscard]] std::size_t coordinates() const { return static_cast<std::size_t>(problem.coordinates); }

  Model model;
  const detail::ModelData& shared;
  const runtime::LinearizedProblem& problem;
  runtime::LinearizedWorkspace workspace;
  double time;
  /// Where the last steps of a model whose state jumps have ended: samplings that are due there are over.
  struct Ended {
    double time = 0;
    std::vector<double> state;
  };
  std::optional<Ended> ended;
  [[nodiscard]] runtime::TrajectorySteps steps(double h, std::int64_t n, std::span<const double> inputs = {}) {
    const std::span<const double> y = workspace.state();
    const bool goesOn = ended && ended->time == time && std::equal(y.begin(), y.end(), ended->state.begin());
    return {time, h, n, inputs, goesOn};
  }
  struct Jumped {
    std::vector<double> value, state, inputs, parameters;
  };
  Jumped jumped; ///< the last step that was differentiated through its jumps: results of calls
};

namespace {

Span<const double> spanOf(std::span<const double> s) {
  return {s.data(), s.size()};
}
std::span<const double> spanOf(Span<const double> s) {
  return {s.data(), s.size()};
}

} // namespace

Linearization::Linearization(const Model& model) : impl_(std::make_unique<detail::LinearizationData>(model)) {}
Linearization::Linearization(Linearization&&) noexcept = default;
Linearization& Linearization::operator=(Linearization&&) noexcept = default;
Linearization::~Linearization() = default;

const Model& Linearization::model() const noexcept {
  return impl_->model;
}
const std::vector<std::string>& Linearization::coordinates() const noexcept {
  return impl_->problem.coordinateNames;
}
const std::vector<std::string>& Linearization::inputs() const noexcept {
  return impl_->problem.inputNames;
}
const std::vector<std::string>& Linearization::parameters() const noexcept {
  return impl_->problem.parameterNames;
}
const std::vector<std::string>& Linearization::outputs() const noexcept {
  return impl_->problem.outputNames;
}

void Linearization::at(const Workspace& workspace) {
  const detail::WorkspaceData& from = detail::Access::data(workspace);
  if (&from.shared != &impl_->shared)
    throw Error(Error::Kind::Misuse, "the workspace is one of another model than `" + impl_->shared.name + "`");
  impl_->time = from.time;
  const Span<const double> y = workspace.state();
  std::copy(y.begin(), y.end(), impl_->workspace.state().begin());
  impl_->check(impl_->workspace.load(from.params));
}

double Linearization::time() const noexcept {
  return impl_->time;
}
void Linearization::setTime(double t) noexcept {
  impl_->time = t;
}
Span<double> Linearization::state() noexcept {
  const std::span<double> y = impl_->workspace.state();
  return {y.data(), y.size()};
}

void Linearization::setInputs(Span<const double> values) {
  impl_->requireSize("the inputs", inputs().size(), values);
  impl_->workspace.setInputs(spanOf(values));
}

void Linearization::setParameters(Span<const double> values) {
  impl_->requireSize("the parameters", parameters().size(), values);
  impl_->check(impl_->workspace.setParameters(spanOf(values)));
}

Jacobians Linearization::jacobians(Linearized map, double h) {
  runtime::LinearizedWorkspace& w = impl_->workspace;
  const runtime::LinearizedMap m = impl_->mapOf(map);
  impl_->requireSteps(h, m == runtime::LinearizedMap::Step ? 1 : 0);
  Jacobians j;
  if (impl_->jumps(m)) {
    const std::size_t n = impl_->coordinates(), inputs = this->inputs().size(), parameters = this->parameters().size();
    runtime::JumpedStep step;
    impl_->acrossJumps([&] { return runtime::stepThroughJumps(w, impl_->steps(h, 1), step); });
    impl_->jumped.state = std::move(step.map.entries);
    impl_->jumped.value = std::move(step.next);
    const Span<const double> all = impl_->jumped.state;
    j.rows = n;
    j.state = {all.data(), n * n};
    j.inputs = {all.data() + n * n, inputs * n};
    j.parameters = {all.data() + n * (n + inputs), parameters * n};
    j.value = impl_->jumped.value;
    return j;
  }
  impl_->check(w.matrices(m, impl_->time, h));
  j.rows = static_cast<std::size_t>(impl_->problem.of(m).size);
  j.state = spanOf(w.stateMatrix(m));
  j.inputs = spanOf(w.inputMatrix(m));
  j.parameters = spanOf(w.parameterMatrix(m));
  if (m == runtime::LinearizedMap::Field) j.field = spanOf(w.fieldMatrix());
  j.value = spanOf(w.value(m));
  return j;
}

Span<const double> Linearization::forward(Linearized map, double h, Span<const double> direction,
                                          Span<const double> inputs, Span<const double> parameters) {
  const runtime::LinearizedMap m = impl_->mapOf(map);
  impl_->requireSize("tangent vectors", impl_->coordinates(), direction, true);
  impl_->requireSize("the inputs", this->inputs().size(), inputs, true);
  impl_->requireSize("the parameters", this->parameters().size(), parameters, true);
  impl_->requireSteps(h, m == runtime::LinearizedMap::Step ? 1 : 0);
  if (impl_->jumps(m)) {
    impl_->jumped.state.assign(impl_->coordinates(), 0.0);
    std::copy(direction.begin(), direction.end(), impl_->jumped.state.begin());
    const runtime::KeptState kept(impl_->workspace);
    impl_->acrossJumps([&] {
      return runtime::propagate(impl_->workspace, impl_->steps(h, 1), impl_->jumped.state, spanOf(inputs),
                                spanOf(parameters));
    });
    return impl_->jumped.state;
  }
  impl_->check(impl_->workspace.forward(m, impl_->time, h, spanOf(direction), spanOf(inputs), spanOf(parameters)));
  return spanOf(impl_->workspace.image(m));
}

Covectors Linearization::adjoint(Linearized map, double h, Span<const double> covector) {
  runtime::LinearizedWorkspace& w = impl_->workspace;
  const runtime::LinearizedMap m = impl_->mapOf(map);
  impl_->requireSize("covectors of this map", static_cast<std::size_t>(impl_->problem.of(m).size), covector);
  impl_->requireSteps(h, m == runtime::LinearizedMap::Step ? 1 : 0);
  if (impl_->jumps(m)) {
    const auto end = [&](runtime::LinearizedWorkspace&, std::int64_t k, double, const runtime::CostCovectors& add) {
      for (std::size_t i = 0; i < covector.size() && k == 1; ++i) add.state[i] += covector[i];
      return std::int32_t{runtime::Ok};
    };
    runtime::TrajectoryGradient g;
    const runtime::KeptState kept(w);
    impl_->acrossJumps([&] { return runtime::trajectoryGradient(w, impl_->steps(h, 1), end, g); });
    impl_->jumped.state = std::move(g.state);
    impl_->jumped.inputs = std::move(g.inputs);
    impl_->jumped.parameters = std::move(g.parameters);
    return {impl_->jumped.state, impl_->jumped.inputs, impl_->jumped.parameters};
  }
  impl_->check(w.adjoint(m, impl_->time, h, spanOf(covector)));
  return {spanOf(w.byState(m)), spanOf(w.byInputs(m)), spanOf(w.byParameters(m))};
}

std::vector<double> Linearization::basis() {
  std::vector<double> vectors;
  impl_->check(impl_->workspace.basis(impl_->time, vectors));
  return vectors;
}

void Linearization::move(Span<const double> direction) {
  impl_->requireSize("tangent vectors", impl_->coordinates(), direction);
  std::vector<double> next(impl_->workspace.state().size());
  impl_->check(impl_->workspace.moved(spanOf(direction), next));
  std::copy(next.begin(), next.end(), impl_->workspace.state().begin());
}

std::vector<double> Linearization::difference(Span<const double> other) {
  impl_->requireSize("states", impl_->workspace.state().size(), other);
  std::vector<double> direction(impl_->coordinates());
  impl_->check(impl_->workspace.difference(spanOf(other), direction));
  return direction;
}

std::vector<double> Linearization::propagate(double h, std::int64_t n, Span<const double> directions,
                                             Span<const double> inputs, Span<const double> parameters) {
  (void)impl_->mapOf(Linearized::Step);
  impl_->requireSteps(h, n);
  const std::size_t size = impl_->coordinates(), count = size == 0 ? 0 : directions.size() / size;
  if (directions.size() != count * size)
    throw Error(Error::Kind::Misuse, fmt::format("tangent vectors of `{}` have {} numbers each; {} are not a multiple",
                                                 impl_->shared.name, size, directions.size()));
  impl_->requireSize("the inputs of these vectors", count * this->inputs().size(), inputs, true);
  impl_->requireSize("the parameters of these vectors", count * this->parameters().size(), parameters, true);
  std::vector<double> vectors = directions.copy();
  impl_->acrossJumps([&] {
    return lmc::runtime::propagate(impl_->workspace, impl_->steps(h, n), vectors, spanOf(inputs), spanOf(parameters));
  });
  impl_->time += static_cast<double>(n) * h;
  if (impl_->problem.jumps) impl_->ended = {impl_->time, state().copy()};
  return vectors;
}

CostGradient Linearization::gradient(double h, std::int64_t n, Span<const double> inputs, const OutputWeights& cost) {
  (void)impl_->mapOf(Linearized::Step);
  (void)impl_->mapOf(Linearized::Outputs);
  impl_->requireSteps(h, n);
  if (!cost) throw Error(Error::Kind::Misuse, "the cost is an empty function");
  impl_->requireSize("the inputs of all steps", static_cast<std::size_t>(n) * this->inputs().size(), inputs, true);
  const auto weights = [&](std::int64_t k, std::span<const double> y) {
    std::vector<double> w;
    try {
      w = cost(k, spanOf(y));
    } catch (...) {
      throw Passing{std::current_exception()};
    }
    impl_->requireSize("the outputs", outputs().size(), w, true);
    return w;
  };
  runtime::TrajectoryGradient g;
  const std::vector<double> first = state().copy();
  try {
    translated([&] {
      impl_->acrossJumps([&] {
        return runtime::trajectoryGradient(impl_->workspace, impl_->steps(h, n, spanOf(inputs)),
                                           runtime::costOfOutputs(weights), g);
      });
    });
  } catch (...) {
    std::copy(first.begin(), first.end(), impl_->workspace.state().begin());
    throw;
  }
  return {std::move(g.state), std::move(g.inputs), std::move(g.parameters)};
}

} // namespace lmc::v1
