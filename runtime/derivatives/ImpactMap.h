// Derivatives of impacts: how velocities behind an impact depend on the state before it.
//
// With the rows that press, rates v = B xi + ... and impulses P, an impact solves
//
//   v+ = v- + B M^-1 B^T P,   v+ = -e v-  (normals that press),   v+ = 0  (constraints, slips that stick),
//   P_T = -mu P_N s+/|s+|     (slips that slide),
//
// all of which is differentiated with the contacts that press, stick and slide held as they are. By Poisson's law there
// are two such phases, the second one with P_N = e P_N(of the first one) where bodies part.
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
  enum class Row : std::uint8_t { Free, Held, Bounces, Given, Slides };
  /// Rows and laws along a direction.
  struct Along {
    Rows rows;
    std::vector<double> laws; ///< all outputs
  };
  /// The whole impact, or a part of it: what each row obeys.
  struct Phase {
    const ContactSolution* solution = nullptr;
    std::vector<Row> kinds;
    std::vector<std::size_t> contactOf; ///< of each row, among the contacts of the impact
    bool slides = false;                ///< some contact does
  };
  [[nodiscard]] Phase phaseOf(const ContactImpact& impact, bool expansion) const;
  [[nodiscard]] std::vector<double> square() const;
  [[nodiscard]] double slope(const ContactImpact& impact, const Phase& phase, std::size_t k, std::size_t i,
                             std::size_t j) const;
  [[nodiscard]] double friction(std::size_t contact) const;
  [[nodiscard]] double restitution(std::size_t contact) const;
  [[nodiscard]] std::vector<double> equations(const ContactImpact& impact, const Phase& phase,
                                              const std::vector<double>& g) const;
  [[nodiscard]] std::vector<double> rightSides(const ContactImpact& impact, const Phase& phase, const Along& along,
                                               const std::vector<double>& rates,
                                               const std::vector<double>& compressed) const;
  [[nodiscard]] static bool multipliers(const Phase& phase, const std::vector<double>& a, const std::vector<double>& g,
                                        std::vector<double>& right);
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
  std::vector<double> laws_; ///< outputs at the state before the impact
};

} // namespace lmc::runtime
