// Which derivatives of a model are wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::methods {

struct LinearizationRequest {
  // Of which maps: f, a step of the chosen method, energy and observables.
  bool field = true, step = true, outputs = true;
  // In which form: an image per direction, a covector per covector, whole matrices.
  bool forward = true, adjoint = true, matrices = true;
  /// Tangent vectors with more numbers have their matrices assembled from images, one column after the other: all
  /// columns at once would need as much memory for every intermediate result.
  std::int64_t largestMatrix = 96;
  /// Of events, resets, samplings and contacts, too, with steps of a model whose state jumps; then without whole
  /// matrices.
  bool jumps = false;
  /// Discrete variables that are real numbers: their changes are coordinates behind those of the phase manifold.
  std::vector<std::string> held = {};
};

} // namespace lmc::methods
