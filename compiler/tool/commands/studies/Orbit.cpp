// `lmc orbit FILE`: a periodic motion, its period and its Floquet multipliers.
#include "tool/support/Command.h"

#include "checks/motions/Orbit.h"
#include "runtime/run/Run.h"
#include "runtime/run/Workspace.h"
#include "tool/runs/RunChecks.h"
#include "tool/shared/MotionText.h"
#include "tool/shared/StateText.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using checks::Eigenvalue;
using checks::Orbit;
using checks::OrbitEnd;
using nlohmann::ordered_json;

double readNumber(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    throw UsageError(option + " wants a number, not `" + text + "`");
  return value;
}

double readPositive(const std::string& option, const std::string& text) {
  const double value = readNumber(option, text);
  if (!(value > 0)) throw UsageError(option + " wants a positive number, not `" + text + "`");
  return value;
}

constexpr Option<double>
    periodOption("--period", "T", "of a model that depends on time the period; else a first guess of it", readPositive);
constexpr Option<double> energyOption("--energy", "E", "the energy that the motion is to have", readNumber);
constexpr Option<std::int64_t> stepsOption("--steps-per-period", "N",
                                           "steps of the first search; they are doubled until the accuracy is reached",
                                           readCountTo<1'000'000>, {.standard = "120"});
constexpr Option<double> accuracyOption("--accuracy", "E", "of the period and of the multipliers", readPositive,
                                        {.standard = "1e-9"});
constexpr Option<TimeSpan> watchOption =
    options::time.as("A..B", "how long the motion is watched for a return; it begins at A");
constexpr Option<> methodOption = options::method.as(
    "NAME[(arg=value)]", "the time stepper",
    {.completion = Completion::Method, .standard = "that of the highest order that steps the model"});
constexpr Option<> stepOption = options::step.as("H", "step size while the motion is watched");

/// Of the methods that can step the model the one with the highest order; empty without one.
std::string bestMethod(products::Pipeline& pipeline) {
  std::string best;
  int highest = 0;
  for (const products::MethodSummary& m : pipeline.methodsThatStep()) {
    int order = 0;
    std::from_chars(m.order.data(), m.order.data() + m.order.size(), order);
    if (order <= highest) continue;
    highest = order;
    best = m.name;
  }
  return best;
}

struct OrbitStudy {
  products::Pipeline& pipeline;
  const Invocation& call;
  const runtime::LinearizedProblem& problem;
  checks::MotionModel model{problem};
  checks::StateSpace space{*pipeline.system(), problem.problem};
  checks::Generators motions{space};
  checks::OrbitQuestion question{};

  Diagnostics& diagnostics() { return pipeline.compilation().diagnostics(); }
};

/// False where the question cannot be asked, and reported.
bool ask(OrbitStudy& s) {
  constexpr double standardSpan = 100;
  constexpr std::int64_t unit = 120; // divided by all parts that a period may have
  const runtime::Problem& p = s.problem.problem;
  checks::OrbitQuestion& q = s.question;
  q.time = std::isfinite(p.timeFrom) ? p.timeFrom : 0.0;
  q.autonomous = !checks::dependsOnTime(s.model, s.space, s.question.time);
  q.period = s.call[periodOption];
  q.energy = s.call[energyOption];
  q.span = std::isfinite(p.timeTo) && p.timeTo > q.time ? p.timeTo - q.time : standardSpan;
  q.step = std::isfinite(p.step) && p.step > 0 ? p.step : q.span / 2000;
  q.steps = (s.call.orStandard(stepsOption) + unit - 1) / unit * unit;
  q.mostSteps = std::max(q.mostSteps, q.steps);
  q.accuracy = s.call.orStandard(accuracyOption);
  const Range where = modelRange(s.pipeline);
  if (!q.autonomous && !q.period)
    s.diagnostics()
        .error(Code::LIE0674, where,
               "the equations depend on time: the period of a motion is that of the equations, "
               "and has to be given")
        .suggest("--period T, with a multiple of the period of the equations");
  if (q.energy && s.space.system().energy == nullptr)
    commandLineError(s.pipeline, Code::LIE0674, fmt::format("--energy {}", *q.energy), "the model has no energy")
        .suggest("leave the option out");
  if (q.energy && !q.autonomous)
    commandLineError(s.pipeline, Code::LIE0674, fmt::format("--energy {}", *q.energy),
                     "the equations depend on time, and keep no energy")
        .suggest("leave the option out");
  return !s.pipeline.diagnostics().hasErrors();
}

