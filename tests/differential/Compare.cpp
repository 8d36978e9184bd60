#include "differential/Compare.h"

#include "checks/states/StateSpace.h"
#include "diagnostics/Diagnostics.h"
#include "products/Pipeline.h"
#include "products/ensembles/Ensemble.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/mass/MassMonitor.h"
#include "runtime/run/Run.h"
#include "runtime/run/Workspace.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <random>

namespace lmc::differential {

namespace {

products::PipelineOptions options(const RandomModel& m) {
  products::PipelineOptions o;
  for (const std::string& s : overridesOf(m)) {
    const std::size_t at = s.find('=');
    o.compilation.overrides.push_back({s.substr(0, at), s.substr(at + 1)});
  }
  o.compilation.libraryRoot = libraryRoot();
  o.compile.useCache = false;
  o.codeForAnyParameters = false;
  return o;
}

/// The first error, as it is shown.
Verdict refusal(const products::Pipeline& p) {
  Verdict v{Outcome::Refused, "no message", "", 0};
  for (const Diagnostic& d : p.diagnostics().sorted()) {
    if (d.severity != Severity::Error) continue;
    v.kind = std::string(info(d.code).name);
    v.text = d.message;
    break;
  }
  return v;
}

/// "w'.v[2][1]" belongs to "w'.v".
std::string variableOf(const std::string& column) {
  return column.substr(0, column.find('['));
}

struct Sizes {
  Real value = 0, noise = 0; ///< largest entry; largest difference that round-off makes
};

/// Differences relative to the sizes of variables, beyond what the oracle's own arithmetic loses in double precision and
/// what solving for all of them together loses of the small ones: a few roundings of the largest, times the condition.
void compareColumns(const std::string& kind, const Columns& got, const Columns& wanted, const Columns& rough,
                    Real condition, Verdict& v) {
  constexpr Real losses = 300, hopeless = 1e-5L;
  const Real tolerance = std::max(1e-10L, 1e-14L * condition), together = 1e-15L * condition;
  std::map<std::string, Sizes> sizes;
  Real largest = 1; // a variable that stays at rest is solved for together with others, which need not
  for (const auto& [name, x] : wanted) {
    Sizes& s = sizes[variableOf(name)];
    s.value = std::max(s.value, std::abs(x));
    s.noise = std::max(s.noise, std::abs(x - rough.at(name)));
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  for (const auto& [name, x] : wanted) {
    const Sizes& s = sizes[variableOf(name)];
    const Real scale = std::max(s.value, 1e-3L * largest);
    const auto found = got.find(name);
    if (found == got.end()) {
      v = {Outcome::Differs, kind, "there is no column " + name, 0};
      return;
    }
    const Real error = std::abs(found->second - x);
    if (!std::isfinite(x) || s.noise > hopeless * scale || tolerance > hopeless) {
      if (v.outcome == Outcome::Agrees) v.outcome = Outcome::Undecided;
      continue;
    }
    v.worst = std::max(v.worst, static_cast<double>(error / scale));
    if (error <= tolerance * scale + together * largest + losses * s.noise) continue;
    if (v.outcome == Outcome::Differs) continue;
    v.outcome = Outcome::Differs;
    v.kind = kind;
    v.text =
        fmt::format("{} is {:.17g}, the reference {:.17g} (relative error {:.2e}, round-off of the reference {:.1e})",
                    name, static_cast<double>(found->second), static_cast<double>(x),
                    static_cast<double>(error / scale), static_cast<double>(s.noise / scale));
  }
}

Columns columnsOf(const std::vector<runtime::Column>& columns, const runtime::Workspace& w, runtime::Role role) {
  Columns c;
  for (const runtime::Column& column : columns)
    if (column.role == role) c[column.entry.name()] = *w.place(column);
  return c;
}

/// Condition numbers below this belong to mass matrices that have to be solved with.
constexpr Real regular = 1e13L;
/// Condition numbers, without scaling, above which what is light may be lost where it is no coordinate of the
/// velocities.
constexpr Real lost = 1e16L;
/// Of a point at which velocities and isotropy are nearly parallel: what is horizontal has lost half of its digits.
constexpr Real farOut = 1e6L;

/// An error in the text, or a mass matrix that is called singular and is not.
Verdict refused(const RandomModel& m, const products::Pipeline& p) {
  Verdict v = refusal(p);
  if (v.kind == info(Code::LIE0403).name && expected<long double>(m, initialState(m), m.time).skewness > farOut) {
    v.outcome = Outcome::Undecided;
    return v;
  }
  if (v.kind != info(Code::LIE0400).name && v.kind != info(Code::LIE0401).name) return v;
  const Expected wanted = expected<long double>(m, initialState(m), m.time);
  v.text += fmt::format(" (condition {:.1e}, without scaling {:.1e})", static_cast<double>(wanted.condition),
                        static_cast<double>(wanted.unscaled));
  if (wanted.condition < regular) v.outcome = wanted.unscaled < lost ? Outcome::Differs : Outcome::Undecided;
  return v;
}

/// The compiled functions at the initial state against the oracle.
Verdict compareValues(const RandomModel& m, const runtime::Problem& problem, runtime::Workspace& w) {
  Verdict v;
  if (w.start() != runtime::Ok) return {Outcome::Differs, "start", "the constants cannot be computed", 0};
  const Columns state = columnsOf(problem.columns(), w, runtime::Role::State);
  const Columns given = initialState(m);
  const Expected wanted = expected<long double>(m, state, m.time), rough = expected<double>(m, state, m.time);
  compareColumns("initial", state, given, given, wanted.skewness, v);
  if (v.outcome == Outcome::Differs) return v;
  if (const std::int32_t status = w.field(m.time); status != runtime::Ok) {
    const bool singular = !(wanted.condition < regular);
    return {singular ? Outcome::Undecided : Outcome::Differs, "status",
            fmt::format("{}, condition {:.1e}", runtime::statusText(status), static_cast<double>(wanted.condition)), 0};
  }
  compareColumns("rates", columnsOf(problem.numbers(runtime::FieldKind::Rate), w, runtime::Role::Output), wanted.rates,
                 rough.rates, wanted.condition, v);
  if (const std::int32_t status = w.observe(m.time); status != runtime::Ok)
    return {Outcome::Differs, "status", runtime::statusText(status), 0};
  if (v.outcome != Outcome::Differs)
    compareColumns("observables", columnsOf(problem.columns(), w, runtime::Role::Output), wanted.observables,
                   rough.observables, wanted.skewness, v);
  if (v.outcome != Outcome::Agrees) v.text += fmt::format(", condition {:.1e}", static_cast<double>(wanted.condition));
  return v;
}

/// The interpreter against the code. Their roundings differ; the mass matrix multiplies them by its condition.
Verdict compareInterpreter(products::Pipeline& p, const runtime::Problem& problem, runtime::Workspace& w, double time,
                           Real condition) {
  // In all: the light variables of an ill-conditioned matrix may be far faster than the heavy ones.
  const double tolerance = 1e-7, ofAll = static_cast<double>(1e-14L * condition);
  checks::StateSpace space(*p.system(), problem);
  space.prepare();
  const checks::State y(w.state().begin(), w.state().end());
  const checks::Direction own = space.field(y, time);
  if (w.field(time) != runtime::Ok) return {};
  double fastest = 1e-3;
  for (const double x : own) fastest = std::max(fastest, std::abs(x));
  const std::vector<runtime::Column> rates = problem.numbers(runtime::FieldKind::Rate);
  std::size_t column = 0;
  for (const checks::Variable& v : space.variables()) {
    const std::size_t first = v.hasFiber() ? v.fibers : v.points;
    double scale = 1e-3, worst = 0;
    for (std::size_t k = 0; k < v.size; ++k) {
      scale = std::max(scale, std::abs(own[first + k]));
      worst = std::max(worst, std::abs(*w.place(rates[column++]) - own[first + k]));
    }
    if (!(worst <= std::max(tolerance * scale, ofAll * fastest)))
      return {Outcome::Differs, "interpreter", fmt::format("{}: relative difference {:.2e}", v.name, worst / scale), 0};
  }
  return {};
}

// --- methods -----------------------------------------------------------------------------------------------------

struct Method {
  const char* name;
  int order;
};
constexpr Method methods[] = {
    {"LieEuler", 1}, {"RKMK2", 2}, {"RKMK3", 3}, {"RKMK4", 4},   {"RKMK4full", 4},  {"RKMK5", 5},
    {"CF2", 2},      {"CF3", 3},   {"CF3b", 3},  {"CF4", 4},     {"CF3N", 3},       {"CF4N", 4},
    {"CF5", 5},      {"CG3", 3},   {"CG4", 4},   {"RKMK32", 3},  {"RKMK45", 5},     {"RKMK54", 5},
    {"CF32", 3},     {"CF43", 4},  {"CG23", 3},  {"CG34", 4},    {"ICG3", 3},       {"RKMKGL2", 2},
    {"RKMKGL4", 4},  {"SLGI", 2},  {"LSV", 2},   {"SLGI4", 4},   {"VIMidpoint", 2}, {"VITrapezoid", 2},
    {"VIGauss4", 4}, {"DMV", 2},   {"VI4", 4},   {"ELN", 2},     {"TLN", 2},        {"LIEMID", 2},
    {"VLV", 2},      {"ELNh", 2},  {"RK4", 4},   {"Newmark", 2}, {"RATTLE", 2},     {"RKMK6", 6},
};

/// The model with a method; null where the method cannot step it.
std::unique_ptr<runtime::Problem> built(const RandomModel& m, const std::string& text, const std::string& method) {
  products::PipelineOptions o = options(m);
  o.method = method;
  products::Pipeline p(std::move(o));
  return p.loadText("random.lie", text) ? p.build() : nullptr;
}

std::vector<double> endOf(const runtime::Problem& problem, double length, int steps) {
  runtime::Problem p = problem;
  p.timeTo = p.timeFrom + length;
  p.step = length / steps;
  const runtime::RunResult r = runtime::run(p, {});
  return r.failure || r.steps != steps ? std::vector<double>() : r.state;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, std::abs(a[k] - b[k]));
  return d;
}

/// A time in which the motion changes the state visibly, and not more.
double timeScale(const runtime::Problem& field, runtime::Workspace& w, double time) {
  if (w.field(time) != runtime::Ok) return 0.01;
  double rate = 1;
  for (const runtime::Column& c : field.numbers(runtime::FieldKind::Rate))
    rate = std::max(rate, std::sqrt(std::abs(*w.place(c))));
  for (const runtime::Column& c : field.numbers(runtime::FieldKind::State))
    rate = std::max(rate, std::abs(*w.place(c)));
  return 0.4 / rate;
}

Verdict compareMethods(const RandomModel& m, const std::string& text, double length) {
  if (text.find("if ") != std::string::npos) return {}; // not smooth
  std::mt19937_64 engine(m.seed ^ 0x9e3779b97f4a7c15U);
  const Method& method = methods[engine() % std::size(methods)];
  const auto reference = built(m, text, method.order > 4 ? "RKMK78" : "RKMK6"), tried = built(m, text, method.name);
  if (!reference || !tried) return {};
  double last = 0, order = method.order;
  for (int steps = 4; steps <= 64; steps *= 2) {
    const std::vector<double> exact = endOf(*reference, length, 2 * steps), own = endOf(*tried, length, steps);
    if (exact.empty() || own.empty()) return {};
    const double error = distance(exact, own);
    if (error < 1e-11) return {};
    if (last > 0) order = std::log2(last / error);
    last = error;
    if (steps > 4 && order > method.order - 0.6) return {};
  }
  return {Outcome::Differs, std::string("order of ") + method.name,
          fmt::format("{} has the order {:.2f}, error {:.2e} at 64 steps", method.name, order, last), 0};
}

// --- lanes -------------------------------------------------------------------------------------------------------

class Rows final : public runtime::EnsembleSink {
public:
  void take(const runtime::EnsembleBlock& b) override { rows.insert(rows.end(), b.rows.begin(), b.rows.end()); }
  std::vector<double> rows;
};

std::vector<double> ensemble(const RandomModel& m, const std::string& text, int lanes) {
  products::Pipeline p(options(m));
  if (!p.loadText("random.lie", text)) return {};
  products::EnsembleRequest request;
  request.vary = {"tune ~ uniform(0.9, 1.1)"};
  request.samples = 8;
  request.lanes = lanes;
  const auto problem = products::buildEnsemble(p, request);
  if (!problem) return {};
  Rows sink;
  runtime::EnsembleListeners listeners;
  listeners.sink = &sink;
  const runtime::EnsemblePlan plan =
      runtime::planEnsemble(problem->problem, runtime::EnsembleKeep::Final, problem->samples);
  (void)runtime::runEnsemble(*problem, plan, 1, listeners);
  return sink.rows;
}

Verdict compareLanes(const RandomModel& m, const std::string& text) {
  const std::vector<double> one = ensemble(m, text, 1), eight = ensemble(m, text, 8);
  if (one.size() != eight.size()) return {Outcome::Differs, "lanes", "one of them has no result", 0};
  for (std::size_t k = 0; k < one.size(); ++k)
    if (std::memcmp(&one[k], &eight[k], sizeof(double)) != 0 && !(std::isnan(one[k]) && std::isnan(eight[k])))
      return {Outcome::Differs, "lanes", fmt::format("number {}: {:.17g} alone, {:.17g} of eight", k, one[k], eight[k]),
              0};
  return {};
}

/// A run stops at its begin, and says that accelerations do not solve the mass equation: forces that cancel may be
/// larger than light masses by more than the digits of a number.
bool runRefuses(const RandomModel& m, const std::string& text) {
  products::Pipeline p(options(m));
  if (!p.loadText("random.lie", text)) return false;
  const auto problem = p.build(true);
  return problem && problem->mass &&
         runtime::MassMonitor(*problem->mass, problem->params).look(problem->initialState, m.time);
}

} // namespace

Verdict compare(const RandomModel& m, const Extent& extent) {
  const std::string text = textOf(m);
  products::Pipeline p(options(m));
  const RandomModel set = withSettings(m);
  if (!p.loadText("random.lie", text)) return refused(set, p);
  const auto problem = p.build(false);
  if (!problem) return refused(set, p);
  runtime::Workspace w(*problem);
  Verdict v = compareValues(set, *problem, w);
  if (v.outcome == Outcome::Differs) {
    if (v.kind == "rates" && runRefuses(m, text)) v.outcome = Outcome::Undecided;
    return v;
  }
  const auto also = [&](const Verdict& more) {
    if (more.outcome != Outcome::Differs) return false;
    v = more;
    return true;
  };
  const Real condition = expected<long double>(m, initialState(m), m.time).condition;
  if (v.outcome == Outcome::Agrees && also(compareInterpreter(p, *problem, w, m.time, condition))) return v;
  if (extent.lanes && also(compareLanes(m, text))) return v;
  if (extent.methods && v.outcome == Outcome::Agrees) also(compareMethods(m, text, timeScale(*problem, w, m.time)));
  return v;
}

} // namespace lmc::differential
