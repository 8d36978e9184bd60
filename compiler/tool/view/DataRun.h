// A run that was made before, read from its file: `lmc view --data`.
#pragma once

#include "products/Pipeline.h"
#include "runtime/input/Input.h"
#include "runtime/run/Run.h"

#include <string>

namespace lmc::tool {

/// Observes the states of a file, in their order, as a run would: the energy, the observables and the picture are
/// computed from them. Throws UsageError where the file is of another model: other sources (where the file keeps
/// them), columns that are missing, or numbers of the energy or of observables that the states do not give. `name`: of
/// the file.
[[nodiscard]] runtime::RunResult replay(const products::Pipeline& pipeline, const runtime::Problem& problem,
                                        const runtime::InputTable& table, const std::string& name, runtime::Sink& sink);

} // namespace lmc::tool
