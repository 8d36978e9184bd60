// Names in bodies of functions that nothing calls.
#pragma once

#include "sema/session/Session.h"

namespace lmc::sema {

/// Reports names and functions in a function's body that are declared nowhere. Shapes are not looked at: they are
/// known at a call only.
void checkFunctionNames(Session& session, const syntax::Statement& function, Environment& home);

/// The same of an expression among names that are `bound`.
void checkExpressionNames(Session& session, const syntax::Expr& e, std::vector<std::string> bound, Environment& home);

/// True if a letter of the name at this place is no letter of the language, which is reported already (LIE0004): that
/// there is no such name would say it twice.
[[nodiscard]] bool isMisspelt(const Diagnostics& diagnostics, Range name);

} // namespace lmc::sema