void reportFailure(OrbitStudy& s, const Orbit& o, bool late) {
  const Range where = modelRange(s.pipeline);
  if (late) return reportLate(s.pipeline, s.call, Code::LIE0675);
  switch (o.end) {
  case OrbitEnd::NoReturn:
    s.diagnostics()
        .error(Code::LIE0674, where,
               fmt::format("watched for {:.6g} units of time, the motion does not come back to where it has been",
                           s.question.span))
        .suggest("--time with a longer interval, other initial values (--set), or --period with a guess of the period");
    return;
  case OrbitEnd::LeftDomain:
    s.diagnostics()
        .error(Code::LIE0675, where,
               fmt::format("a step fails: {}", s.model.why().empty() ? runtime::statusText(o.status) : s.model.why()))
        .suggest("more steps (--steps-per-period 960), or other initial values (--set)");
    return;
  case OrbitEnd::Rest:
    s.diagnostics()
        .error(Code::LIE0675, where, "the search ended at an equilibrium, which has every period")
        .suggest("begin further away from it (--set), or give --energy; `lmc equilibrium` tells about the equilibrium");
    return;
  default:
    s.diagnostics()
        .error(
            Code::LIE0675, where,
            fmt::format("the search stalled after {} turns: the motion near the last state does not close by {:.3g}, "
                        "in units of the sizes of its coordinates",
                        o.turns, o.closing))
        .suggest("other initial values (--set), another guess (--period), or more steps (--steps-per-period)");
  }
}

/// Events that the motion meets: a run would stop there.
void reportEvents(OrbitStudy& s, const Orbit& o) {
  if (s.model.jumps()) return; // it goes through them; where a run would stop, it does not
  const auto events = s.pipeline.build();
  if (!events || events->functions.events < 0) return;
  runtime::Workspace w(*events);
  const auto list = events->events();
  if (list.empty() || w.start() != runtime::Ok) return;
  const double h = o.loop.period / static_cast<double>(o.loop.steps);
  checks::State y = o.loop.nodes.front();
  std::vector<double> before;
  std::vector<bool> told(list.size(), false);
  for (std::int64_t k = 0; k <= o.loop.steps; ++k) {
    const double t = s.question.time + static_cast<double>(k) * h;
    std::copy(y.begin(), y.end(), w.state().begin());
    if (w.events(t) != runtime::Ok) return;
    std::vector<double> now;
    now.reserve(list.size());
    for (const auto& e : list) now.push_back(w.output()[static_cast<std::size_t>(e.offset)]);
    for (std::size_t i = 0; i < list.size() && !before.empty(); ++i) {
      const bool rises = before[i] < 0 && now[i] >= 0, falls = before[i] > 0 && now[i] <= 0;
      if (told[i] || !((rises && list[i].direction >= 0) || (falls && list[i].direction <= 0))) continue;
      told[i] = true;
      s.diagnostics().warning(Code::LIE0676, modelRange(s.pipeline),
                              fmt::format("the event `{}` happens along the motion, before t = {:.6g}: a run would "
                                          "stop there; the motion was followed as if it did not",
                                          list[i].entry.name(), t));
    }
    before = std::move(now);
    auto next = s.model.stepped(y, t, h);
    if (!next) return;
    y = std::move(*next);
  }
}

/// Whole numbers and truth values that do not come back, by their names.
std::vector<std::string> carriedNames(const OrbitStudy& s, const Orbit& o) {
  std::vector<std::string> names;
  for (const checks::CarriedNumber& c : o.carried)
    for (const runtime::Column& column : s.problem.problem.numbers(runtime::FieldKind::State))
      if (column.offset == static_cast<std::int64_t>(c.place)) names.push_back(column.entry.name());
  return names;
}

