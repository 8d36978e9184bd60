// `lmc order FILE`: global error against step size, per method.
#include "tool/support/Command.h"

#include "tool/plot/Drawing.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/shared/StudyBuilds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using study::Convergence;
using study::Reference;

constexpr Option<std::vector<double>> tolerancesOption("--tolerances", "T1,T2,...",
                                                       "adaptive runs with these tolerances, in the place of steps",
                                                       readSteps);
constexpr Option<> variableOption("--of", "NAME", "the errors of one variable", {.standard = "of the whole state"});
constexpr Option<> againstOption("--against", "step|tolerance|evaluations|iterations|seconds",
                                 "what the plot shows the errors against",
                                 {.completion = Completion::Words, .standard = "the steps, or the tolerances"});

bool adaptive(const Invocation& call) {
  return call[tolerancesOption].has_value();
}

std::string describe(const Convergence& c, bool tolerances) {
  std::string order = "no order to be seen";
  if (c.order && tolerances)
    order = fmt::format("errors like tolerance^{:.2f}", *c.order);
  else if (c.order)
    order = c.asymptotic ? fmt::format("{:.2f} measured", *c.order)
                         : fmt::format("about {:.2f}, from errors that are too large to tell", *c.order);
  std::int64_t turns = 0;
  for (const study::RunDetail& d : c.details) turns += d.cost.iterations;
  std::string text = fmt::format("\n{}   order {} declared, {}\n", c.method, c.declared, order);
  text += fmt::format("  {:>12}  {:>12}  {:>6}  {:>9}  {:>11}{}\n", tolerances ? "tolerance" : "step", "error",
                      tolerances ? "reject" : "order", "steps", "evaluations", turns > 0 ? "      turns" : "");
  for (std::size_t k = 0; k < c.steps.size(); ++k) {
    const bool both = k > 0 && std::isfinite(c.errors[k]) && std::isfinite(c.errors[k - 1]) && c.errors[k] > 0;
    const study::RunCost& cost = c.details[k].cost;
    std::string local;
    if (tolerances)
      local = fmt::format("{}", cost.rejected);
    else if (both)
      local = fmt::format("{:.2f}", std::log(c.errors[k - 1] / c.errors[k]) / std::log(c.steps[k - 1] / c.steps[k]));
    const std::string error = std::isfinite(c.errors[k]) ? fmt::format("{:.4g}", c.errors[k]) : "failed";
    text += fmt::format("  {:>12.6g}  {:>12}  {:>6}  {:>9}  {:>11}{}\n", c.steps[k], error, local, cost.steps,
                        cost.evaluations, turns > 0 ? fmt::format("  {:>9}", cost.iterations) : "");
  }
  return text;
}

ordered_json orNull(double x) {
  return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr);
}

ordered_json toObject(const Convergence& c, bool tolerances) {
  ordered_json errors = ordered_json::array(), runs = ordered_json::array();
  for (const double e : c.errors) errors.push_back(orNull(e));
  for (const study::RunDetail& d : c.details) {
    ordered_json of = ordered_json::object();
    for (const auto& [variable, error] : d.errors) of[variable] = orNull(error);
    runs.push_back({{"errors", of},
                    {"steps", d.cost.steps},
                    {"rejected", d.cost.rejected},
                    {"evaluations", d.cost.evaluations},
                    {"iterations", d.cost.iterations},
                    {"seconds", d.cost.seconds}});
  }
  return {{"method", c.method},
          {"declared", c.declared},
          {tolerances ? "tolerances" : "steps", c.steps},
          {"errors", errors},
          {tolerances ? "slope" : "order", c.order ? ordered_json(*c.order) : ordered_json(nullptr)},
          {"asymptotic", c.asymptotic},
          {"runs", runs}};
}

ordered_json toObject(const Reference& r) {
  return {{"method", r.method}, {"step", r.step}, {"error", r.error}};
}

/// What the errors are shown against.
std::string abscissa(const Invocation& call) {
  std::string given = call[againstOption].value_or(adaptive(call) ? "tolerance" : "step");
  const std::vector<std::string> known = {"step", "tolerance", "evaluations", "iterations", "seconds"};
  if (std::find(known.begin(), known.end(), given) == known.end())
    throw UsageError("--against is step, tolerance, evaluations, iterations or seconds, not `" + given + "`");
  if (given == (adaptive(call) ? "step" : "tolerance"))
    throw UsageError(adaptive(call) ? "--against step: with --tolerances the steps are chosen"
                                    : "--against tolerance needs --tolerances T1,T2,...");
  return given;
}

