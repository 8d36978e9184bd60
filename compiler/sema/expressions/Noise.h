// Random numbers that are drawn while a model runs: a generator whose state is numbers of the model.
//
// MRG32k3a of P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators", Operations Research 47 (1999) 159-164: two recursions modulo m1 and m2 whose numbers are whole and below
// 2^32, so that all products are exact in doubles. Every way to evaluate it (code, the interpreter, lanes, C) gives the
// same bits, whatever it fuses.
#pragma once

#include "sym/Expr.h"

namespace lmc::sema {

/// The state behind the next number: vectors of 6.
[[nodiscard]] sym::Expr nextNoise(sym::Graph& g, sym::Expr state);
/// The number that belongs to a state, between 0 and 1, neither of which it is.
[[nodiscard]] sym::Expr uniformNoise(sym::Graph& g, sym::Expr state);
/// A standard normal number of two that are uniform (G. E. P. Box, M. E. Muller, Ann. Math. Statist. 29 (1958) 610).
[[nodiscard]] sym::Expr normalNoise(sym::Graph& g, sym::Expr first, sym::Expr second);
/// A state made of six uniform numbers.
[[nodiscard]] sym::Expr noiseSeeds(sym::Graph& g, sym::Expr uniform);

} // namespace lmc::sema
