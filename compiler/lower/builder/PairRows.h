// Members of near pairs as rows of memory.
//
// In memory the entries of a family's elements are separate, so that loops over members find what they read side by
// side. The members that a list of near pairs names stand anywhere: what a pair reads of one would come from as many
// places as there are entries, and so would what it adds to. So before such a loop what it reads of the second member
// of a pair is copied, all numbers of a member side by side, and what it adds to members is added in memory of the same
// kind, from which it is copied back. No operation and no order changes.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// Numbers of a row: a line of memory, or half of one.
inline constexpr std::int64_t wideRow = 8, narrowRow = 4;

/// The function with rows for each nest of loops over a list of near pairs (tape::ownedSums); their memory is added to
/// the module.
[[nodiscard]] tape::Function rowsOfPairs(tape::Function function, tape::Module& module);

} // namespace lmc::lower