/// Errors against steps, tolerances or work, both logarithmic.
Figure figureOf(const runtime::Problem& problem, const std::vector<Convergence>& results, const Invocation& call) {
  const std::string against = abscissa(call);
  const bool slopes = against == "step" || against == "tolerance";
  const std::string what = call[variableOption].value_or("the state");
  Panel p{"", {against, true}, {fmt::format("error of {} at t = {}", what, problem.timeTo), true}, {}, {}};
  for (const Convergence& c : results) {
    Curve curve{c.order && slopes ? fmt::format("{}, slope {:.2f}", c.method, *c.order) : c.method, c.steps, c.errors,
                Mark::Both};
    for (std::size_t k = 0; k < c.steps.size() && !slopes; ++k) {
      const study::RunCost& cost = c.details[k].cost;
      curve.x[k] = against == "evaluations"  ? static_cast<double>(cost.evaluations)
                   : against == "iterations" ? static_cast<double>(cost.iterations)
                                             : cost.seconds;
    }
    p.curves.push_back(std::move(curve));
  }
  return {problem.model, {p}};
}

/// Refuses names that no variable of the state has, and methods without an error estimate where tolerances are given.
void checkStudy(const runtime::Problem& problem, const Invocation& call) {
  if (adaptive(call) && !problem.control)
    throw UsageError("`" + problem.method + "` has no error estimate, so no tolerance chooses its steps");
  if (!call[variableOption]) return;
  std::vector<std::string> names;
  for (const runtime::Field* f : problem.all(runtime::FieldKind::State)) names.push_back(f->name);
  if (std::find(names.begin(), names.end(), *call[variableOption]) == names.end())
    throw UsageError(
        fmt::format("the state has no variable `{}`; it has {}", *call[variableOption], fmt::join(names, ", ")));
}

/// The time must be given, the step need not.
bool checkOrder(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call) {
  runtime::Problem settings = problem;
  settings.step = (settings.timeTo - settings.timeFrom) / 100;
  settings.outputEvery = std::nan("");
  return checkRun(pipeline, settings, call);
}

int measureOrders(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const std::optional<PlotFile> plot = PlotFile::of(call);
  protectFiles(call);
  context.stage = "compiling `" + file + "`";
  if (adaptive(call) && call[options::steps]) throw UsageError("give --steps or --tolerances, not both");
  if (plot) (void)abscissa(call);
  Invocation typed = call;
  if (adaptive(call)) typed.put(options::tolerance, fmt::format("{}", call[tolerancesOption]->front()));
  const auto load = [&file](products::Pipeline& p) { return p.load(file); };
  const study::Subject subject{pipelineOptions(typed), load, adaptive(call)}, fixed{pipelineOptions(call), load};
  const auto [builds, status] =
      buildMethods(call, subject, [&](products::Pipeline& p, const runtime::Problem& problem) {
        return checkOrder(p, problem, call);
      });
  if (builds.empty()) return status;
  for (const study::Build& b : builds) {
    protectFiles(call, filesReadBy(*b.pipeline));
    checkStudy(*b.problem, call);
  }

  context.stage = "computing the reference";
  const std::optional<Reference> reference = study::reference(fixed);
  if (!reference) {
    complain("no run of the model succeeds, however small the step, so there is nothing to compare with");
    return RunFailed;
  }
  context.stage = "measuring the errors";
  std::vector<Convergence> results;
  results.reserve(builds.size());
  for (const study::Build& b : builds)
    results.push_back(
        adaptive(call)
            ? study::toleranceStudy(*b.problem, *reference, *call[tolerancesOption], call[variableOption].value_or(""))
            : study::convergence(*b.problem, *reference, call[options::steps].value_or(std::vector<double>()),
                                 call[variableOption].value_or("")));

  const runtime::Problem& problem = *builds.front().problem;
  if (call[options::json]) {
    ordered_json list = ordered_json::array();
    for (const Convergence& c : results) list.push_back(toObject(c, adaptive(call)));
    print(ordered_json{{"model", problem.model}, {"results", list}, {"reference", toObject(*reference)}}.dump(2) +
          "\n");
    return !plot || plot->write(figureOf(problem, results, call)) ? Done : RunFailed;
  }
  std::string text = fmt::format("{}, error of {} at t = {}\n"
                                 "reference: {} with step {:.3g}, known to {:.1e}\n",
                                 problem.model, call[variableOption].value_or("the state"), problem.timeTo,
                                 reference->method, reference->step, reference->error);
  for (const Convergence& c : results) text += describe(c, adaptive(call));
  print(text);
  return !plot || plot->write(figureOf(problem, results, call)) ? Done : RunFailed;
}

} // namespace

extern const Command orderCommand = {
    .name = "order",
    .place = 9,
    .argument = "FILE",
    .summary = "global error against step size, per method",
    .examples = "lmc order top.lie --time 0..0.5 --steps 1/100,1/200,1/400\n"
                "lmc order top.lie --methods A,B --tolerances 1e-4,1e-6,1e-8 --against evaluations --plot w.svg",
    .usesCache = true,
    .options = OptionList(options::model, options::study, tolerancesOption, variableOption, options::plot,
                          againstOption, options::compile, options::json),
    .run = measureOrders,
};

} // namespace lmc::tool
