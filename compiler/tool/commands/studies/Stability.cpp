// `lmc stability FILE`: the long-time energy test, per method and step.
#include "tool/support/Command.h"

#include "checks/study/Stability.h"
#include "runtime/run/Progress.h"
#include "tool/plot/Drawing.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/shared/StudyBuilds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using study::EnergyRun;
using study::Evidence;
using study::Judgement;

constexpr Option<> expectOption("--expect", "PASS|FAIL|INCONCLUSIVE",
                                "exit status 1 unless this is the outcome of every method",
                                {.completion = Completion::Words});
constexpr Option<> pictureOption = options::output.as(
    "FILE", "where the energy errors over time go, about 4000 of each run", {.completion = Completion::Output});

/// All runs of one method, in the order of the steps.
struct MethodRuns {
  std::vector<EnergyRun> runs;
  Judgement judgement;
};

/// The steps of the test, largest first, each once: those of the command line, or the model's and half of it.
std::vector<double> stepsOf(const Invocation& call, const runtime::Problem& problem) {
  std::vector<double> steps = call[options::steps].value_or(std::vector<double>{problem.step, problem.step / 2});
  std::sort(steps.begin(), steps.end(), std::greater<>());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

void requireEnergy(products::Pipeline& pipeline, const runtime::Problem& problem) {
  Diagnostics& out = pipeline.compilation().diagnostics();
  if (problem.field(runtime::FieldKind::Energy) == nullptr) {
    out.error(Code::LIE0640, modelRange(pipeline),
              fmt::format("`{}` has no energy, so there is nothing that a method could keep", problem.model))
        .suggest("give the model a `lagrangian` or a `hamiltonian`");
    return;
  }
  const std::vector<std::string> sources = pipeline.energyChangedBy();
  if (sources.empty()) return;
  out.warning(
      Code::LIE0642, modelRange(pipeline),
      fmt::format("the energy of `{}` need not be constant: the model has {}; a drift may be that of the motion "
                  "itself",
                  problem.model, fmt::join(sources, " and ")));
}

void requireSteps(products::Pipeline& pipeline, const runtime::Problem& problem, double step) {
  const double length = problem.timeTo - problem.timeFrom;
  if (length / step >= study::fewestSteps) return;
  pipeline.compilation()
      .diagnostics()
      .error(Code::LIE0641, modelRange(pipeline),
             fmt::format("the step {} makes {:.0f} steps, too few to tell a drift from an oscillation; the test needs "
                         "at least {}",
                         step, length / step, study::fewestSteps))
      .suggest("give a longer `--time A..B` or smaller `--steps`");
}

/// False when the problem, or a step that it is to be run with, is refused.
bool checkTest(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call) {
  const bool given = call[options::steps].has_value();
  for (const double step : stepsOf(call, problem)) {
    runtime::Problem settings = problem;
    Invocation typed = call;
    settings.step = step;
    settings.outputEvery = std::numeric_limits<double>::quiet_NaN();
    settings.outputSteps = 1;
    if (given) {
      typed.put(options::step, fmt::format("{}", step));
      typed.put(options::tolerance, "none"); // steps on the command line say that they are to be fixed
    }
    if (!checkRun(pipeline, settings, typed)) return false;
    requireSteps(pipeline, problem, step);
    if (pipeline.diagnostics().hasErrors()) return false;
  }
  requireEnergy(pipeline, problem);
  return !pipeline.diagnostics().hasErrors();
}

/// Time between two errors of the picture: a multiple of the largest step, about 4000 of them.
double sampleInterval(const runtime::Problem& problem, const std::vector<double>& steps) {
  constexpr double points = 4000;
  const double length = problem.timeTo - problem.timeFrom;
  return steps.front() * std::max(1.0, std::floor(length / steps.front() / points));
}

MethodRuns testMethod(const runtime::Problem& problem, const Invocation& call) {
  MethodRuns m;
  const std::vector<double> steps = stepsOf(call, problem);
  const bool visible = showsProgress(call) && !call[options::json];
  std::vector<const EnergyRun*> runs;
  m.runs.reserve(steps.size());
  for (const double step : steps) {
    runtime::ProgressBar bar(problem.timeFrom, problem.timeTo, visible, [] { return true; });
    m.runs.push_back(study::testEnergy(problem, step, sampleInterval(problem, steps), &bar));
    runs.push_back(&m.runs.back());
  }
  m.judgement = study::judge(std::move(runs));
  return m;
}

/// The largest defect of the manifolds' `holds`; 0 when there are none.
double largestDefect(const runtime::RunResult& result) {
  double largest = 0;
  for (const lmc::runtime::Defect& d : result.defects) largest = std::max(largest, d.value);
  return largest;
}

double evaluationsPerStep(const runtime::RunResult& result) {
  return static_cast<double>(result.evaluations) / static_cast<double>(std::max<std::int64_t>(result.steps, 1));
}

// --- text -------------------------------------------------------------------------------------------------------

std::string describe(const EnergyRun& run, int width) {
  const std::string head = fmt::format("{:<{}}  {:>10.6g}  ", run.method, width, run.step);
  if (run.result.failure)
    return head + fmt::format("failed at t = {}: {}\n", run.result.failure->time, run.result.failure->cause);
  const Evidence& e = run.evidence;
  return head + fmt::format("{:>11.3e} {:>11.3e} {:>11.3e}  {:>8.3g} {:>8.3g} {:>4}  {:>11.3e} {:>11.3e}  {:>8.1e} "
                            "{:>6.2f}  {}\n",
                            e.slope, e.halfSlopes[0], e.halfSlopes[1], e.drift, e.spread, e.monotone, e.smallestError,
                            e.largestError, largestDefect(run.result), evaluationsPerStep(run.result),
                            study::name(e.trend));
}

std::string describe(const Judgement& j) {
  std::string text = study::name(j.outcome);
  if (j.sign != 0) text += j.sign > 0 ? ", the energy grows" : ", the energy falls";
  if (j.order) text += fmt::format(", with the step to the power {:.2f}", *j.order);
  return text;
}

std::string describe(const runtime::Problem& problem, const std::vector<MethodRuns>& all) {
  std::size_t longest = std::string("method").size();
  for (const MethodRuns& m : all) longest = std::max(longest, m.runs.front().method.size());
  const int width = static_cast<int>(longest);
  std::string text =
      fmt::format("{}, energy errors from t = {} to {}\n\n", problem.model, problem.timeFrom, problem.timeTo);
  text += fmt::format("{:<{}}  {:>10}  {:>11} {:>11} {:>11}  {:>8} {:>8} {:>4}  {:>11} {:>11}  {:>8} {:>6}  {}\n",
                      "method", width, "step", "slope", "first half", "second half", "D", "S", "mono", "smallest",
                      "largest", "defect", "evals", "verdict");
  for (const MethodRuns& m : all)
    for (const EnergyRun& run : m.runs) text += describe(run, width);
  text += "\n";
  for (const MethodRuns& m : all)
    text += fmt::format("{:<{}}  {}\n", m.runs.front().method, width, describe(m.judgement));
  return text;
}

// --- JSON -------------------------------------------------------------------------------------------------------

ordered_json toObject(const EnergyRun& run) {
  const Evidence& e = run.evidence;
  ordered_json object = {{"method", run.method}, {"step", run.step}};
  if (run.result.failure) {
    object["slope"] = nullptr;
    object["verdict"] = study::name(study::Trend::Inconclusive);
    object["failure"] = {{"time", run.result.failure->time}, {"cause", run.result.failure->cause}};
    return object;
  }
  const auto number = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
  object.update({{"slope", e.slope},
                 {"verdict", study::name(e.trend)},
                 {"sign", e.sign()},
                 {"half_slopes", e.halfSlopes},
                 {"D", number(e.drift)},
                 {"S", number(e.spread)},
                 {"mono", e.monotone},
                 {"min_energy_error", e.smallestError},
                 {"max_energy_error", e.largestError},
                 {"steps", run.result.steps},
                 {"evaluations", run.result.evaluations},
                 {"defect", largestDefect(run.result)},
                 {"run_seconds", run.result.seconds}});
  return object;
}

ordered_json toObject(const runtime::Problem& problem, const std::vector<MethodRuns>& all) {
  ordered_json results = ordered_json::array(), overall = ordered_json::object(), drift = ordered_json::object();
  for (const MethodRuns& m : all) {
    for (const EnergyRun& run : m.runs) results.push_back(toObject(run));
    const Judgement& j = m.judgement;
    const std::string& method = m.runs.front().method;
    overall[method] = study::name(j.outcome);
    drift[method] = {{"sign", j.sign}, {"order", j.order ? ordered_json(*j.order) : ordered_json(nullptr)}};
  }
  return {{"model", problem.model}, {"results", results}, {"overall", overall}, {"drift", drift}};
}

// --- picture ----------------------------------------------------------------------------------------------------

/// The energy errors of all runs as columns over the times of the first one. Where runs have no step at such a time,
/// they show their last error before it; after a failure there is no number.
void writePicture(const std::string& file, const std::vector<MethodRuns>& all) {
  std::vector<const EnergyRun*> runs;
  std::vector<runtime::Entry> columns;
  for (const MethodRuns& m : all) {
    for (const EnergyRun& run : m.runs) {
      runs.push_back(&run);
      std::string name = fmt::format("{} h={}", run.method, run.step);
      std::replace(name.begin(), name.end(), ',', ';'); // no name contains a comma
      columns.push_back({std::move(name), {}});
    }
  }
  const EnergyRun* longest = runs.front();
  for (const EnergyRun* run : runs)
    if (run->times.size() > longest->times.size()) longest = run;
  const std::unique_ptr<runtime::Sink> sink = runtime::openOutput(file);
  sink->begin(columns);
  std::vector<double> row(runs.size());
  std::vector<std::size_t> at(runs.size(), 0);
  for (const double t : longest->times) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const std::vector<double>& times = runs[k]->times;
      const double slack = 1e-9 * runs[k]->step;
      while (at[k] + 1 < times.size() && times[at[k] + 1] <= t + slack) ++at[k];
      const bool known = !times.empty() && (at[k] + 1 < times.size() || times[at[k]] + slack >= t);
      row[k] = known ? runs[k]->errors[at[k]] : std::numeric_limits<double>::quiet_NaN();
    }
    sink->sample(t, row);
  }
  sink->finish();
}

