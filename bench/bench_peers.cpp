// Work against precision: lmc, general integrators (Boost.odeint, SUNDIALS) in coordinates with tuned right-hand sides,
// and plain Eigen programs. For each accuracy the fastest setting that reaches it.
#include "bench/Embedded.h"
#include "bench/Measure.h"
#include "bench/Plain.h"

#include <arkode/arkode_erkstep.h>
#include <boost/numeric/odeint.hpp>
#include <chrono>
#include <cvode/cvode.h>
#include <functional>
#include <iostream>
#include <lmc/lmc.hpp>
#include <map>
#include <nvector/nvector_serial.h>
#include <optional>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

using namespace lmc::bench;
namespace odeint = boost::numeric::odeint;

namespace {

template <class S> using State = std::array<double, S::size>;

/// The largest difference of two states, relative to the size of the entry, at least 1.
template <class S> double difference(const State<S>& a, const State<S>& b) {
  double worst = 0;
  for (int i = 0; i < S::size; ++i) {
    const double e = std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i]));
    if (!(e <= worst)) worst = e; // not a number, too
  }
  return worst;
}

/// One integration from begin to end for a step size or a tolerance; empty when it fails.
template <class S> using Solver = std::function<std::optional<State<S>>(double)>;

/// Integrates for all settings, from rough to fine, and notes time (the best of some) and error.
template <class S>
void scan(const std::string& peer, const std::string& method, const Solver<S>& solve,
          const std::vector<double>& settings, const State<S>& reference, const Options& options,
          std::vector<Candidate>& out) {
  for (const double setting : settings) {
    double best = 1e9, error = 0;
    double spent = 0;
    bool failed = false; // too rough, or too fine
    // What takes some ten microseconds is taken hundreds of times: the least of few is chance.
    for (int r = 0; r < 3 || (r < options.repeats ? spent < 0.2 : spent < 0.01); ++r) {
      const auto start = std::chrono::steady_clock::now();
      const auto y = solve(setting);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      failed = !y || !std::isfinite(difference<S>(*y, reference));
      if (failed) break;
      spent += seconds;
      best = std::min(best, seconds);
      error = difference<S>(*y, reference);
    }
    if (failed) continue;
    out.push_back({peer, method, setting, best, error});
    if (best > (options.quick ? 0.05 : 0.5) || error < 1e-13) return;
  }
}

// Both are so close together that which of them just misses an accuracy decides little: a method of order eight takes
// 1.2 of the time for a quarter of the error.
std::vector<double> tolerances() {
  std::vector<double> list;
  for (double t = 1e-3; t > 1e-15; t /= std::pow(10, 0.25)) list.push_back(t);
  return list;
}
template <class S> std::vector<double> steps() {
  std::vector<double> list;
  for (double n = 8; n < 2e6; n *= 1.2) list.push_back(S::end / std::ceil(n));
  return list;
}

// --- peers --------------------------------------------------------------------------------------------------------

/// The right-hand side as odeint calls it.
template <class S> void boostRates(const State<S>& x, State<S>& dx, double /*t*/) {
  S::rates(x.data(), dx.data());
}

template <class S, class Stepper> Solver<S> boostFixed() {
  return [](double h) -> std::optional<State<S>> {
    State<S> y = S::start();
    const auto n = static_cast<std::size_t>(std::llround(S::end / h));
    odeint::integrate_n_steps(Stepper(), boostRates<S>, y, 0.0, h, n);
    return y;
  };
}

template <class S, class Stepper> Solver<S> boostSolver() {
  return [](double tolerance) -> std::optional<State<S>> {
    State<S> y = S::start();
    try {
      odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance), boostRates<S>, y, 0.0, S::end,
                                 S::end * 1e-3);
    } catch (const std::exception&) { // no step is small enough
      return std::nullopt;
    }
    return y;
  };
}

template <class S> int rates(sunrealtype, N_Vector y, N_Vector out, void*) {
  S::rates(N_VGetArrayPointer(y), N_VGetArrayPointer(out));
  return 0;
}

/// The vector and context of a SUNDIALS integration.
template <class S> struct Sundials {
  Sundials() {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(S::size, context);
    const State<S> start = S::start();
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(y));
  }
  Sundials(const Sundials&) = delete;
  Sundials& operator=(const Sundials&) = delete;
  ~Sundials() {
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  State<S> state() const {
    State<S> s;
    std::copy_n(N_VGetArrayPointer(y), S::size, s.begin());
    return s;
  }
  SUNContext context = nullptr;
  N_Vector y = nullptr;
};

