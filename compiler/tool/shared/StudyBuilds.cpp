#include "tool/shared/StudyBuilds.h"

#include "tool/support/Report.h"

namespace lmc::tool {

StudyBuilds buildMethods(const Invocation& call, const study::Subject& subject,
                         const std::function<bool(Pipeline&, const Problem&)>& check) {
  std::vector<std::string> methods = call.methods;
  if (methods.empty()) methods.emplace_back(); // the model's own
  StudyBuilds builds;
  for (const std::string& method : methods) {
    study::Build b = study::build(subject, method);
    if (!b.problem || !check(*b.pipeline, *b.problem))
      return {{}, refuseInput(call, b.pipeline->diagnostics(), b.pipeline->sources())};
    builds.list.push_back(std::move(b));
  }
  const Pipeline& first = *builds.list.front().pipeline;
  if (!call.json) printDiagnostics(call, first.diagnostics(), first.sources());
  return builds;
}

} // namespace lmc::tool
