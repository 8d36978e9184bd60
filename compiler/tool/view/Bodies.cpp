#include "tool/view/Bodies.h"

#include "linear/Decompositions.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace lmc::tool {

namespace {

Quaternion fromMatrix(const Eigen::Matrix3d& r) {
  Eigen::Quaterniond q(r);
  q.normalize();
  return {q.x(), q.y(), q.z(), q.w()};
}

} // namespace

Quaternion quaternionOf(std::span<const double> rows) {
  return fromMatrix(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data()));
}

std::optional<EqualBody> equalBody(std::span<const double> inertia, double mass) {
  const Eigen::Matrix3d given = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(inertia.data());
  const auto [values, vectors] = linear::symmetricEigen((given + given.transpose()) / 2);
  Eigen::Vector3d j = values;
  Eigen::Matrix3d axes = vectors;
  if (!j.allFinite() || j(2) <= 0 || j(0) < 0) return std::nullopt;
  constexpr double small = 1e-9;
  if (j(0) + j(1) < j(2) * (1 - small)) return std::nullopt;
  const bool lowPair = j(1) - j(0) <= small * j(2);
  const bool highPair = j(2) - j(1) <= small * j(2);
  EqualBody body;
  body.cylinder = lowPair != highPair;
  if (body.cylinder && highPair) { // the odd one is the first: it comes last
    j = Eigen::Vector3d(j(1), j(2), j(0));
    axes = Eigen::Matrix3d((Eigen::Matrix3d() << axes.col(1), axes.col(2), axes.col(0)).finished());
  }
  // Along an axis of the frame where that is all the same: turned bodies look as their frame does.
  for (int k = 0; k < 3; ++k) {
    Eigen::Index largest = 0;
    axes.col(k).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, k) < 0) axes.col(k) *= -1;
  }
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const double m = mass > 0 ? mass : 1;
  const auto root = [](double x) { return std::sqrt(std::max(x, 0.0)); };
  if (body.cylinder) {
    const double r = root(2 * j(2) / m);
    body.size = {2 * r, 2 * r, root((12 * j(0) - 6 * j(2)) / m)};
  } else {
    for (int k = 0; k < 3; ++k) body.size[static_cast<std::size_t>(k)] = root(6 * (j.sum() - 2 * j(k)) / m);
  }
  const double longest = *std::max_element(body.size.begin(), body.size.end());
  for (double& length : body.size) {
    if (mass <= 0) length /= longest;
    length = std::max(length, 0.03 * (mass > 0 ? longest : 1)); // discs and plates are seen from the side, too
  }
  body.local = fromMatrix(axes);
  return body;
}

} // namespace lmc::tool
