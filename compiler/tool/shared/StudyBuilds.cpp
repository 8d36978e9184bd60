#include "tool/shared/StudyBuilds.h"

#include "tool/runs/RunChecks.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

void warnOfResets(products::Pipeline& pipeline) {
  if (!pipeline.jumps()) return;
  pipeline.compilation()
      .diagnostics()
      .warning(
          Code::LIE0652, modelRange(pipeline),
          "the model has resets or contacts: what is examined is the motion without them, from the initial state on")
      .note("`lmc run` carries them out");
}

StudyBuilds buildMethods(const Invocation& call, const study::Subject& subject,
                         const std::function<bool(products::Pipeline&, const runtime::Problem&)>& check) {
  // Without names the model's own.
  const std::vector<std::string> methods = call[options::methods].value_or(std::vector<std::string>{""});
  StudyBuilds builds;
  for (const std::string& method : methods) {
    study::Build b = study::build(subject, method);
    if (!b.problem || !check(*b.pipeline, *b.problem))
      return {{}, refuseInput(call, b.pipeline->diagnostics(), b.pipeline->sources())};
    warnOfResets(*b.pipeline);
    builds.list.push_back(std::move(b));
  }
  const products::Pipeline& first = *builds.list.front().pipeline;
  if (!call[options::json]) printDiagnostics(call, first.diagnostics(), first.sources());
  return builds;
}

} // namespace lmc::tool
