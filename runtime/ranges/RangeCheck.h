// Which look-up of a table a run has left: told when what is computed is no longer a number.
//
// A look-up outside its table is not a number, so that a branch that is not taken has no effect and nothing is paid in
// a step. Which one it was is worked out afterwards, by the interpreter, from the last valid state.
#pragma once

#include "tape/Tape.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::runtime {

/// The function has the argument t. Of each look-up Output has its arguments, one for each turn of the loops around it,
/// then the ends of what it may be, and how many nodes are out of order.
struct RangeCheck {
  struct LookUp {
    std::string text;       ///< as written in the model
    std::int64_t turns = 1; ///< arguments
  };
  tape::Module module;
  int function = -1;
  std::vector<LookUp> list;
};

/// Which look-up is outside its table, or has none that is in order, at a state and time: a sentence without a full
/// stop.
[[nodiscard]] std::optional<std::string> whatIsOutside(const RangeCheck& check, std::span<const double> params,
                                                       std::span<const double> y, double t);

/// Why a step of length h from the state y at time t found a look-up without a value: a sentence without a full stop.
/// Nothing if no look-up is near an end of its table. An argument that depends on the state is known at the begin of
/// the step alone; it is then named if it is outside, or nearer to an end than a hundredth of the range.
[[nodiscard]] std::optional<std::string> whatWasLeft(const RangeCheck& check, std::span<const double> params,
                                                     std::span<const double> y, double t, double h);

} // namespace lmc::runtime
