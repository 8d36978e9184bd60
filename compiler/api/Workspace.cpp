// A workspace: state, parameters, inputs, steps. Values are in Evaluate.cpp, runs in Run.cpp.
#include "api/Memory.h"

#include "runtime/mass/Dependence.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::v1 {

detail::WorkspaceData::WorkspaceData(const Model& m)
    : model(m), shared(*detail::Access::shared(model)), own(shared.problem), params(shared.problem.params) {
  const runtime::Problem& p = shared.problem;
  std::copy(p.initialState.begin(), p.initialState.end(), state());
  own.load(params);
  time = std::isnan(p.timeFrom) ? 0 : p.timeFrom;
}

void detail::WorkspaceData::write(std::int64_t offset, const double* values, std::int64_t n, bool live) {
  dataChanged = true;
  const bool others = !std::equal(values, values + n, params.begin() + offset);
  std::copy_n(values, n, params.begin() + offset);
  for (Unit* u : {&own, otherFixed.get(), evaluation.get()}) {
    if (u == nullptr) continue;
    std::copy_n(values, n, u->memory.params().begin() + offset);
    u->stale = u->stale || !live;
    // What a method has kept from its last step, accelerations say, is not that of other data: it begins anew.
    if (others) std::ranges::fill(u->memory.state().subspan(shared.problem.initialState.size()), 0.0);
  }
}

void detail::WorkspaceData::loadAll() {
  for (Unit* u : {&own, otherFixed.get(), evaluation.get()})
    if (u != nullptr) u->load(params);
}

std::int32_t detail::WorkspaceData::readyToStep() {
  if (fixed == nullptr) {
    const runtime::Problem& p = shared.steps(products::HostSteps::Fixed);
    if (&p == &shared.problem) {
      fixed = &own;
    } else {
      otherFixed = std::make_unique<Unit>(p, state());
      otherFixed->load(params);
      fixed = otherFixed.get();
    }
    bases = fixed->memory.bases();
    advance = p.code->advance();
  }
  return fixed->ready();
}

void detail::WorkspaceData::fail(std::int32_t status) const {
  failed(statusOf(status), runtime::statusText(status));
}

void detail::WorkspaceData::failed(Status status, const std::string& sentence) const {
  // What is not finite makes matrices singular and iterations diverge: it is the cause.
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!finite(time)) throw Error(Status::NonFinite, time, "the time is not finite");
  for (const auto* list : {&shared.parameters, &shared.inputs}) {
    for (std::size_t k = 0; k < list->size(); ++k) {
      const Storage& s = list == &shared.inputs ? shared.inputPlaces[k].value : (*list)[k].storage;
      if (!std::all_of(params.begin() + s.offset, params.begin() + s.offset + s.size(), finite))
        throw Error(
            Status::NonFinite, time,
            fmt::format("the {} `{}` is not finite", list == &shared.inputs ? "input" : "parameter", (*list)[k].name));
    }
  }
  throw Error(status, time, sentence + whichConstraints(status));
}

/// "; near t = 0.7 the gradients of the constraints … become dependent …" where that may be why a step has failed.
std::string detail::WorkspaceData::whichConstraints(Status status) const {
  if (status == Status::ResetFailed || status == Status::LimitReached) return {};
  // What is computed at a state, without a step, can fail at that state alone.
  const double reach = failedStep != 0 ? std::abs(failedStep) : 1e-9 * std::max(1.0, std::abs(time));
  const std::span<const double> here(own.memory.state().data(), shared.problem.initialState.size());
  const auto rows = runtime::dependentConstraints(shared.problem, runtime::Ok, params, {here, time}, reach);
  return rows ? "; " + *rows : std::string();
}

void detail::WorkspaceData::requireIdle() const {
  if (running)
    throw Error(Error::Kind::Misuse,
                samplings.calling
                    ? "at a sample time the host may set inputs and write the state, and change nothing else"
                    : "a run of this workspace is going on, and a callback cannot change it: for feedback set inputs "
                      "at sample times (Workspace::every), or between calls of `step`");
}

void detail::WorkspaceData::requireWritable() const {
  if (!samplings.calling) requireIdle();
}