/// Energy errors over time, a panel for each method.
Figure figureOf(const runtime::Problem& problem, const std::vector<MethodRuns>& all) {
  Figure figure{problem.model + ", energy errors", {}};
  for (const MethodRuns& m : all) {
    Panel p{m.runs.front().method + ": " + describe(m.judgement), {"t"}, {"E − E(0)"}, {}, {}};
    for (const EnergyRun& run : m.runs) {
      Curve c{fmt::format("h = {:.6g}", run.step), run.times, run.errors};
      thin(c);
      p.curves.push_back(std::move(c));
    }
    figure.panels.push_back(std::move(p));
  }
  return figure;
}

/// Refuses what can be refused before anything is compiled.
std::optional<study::Outcome> expectation(const Invocation& call) {
  checkOutputFormat(call);
  if (!call[expectOption]) return std::nullopt;
  const auto expected = study::outcomeOf(*call[expectOption]);
  if (!expected) throw UsageError("--expect is PASS, FAIL or INCONCLUSIVE, not `" + *call[expectOption] + "`");
  return expected;
}

int statusOf(const std::vector<MethodRuns>& all, std::optional<study::Outcome> expected) {
  int status = Done;
  for (const MethodRuns& m : all) {
    for (const EnergyRun& run : m.runs) {
      if (!run.result.failure) continue;
      complain(fmt::format("the run of {} with step {} failed at t = {}: {}", run.method, run.step,
                           run.result.failure->time, run.result.failure->cause));
      status = RunFailed;
    }
    if (!expected || m.judgement.outcome == *expected) continue;
    complain(fmt::format("{} is {}, and {} is expected", m.runs.front().method, study::name(m.judgement.outcome),
                         study::name(*expected)));
    if (status == Done) status = InputWrong;
  }
  return status;
}

