#include "tool/shared/StudyBuilds.h"

#include "mechanics/system/System.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>

namespace lmc::tool {

void warnOfResets(products::Pipeline& pipeline) {
  const sema::Model& m = *pipeline.system()->model;
  const bool goesOn = std::any_of(m.events.begin(), m.events.end(), [](const sema::Event& e) { return e.goesOn; });
  if (!goesOn && m.samplings.empty()) return;
  pipeline.compilation()
      .diagnostics()
      .warning(Code::LIE0652, m.range,
               "'" + m.name + "' has resets: what is examined is the motion without them, from the initial state on")
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
