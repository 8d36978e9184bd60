// `lmc verify` of a model: its equations, what they conserve, and how well its method keeps that.
#pragma once

#include "products/Pipeline.h"
#include "tool/support/Invocation.h"

#include <nlohmann/json_fwd.hpp>

namespace lmc::tool {

/// Checks the model of a pipeline that has no errors. What is wrong is reported into its diagnostics; the findings are
/// printed, or put into `object` for --json. False when the model cannot be evaluated: the diagnostics say why.
bool verifyModel(products::Pipeline& pipeline, const Invocation& call, nlohmann::ordered_json& object);

} // namespace lmc::tool
