#include "tool/shared/StudyBuilds.h"

#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

StudyBuilds buildMethods(const Invocation& call, const study::Subject& subject,
                         const std::function<bool(products::Pipeline&, const runtime::Problem&)>& check) {
  // Without names the model's own.
  const std::vector<std::string> methods = call[options::methods].value_or(std::vector<std::string>{""});
  StudyBuilds builds;
  for (const std::string& method : methods) {
    study::Build b = study::build(subject, method);
    if (!b.problem || !check(*b.pipeline, *b.problem))
      return {{}, refuseInput(call, b.pipeline->diagnostics(), b.pipeline->sources())};
    builds.list.push_back(std::move(b));
  }
  const products::Pipeline& first = *builds.list.front().pipeline;
  if (!call[options::json]) printDiagnostics(call, first.diagnostics(), first.sources());
  return builds;
}

} // namespace lmc::tool
