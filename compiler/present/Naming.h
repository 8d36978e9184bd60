// Names for parts that occur again and again.
#pragma once

#include "present/writers/Document.h"

#include <functional>
#include <set>

namespace lmc::present {

/// Momenta stand where they are written out elsewhere; other parts of equations that are long and frequent get names of
/// their own, which `where` defines. `taken`: names of the model.
void nameParts(Document& document, std::set<std::string> taken);

/// After that: entries of vectors that have a name now, common numbers of vectors, and names for what has one already,
/// of those that were given here (`isGiven`).
void tidy(Document& document, const std::function<bool(const std::string&)>& isGiven);

} // namespace lmc::present