template <class S> std::optional<State<S>> cvode(double tolerance) {
  Sundials<S> s;
  void* memory = CVodeCreate(CV_ADAMS, s.context);
  CVodeInit(memory, rates<S>, 0, s.y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetMaxNumSteps(memory, 10'000'000);
  CVodeSetStopTime(memory, S::end);
  CVodeSetErrFile(memory, nullptr);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(s.y, 0, s.context);
  CVodeSetNonlinearSolver(memory, solver);
  double t = 0;
  const int status = CVode(memory, S::end, s.y, &t, CV_NORMAL);
  CVodeFree(&memory);
  SUNNonlinSolFree(solver);
  return status < 0 ? std::nullopt : std::optional(s.state());
}

template <class S> Solver<S> arkode(ARKODE_ERKTableID table) {
  return [table](double tolerance) -> std::optional<State<S>> {
    Sundials<S> s;
    void* memory = ERKStepCreate(rates<S>, 0, s.y, s.context);
    ERKStepSetTableNum(memory, table);
    ERKStepSStolerances(memory, tolerance, tolerance);
    ERKStepSetMaxNumSteps(memory, 10'000'000);
    ERKStepSetStopTime(memory, S::end);
    ERKStepSetErrFile(memory, nullptr);
    double t = 0;
    const int status = ERKStepEvolve(memory, S::end, s.y, &t, ARK_NORMAL);
    ERKStepFree(&memory);
    return status < 0 ? std::nullopt : std::optional(s.state());
  };
}

// --- plain Eigen --------------------------------------------------------------------------------------------------

State<lmc::bench::embedded::Top> flat(const lmc::bench::plain::Top::State& y) {
  State<lmc::bench::embedded::Top> x;
  for (int i = 0; i < 9; ++i) x[i] = y.R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) x[9 + i] = y.Omega[i];
  return x;
}
State<lmc::bench::embedded::Chain> flat(const lmc::bench::plain::Chain::State& y) {
  State<lmc::bench::embedded::Chain> x;
  for (int i = 0; i < 6; ++i) {
    x[i] = y.q[i / 3][i % 3];
    x[6 + i] = y.w[i / 3][i % 3];
  }
  return x;
}
State<lmc::bench::embedded::Quadrotors> flat(const lmc::bench::plain::Quadrotors::State& s) {
  State<lmc::bench::embedded::Quadrotors> x;
  for (int i = 0; i < 3; ++i) {
    x[i] = s.y[i];
    x[3 + i] = s.v[i];
  }
  for (int i = 0; i < 18; ++i) x[6 + i] = s.R[i / 9](i % 9 / 3, i % 3);
  for (int i = 0; i < 6; ++i) {
    x[24 + i] = s.Omega[i / 3][i % 3];
    x[30 + i] = s.q[i / 3][i % 3];
    x[36 + i] = s.w[i / 3][i % 3];
  }
  return x;
}

template <class S, class P> Solver<S> eigen() {
  return [](double h) -> std::optional<State<S>> {
    const P system;
    typename P::State y = P::start();
    const auto n = static_cast<std::int64_t>(std::llround(S::end / h));
    for (std::int64_t i = 0; i < n; ++i) y = lmc::bench::plain::step(system, y, h);
    return flat(y);
  };
}

// --- lmc ----------------------------------------------------------------------------------------------------------

/// The state of the workspace in the order of the embedding.
template <class S> State<S> stateOf(const lmc::Workspace& w) {
  State<S> y{};
  std::size_t next = 0;
  // Families come whole: the order of the declarations is that of the embedding but for the chain's and the quadrotors'
  // velocities, which are the same there.
  for (const double v : w.state()) y[next++] = v;
  if constexpr (requires { S::ofModel(y); }) return S::ofModel(y);
  return y;
}

template <class S> lmc::Model compiled(const std::string& method, bool fixed, double tolerance = 1e-6) {
  lmc::Options options;
  if constexpr (requires { S::links; }) options.set.emplace_back("N", std::to_string(S::links));
  options.method = method;
  options.fixedSteps = fixed;
  options.keepZeros = true;
  if (!fixed) options.tolerance = tolerance;
  const lmc::Compilation c = lmc::compileFile(LMC_SOURCE_DIR "/examples/" + std::string(S::name) + ".lie", options);
  if (!c) throw std::runtime_error(c.format());
  return *c.model;
}

template <class S> Solver<S> fixedSteps(const std::string& method) {
  const auto w = std::make_shared<lmc::Workspace>(compiled<S>(method, true).workspace());
  return [w](double h) -> std::optional<State<S>> {
    w->reset();
    const auto n = static_cast<std::int64_t>(std::llround(S::end / h));
    if (w->trySteps(h, n) != lmc::Status::Success) return std::nullopt;
    return stateOf<S>(*w);
  };
}

/// From the initial state to the end.
template <class S> std::optional<State<S>> adaptiveRun(lmc::Workspace& w, double tolerance) {
  w.reset();
  lmc::RunSettings settings;
  settings.to = S::end;
  settings.tolerance = tolerance;
  settings.every = S::end;
  if (!w.run(settings)) return std::nullopt;
  return stateOf<S>(w);
}

template <class S> Solver<S> adaptiveSteps(const std::string& method) {
  const auto w = std::make_shared<lmc::Workspace>(compiled<S>(method, false).workspace());
  return [w](double tolerance) { return adaptiveRun<S>(*w, tolerance); };
}

