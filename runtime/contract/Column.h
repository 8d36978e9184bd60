// One number of a field, and where it stands: what is read or written number by number.
#pragma once

#include "runtime/fields/Field.h"

namespace lmc::runtime {

struct Column {
  Entry entry;             ///< entry [1][2] of "R", the number "energy", …
  Role role = Role::State; ///< of its field
  std::int64_t offset = 0; ///< in doubles from the base of that role
};

/// The numbers of a field, in the order of memory.
[[nodiscard]] std::vector<Column> columnsOf(const Field& field);

} // namespace lmc::runtime
