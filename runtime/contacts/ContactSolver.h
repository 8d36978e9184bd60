// Impulses and forces of contacts: one linear relation between rates and multipliers, an inequality for each normal, a
// cone of friction for each slip.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace lmc::runtime {

/// One contact of a problem.
struct ContactLaw {
  std::size_t normal = 0;               ///< the row of its normal
  std::size_t slip = 0;                 ///< the first row of its slip
  int tangents = 0;                     ///< how many there are: 0 without friction, 1 in the plane, 2 in space
  double friction = 0;                  ///< mu
  double bound = 0;                     ///< what the rate of the normal must not fall below
  double least = 0;                     ///< what the multiplier of the normal must not fall below, not negative
  bool slides = false;                  ///< the direction of the slip is known: the friction is -mu P_N direction
  std::array<double, 2> direction = {}; ///< unit vector
};

/// v = offset + matrix P, with a symmetric matrix that is positive semidefinite, by rows. Of the rows in `bilateral` v
/// shall be zero. Of each contact v_N >= bound, P_N >= least, one of both equal, and |P_T| <= mu P_N, P_T = -mu P_N
/// v_T/|v_T| where v_T is not zero (J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics",
/// CISM Courses and Lectures 302, Springer 1988, 1-82). All other rows have no multiplier.
struct ContactProblem {
  std::size_t size = 0;
  std::vector<double> matrix, offset;
  std::vector<std::size_t> bilateral;
  std::vector<ContactLaw> contacts;
};

struct ContactSolution {
  enum class State : unsigned char { Open, Slides, Sticks };
  std::vector<double> multipliers, rates; ///< P and v
  /// Of the contacts; Open: there are no multipliers. Of one without friction Slides: there is one.
  std::vector<State> states;
  std::vector<bool> held;                        ///< of the contacts: v_N is the bound; else P_N is the least one
  std::vector<std::array<double, 2>> directions; ///< of those that slide, against the friction
  double residual = 0;                           ///< the largest violation of a law, in units of the largest rate
  std::string why;    ///< empty, or why there is no solution, or not one alone: a sentence without a full stop
  std::size_t at = 0; ///< the contact at fault
};

/// Sweeps over the contacts, each solved exactly with the others as they are (projected Gauss-Seidel, M. Jean, Computer
/// Methods in Applied Mechanics and Engineering 177 (1999) 235-257), tell which contacts are open, stick and slide;
/// then what remains is linear, but for directions of slips in space, and is solved to rounding. Where rows depend on
/// each other the shortest multipliers are taken, those that do not slide at all first. Both go on until all laws hold
/// to rounding. Friction that takes all resistance of a normal away is no solution (Painleve).
[[nodiscard]] ContactSolution solveContacts(const ContactProblem& problem);

} // namespace lmc::runtime
