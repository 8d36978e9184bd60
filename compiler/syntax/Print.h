// The syntax tree as text, for `lmc dump --stage ast` and for messages.
#pragma once

#include "syntax/Ast.h"

#include <string>

namespace lmc::syntax {

/// A readable listing of the whole tree: one line a declaration or statement, expressions in prefix form.
[[nodiscard]] std::string print(const File& file);

/// One expression in prefix form: `(+ a (* 2 b))`.
[[nodiscard]] std::string printTree(const Expr& e);

/// An expression back as source text, with no parentheses but the needed ones.
[[nodiscard]] std::string unparse(const Expr& e);
[[nodiscard]] std::string unparse(const Type& type);
[[nodiscard]] std::string unparse(const Target& target);

} // namespace lmc::syntax
