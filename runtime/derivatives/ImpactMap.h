// Derivatives of impacts: how velocities behind an impact depend on the state before it.
//
// With the rows that press, rates v = B xi + ... and impulses P, an impact solves
//
//   v+ = v- + B M^-1 B^T P,   v+ = -e v-  (normals that press),   v+ = 0  (constraints, slips that stick),
//   P_T = -mu P_N s+/|s+|     (slips that slide),
//
// all of which is differentiated with the contacts that press, stick and slide held as they are.
#pragma once

#include "runtime/contacts/Contacts.h"
#include "runtime/derivatives/JumpMatrix.h"

namespace lmc::runtime {

class ImpactMap {
public:
  explicit ImpactMap(LinearizedWorkspace& workspace);

  /// From coordinates before the impact to those behind it. The state of the workspace is afterwards the one behind.
  [[nodiscard]] std::int32_t of(const ContactImpact& impact, double t, JumpMatrix& map);
  /// The projection onto what closed contacts leave free, at the present state.
  [[nodiscard]] std::int32_t hold(double t, JumpMatrix& map);

private:
  /// B, B M^-1, rates and laws at a state, or their changes.
  struct Rows {
    std::vector<double> rate, jacobian, response;
  };
  enum class Row : std::uint8_t { Free, Held, Bounces, Slides };
  [[nodiscard]] std::int32_t look(double t);
  [[nodiscard]] std::int32_t lookAlong(double t, const UnitDirection& direction, Rows& change);
  /// sum over rows j of (b_i . w_j) p_j for all rows i
  [[nodiscard]] std::vector<double> products(const std::vector<double>& b, const std::vector<double>& w,
                                             const std::vector<double>& p) const;
  [[nodiscard]] std::int32_t coordinatesBehind(const std::vector<std::vector<double>>& changes, JumpMatrix& map);
  void addVelocities(const std::vector<double>& w, const std::vector<double>& p, std::vector<double>& storage) const;

  LinearizedWorkspace& w_;
  const ContactRules& rules_;
  JumpColumns columns_;
  Rows now_;
};

} // namespace lmc::runtime
