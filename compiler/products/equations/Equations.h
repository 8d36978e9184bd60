// The equations of a model for a person.
#pragma once

#include "products/Pipeline.h"
#include "products/initial/Initial.h"

namespace lmc::sym {
struct Array;
}

namespace lmc::products {

/// The equations as a person writes them. format: text | latex | json; form: motion | matrix | hamilton; `expand`:
/// families are written out, member by member. Empty on errors, which the pipeline then has.
[[nodiscard]] std::string equations(Pipeline& pipeline, const std::string& format, const std::string& form = "motion",
                                    bool expand = false);

/// Square matrices among the parameters whose values are symmetric.
[[nodiscard]] std::vector<const sym::Array*> symmetricParameters(const sema::Model& model, const InitialData& data);

} // namespace lmc::products
