// One contact by itself: its multipliers while all others stay as they are.
#pragma once

#include "runtime/contacts/ContactSolver.h"

#include <array>
#include <cstddef>

namespace lmc::runtime {

/// Rows are those of the normal and of the slip: v = free + own P, of which the laws of ContactProblem are asked.
class OneContact {
public:
  using Rows = std::array<double, 3>;
  struct Answer {
    double normal = 0;
    std::array<double, 2> slip = {};
    ContactSolution::State state = ContactSolution::State::Open;
    bool held = false; ///< the rate of the normal is the least one
    std::array<double, 2> direction = {};
  };

  /// `scale`: of rates, of which rounding is a part.
  OneContact(const ContactLaw& law, const std::array<Rows, 3>& own, double scale)
      : law_(law), own_(own), m_(static_cast<std::size_t>(law.tangents)), scale_(scale) {}

  [[nodiscard]] Answer solve(const Rows& free) const;
  /// What the normal resists with while the contact slides along d.
  [[nodiscard]] double resistance(const std::array<double, 2>& d) const;

private:
  [[nodiscard]] Answer released(const Rows& free) const;
  [[nodiscard]] std::array<double, 2> pullInSpace(const std::array<double, 2>& slip, double most, bool& sticks) const;
  [[nodiscard]] std::array<double, 2> along(const Rows& free, double normal) const;
  [[nodiscard]] bool sticks(const Rows& free, Answer& r) const;
  [[nodiscard]] Answer slipsInPlane(const Rows& free, Answer r) const;
  [[nodiscard]] Answer slipsInSpace(const Rows& free, const Answer& otherwise) const;

  const ContactLaw& law_;
  std::array<Rows, 3> own_;
  std::size_t m_;
  double scale_;
};

} // namespace lmc::runtime
