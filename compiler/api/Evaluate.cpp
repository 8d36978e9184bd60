// Values of a model at the workspace's present state.
#include "api/Memory.h"
#include "runtime/mass/MassMonitor.h"

#include "runtime/run/Run.h"

#include <fmt/format.h>

namespace lmc::v1 {

void detail::WorkspaceData::observe() {
  std::int32_t status = own.ready();
  if (status == runtime::Ok) status = own.memory.observe(time);
  if (status != runtime::Ok) fail(status);
}

template <class Function> Span<const double> detail::WorkspaceData::evaluate(Function function) {
  if (!evaluation) {
    const runtime::EvaluationProblem& e = shared.evaluation();
    auto unit = std::make_unique<Unit>(e.problem, state());
    unit->load(params);
    evaluated = &e;
    evaluation = std::move(unit);
  }
  const runtime::Computed& c = function(*evaluated);
  std::int32_t status = evaluation->ready();
  if (status == runtime::Ok) status = evaluation->memory.call(c.function, time);
  if (status != runtime::Ok) fail(status);
  const std::span<const double> numbers = evaluation->memory.numbers(c.result);
  return {numbers.data(), numbers.size()};
}

double Workspace::energy() {
  const runtime::Field* const energy = impl_->shared.problem.field(runtime::FieldKind::Energy);
  if (energy == nullptr)
    throw Error(Error::Kind::Unavailable,
                fmt::format("`{}` has neither a Lagrangian nor a Hamiltonian, and so no energy", impl_->shared.name));
  impl_->observe();
  return impl_->own.memory.numbers(*energy)[0];
}

Span<const double> Workspace::observables() {
  impl_->observe();
  return {impl_->own.memory.output().data() + impl_->shared.observablesOffset, impl_->shared.observablesSize};
}

ConstView Workspace::observable(std::string_view name) {
  std::int64_t member = -1;
  const Place place = impl_->shared.observableNames.find(name, member);
  return viewOf(*place.storage, member, observables().data());
}

Span<const double> Workspace::events() {
  std::int32_t status = impl_->own.ready();
  if (status == runtime::Ok) status = impl_->own.memory.events(impl_->time);
  if (status != runtime::Ok) impl_->fail(status);
  impl_->eventValues.clear();
  for (const runtime::EventOutput& e : impl_->shared.problem.events())
    impl_->eventValues.push_back(impl_->own.memory.output()[static_cast<std::size_t>(e.offset)]);
  return impl_->eventValues;
}

std::vector<Defect> Workspace::defects() {
  impl_->observe();
  std::vector<Defect> list;
  for (const runtime::Field* d : impl_->shared.problem.all(runtime::FieldKind::Defect))
    list.push_back({d->of, impl_->own.memory.numbers(*d)[0]});
  return list;
}

Span<const double> Workspace::field() {
  return impl_->evaluate([](const runtime::EvaluationProblem& e) -> const runtime::Computed& { return e.field; });
}

Span<const double> Workspace::velocities() {
  return impl_->evaluate([](const runtime::EvaluationProblem& e) -> const runtime::Computed& { return e.velocities; });
}

Span<const double> Workspace::momenta() {
  return impl_->evaluate([](const runtime::EvaluationProblem& e) -> const runtime::Computed& { return e.momenta; });
}

Span<const double> Workspace::accelerations() {
  const Span<const double> f = field();
  std::vector<double>& a = impl_->accelerations;
  a.resize(impl_->shared.algebraSize);
  for (const Variable& v : impl_->shared.variables) {
    if (v.fiber.empty()) continue;
    const std::int64_t n = v.tangentSize / 2; // the velocity first
    std::copy_n(f.begin() + v.tangentOffset + n, n, a.begin() + v.algebraOffset);
  }
  return a;
}

namespace {
void requireMass(const detail::ModelData& shared) {
  if (!shared.hasMass)
    throw Error(Error::Kind::Unavailable, fmt::format("`{}` has no Lagrangian, and so no mass matrix", shared.name));
}
} // namespace

Span<const double> Workspace::massTimes(Span<const double> v) {
  const detail::ModelData& shared = impl_->shared;
  requireMass(shared);
  if (v.size() != shared.algebraSize)
    throw Error(Error::Kind::Misuse, fmt::format("the velocities of `{}` have {} numbers, not {}", shared.name,
                                                 shared.algebraSize, v.size()));
  // The first call makes the memory.
  static const runtime::Computed nothing;
  (void)impl_->evaluate([](const runtime::EvaluationProblem&) -> const runtime::Computed& { return nothing; });
  const std::span<double> direction = impl_->evaluation->memory.numbers(impl_->evaluated->direction);
  std::copy(v.begin(), v.end(), direction.begin());
  return impl_->evaluate([](const runtime::EvaluationProblem& e) -> const runtime::Computed& { return e.product; });
}

std::vector<double> Workspace::massMatrix() {
  requireMass(impl_->shared);
  const std::size_t n = impl_->shared.algebraSize;
  std::vector<double> m(n * n), unit(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    const Span<const double> column = massTimes(unit);
    unit[j] = 0;
    for (std::size_t i = 0; i < n; ++i) m[i * n + j] = column[i];
  }
  return m;
}

double Workspace::massDefect() {
  requireMass(impl_->shared);
  const auto check = impl_->shared.withPipeline([&](products::Pipeline& p) {
    std::shared_ptr<const runtime::MassCheck>& mass = impl_->shared.mass;
    if (!mass) mass = p.massEquation();
    return mass;
  });
  if (!check || !check->looks()) return 0;
  const std::span<const double> state(impl_->state(), impl_->shared.problem.initialState.size());
  const auto missed = runtime::MassMonitor(*check, impl_->params).missed(state, impl_->time);
  if (!missed) impl_->fail(runtime::SingularMass);
  return *missed;
}

} // namespace lmc::v1
