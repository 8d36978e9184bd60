// The functions of a model for programs without the compiler.
#pragma once

#include "products/Pipeline.h"
#include "unit/Unit.h"

namespace lmc::products {

/// The functions of the model with its method for programs without the compiler, with a step of fixed length and, of
/// a method that estimates its error, one with errors. `prefix`: of the names in C, an identifier. Nothing on errors,
/// which the pipeline then has.
[[nodiscard]] std::optional<unit::Exported> exportedUnit(Pipeline& pipeline, const std::string& prefix);
/// Its object for a processor (aheadObject); nothing, and a report, when a limit of compilation is reached.
[[nodiscard]] std::optional<std::string> exportedObject(Pipeline& pipeline, const unit::Exported& unit,
                                                        const std::string& cpu);

} // namespace lmc::products
