// Everything compiled for many samples of a model.
#pragma once

#include "products/Pipeline.h"
#include "runtime/ensemble/Ensemble.h"

namespace lmc::products {

/// What distinguishes the samples of an ensemble.
struct EnsembleRequest {
  std::vector<std::string> vary;       ///< "m ~ normal(15, 1)", as typed
  std::optional<std::int64_t> samples; ///< not given: as many as the shortest table of `read` has rows
  int lanes = 0;                       ///< samples that one thread makes at once, a power of two; 0: as the machine has
};

/// Everything compiled for many samples, which differ in what `request` varies; null on errors, which the pipeline then
/// has. The pipeline must outlive it.
[[nodiscard]] std::unique_ptr<runtime::EnsembleProblem> buildEnsemble(Pipeline& pipeline,
                                                                      const EnsembleRequest& request);

} // namespace lmc::products