void detail::WorkspaceData::refuseSteps(double h, std::int64_t n) const {
  requireIdle();
  throw Error(Error::Kind::Misuse, n < 0 ? fmt::format("{} steps cannot be taken", n)
                                         : fmt::format("a step of length {} cannot be taken", h));
}

Workspace::Workspace(const Model& model)
    : impl_(translated([&] { return std::make_unique<detail::WorkspaceData>(model); })) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

const Model& Workspace::model() const noexcept {
  return impl_->model;
}

// --- state ----------------------------------------------------------------------------------------------------

double Workspace::time() const noexcept {
  return impl_->time;
}
void Workspace::setTime(double t) noexcept {
  impl_->time = t;
}

Span<double> Workspace::state() noexcept {
  return {impl_->state(), impl_->shared.problem.initialState.size()};
}

Span<const double> Workspace::state() const noexcept {
  return {impl_->state(), impl_->shared.problem.initialState.size()};
}

View Workspace::view(std::string_view name) {
  std::int64_t member = -1;
  const Place place = impl_->shared.stateNames.find(name, member);
  return viewOf(*place.storage, member, impl_->state());
}

ConstView Workspace::view(std::string_view name) const {
  std::int64_t member = -1;
  const Place place = impl_->shared.stateNames.find(name, member);
  return viewOf<const double>(*place.storage, member, impl_->state());
}

void Workspace::setState(Span<const double> state) {
  impl_->requireWritable();
  const std::size_t n = impl_->shared.problem.initialState.size();
  if (state.size() != n)
    throw Error(Error::Kind::Misuse,
                fmt::format("a state of `{}` has {} numbers, not {}", impl_->shared.name, n, state.size()));
  std::vector<double> y(state.begin(), state.end());
  if (impl_->shared.hasEquations()) {
    const auto off = impl_->shared.withPipeline([&](products::Pipeline& p) {
      std::unique_ptr<products::StateSettler>& settler = impl_->shared.settler;
      if (!settler) settler = std::make_unique<products::StateSettler>(*p.system());
      return settler->settle(impl_->params, y);
    });
    if (off)
      throw Error(Error::Kind::Misuse, *off + "; states that are to stay off their manifolds are written through "
                                              "Workspace::state()");
  }
  std::copy(y.begin(), y.end(), impl_->state());
}

void Workspace::reset() noexcept {
  const runtime::Problem& p = impl_->shared.problem;
  std::copy(p.initialState.begin(), p.initialState.end(), impl_->state());
  impl_->time = std::isnan(p.timeFrom) ? 0 : p.timeFrom;
}

void Workspace::resetInitial() {
  impl_->requireIdle();
  const std::vector<double> y = impl_->shared.withPipeline([&](products::Pipeline& p) {
    Diagnostics found;
    auto state = p.initialState(impl_->params, found);
    if (state) return std::move(*state);
    const auto all = found.sorted();
    throw Error(Error::Kind::Misuse, all.empty() ? "the initial values cannot be computed" : all.front().message);
  });
  std::copy(y.begin(), y.end(), impl_->state());
  const double from = impl_->shared.problem.timeFrom;
  impl_->time = std::isnan(from) ? 0 : from;
}

// --- parameters and inputs ------------------------------------------------------------------------------------

namespace {

/// The numbers of a member of something (-1: of all).
std::int64_t sizeOf(const Storage& s, std::int64_t member) {
  return member < 0 ? s.size() : std::int64_t{s.rows} * s.columns;
}

void requireSize(std::string_view name, const Storage& s, std::int64_t member, std::size_t given) {
  const std::int64_t wanted = sizeOf(s, member);
  if (static_cast<std::int64_t>(given) != wanted)
    throw Error(Error::Kind::Misuse,
                fmt::format("`{}` has {} number{}, not {}", name, wanted, wanted == 1 ? "" : "s", given));
}

std::int64_t offsetOf(const Storage& s, std::int64_t member) {
  return s.offset + std::max<std::int64_t>(member, 0) * s.rows * s.columns;
}

} // namespace

void Workspace::set(std::string_view name, double value) {
  set(name, Span<const double>(&value, 1));
}

