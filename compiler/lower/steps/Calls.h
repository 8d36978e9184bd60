// Functions that call others one after the other, over parts of their own step.
#pragma once

#include "tape/Tape.h"

#include <string>
#include <vector>

namespace lmc::lower {

/// A call of a function with the arguments t + begin h and length h, of a function with the arguments t and h.
struct PartOfStep {
  int function = 0;
  double begin = 0, length = 1;
};

/// The function with the arguments t and h that makes these calls in their order. They stand in one loop, so that each
/// function that is called stands in it once, however often it is called; nobody else calls these.
[[nodiscard]] tape::Function callsOverParts(tape::Module& module, const std::string& name,
                                            const std::vector<PartOfStep>& parts);

/// The same, each call where it stands: for many calls of few functions that are short. With one argument it is a
/// function of t, and h is zero.
[[nodiscard]] tape::Function callsInOrder(tape::Module& module, const std::string& name,
                                          const std::vector<PartOfStep>& parts, int arguments = 2);

} // namespace lmc::lower
