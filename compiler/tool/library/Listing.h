// What the library declares, read off the syntax trees.
#pragma once

#include "tool/support/Command.h"

namespace lmc::tool {

/// Prints a table of the methods, manifolds or joints of the library; with a name the text of that one. Return an exit
/// status.
int listMethods(Context& context);
int listManifolds(Context& context);
int listJoints(Context& context);

} // namespace lmc::tool
