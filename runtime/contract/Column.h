// One number of what a run writes, and where it stands.
#pragma once

#include "runtime/contract/Memory.h"
#include "runtime/fields/Field.h"

namespace lmc {

struct Column {
  Entry entry;                         ///< entry [1][2] of "R", the number "energy", …
  tape::Role role = tape::Role::State; ///< State, or Output of the observe function
  std::int64_t offset = 0;             ///< in doubles from the base of that role
};

} // namespace lmc
