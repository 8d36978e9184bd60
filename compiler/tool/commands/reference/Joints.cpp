// `lmc joints`: the joints of the library.
#include "tool/library/Listing.h"
#include "tool/support/SharedOptions.h"

namespace lmc::tool {

extern const Command jointsCommand = {
    .name = "joints",
    .place = 6,
    .argument = "NAME",
    .argumentWords = "lmc joints 2>/dev/null | awk 'NR > 1 { print $1 }'",
    .summary = "the joints of the library; with a name, its source",
    .examples = "lmc joints",
    .options = OptionList(options::json),
    .run = listJoints,
};

} // namespace lmc::tool
