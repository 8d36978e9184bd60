#include "tool/ensemble/Study.h"

#include "runtime/ensemble/Checkpoint.h"
#include "tool/runs/RunChecks.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/SharedOptions.h"

#include <chrono>

namespace lmc::tool {

namespace {
constexpr double shortRun = 1e-6; // part of the run that is made where its begin alone is kept
} // namespace

void compileStudy(Study& study, Context& context, const StudyRequest& request) {
  const Invocation& call = context.call;
  products::Pipeline& pipeline = study.pipeline;
  const std::string& file = oneFile(call);
  context.stage = "compiling `" + file + "`";
  auto problem = pipeline.load(file) ? products::buildEnsemble(pipeline, request.ensemble) : nullptr;
  if (problem != nullptr && call[options::every]) problem->problem.outputSteps = 0;
  if (problem == nullptr || !checkRun(pipeline, problem->problem, call)) return;
  if (request.begin) { // nothing is wanted of the motion: one step, at most
    runtime::Problem& p = problem->problem;
    p.timeTo = p.timeFrom + shortRun * (p.timeTo - p.timeFrom);
    p.outputEvery = 0;
    p.outputSteps = 0;
  }
  const double bytes = runtime::leastBlockBytes(problem->problem, request.keep, problem->samples, request.block);
  if (!checkRows(pipeline, problem->problem, call, bytes)) return;
  study.plan = runtime::planEnsemble(problem->problem, request.keep, problem->samples, request.block);
  if (request.begin) {
    study.plan.times.resize(1);
    if (!study.plan.points.empty()) study.plan.points.resize(1);
  }
  study.shape = runtime::shapeOf(*problem, study.plan);
  study.identity = runtime::ensembleIdentity(*problem, study.plan);
  study.about = description(pipeline.sources(), problem->problem);
  study.compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - context.start).count();
  study.problem = std::move(problem);
  context.stage = "running `" + file + "`";
}

} // namespace lmc::tool
