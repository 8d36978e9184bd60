// Sums of products, written for machines that multiply and add in one operation.
//
// A sum of products costs one fused operation per product if it is a chain; w + (a b + c d) costs one more than
// (w + a b) + c d. So sums whose only user is another sum become part of it where that saves an operation, and the
// terms of a chain are taken in the order in which they are ready, so that none waits for one that comes late. Factors
// that do not change during a run (constants, parameters, the step size) are gathered: k (c x + d y) = (k c) x + (k d)
// y; their products are computed once.
#pragma once

#include "tape/Tape.h"

namespace lmc::lower {

/// The function with its sums rewritten; equal in real arithmetic. Buffers are those of its module.
[[nodiscard]] tape::Function fuseSums(tape::Function function, const std::vector<tape::Buffer>& buffers);

} // namespace lmc::lower
