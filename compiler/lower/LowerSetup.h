// Arrays of parameters between `setup` and the functions that read them.
#pragma once

#include "lower/LowerContext.h"

namespace lmc::lower {

/// An array of parameters that `setup` holds in values, but that a function reads in a loop, is put into memory.
class SetupSpill {
public:
  SetupSpill(const sym::Program& program, Scalars& scalars, ExpressionLowering& expressions, Builder& setup)
      : p_(program), s_(scalars), x_(expressions), setup_(setup) {}

  /// Before these equations are lowered.
  void operator()(const std::vector<std::size_t>& equations);

private:
  const sym::Program& p_;
  Scalars& s_;
  ExpressionLowering& x_;
  Builder& setup_;
};

} // namespace lmc::lower
