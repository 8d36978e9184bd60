// The box or the cylinder that has given moments of inertia.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace lmc::tool {

/// A rotation as x, y, z, w.
using Quaternion = std::array<double, 4>;
/// Of a rotation matrix, by rows.
[[nodiscard]] Quaternion quaternionOf(std::span<const double> rows);

struct EqualBody {
  bool cylinder = false;
  std::array<double, 3> size{}; ///< whole lengths; of a cylinder diameter, diameter, height
  Quaternion local{};           ///< of its axes in the frame of the inertia; the third is that of a cylinder
};

/// A homogeneous body of this inertia (3 x 3 by rows). Of a mass that is not positive (not known): the largest length
/// is
/// 1. Nothing where a moment is larger than the sum of the two others, which no body has.
[[nodiscard]] std::optional<EqualBody> equalBody(std::span<const double> inertia, double mass);

} // namespace lmc::tool
