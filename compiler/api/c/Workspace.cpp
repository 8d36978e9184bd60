// The C interface: workspaces, runs, dense output.
#include "api/c/C.h"

#include <cmath>
#include <limits>

namespace lmc::c {
namespace {

/// A function of C as one of C++. The workspace of C holds that of C++, and stays where it is.
v1::Sampling samplingOf(lmc_workspace* w, lmc_sampling sampling, void* user) {
  if (sampling == nullptr) return {};
  return [w, sampling, user](v1::Workspace&) {
    if (sampling(w, user) != 0) throw v1::Error(v1::Error::Kind::Misuse, "the host gave up at a sample time");
  };
}

template <class T> lmc_status giveView(lmc_view* out, const v1::BasicView<T>& v) noexcept {
  return give(out, lmc_view{0, const_cast<double*>(v.data), v.members, v.rows, v.columns});
}

/// Numbers that a function of the workspace returns.
template <class Function> lmc_status numbers(lmc_workspace* w, const double** out, Function function) noexcept {
  if (out == nullptr) return misuse("there is no place for the result");
  return guarded([&] { *out = function(w->workspace).data(); });
}

} // namespace

v1::RunSettings settingsOf(const lmc_run_settings* s) {
  v1::RunSettings r;
  if (s == nullptr) return r;
  if (s->struct_size < sizeof(std::size_t))
    throw v1::Error(v1::Error::Kind::Misuse, "settings without their struct_size: call lmc_run_settings_init first");
  lmc_run_settings all;
  lmc_run_settings_init(&all);
  std::memcpy(&all, s, std::min(s->struct_size, sizeof all));
  r.to = all.to;
  r.step = all.step;
  r.tolerance = all.tolerance;
  r.fixedSteps = all.fixed_steps != 0;
  r.every = all.every;
  r.everySteps = all.every_steps;
  r.maxSteps = all.max_steps;
  r.maxSeconds = all.max_seconds;
  if (all.cancel != nullptr) r.cancel = [ask = all.cancel, user = all.cancel_user] { return ask(user) != 0; };
  if (all.times == nullptr && all.time_count > 0) throw v1::Error(v1::Error::Kind::Misuse, "the times are NULL");
  if (all.times != nullptr) r.times.assign(all.times, all.times + all.time_count);
  return r;
}

lmc_run_result resultOf(const v1::RunResult& r) {
  lmc_run_result x = {};
  x.time = r.time;
  x.steps = r.steps;
  x.rejected = r.rejected;
  x.evaluations = r.evaluations;
  x.samples = r.samples;
  x.stopped = r.stopped ? 1 : 0;
  x.failure = r.failure ? statusOf(r.failure->status) : LMC_OK;
  x.failure_message = r.failure ? r.failure->message.c_str() : nullptr;
  x.event = r.event ? r.event->name.c_str() : nullptr;
  x.energy_error = r.energyError.value_or(std::numeric_limits<double>::quiet_NaN());
  for (const v1::Defect& d : r.defects)
    x.largest_defect = d.value > x.largest_defect || std::isnan(d.value) ? d.value : x.largest_defect;
  x.seconds = r.seconds;
  x.iterations = r.iterations;
  x.events = r.events.size();
  x.jumps = r.jumps.size();
  return x;
}

lmc_status failureOf(const v1::RunResult& r) {
  return r.failure ? refuse(statusOf(r.failure->status), r.failure->message.c_str()) : LMC_OK;
}

} // namespace lmc::c

using namespace lmc::c;

lmc_status lmc_workspace_new(const lmc_model* model, lmc_workspace** out) {
  if (out == nullptr || model == nullptr)
    return lmc::c::misuse("a workspace needs a model, and a place for the result");
  *out = nullptr;
  return lmc::c::guarded([&] { *out = new lmc_workspace{lmc::Workspace(model->model), {}}; });
}
void lmc_workspace_free(lmc_workspace* w) {
  delete w;
}
double lmc_workspace_time(const lmc_workspace* w) {
  return w->workspace.time();
}
void lmc_workspace_set_time(lmc_workspace* w, double t) {
  w->workspace.setTime(t);
}
double* lmc_workspace_state(lmc_workspace* w) {
  return w->workspace.state().data();
}

lmc_status lmc_workspace_view(lmc_workspace* w, const char* name, lmc_view* out) {
  lmc::View v;
  const lmc_status status = lmc::c::guarded([&] { v = w->workspace.view(lmc::c::given(name)); });
  return status != LMC_OK ? status : lmc::c::giveView(out, v);
}

