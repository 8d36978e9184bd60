// `lmc order FILE`: global error against step size, per method.
#include "tool/support/Command.h"

#include "tool/plot/Drawing.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/shared/StudyBuilds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using study::Convergence;
using study::Reference;

std::string describe(const Convergence& c) {
  const std::string order = !c.order ? "no order to be seen"
                            : c.asymptotic
                                ? fmt::format("{:.2f} measured", *c.order)
                                : fmt::format("about {:.2f}, from errors that are too large to tell", *c.order);
  std::string text = fmt::format("\n{}   order {} declared, {}\n", c.method, c.declared, order);
  text += fmt::format("  {:>12}  {:>12}  {:>6}\n", "step", "error", "order");
  for (std::size_t k = 0; k < c.steps.size(); ++k) {
    const bool both = k > 0 && std::isfinite(c.errors[k]) && std::isfinite(c.errors[k - 1]) && c.errors[k] > 0;
    const std::string local =
        both ? fmt::format("{:.2f}", std::log(c.errors[k - 1] / c.errors[k]) / std::log(c.steps[k - 1] / c.steps[k]))
             : std::string();
    const std::string error = std::isfinite(c.errors[k]) ? fmt::format("{:.4g}", c.errors[k]) : "failed";
    text += fmt::format("  {:>12.6g}  {:>12}  {:>6}\n", c.steps[k], error, local);
  }
  return text;
}

ordered_json toObject(const Convergence& c) {
  ordered_json errors = ordered_json::array();
  for (const double e : c.errors) errors.push_back(std::isfinite(e) ? ordered_json(e) : ordered_json(nullptr));
  return {{"method", c.method},
          {"declared", c.declared},
          {"steps", c.steps},
          {"errors", errors},
          {"order", c.order ? ordered_json(*c.order) : ordered_json(nullptr)},
          {"asymptotic", c.asymptotic}};
}

ordered_json toObject(const Reference& r) {
  return {{"method", r.method}, {"step", r.step}, {"error", r.error}};
}

/// Errors against steps, both logarithmic: the slope is the order.
Figure figureOf(const Problem& problem, const std::vector<Convergence>& results) {
  Panel p{"", {"step", true}, {fmt::format("error of the state at t = {}", problem.timeTo), true}, {}, {}};
  for (const Convergence& c : results) {
    const std::string slope = c.order ? fmt::format("{}, slope {:.2f}", c.method, *c.order) : c.method;
    p.curves.push_back({slope, c.steps, c.errors, Mark::Both});
  }
  return {problem.model, {p}};
}

/// The time must be given, the step need not.
bool checkOrder(Pipeline& pipeline, const Problem& problem, const Invocation& call) {
  Problem settings = problem;
  settings.step = (settings.timeTo - settings.timeFrom) / 100;
  settings.outputEvery = std::nan("");
  return checkRun(pipeline, settings, call);
}

int measureOrders(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const std::optional<PlotFile> plot = PlotFile::of(call);
  protectFiles(call);
  context.stage = "compiling '" + file + "'";
  const study::Subject subject{pipelineOptions(call), [&file](Pipeline& p) { return p.load(file); }};
  const auto [builds, status] =
      buildMethods(call, subject, [&](Pipeline& p, const Problem& problem) { return checkOrder(p, problem, call); });
  if (builds.empty()) return status;
  for (const study::Build& b : builds) protectFiles(call, filesReadBy(*b.pipeline));

  context.stage = "computing the reference";
  const std::optional<Reference> reference = study::reference(subject);
  if (!reference) {
    complain("no run of the model succeeds, however small the step, so there is nothing to compare with");
    return RunFailed;
  }
  context.stage = "measuring the errors";
  std::vector<Convergence> results;
  for (const study::Build& b : builds)
    results.push_back(study::convergence(*b.problem, *reference, call[options::steps].value_or(std::vector<double>())));

  const Problem& problem = *builds.front().problem;
  if (call[options::json]) {
    ordered_json list = ordered_json::array();
    for (const Convergence& c : results) list.push_back(toObject(c));
    print(ordered_json{{"model", problem.model}, {"results", list}, {"reference", toObject(*reference)}}.dump(2) +
          "\n");
    return !plot || plot->write(figureOf(problem, results)) ? Done : RunFailed;
  }
  std::string text = fmt::format("{}, error of the state at t = {}\n"
                                 "reference: {} with step {:.3g}, known to {:.1e}\n",
                                 problem.model, problem.timeTo, reference->method, reference->step, reference->error);
  for (const Convergence& c : results) text += describe(c);
  print(text);
  return !plot || plot->write(figureOf(problem, results)) ? Done : RunFailed;
}

} // namespace

extern const Command orderCommand = {
    .name = "order",
    .place = 9,
    .argument = "FILE",
    .summary = "global error against step size, per method",
    .examples = "lmc order top.lie --time 0..0.5 --steps 1/100,1/200,1/400",
    .usesCache = true,
    .options = OptionList(options::model, options::study, options::plot, options::compile, options::json),
    .run = measureOrders,
};

} // namespace lmc::tool