int testStability(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const auto expected = expectation(call);
  const std::optional<PlotFile> plot = PlotFile::of(call);
  protectFiles(call);
  context.stage = "compiling `" + file + "`";
  const study::Subject subject{pipelineOptions(call), [&file](products::Pipeline& p) { return p.load(file); }};
  const auto [builds, status] =
      buildMethods(call, subject,
                   [&](products::Pipeline& p, const runtime::Problem& problem) { return checkTest(p, problem, call); });
  if (builds.empty()) return status;

  for (const study::Build& b : builds) protectFiles(call, filesReadBy(*b.pipeline));
  std::vector<MethodRuns> all;
  for (const study::Build& b : builds) {
    context.stage = "testing " + b.problem->method;
    all.push_back(testMethod(*b.problem, call));
  }
  const runtime::Problem& problem = *builds.front().problem;
  print(call[options::json] ? toObject(problem, all).dump(2) + "\n" : describe(problem, all));
  try {
    if (call[options::output]) writePicture(*call[options::output], all);
    if (plot && !plot->write(figureOf(problem, all))) return RunFailed;
  } catch (const runtime::OutputError& error) {
    complain(error.what());
    return RunFailed;
  }
  return statusOf(all, expected);
}

} // namespace

extern const Command stabilityCommand = {
    .name = "stability",
    .place = 10,
    .argument = "FILE",
    .summary = "long-time energy test: does the energy error drift, per method",
    .examples = "lmc stability top.lie --time 0..1000 --output errors.csv",
    .usesCache = true,
    .options = OptionList(options::model, options::study, expectOption, pictureOption, options::plot, options::progress,
                          options::compile, options::json),
    .run = testStability,
};

} // namespace lmc::tool
