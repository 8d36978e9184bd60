// Methods on `rigid_body`: natural systems L = ½⟨Omega, J Omega⟩ − U(Q) with constant inertia on a group or a product
// of groups, left trivialized:
//   Q' = Q Omega,   J Omega' = ad*_Omega J Omega + tau(Q)
// with tau = −T(Q)* dU/dQ and the forces. Source of the class: G. Ortolan, A. Saccon, "A numerical test of long-time
// stability for rigid body integrators", International Journal for Numerical Methods in Engineering 90 (2012) 390-402.
#pragma once

#include "mechanics/Cotangent.h"
#include "methods/kinds/ConfigurationKind.h"

namespace lmc::methods {

/// The state is (Q, Omega). A space factor is seen as the opposite group, so that Q*exp(k) moves it from the left and
/// the formulas hold for it, too.
class RigidBodyKind final : public ConfigurationKind {
public:
  RigidBodyKind(const KindContext& context, mechanics::CotangentField field);

  std::vector<sema::Value> state() override;
  void finish(const std::vector<sema::Value>& next) override;

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;

private:
  [[nodiscard]] bool dependsOn(const std::vector<const sym::Array*>& arrays, const sym::Array* what) const;
  sema::Tuple inertia(const sema::Tuple& velocity);
  sema::Tuple inverseInertia(const sema::Tuple& momentum);
  /// tau(t, Q), or tau(Q) where the time does not matter.
  sema::Value torque(const std::vector<sema::Value>& args, Range where);
  [[nodiscard]] std::string movedPoint() const override { return "Q*exp(k)"; }

  mechanics::CotangentField field_;
  std::vector<const sym::Array*> velocities_, forces_; ///< of all factors, part by part
};

} // namespace lmc::methods