void Workspace::set(std::string_view name, Span<const double> values) {
  std::int64_t member = -1;
  const Storage& s = *impl_->shared.parameterNames.find(name, member).storage;
  requireSize(name, s, member, values.size());
  const std::int64_t offset = offsetOf(s, member);
  const std::vector<bool>& zeros = impl_->shared.fixedZeros;
  for (std::size_t k = 0; k < values.size() && !zeros.empty(); ++k) {
    if (values[k] != 0 && zeros[static_cast<std::size_t>(offset) + k])
      throw Error(Error::Kind::Misuse,
                  fmt::format("number {} of `{}` was zero when the model was compiled with Options::keepZeros, and has "
                              "to stay so",
                              k + 1, name));
  }
  impl_->requireIdle();
  impl_->write(offset, values.data(), sizeOf(s, member), false);
}

ConstView Workspace::parameter(std::string_view name) const {
  std::int64_t member = -1;
  const Place place = impl_->shared.parameterNames.find(name, member);
  return viewOf<const double>(*place.storage, member, impl_->params.data());
}

void Workspace::resetParameters() noexcept {
  for (const Quantity& q : impl_->shared.parameters)
    impl_->write(q.storage.offset, q.value.data(), q.storage.size(), false);
}

void Workspace::setInput(std::string_view name, double value) {
  setInput(name, Span<const double>(&value, 1));
}

namespace {
void hold(detail::WorkspaceData& w, const InputPlace& input, std::int64_t member, const double* values) {
  w.requireWritable();
  const std::int64_t first = std::max<std::int64_t>(member, 0), n = member < 0 ? input.given.members() : 1;
  const double held = 1;
  for (std::int64_t k = 0; k < n; ++k) w.write(input.given.offset + first + k, &held, 1, true);
  w.write(offsetOf(input.value, member), values, sizeOf(input.value, member), true);
}
} // namespace

void Workspace::setInput(std::string_view name, Span<const double> values) {
  std::int64_t member = -1;
  const Place place = impl_->shared.inputNames.find(name, member);
  requireSize(name, *place.storage, member, values.size());
  hold(*impl_, impl_->shared.inputPlaces[place.index], member, values.data());
}

void Workspace::setInput(std::size_t index, Span<const double> values) {
  if (index >= impl_->shared.inputs.size())
    throw Error(Error::Kind::Misuse,
                fmt::format("there are {} inputs; {} is none of them", impl_->shared.inputs.size(), index));
  const Quantity& q = impl_->shared.inputs[index];
  requireSize(q.name, q.storage, -1, values.size());
  hold(*impl_, impl_->shared.inputPlaces[index], -1, values.data());
}

void Workspace::setInput(std::size_t index, double value) {
  setInput(index, Span<const double>(&value, 1));
}

void Workspace::releaseInput(std::string_view name) {
  std::int64_t member = -1;
  const Place place = impl_->shared.inputNames.find(name, member);
  const Quantity& q = impl_->shared.inputs[place.index];
  if (!q.hasDefault)
    throw Error(Error::Kind::Misuse, fmt::format("the input `{}` has no law in the model to go back to", q.name));
  impl_->requireWritable();
  const Storage& given = impl_->shared.inputPlaces[place.index].given;
  const std::int64_t first = std::max<std::int64_t>(member, 0), n = member < 0 ? given.members() : 1;
  const double free = 0;
  for (std::int64_t k = 0; k < n; ++k) impl_->write(given.offset + first + k, &free, 1, true);
  // Of an input that follows its law the value is what is added to it.
  const Storage& value = impl_->shared.inputPlaces[place.index].value;
  const std::vector<double> nothing(static_cast<std::size_t>(sizeOf(value, member)), 0.0);
  impl_->write(offsetOf(value, member), nothing.data(), sizeOf(value, member), true);
}

bool Workspace::inputIsSet(std::string_view name) const {
  std::int64_t member = -1;
  const Place place = impl_->shared.inputNames.find(name, member);
  if (!impl_->shared.inputs[place.index].hasDefault) return true;
  const ConstView given =
      viewOf<const double>(impl_->shared.inputPlaces[place.index].given, member, impl_->params.data());
  return std::all_of(given.numbers().begin(), given.numbers().end(), [](double x) { return x != 0; });
}

