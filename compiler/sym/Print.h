// Expressions and equations as text that a person can compare with a paper, in the language's own notation or LaTeX.
#pragma once

#include "sym/Program.h"

#include <string>

namespace lmc::sym {

enum class Notation : std::uint8_t { Text, Latex };

/// What a person can read, and more: beyond so many operations of one expression `...` stands for the rest. Expressions
/// share parts, and written out they may be longer than any memory.
inline constexpr std::size_t mostPrinted = 200'000;

/// `m*l*cross(chi, transpose(R)*G0)`, or the same in LaTeX. Deterministic.
[[nodiscard]] std::string print(Expr e, Notation notation = Notation::Text, std::size_t most = mostPrinted);

/// `x[i] = x[i-1] + L[i]*q[i]   (i in 2..N)`
[[nodiscard]] std::string print(const Equation& e, Notation notation = Notation::Text, std::size_t most = mostPrinted);

/// A name in LaTeX: Greek letters, subscripts, dots for primes.
[[nodiscard]] std::string latexName(const std::string& name);
/// The same with indices: in the subscript that the name has, or in a new one.
[[nodiscard]] std::string latexName(const std::string& name, const std::string& index);

} // namespace lmc::sym