void lmc_workspace_reset(lmc_workspace* w) {
  w->workspace.reset();
}
lmc_status lmc_workspace_reset_initial(lmc_workspace* w) {
  return lmc::c::guarded([&] { w->workspace.resetInitial(); });
}
lmc_status lmc_workspace_set(lmc_workspace* w, const char* name, const double* values, size_t count) {
  return lmc::c::guarded([&] { w->workspace.set(lmc::c::given(name), lmc::c::given(values, count)); });
}

lmc_status lmc_workspace_parameter(lmc_workspace* w, const char* name, lmc_view* out) {
  lmc::ConstView v;
  const lmc_status status = lmc::c::guarded([&] { v = w->workspace.parameter(lmc::c::given(name)); });
  return status != LMC_OK ? status : lmc::c::giveView(out, v);
}

void lmc_workspace_reset_parameters(lmc_workspace* w) {
  w->workspace.resetParameters();
}
lmc_status lmc_workspace_set_input(lmc_workspace* w, const char* name, const double* values, size_t count) {
  return lmc::c::guarded([&] { w->workspace.setInput(lmc::c::given(name), lmc::c::given(values, count)); });
}
lmc_status lmc_workspace_set_input_at(lmc_workspace* w, size_t index, const double* values, size_t count) {
  return lmc::c::guarded([&] { w->workspace.setInput(index, lmc::c::given(values, count)); });
}
lmc_status lmc_workspace_release_input(lmc_workspace* w, const char* name) {
  return lmc::c::guarded([&] { w->workspace.releaseInput(lmc::c::given(name)); });
}
lmc_status lmc_workspace_input_is_set(lmc_workspace* w, const char* name, int* is_set) {
  if (is_set == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *is_set = w->workspace.inputIsSet(lmc::c::given(name)) ? 1 : 0; });
}
void lmc_workspace_reset_inputs(lmc_workspace* w) {
  w->workspace.resetInputs();
}

lmc_status lmc_workspace_every(lmc_workspace* w, double interval, double first, lmc_sampling sampling, void* user) {
  return lmc::c::guarded([&] { w->workspace.every(interval, lmc::c::samplingOf(w, sampling, user), first); });
}
lmc_status lmc_workspace_at_every(lmc_workspace* w, size_t block, lmc_sampling sampling, void* user) {
  return lmc::c::guarded([&] { w->workspace.atEvery(block, lmc::c::samplingOf(w, sampling, user)); });
}
lmc_status lmc_workspace_clear_samplings(lmc_workspace* w) {
  return lmc::c::guarded([&] { w->workspace.clearSamplings(); });
}

lmc_status lmc_workspace_step(lmc_workspace* w, double h) {
  return lmc_workspace_steps(w, h, 1);
}

lmc_status lmc_workspace_steps(lmc_workspace* w, double h, int64_t n) {
  lmc::Status status = lmc::Status::Success;
  const lmc_status called = lmc::c::guarded([&] { status = w->workspace.trySteps(h, n); });
  if (called != LMC_OK || status == lmc::Status::Success) return called;
  return lmc::c::guarded([&] { w->workspace.fail(status); });
}

size_t lmc_workspace_happened(const lmc_workspace* w) {
  return w->workspace.happened().size();
}

lmc_status lmc_workspace_happened_at(const lmc_workspace* w, size_t i, lmc_event_hit* out) {
  const lmc::Span<const lmc::EventHit> all = w->workspace.happened();
  if (i >= all.size()) return lmc::c::misuse("the last steps have met fewer events");
  return lmc::c::give(out, lmc_event_hit{sizeof(lmc_event_hit), all[i].name.c_str(), all[i].time});
}

lmc_status lmc_workspace_energy(lmc_workspace* w, double* out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *out = w->workspace.energy(); });
}
lmc_status lmc_workspace_observables(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.observables(); });
}

lmc_status lmc_workspace_observable(lmc_workspace* w, const char* name, lmc_view* out) {
  lmc::ConstView v;
  const lmc_status status = lmc::c::guarded([&] { v = w->workspace.observable(lmc::c::given(name)); });
  return status != LMC_OK ? status : lmc::c::giveView(out, v);
}