/// The degree follows from the tolerance that a model is compiled for.
template <class S> Solver<S> taylor() {
  const auto workspaces = std::make_shared<std::map<double, lmc::Workspace>>();
  return [workspaces](double tolerance) {
    auto it = workspaces->find(tolerance);
    if (it == workspaces->end())
      it = workspaces->emplace(tolerance, compiled<S>("Taylor", false, tolerance).workspace()).first;
    return adaptiveRun<S>(it->second, tolerance);
  };
}

// --- tables -------------------------------------------------------------------------------------------------------

const std::vector<std::string> peers = {"lmc", "odeint", "CVODE", "ARKODE", "Eigen"};

template <class S> std::string nameOf() {
  if constexpr (requires { S::links; }) return std::string(S::name) + ", N = " + std::to_string(S::links);
  return S::name;
}

template <class S, class P> void compare(const Options& options, nlohmann::json& results) {
  // Two independent references, the better of which is unknown: their difference is what can be told apart. With 1e-15
  // the errors of a series are rounding on the top, and the run ends early.
  const State<S> reference = *taylor<S>()(1e-14);
  const State<S> other = *boostSolver<S, odeint::runge_kutta_fehlberg78<State<S>>>()(1e-13);
  std::vector<Candidate> all;
  for (const char* method : {"RKMK4", "CF4", "RKMK5", "RKMK6", "CF6"})
    scan<S>("lmc", method, fixedSteps<S>(method), steps<S>(), reference, options, all);
  for (const std::string method : {"P853", "PL14", "PL16"})
    scan<S>("lmc", method + ", fixed", fixedSteps<S>(method), steps<S>(), reference, options, all);
  for (const char* method : {"RKMK54", "RKMK78", "P54", "P853", "PL14", "PL16"})
    scan<S>("lmc", method, adaptiveSteps<S>(method), tolerances(), reference, options, all);
  scan<S>("lmc", "Taylor", taylor<S>(), tolerances(), reference, options, all);
  scan<S>("odeint", "Dormand-Prince 5", boostSolver<S, odeint::runge_kutta_dopri5<State<S>>>(), tolerances(), reference,
          options, all);
  scan<S>("odeint", "Fehlberg 7(8)", boostSolver<S, odeint::runge_kutta_fehlberg78<State<S>>>(), tolerances(),
          reference, options, all);
  scan<S>("odeint", "Fehlberg 7(8), fixed", boostFixed<S, odeint::runge_kutta_fehlberg78<State<S>>>(), steps<S>(),
          reference, options, all);
  scan<S>("CVODE", "Adams", cvode<S>, tolerances(), reference, options, all);
  scan<S>("ARKODE", "Dormand-Prince 5", arkode<S>(ARKODE_DORMAND_PRINCE_7_4_5), tolerances(), reference, options, all);
  scan<S>("ARKODE", "Fehlberg 8", arkode<S>(ARKODE_FEHLBERG_13_7_8), tolerances(), reference, options, all);
  if constexpr (!std::is_void_v<P>) scan<S>("Eigen", "RKMK4", eigen<S, P>(), steps<S>(), reference, options, all);

  std::vector<std::vector<std::string>> rows{
      {nameOf<S>(), "lmc", "", "odeint", "", "CVODE", "", "ARKODE", "", "Eigen", "lmc/best peer"}};
  for (double target = 1e-4; target > 0.9e-12; target /= 100) {
    const std::map<std::string, Candidate> best = fastest(all, target);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0e", target);
    std::vector<std::string> row{text.data()};
    double bestPeer = 1e9;
    nlohmann::json line{{"model", nameOf<S>()}, {"accuracy", target}};
    for (const std::string& peer : peers) {
      const auto it = best.find(peer);
      row.push_back(it == best.end() ? "-" : duration(it->second.seconds));
      if (peer != "Eigen") row.push_back(it == best.end() ? "" : it->second.method);
      if (it == best.end()) continue;
      if (peer != "lmc") bestPeer = std::min(bestPeer, it->second.seconds);
      line[peer] = toJson(it->second);
    }
    const bool both = best.contains("lmc") && bestPeer < 1e9;
    std::snprintf(text.data(), text.size(), "%.2f", both ? best.at("lmc").seconds / bestPeer : 0.0);
    row.push_back(both ? text.data() : "-");
    rows.push_back(row);
    results["results"].push_back(line);
  }
  std::cout << table(rows) << "two references differ by " << difference<S>(other, reference) << "\n\n";
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  nlohmann::json results{{"bench", "peers"}, {"machine", machine()}, {"unit", "seconds"}};
  compare<lmc::bench::embedded::Top, lmc::bench::plain::Top>(options, results);
  compare<lmc::bench::embedded::Chain, lmc::bench::plain::Chain>(options, results);
  compare<lmc::bench::embedded::LongChain, void>(options, results);
  compare<lmc::bench::embedded::Quadrotors, lmc::bench::plain::Quadrotors>(options, results);
  writeJson(options, results);
  return 0;
}
