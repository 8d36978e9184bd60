// Quotients of Stumpff functions as polynomials.
//
// A quotient such as (c_3(s) - 2 c_4(s))/(2 c_2(s)), the coefficient of ad^2 in dexp^{-1} on so(3), is a function of s
// alone, and near zero an analytic one. There its division can be replaced by one polynomial with an error below that
// of the operations it replaces. The division would be the longest operation in the chain that bounds the time of a
// step.
#pragma once

#include "backends/llvm/emit/StumpffPolynomial.h"
#include "tape/Tape.h"

#include <unordered_map>
#include <vector>

namespace lmc::backends {

/// A division in a block whose value depends on s alone.
struct AnalyticQuotient {
  tape::Value argument = tape::none;       ///< s, of which Stumpff functions are taken
  tape::Value value = tape::none;          ///< the quotient
  std::vector<const tape::Instr*> program; ///< its computation from Stumpff functions, s and constants, in order
  std::vector<double> coefficients;        ///< of its polynomial on the interval, lowest first
};

/// Constants of a function by their values.
using Constants = std::unordered_map<tape::Value, double>;
[[nodiscard]] Constants constantsOf(const tape::Function& function);

/// The quotients of a block that a polynomial of low degree equals on the interval to a relative error below
/// 2^-55.
[[nodiscard]] std::vector<AnalyticQuotient> analyticQuotients(const tape::Block& block, const Constants& constants,
                                                              const StumpffInterval& interval = {});

} // namespace lmc::backends
