// What happens to the contacts of a model where one closes, opens, slips or sticks: impacts, and the modes behind them.
#pragma once

#include "runtime/contacts/ContactSolver.h"
#include "runtime/contract/Problem.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lmc::runtime {

/// What a contact has done.
struct ContactEvent {
  int contact = 0; ///< into ContactRules::list
  ContactCause cause = ContactCause::None;
};

/// One impact, as it was solved. The states are there where impacts are kept, for derivatives.
struct ContactImpact {
  std::vector<double> before;               ///< the state
  std::vector<double> after;                ///< likewise
  std::vector<std::size_t> contacts;        ///< that took part, into ContactRules::list
  std::vector<double> restitutions;         ///< of each of them: what counts, 0 below the speed of rest
  ContactSolution solution;                 ///< by Newton's law; by Poisson's the compression
  std::optional<ContactSolution> expansion; ///< by Poisson's, where something comes back
};

/// The memory that contacts are found in and change.
struct ContactMemory {
  std::function<std::int32_t(double)> evaluate; ///< Functions::contacts at the present state and a time
  std::span<double> state;
  std::span<const double> output;
};

/// Decides about the contacts of a run, at a state and a time.
///
/// First velocities: as long as touching contacts approach, there is an impact, of all of them together (or, with
/// ContactRules::sequential, of one after the other), by Newton's law along normals and Coulomb's with the slip behind
/// the impact. An approach that is slower than the speed of rest is without restitution.
///
/// With ContactRules::poisson the impact has two phases, each with Coulomb's law of the slip behind it: compression,
/// v_N >= 0, P_N >= 0, one of both zero; and, where one of them approaches faster than its speed of rest, expansion,
/// v_N >= 0, P_N >= e P_N(compression), one of both equal (F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral
/// Contacts, Wiley 1996, chapter 8, without tangential restitution). Energy is
/// never added where all have one e, or there is no friction: with G = B M^-1 B^T the first phase takes at least P G
/// P/2 away, and the second one gives back at most e^2 P G P/2.
///
/// Then accelerations: contacts that touch and do not part are closed where their forces press, and stick or slide.
/// Impulses, modes and the memory of directions and speeds are numbers of the state.
class Contacts {
public:
  Contacts(const ContactRules& rules, ContactMemory memory) : rules_(rules), memory_(std::move(memory)) {}

  struct Outcome {
    std::int32_t status = Ok;
    std::string cause{};                  ///< a sentence without a full stop; empty: that of the status
    std::vector<int> hit{};               ///< the contacts that had an impact
    std::vector<ContactImpact> impacts{}; ///< one after the other; empty where they are not kept
  };
  /// From now on outcomes have their impacts.
  void keepImpacts() { keepsImpacts_ = true; }
  /// `causes`: what has happened at this time, besides resets.
  [[nodiscard]] Outcome resolve(double t, const std::vector<ContactEvent>& causes);

private:
  struct Laws {
    double mode = 0, gap = 0, size = 0, rate = 0, scale = 0; ///< scale: of the rate, of which rounding is a part
    double restitution = 0, friction = 0;
    double rest = -1; ///< below zero: not given
    std::array<double, 2> slip = {};
    double slipScale = 0;
    double memory = 0; ///< the length of the memory of its direction
  };
  [[nodiscard]] std::int32_t look(double t);
  void multiply();
  void addTermsOfForces();
  void addTermsOfImpulses(const std::vector<double>& impulses);
  [[nodiscard]] Outcome checkLaws() const;
  [[nodiscard]] bool touches(std::size_t k, const std::vector<ContactEvent>& causes) const;
  [[nodiscard]] Outcome impacts(double t, const std::vector<std::size_t>& touching);
  [[nodiscard]] Outcome impact(const std::vector<std::size_t>& touching, std::vector<double>& work,
                               std::vector<ContactImpact>& impacts);
  [[nodiscard]] bool approaches(std::size_t k) const;
  [[nodiscard]] bool comesBack(std::size_t k);
  [[nodiscard]] ContactImpact solved(const std::vector<std::size_t>& list);
  [[nodiscard]] Outcome modes(const std::vector<std::size_t>& closed, const std::vector<ContactEvent>& causes);
  void hold(const std::vector<std::size_t>& closed);
  void setMode(std::size_t k, ContactSolution::State state, const std::array<double, 2>& direction,
               double acceleration);
  [[nodiscard]] ContactProblem problem(const std::vector<double>& offset) const;
  [[nodiscard]] ContactLaw law(std::size_t k) const;
  [[nodiscard]] const double* numbers(const Field& f) const { return memory_.output.data() + f.offset; }
  [[nodiscard]] double scaleOf(std::int64_t row) const;

  const ContactRules& rules_;
  ContactMemory memory_;
  bool keepsImpacts_ = false;
  std::vector<Laws> laws_; ///< at the state of the last look
  std::vector<std::size_t> bilateral_;
  std::vector<double> matrix_;         ///< B M^-1 B^T
  std::vector<double> offset_, terms_; ///< B xi' + gamma without forces of contacts, and the sum of its terms' sizes
};

} // namespace lmc::runtime
