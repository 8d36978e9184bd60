// Which statements stand in which declarations.
#pragma once

#include "diagnostics/Diagnostics.h"
#include "syntax/Ast.h"

namespace lmc::syntax {

/// The words that begin the statements of a declaration.
[[nodiscard]] std::vector<std::string> statementWords(DeclKind declaration);

/// Reports a statement that does not belong into a declaration of this kind.
void checkPlacement(const Statement& statement, DeclKind declaration, Diagnostics& diagnostics);

/// Reports a statement that `for` does not repeat.
void checkInFor(const Statement& statement, Diagnostics& diagnostics);

/// Reports a statement that does not stand in the block of an event, or of `every`; false if it is one.
bool checkInReset(const Statement& statement, Diagnostics& diagnostics);

} // namespace lmc::syntax
