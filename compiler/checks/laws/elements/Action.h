// A homogeneous manifold in numbers: the action of its group, and the points that laws are tested with.
#pragma once

#include "checks/laws/elements/Group.h"

namespace lmc::laws {

class Action {
public:
  Action(sym::Graph& graph, const sema::DeclaredManifold& manifold);

  [[nodiscard]] const sema::DeclaredManifold& manifold() const { return ops_.manifold(); }
  [[nodiscard]] Operations& operations() { return ops_; }
  [[nodiscard]] Group& group() { return group_; }
  [[nodiscard]] bool declares(const std::string& clause) const { return manifold().clause(clause) != nullptr; }
  [[nodiscard]] bool hasHolds() { return ops_.has("holds"); }

  [[nodiscard]] Vector act(const Vector& element, const Vector& point) {
    return ops_.value("action", {element, point});
  }
  /// T(q): columns are the changes of q by the units of the algebra.
  [[nodiscard]] Matrix generator(const Vector& point);
  /// The conditions that `horizontal` puts on velocities at a point, by rows.
  [[nodiscard]] Matrix conditions(const Vector& point);
  [[nodiscard]] Vector defect(const Vector& point) { return ops_.value("holds", {point}); }
  [[nodiscard]] double defectSize(const Vector& point);
  /// Directions that `holds` leaves at a point.
  [[nodiscard]] Eigen::Index freedom(const Vector& point);

  /// Values of `random`; without that clause points that are found on `holds`, near random numbers. Empty if none is
  /// found.
  [[nodiscard]] const std::vector<Sample>& drawnPoints();
  /// These, points with many zeros, and points to which they are moved.
  [[nodiscard]] const std::vector<Sample>& points();

  [[nodiscard]] Quantity point(const std::string& name, const Vector& v) const {
    return {name, v, &manifold().point()};
  }

private:
  [[nodiscard]] Eigen::Index storage() const;
  [[nodiscard]] std::optional<Vector> foundOnHolds();
  void addSimplePoints();
  [[nodiscard]] bool isOnManifold(const Vector& point);

  Operations ops_;
  Group group_;
  Engine engine_;
  std::optional<std::vector<Sample>> drawn_, points_;
};

} // namespace lmc::laws
