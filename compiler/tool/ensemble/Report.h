// What `lmc ensemble` tells at its end.
#pragma once

#include "products/Pipeline.h"
#include "runtime/ensemble/Ensemble.h"
#include "tool/support/Command.h"

#include <string>

namespace lmc::tool {

struct Told {
  const runtime::EnsembleProblem& problem;
  const runtime::EnsembleResult& result;
  int threads;
  std::string output;
  double compileSeconds;
  int ranks = 1;
  std::string part = {};    ///< "3 of 64"
  std::int64_t samples = 0; ///< of this process; 0: all
  std::string device = {};  ///< who makes them (chooseDevice); empty: the processor
};

/// Prints the summary, as text or as JSON, and what went wrong; returns the exit status. `goesOn`: how an ensemble that
/// was stopped is gone on with, as a sentence behind a semicolon; empty: not at all.
int tellEnsemble(const Context& context, products::Pipeline& pipeline, const Told& told, const std::string& goesOn);

} // namespace lmc::tool
