// Methods on `rigid_body`: natural systems L = ½⟨Omega, J Omega⟩ − U(Q) with constant inertia on a group or a product
// of groups, left trivialized:
//   Q' = Q Omega,   J Omega' = ad*_Omega J Omega + tau(Q)
// with tau = −T(Q)* dU/dQ and the forces. Source of the class: G. Ortolan, A. Saccon, "A numerical test of long-time
// stability for rigid body integrators", International Journal for Numerical Methods in Engineering 90 (2012) 390-402.
#pragma once

#include "mechanics/Cotangent.h"
#include "methods/kinds/ConfigurationKind.h"

namespace lmc {

/// The state is (Q, Omega). A space factor is seen as the opposite group, so that Q*exp(k) moves it from the left and
/// the formulas hold for it, too.
class RigidBodyKind final : public ConfigurationKind {
public:
  explicit RigidBodyKind(const KindContext& context) : ConfigurationKind(context, Convention::Body) {}

  std::string refusal() override;
  std::vector<std::string> stateNames() const override { return {"Q", "Omega"}; }
  std::vector<Value> state() override;
  std::optional<Misfit> misfit(std::size_t k, const Value& v) const override;
  void finish(const std::vector<Value>& next) override;

  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range where) override;
  std::vector<std::string> names() const override;

private:
  /// What the arrays depend on, of what the formulas do not know: its name for a message, or empty.
  std::string dependence(const std::vector<const sym::Array*>& arrays, bool onConfiguration) const;
  [[nodiscard]] bool dependsOn(const std::vector<const sym::Array*>& arrays, const sym::Array* what) const;
  Tuple inertia(const Tuple& velocity);
  Tuple inverseInertia(const Tuple& momentum);
  std::optional<Value> torque(const std::vector<Value>& args, Range where);
  [[nodiscard]] std::string movedPoint() const override { return "Q*exp(k)"; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> uses() const override;

  CotangentField field_;
  std::vector<const sym::Array*> velocities_, forces_; ///< of all factors, part by part
};

} // namespace lmc