void Workspace::resetInputs() noexcept {
  const std::vector<double>& initial = impl_->shared.problem.params;
  for (const InputPlace& i : impl_->shared.inputPlaces) {
    for (const Storage* s : {&i.given, &i.value}) impl_->write(s->offset, initial.data() + s->offset, s->size(), true);
  }
}

// --- steps ----------------------------------------------------------------------------------------------------

bool detail::WorkspaceData::jumpsOnItsWay() const {
  return fixed->problem->jumps() || fixed->problem->contactSteps != nullptr || samplings.any();
}

Status Workspace::tryStep(double h) {
  return trySteps(h, 1);
}

/// Goes on where the last step has ended, or begins anew where time or state are others.
std::int32_t detail::WorkspaceData::beginJumps() {
  const std::size_t n = shared.problem.initialState.size();
  const bool same = jumping && jumping->time == time;
  runtime::JumpSteps::Outcome o;
  if (same && std::equal(jumping->state.begin(), jumping->state.end(), state())) {
    if (!dataChanged) return runtime::Ok;
    o = jumping->steps.changed(time);
  } else {
    if (!jumping || !same) {
      jumping = std::make_unique<JumpingSteps>(*fixed->problem, fixed->memory, time);
      jumping->steps.passStops();
      if (samplings.any()) jumping->steps.jumps().attach(samplings);
    }
    // At the same time samplings that were due are over, whatever has become of the state.
    o = jumping->steps.begin(time, same ? runtime::JumpSteps::Begin::Again : runtime::JumpSteps::Begin::Anew);
    jumping->origin = time;
    jumping->count = 0;
  }
  dataChanged = false;
  jumping->time = time;
  jumping->state.assign(state(), state() + n);
  if (o.status != runtime::Ok) jumpFailure = o.cause;
  return o.status;
}

std::int32_t detail::WorkspaceData::jumpingSteps(double h, std::int64_t n) {
  if (h < 0)
    throw Error(Error::Kind::Misuse,
                fmt::format("a step of length {} goes back in time: a state that jumps has no past", h));
  jumpFailure.clear();
  happened.clear();
  if (n == 0 || h == 0) return runtime::Ok;
  if (!std::isfinite(time)) return runtime::NonFinite; // jumps are looked for by times: nothing would be stepped
  if (time + h == time)
    throw Error(Error::Kind::Misuse, fmt::format("a step of length {} does not change the time {}", h, time));
  const std::vector<double> first(state(), state() + shared.problem.initialState.size());
  const double begin = time;
  running = true;
  std::int32_t status = runtime::Ok;
  try {
    status = carryOut(h, n);
  } catch (...) { // of the host, at a sample time: the steps of this call have not been
    running = false;
    jumping.reset();
    std::copy(first.begin(), first.end(), state());
    time = begin;
    throw;
  }
  running = false;
  return status;
}

std::int32_t detail::WorkspaceData::carryOut(double h, std::int64_t n) {
  std::int32_t status = beginJumps();
  JumpingSteps& j = *jumping;
  if (j.length != h) {
    j.origin = time;
    j.length = h;
    j.count = 0;
  }
  for (std::int64_t k = 0; k < n && status == runtime::Ok; ++k) {
    const runtime::JumpSteps::Outcome o = j.steps.step(j.origin, h, j.count);
    status = o.status;
    if (status != runtime::Ok) {
      jumpFailure = o.cause;
      break;
    }
    ++j.count;
    time = j.origin + static_cast<double>(j.count) * h;
  }
  j.time = time;
  j.state.assign(state(), state() + shared.problem.initialState.size());
  for (const lmc::runtime::EventFound& e : j.steps.jumps().log()) happened.push_back({e.name, e.time});
  j.steps.jumps().clearLog();
  if (status != runtime::Ok) jumping.reset(); // what follows begins anew
  return status;
}

