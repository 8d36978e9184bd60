// Names in bodies of functions that nothing calls.
#pragma once

#include "sema/Session.h"

namespace lmc {

/// Reports names and functions in a function's body that are declared nowhere. Shapes are not looked at: they are
/// known at a call only.
void checkFunctionNames(Session& session, const ast::Statement& function, Environment& home);

} // namespace lmc
