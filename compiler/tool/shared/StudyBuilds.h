// One model compiled with each of the methods that a study compares.
#pragma once

#include "checks/study/Studies.h"
#include "tool/support/Invocation.h"

#include <functional>
#include <vector>

namespace lmc::tool {

/// The builds, one for each method; empty when one of them is refused: its diagnostics are printed then, and `status`
/// is what the tool exits with.
struct StudyBuilds {
  std::vector<study::Build> list;
  int status = Done;
};

/// Builds the model with the methods of `--methods`, or with its own. `check` looks into each problem's settings and
/// reports what is wrong with them.
[[nodiscard]] StudyBuilds buildMethods(const Invocation& call, const study::Subject& subject,
                                       const std::function<bool(products::Pipeline&, const runtime::Problem&)>& check);

/// Warns of resets, of which a study of a method knows nothing: it is about the smooth motion.
void warnOfResets(products::Pipeline& pipeline);

} // namespace lmc::tool
