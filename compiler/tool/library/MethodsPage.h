// Orders and properties of the library's methods: the file that is kept, and the page of the documentation.
#pragma once

#include "tool/support/Command.h"

namespace lmc::tool {

/// Proves and measures what has changed since the file was made, and prints all of it. Returns an exit status.
int measureMethods(Context& context);
/// Prints the page, of what the file tells.
int methodsPage(Context& context);

} // namespace lmc::tool
