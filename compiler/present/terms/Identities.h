// The table of identities (Identities.def) as normal forms with variables.
#pragma once

#include "present/terms/Terms.h"

namespace lmc::present {

struct Identity {
  const char* name;
  Poly left, right;
};

/// Of these terms; variables are symbols without an array whose names begin with `$`.
[[nodiscard]] std::vector<Identity> identities(Terms& terms);

/// Rewrites pairs of terms by the table, as long as there are any; true if it did.
bool useIdentities(Terms& terms, Poly& p);

} // namespace lmc::present
