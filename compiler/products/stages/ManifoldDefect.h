// How far a variable is off its manifold.
#pragma once

#include "mechanics/system/Layer.h"

namespace lmc::products {

/// The largest violation of a variable's `holds` and horizontal conditions, over all members, as a single value; of a
/// state there is no factor. Null: there are no conditions.
const sym::Array* defectArray(sym::Program& p, const sema::Manifold& m, const std::string& name, std::int64_t extent,
                              const sema::ArrayTuple& point, const sema::Factor* factor);

} // namespace lmc::products