Status Workspace::trySteps(double h, std::int64_t n) {
  detail::WorkspaceData& w = *impl_;
  w.jumpFailure.clear();
  if (!std::isfinite(h) || n < 0 || w.running) w.refuseSteps(h, n);
  if (w.fixed == nullptr || w.fixed->stale) {
    const std::int32_t status = w.readyToStep();
    if (status != runtime::Ok) return statusOf(status);
  }
  std::int32_t status = runtime::Ok;
  if (w.jumpsOnItsWay()) {
    w.samplings.caller = this;
    status = translated([&] { return w.jumpingSteps(h, n); });
  } else {
    std::int64_t done = 0;
    status = w.advance(w.bases, &w.time, h, n, &done);
  }
  if (status == runtime::Ok) return Status::Success;
  w.failedStep = h;
  return statusOf(status);
}

Span<const EventHit> Workspace::happened() const noexcept {
  return impl_->happened;
}

StepFunction Workspace::stepFunction() {
  if (impl_->shared.problem.contactSteps != nullptr)
    throw Error(Error::Kind::Unavailable, "the compiled step of `" + impl_->shared.name +
                                              "` alone knows no contacts: their impulses are found for each step "
                                              "(Workspace::step)");
  const std::int32_t status = impl_->readyToStep();
  if (status != runtime::Ok) impl_->fail(status);
  return {impl_->advance, impl_->bases};
}

void Workspace::fail(Status status) const {
  impl_->failed(status, impl_->jumpFailure.empty() ? text(status) : impl_->jumpFailure);
}

// --- sample times -----------------------------------------------------------------------------------------------

void detail::Samplings::add(const Times& times, Sampling sampling) {
  times_.push_back(times);
  calls_.push_back(std::move(sampling));
}

void detail::Samplings::clear() {
  times_.clear();
  calls_.clear();
}

/// The workspace of the host becomes the state of the motion, and the motion what the host has made of it.
void detail::Samplings::at(std::size_t which, double t, lmc::runtime::Workspace& memory) {
  WorkspaceData& w = data_;
  const std::size_t n = w.shared.problem.initialState.size();
  double* const own = w.state();
  double* const moved = memory.state().data();
  if (own != moved) std::copy_n(moved, n, own);
  const double before = w.time;
  const bool changed = w.dataChanged;
  w.time = t;
  calling = true;
  try {
    calls_[which](*caller);
  } catch (...) { // goes on when the run, or the step, has been left
    calling = false;
    throw Passing{std::current_exception()};
  }
  calling = false;
  if (w.fixed != nullptr && &w.fixed->memory == &memory) { // of steps, which look at nothing else between
    w.time = before;
    w.dataChanged = changed;
  }
  if (own != moved) std::copy_n(own, n, moved);
  for (const InputPlace& i : w.shared.inputPlaces)
    for (const Storage* s : {&i.given, &i.value})
      std::copy_n(w.params.begin() + s->offset, s->size(), memory.params().begin() + s->offset);
}

void Workspace::every(double interval, Sampling sampling, double first) {
  impl_->requireIdle();
  if (!(interval > 0) || !std::isfinite(interval))
    throw Error(Error::Kind::Misuse,
                fmt::format("the interval {} between sample times is not a time above zero", interval));
  if (std::isinf(first)) throw Error(Error::Kind::Misuse, "the first sample time is not finite");
  if (!sampling) throw Error(Error::Kind::Misuse, "there is nothing to call at the sample times");
  impl_->samplings.add({interval, first, -1}, std::move(sampling));
  impl_->jumping.reset();
}

void Workspace::atEvery(std::size_t block, Sampling sampling) {
  impl_->requireIdle();
  const std::size_t count = impl_->shared.samplings.size();
  if (block >= count)
    throw Error(Error::Kind::Misuse,
                fmt::format("the model has {} blocks of `every`; {} is none of them", count, block));
  if (!sampling) throw Error(Error::Kind::Misuse, "there is nothing to call at the sample times");
  impl_->samplings.add({0, std::numeric_limits<double>::quiet_NaN(), static_cast<int>(block)}, std::move(sampling));
  impl_->jumping.reset();
}

void Workspace::clearSamplings() {
  impl_->requireIdle();
  impl_->samplings.clear();
  impl_->jumping.reset();
}

} // namespace lmc::v1
