// An ensemble that is compiled, and what its runs are made from.
#pragma once

#include "products/ensembles/Ensemble.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/output/Output.h"
#include "tool/support/Command.h"

#include <memory>
#include <string>

namespace lmc::tool {

/// What the command line asks for, as far as it decides what is made.
struct StudyRequest {
  products::EnsembleRequest ensemble;
  runtime::EnsembleKeep keep = runtime::EnsembleKeep::Final;
  std::int64_t block = 0; ///< samples of a block; 0: as usual
  bool begin = false;     ///< of all rows those at the begin alone
};

struct Study {
  explicit Study(products::PipelineOptions options) : pipeline(std::move(options)) {}
  products::Pipeline pipeline;
  std::unique_ptr<runtime::EnsembleProblem> problem; ///< null: what is wrong is in the pipeline's diagnostics
  runtime::EnsemblePlan plan;
  runtime::EnsembleShape shape;
  std::string identity; ///< runtime::ensembleIdentity
  runtime::RunDescription about;
  double compileSeconds = 0;
};

/// Compiles the file of the call; throws UsageError.
void compileStudy(Study& study, Context& context, const StudyRequest& request);

} // namespace lmc::tool
