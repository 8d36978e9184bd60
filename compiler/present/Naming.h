// Names for parts that occur again and again.
#pragma once

#include "present/writers/Document.h"

#include <set>

namespace lmc::present {

/// Momenta stand where they are written out elsewhere; other parts of equations that are long and frequent get names of
/// their own, which `where` defines. `taken`: names of the model.
void nameParts(Document& document, std::set<std::string> taken);

} // namespace lmc::present
