// Stages that do not wait for each other.
#pragma once

#include "methods/phase/Step.h"

#include <optional>
#include <vector>

namespace lmc::products {

/// The stages of an explicit tableau that are a first one and then blocks of the same size, where stages of the first
/// block read the first stage alone, those of the others the block before, all by the same coefficients: turns of an
/// iteration. All of a block can be evaluated at once (lower/steps/SideBySide.h).
struct StageBlocks {
  std::vector<std::vector<double>> a;
  std::vector<double> c;
  std::size_t count = 0; ///< of blocks
  /// Weights of a sum at the end, on the last block or on the one before.
  struct Weights {
    std::vector<double> weights;
    bool before = false;
  };
  std::vector<Weights> weights; ///< of each of SharedStages::ends
};

/// Of stages that are like this, else nothing.
[[nodiscard]] std::optional<StageBlocks> blocksOf(const methods::SharedStages& stages);

} // namespace lmc::products
