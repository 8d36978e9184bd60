// The commands of the tool. Each returns an exit status; wrong usage is thrown as UsageError, a defect as any other
// exception.
#pragma once

#include "tool/support/CommandLine.h"

#include <chrono>
#include <string>

namespace lmc::tool {

/// One call of the tool while it runs.
struct Context {
  Invocation call;
  std::chrono::steady_clock::time_point start; ///< of the tool
  std::string stage;                           ///< what it is doing, for the report of a defect
};

int runModel(Context& context);
int checkFiles(Context& context);
int deriveModel(Context& context);
int dumpStage(Context& context);
int listMethods(Context& context);
int measureMethods(Context& context); ///< `methods --measure`
int methodsPage(Context& context);    ///< `methods --format markdown`
int listManifolds(Context& context);
int measureOrders(Context& context);
int measureSymplecticity(Context& context);
int testStability(Context& context);
int linearizeModel(Context& context);
int verifyFile(Context& context);
int runEnsembles(Context& context);
int explainCodes(Context& context);
int buildModel(Context& context);
int exportModel(Context& context);
int printCompletion(Context& context);
int printManual(Context& context);

/// Carries out the call's command.
int dispatch(Context& context);

} // namespace lmc::tool