/// A motion whose numbers do not come back is periodic where nothing depends on them.
void reportNumbers(OrbitStudy& s, const Orbit& o) {
  constexpr double returns = 1e-7;
  if (o.carried.empty() || o.again <= returns) return;
  const std::vector<std::string> names = carriedNames(s, o);
  s.diagnostics()
      .warning(Code::LIE0676, modelRange(s.pipeline),
               fmt::format("the motion comes back, but {} do{} not, and with what {} then {} the next period {}",
                           fmt::join(names, ", "), names.size() == 1 ? "es" : "", names.size() == 1 ? "it" : "they",
                           names.size() == 1 ? "is" : "are",
                           std::isfinite(o.again) ? fmt::format("is another one, by {:.1e}", o.again)
                                                  : std::string("cannot be followed")))
      .note("the multipliers are those of the period from the state that is shown");
}

std::string word(const Orbit& o) {
  const checks::Stability s = checks::stabilityOfMap(o.multipliers);
  if (s == checks::Stability::Stable && o.unexplained > 0) return checks::word(checks::Stability::Undecided);
  return checks::word(s);
}

std::string errorText(double error) {
  return std::isfinite(error) ? fmt::format("{:.1e}", error) : "unknown";
}

ordered_json errorObject(double error) {
  return std::isfinite(error) ? ordered_json(error) : ordered_json(nullptr);
}

std::string multiplierText(const Eigenvalue& e) {
  return complexText(e.value) + fmt::format("  |.| = {:<14.12g} +- {}\n", std::abs(e.value), errorText(e.error));
}

std::string describe(OrbitStudy& s, const Orbit& o) {
  const runtime::Problem& p = s.problem.problem;
  const double t = s.question.time;
  std::string text = fmt::format("{}, a periodic motion, by {} with {} steps\n", p.model, p.method, o.loop.steps);
  text += s.question.autonomous ? fmt::format("  period {:.15g} +- {}\n", o.loop.period, errorText(o.periodError))
                                : fmt::format("  period {:.15g}, given\n", o.loop.period);
  text += fmt::format("  closes to {:.1e}, after {} turns\n", o.closing, o.turns);
  if (o.repeats > 1)
    text += fmt::format("  it comes back {} times as often already: a {}th part of this is a period\n", o.repeats,
                        o.repeats);
  if (!o.carried.empty()) {
    const std::vector<std::string> names = carriedNames(s, o);
    std::vector<std::string> list;
    for (std::size_t k = 0; k < names.size(); ++k)
      list.push_back(fmt::format("{}: {} -> {}", names[k], o.carried[k].before, o.carried[k].after));
    text += fmt::format("  numbers that do not come back: {}\n", fmt::join(list, ", "));
  }
  text += initialText(s.space, p, o.loop.nodes.front(), "  ");
  text += fmt::format("  simulate {{ time = {:.17g}..{:.17g}; step = {:.17g}; method = {}; }}\n", t, t + o.loop.period,
                      o.loop.period / static_cast<double>(o.loop.steps), p.method);
  text += outputsText(s.model, o.loop.nodes.front(), t);
  text += fmt::format("  Floquet multipliers, {} in all\n", o.ones + static_cast<Eigen::Index>(o.multipliers.size()));
  if (o.ones > 0) {
    text += fmt::format("    {} of them {} 1{}{}\n", o.ones, o.ones == 1 ? "is" : "are",
                        o.reasons.empty() ? "" : fmt::format(": {}", fmt::join(o.reasons, ", ")),
                        o.unexplained > 0 ? fmt::format("; {} without a reason that is known", o.unexplained) : "");
  }
  for (const Eigenvalue& e : o.multipliers) text += multiplierText(e);
  text += "  stability: " + (o.multipliers.empty() ? std::string("no other multipliers") : word(o));
  if (!o.multipliers.empty() && word(o) == checks::word(checks::Stability::Undecided))
    text += fmt::format(" by linearization: {} multiplier{} on the unit circle within the errors",
                        checks::onBorderOfMap(o.multipliers), checks::onBorderOfMap(o.multipliers) == 1 ? "" : "s");
  return text + "\n";
}

