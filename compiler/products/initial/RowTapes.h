// The equations of constraints as tapes, by which a run that has failed finds out which of them have become dependent.
#pragma once

#include "products/stages/Stages.h"
#include "runtime/mass/ConstraintRows.h"

namespace lmc::products {

/// Null for a model without constraints, and for one with contacts, whose equations come and go.
[[nodiscard]] std::shared_ptr<const runtime::ConstraintRows> constraintRows(mechanics::Layer& layer,
                                                                            const Layout& layout);

} // namespace lmc::products
