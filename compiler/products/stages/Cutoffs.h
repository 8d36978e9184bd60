// Sums over near pairs, measured where they end: whether energies jump there, and whether boxes are large enough.
#pragma once

#include "mechanics/system/Layer.h"
#include "runtime/contract/Problem.h"

#include <string>
#include <vector>

namespace lmc::products {

/// A sum with a bounded distance that is a part of the energy, at its limit.
struct Cutoff {
  std::string condition; ///< as a reader writes it
  double limit = 0;      ///< of the distance
  double period = 0;     ///< the shortest of the box; 0: none
  /// Of a summand there, at the initial state in the direction where it is largest; not numbers where the summand does
  /// not depend on the distance alone.
  double value = 0, slope = 0;
  double largest = 0, steepest = 0; ///< the same a little within the limit
  /// The summand jumps, or its slope does.
  [[nodiscard]] bool jumps() const;
  [[nodiscard]] bool bends() const;
};

/// All of them, with the parameters and the initial state of a problem.
[[nodiscard]] std::vector<Cutoff> cutoffs(const mechanics::Layer& model, const runtime::Problem& problem);

} // namespace lmc::products