ordered_json object(OrbitStudy& s, const Orbit& o) {
  ordered_json multipliers = ordered_json::array();
  for (const Eigenvalue& e : o.multipliers)
    multipliers.push_back({{"re", e.value.real()}, {"im", e.value.imag()}, {"error", errorObject(e.error)}});
  ordered_json carried = ordered_json::object();
  const std::vector<std::string> names = carriedNames(s, o);
  for (std::size_t k = 0; k < names.size(); ++k) carried[names[k]] = {o.carried[k].before, o.carried[k].after};
  return {{"period", o.loop.period},
          {"period_error", errorObject(o.periodError)},
          {"steps", o.loop.steps},
          {"closing", o.closing},
          {"turns", o.turns},
          {"repeats", o.repeats},
          {"carried", carried},
          {"again", o.carried.empty() ? ordered_json(nullptr) : errorObject(o.again)},
          {"state", stateObject(s.problem.problem, o.loop.nodes.front())},
          {"outputs", outputsObject(s.model, o.loop.nodes.front(), s.question.time)},
          {"ones", o.ones},
          {"reasons", o.reasons},
          {"unexplained", o.unexplained},
          {"multipliers", multipliers},
          {"accurate", o.accurate},
          {"stability", word(o)}};
}

int search(OrbitStudy& s) {
  s.space.prepare();
  s.model.limit(s.call.orStandard(searchSeconds));
  if (!ask(s)) return refuseInput(s.call, s.pipeline.diagnostics(), s.pipeline.sources());
  const runtime::Problem& p = s.problem.problem;
  std::mt19937_64 engine(1);
  const auto generators =
      s.motions.find(s.model, p.initialState, s.question.time, s.question.time + s.question.span, engine);
  checks::OrbitSearch search(s.model, s.space, s.motions, generators, s.question);
  const Orbit orbit = search.from(p.initialState);
  const bool found = orbit.end == OrbitEnd::Found;
  const bool late = s.model.late();
  s.model.limit(INFINITY); // what was found is shown
  if (found) {
    reportEvents(s, orbit);
    reportNumbers(s, orbit);
    constexpr double closes = 1e-12;
    if (orbit.closing > closes)
      s.diagnostics().warning(
          Code::LIE0676, modelRange(s.pipeline),
          fmt::format("the motion closes to {:.1e} only, in units of the sizes of its coordinates", orbit.closing));
    if (!orbit.accurate)
      s.diagnostics().warning(Code::LIE0676, modelRange(s.pipeline),
                              fmt::format("period and multipliers are not known to {:.1e}: with {} steps they still "
                                          "change, as the errors say",
                                          s.question.accuracy, orbit.loop.steps));
  } else {
    reportFailure(s, orbit, late);
  }
  const bool asObject = s.call[options::json];
  printSearch(s.call, s.pipeline,
              {{"model", p.model},
               {"method", p.method},
               {"autonomous", s.question.autonomous},
               {"found", found && asObject ? object(s, orbit) : ordered_json(nullptr)}},
              found && !asObject ? describe(s, orbit) : std::string());
  return found ? Done : RunFailed;
}

int findOrbit(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling `" + file + "`";
  products::PipelineOptions options = pipelineOptions(call);
  if (!call[options::method]) {
    products::Pipeline first(options);
    if (!first.load(file) || !first.check()) return refuseInput(call, first.diagnostics(), first.sources());
    if (const std::string best = bestMethod(first); !best.empty()) options.method = best;
  }
  options.fixedSteps = true;
  options.compile.optimization = 1;
  products::Pipeline pipeline(options);
  methods::LinearizationRequest request;
  request.adjoint = false;
  const bool loaded = pipeline.load(file);
  const auto problem = loaded ? pipeline.buildLinearization(request) : nullptr;
  if (!problem) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (call[options::timings]) printTimings(pipeline.timings());
  context.stage = "looking for a periodic motion";
  int status = Done;
  const bool within = pipeline.within([&] {
    OrbitStudy study{pipeline, call, *problem};
    status = search(study);
  });
  return within ? status : refuseInput(call, pipeline.diagnostics(), pipeline.sources());
}

} // namespace

extern const Command orbitCommand = {
    .name = "orbit",
    .place = 18,
    .argument = "FILE",
    .summary = "a periodic motion of a model, its period and its Floquet multipliers",
    .examples = "lmc orbit oscillator.lie\n"
                "lmc orbit forced.lie --period 6.283185307179586\n"
                "lmc orbit pendulum.lie --energy 1.5 --json",
    .usesCache = true,
    .options = OptionList(options::model, watchOption, stepOption, methodOption, periodOption, energyOption,
                          stepsOption, accuracyOption, searchSeconds, options::compile, options::json),
    .run = findOrbit,
};

} // namespace lmc::tool