lmc_status lmc_workspace_events(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.events(); });
}
lmc_status lmc_workspace_field(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.field(); });
}
lmc_status lmc_workspace_velocities(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.velocities(); });
}
lmc_status lmc_workspace_momenta(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.momenta(); });
}
lmc_status lmc_workspace_accelerations(lmc_workspace* w, const double** out) {
  return lmc::c::numbers(w, out, [](lmc::Workspace& x) { return x.accelerations(); });
}
lmc_status lmc_workspace_mass_times(lmc_workspace* w, const double* v, size_t count, const double** out) {
  return lmc::c::numbers(w, out, [&](lmc::Workspace& x) { return x.massTimes(lmc::c::given(v, count)); });
}

lmc_status lmc_workspace_mass_matrix(lmc_workspace* w, double* out, size_t count) {
  const size_t n = w->workspace.model().algebraSize();
  if (out == nullptr || count != n * n)
    return lmc::c::misuse("the mass matrix has algebra_size times algebra_size numbers");
  return lmc::c::guarded([&] {
    const std::vector<double> m = w->workspace.massMatrix();
    std::copy(m.begin(), m.end(), out);
  });
}

lmc_status lmc_workspace_mass_defect(lmc_workspace* w, double* out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *out = w->workspace.massDefect(); });
}

// --- runs -----------------------------------------------------------------------------------------------------

void lmc_run_settings_init(lmc_run_settings* settings) {
  const double open = std::numeric_limits<double>::quiet_NaN();
  *settings = {sizeof(lmc_run_settings), open, open, open, 0, 0, 0, nullptr, 0, 0, 0, nullptr, nullptr};
}

lmc_status lmc_workspace_run(lmc_workspace* w, const lmc_run_settings* settings, lmc_sample_callback callback,
                             void* user, lmc_run_result* out) {
  const lmc_status called = lmc::c::guarded([&] {
    lmc::SampleCallback sample;
    if (callback != nullptr) {
      sample = [callback, user](const lmc::Sample& s) {
        const lmc_sample x = {sizeof(lmc_sample), s.time, s.values.data(), s.values.size(), s.state.size()};
        return callback(&x, user) != 0;
      };
    }
    w->last = w->workspace.run(lmc::c::settingsOf(settings), sample);
  });
  if (called != LMC_OK) return called;
  if (out != nullptr) {
    const lmc_status given = lmc::c::give(out, lmc::c::resultOf(w->last));
    if (given != LMC_OK) return given;
  }
  return lmc::c::failureOf(w->last);
}

lmc_status lmc_workspace_run_event(const lmc_workspace* w, size_t i, lmc_event_hit* out) {
  const std::vector<lmc::EventHit>& all = w->last.events;
  if (i >= all.size()) return lmc::c::misuse("the last run has fewer events");
  return lmc::c::give(out, lmc_event_hit{sizeof(lmc_event_hit), all[i].name.c_str(), all[i].time});
}

lmc_status lmc_workspace_run_jump(const lmc_workspace* w, size_t i, lmc_jump_count* out) {
  const std::vector<lmc::JumpCount>& all = w->last.jumps;
  if (i >= all.size()) return lmc::c::misuse("the state has jumped for fewer reasons in the last run");
  const lmc::JumpCount& j = all[i];
  return lmc::c::give(out, lmc_jump_count{sizeof(lmc_jump_count), j.name.c_str(), j.count, j.first, j.last});
}

lmc_status lmc_workspace_record(lmc_workspace* w, const lmc_run_settings* settings, lmc_trajectory** out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  *out = nullptr;
  const lmc_status called = lmc::c::guarded([&] {
    *out = new lmc_trajectory{w->workspace.record(lmc::c::settingsOf(settings))};
    w->last = (*out)->trajectory.result();
  });
  return called != LMC_OK ? called : lmc::c::failureOf((*out)->trajectory.result());
}

void lmc_trajectory_free(lmc_trajectory* t) {
  delete t;
}
size_t lmc_trajectory_size(const lmc_trajectory* t) {
  return t->trajectory.times().size();
}
const double* lmc_trajectory_times(const lmc_trajectory* t) {
  return t->trajectory.times().data();
}
const double* lmc_trajectory_state_at_step(const lmc_trajectory* t, size_t k) {
  return k < t->trajectory.times().size() ? t->trajectory.stateAtStep(k).data() : nullptr;
}

lmc_status lmc_trajectory_state(lmc_trajectory* t, double time, const double** out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *out = t->trajectory.state(time).data(); });
}

lmc_status lmc_trajectory_sample(lmc_trajectory* t, double time, const double** out) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  return lmc::c::guarded([&] { *out = t->trajectory.sample(time).data(); });
}
