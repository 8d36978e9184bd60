// `lmc symplecticity FILE`: the defect of the symplectic form under the tangent map of one step, per method.
#include "tool/support/Command.h"

#include "checks/study/Studies.h"
#include "checks/study/Symplecticity.h"
#include "tool/runs/RunChecks.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using study::Symplecticity;

const char* form(const runtime::TangentProblem& p) {
  return p.poisson ? "Poisson structure" : "symplectic form";
}

std::string verdict(const Symplecticity& s, const runtime::TangentProblem& p) {
  const char* property = p.poisson ? "a Poisson map" : "symplectic";
  if (!s.measured()) return "no step succeeds";
  if (!s.decided)
    return fmt::format("undecided: defect and error of the method are round-off for all steps that succeed{}",
                       s.largest ? fmt::format(", up to {:.4g}", *s.largest) : "");
  if (s.symplectic)
    return fmt::format("{} to round-off{}", property,
                       s.largest ? fmt::format(", for steps up to {:.4g}", *s.largest) : "");
  if (s.power) return fmt::format("not {}; the defect is of order h^{:.2f}", property, *s.power);
  return fmt::format("not {}; too few of these steps show the defect for its order", property);
}

std::string describe(const Symplecticity& s, const runtime::TangentProblem& p) {
  std::string text = fmt::format("\n{}   order {} declared, {}\n", s.method, p.problem.order, verdict(s, p));
  text += fmt::format("  {:>12}  {:>12}  {:>6}\n", "step", "defect", "power");
  for (std::size_t k = 0; k < s.steps.size(); ++k) {
    const bool seen = k > 0 && s.defects[k] > study::visibleDefect && s.defects[k - 1] > study::visibleDefect &&
                      s.steps[k] != s.steps[k - 1];
    const std::string local =
        seen ? fmt::format("{:.2f}", std::log(s.defects[k - 1] / s.defects[k]) / std::log(s.steps[k - 1] / s.steps[k]))
             : std::string();
    const std::string defect = std::isfinite(s.defects[k]) ? fmt::format("{:.3g}", s.defects[k]) : "failed";
    text += fmt::format("  {:>12.6g}  {:>12}  {:>6}\n", s.steps[k], defect, local);
  }
  return text;
}

ordered_json number(double x) {
  return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr);
}

ordered_json verdictObject(const Symplecticity& s) {
  return {{"verdict", !s.measured()  ? "FAILED"
                      : !s.decided   ? "UNDECIDED"
                      : s.symplectic ? "SYMPLECTIC"
                                     : "NOT SYMPLECTIC"},
          {"power", s.power ? ordered_json(*s.power) : ordered_json(nullptr)}};
}

/// The given steps, or that of the model (a hundredth of its interval if it has none), its half and its quarter;
/// checked like those of a run.
bool chooseSteps(const Invocation& call, const study::TangentBuild& b, std::vector<double>& steps) {
  runtime::Problem settings = b.problem->problem;
  settings.outputEvery = std::nan("");
  const bool interval = std::isfinite(settings.timeFrom) && std::isfinite(settings.timeTo);
  if (call[options::steps]) settings.step = call[options::steps]->front();
  if (!std::isfinite(settings.step) && interval) settings.step = (settings.timeTo - settings.timeFrom) / 100;
  if (!interval) settings.timeFrom = 0;
  if (!interval) settings.timeTo = 1;
  if (!checkRun(*b.pipeline, settings, call)) return false;
  steps = call[options::steps].value_or(std::vector<double>());
  if (steps.empty()) steps = {settings.step, settings.step / 2, settings.step / 4};
  return true;
}

int measureSymplecticity(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const study::Subject subject{pipelineOptions(call), [&file](products::Pipeline& p) { return p.load(file); }};
  // Without names the model's own.
  const std::vector<std::string> methods = call[options::methods].value_or(std::vector<std::string>{""});
  std::string text;
  ordered_json results = ordered_json::array(), overall = ordered_json::object();
  std::string model;
  bool allFailed = true;
  for (const std::string& method : methods) {
    context.stage = "compiling `" + file + "`";
    const study::TangentBuild b = study::buildTangent(subject, method);
    std::vector<double> steps;
    if (!b.problem || !chooseSteps(call, b, steps))
      return refuseInput(call, b.pipeline->diagnostics(), b.pipeline->sources());
    if (!call[options::json] && model.empty()) printDiagnostics(call, b.pipeline->diagnostics(), b.pipeline->sources());
    context.stage = "measuring the defects";
    const Symplecticity s = study::symplecticity(*b.problem, steps);
    allFailed = allFailed && !s.measured();
    if (model.empty()) {
      model = b.problem->problem.model;
      text =
          fmt::format("{}, largest defect of the {} after one step, relative to its terms\n", model, form(*b.problem));
    }
    text += describe(s, *b.problem);
    for (std::size_t k = 0; k < steps.size(); ++k)
      results.push_back({{"method", s.method}, {"step", steps[k]}, {"defect", number(s.defects[k])}});
    overall[s.method] = verdictObject(s);
  }
  if (call[options::json])
    print(ordered_json{{"model", model}, {"results", results}, {"overall", overall}}.dump(2) + "\n");
  else
    print(text);
  if (allFailed) complain("no step of any method succeeds");
  return allFailed ? RunFailed : Done;
}

} // namespace

extern const Command symplecticityCommand = {
    .name = "symplecticity",
    .place = 11,
    .argument = "FILE",
    .summary = "defect of the tangent map of one step with respect to the symplectic form, per method",
    .examples = "lmc symplecticity top.lie --steps 0.1,0.05,0.025",
    .usesCache = true,
    .options = OptionList(options::model, options::study, options::compile, options::json),
    .run = measureSymplecticity,
};

} // namespace lmc::tool
