// Which derivatives of a model are wanted.
#pragma once

#include <cstdint>

namespace lmc::methods {

struct LinearizationRequest {
  // Of which maps: f, a step of the chosen method, energy and observables.
  bool field = true, step = true, outputs = true;
  // In which form: an image per direction, a covector per covector, whole matrices.
  bool forward = true, adjoint = true, matrices = true;
  /// Tangent vectors with more numbers have their matrices assembled from images, one column after the other: all
  /// columns at once would need as much memory for every intermediate result.
  std::int64_t largestMatrix = 96;
};

} // namespace lmc::methods
