// `lmc manifolds`: the manifolds and groups of the library.
#include "tool/library/Listing.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

extern const Command manifoldsCommand = {
    .name = "manifolds",
    .place = 6,
    .argument = "NAME",
    .argumentWords = "lmc manifolds 2>/dev/null | awk 'NR > 1 { print $1 }'",
    .summary = "the manifolds and groups of the library; with a name, its source",
    .examples = "lmc manifolds",
    .options = OptionList(options::json),
    .run = listManifolds,
};

} // namespace lmc::tool
