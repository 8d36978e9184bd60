// What a run needs to look at its own mass equation M xi' = r: tapes, which the interpreter executes now and then, or
// where compiled code finds a residual that is worth it; and, when it has failed, at its constraints.
#pragma once

#include "runtime/contract/MassLook.h"
#include "tape/Tape.h"

#include <memory>
#include <string>
#include <vector>

namespace lmc::runtime {

struct ConstraintRows;

/// Both functions have the argument t. Output begins with the n rates xi' and the n numbers of r (`equation`), then
/// M v (`product`), where v stands at the begin of Constants. Without them, of a run that does not solve for
/// accelerations, there is no mass equation to look at.
struct MassCheck {
  tape::Module module;
  int equation = -1, product = -1;
  std::vector<std::string> names;    ///< of the n rates, as columns of the velocities: "w[3][2]"
  std::vector<std::int64_t> factors; ///< the first number of each factor
  std::int64_t gauges = 0;           ///< directions along isotropies, in which M is zero
  bool definite = true;              ///< M is positive definite, or code that needs that would have failed
  bool varies = true;                ///< M depends on the state
  bool constrained = false;          ///< there are constraints, whose equations are solved for with M
  std::int64_t every = 1;            ///< steps between two looks
  /// Where `equation` puts the sums of the sizes of the terms of r into Output, n numbers by factors; -1: nowhere.
  std::int64_t terms = -1;
  /// Where it puts how far points are off their homogeneous manifolds, beside which the equation need not hold.
  std::vector<std::int64_t> off;
  /// What tells which constraints have become dependent where the run fails; null: there are none, or contacts.
  std::shared_ptr<const ConstraintRows> rows;
  /// A function of the run's own code with M xi' and r, which finds the states that are worth a look by the
  /// interpreter; its `every` counts for nothing. Without it each look is one.
  MassLook compiled;

  [[nodiscard]] bool looks() const { return equation >= 0; } ///< there is a mass equation
  /// True after so many steps of a run.
  [[nodiscard]] bool due(std::int64_t steps) const { return steps % every == 0; }
  /// Steps until the next look.
  [[nodiscard]] std::int64_t left(std::int64_t steps) const { return every - steps % every; }
};

} // namespace lmc::runtime
