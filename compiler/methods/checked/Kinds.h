// The kinds of methods as a table: what a method on each of them may say, and what a model must have for it.
//
// A kind is a row of `kinds.def` and a file of `methods/kinds/`. From its row follow the checks of methods, what models
// are refused, messages and suggestions, the pages of the documentation and completion.
#pragma once

#include "sema/values/Value.h"

#include <string>
#include <string_view>
#include <vector>

namespace lmc::methods {

/// Degrees of series up to which rounding leaves something of their last terms.
inline constexpr int mostDegrees = 60;

/// A function that the body of a method may call. Two words of one name differ in what they take.
struct Word {
  std::string name;
  /// What it takes, one letter for each argument, and what it gives (`noun` says them):
  /// t a time, s a number, n a whole number from 1 to `mostDegrees`, y a point, k an algebra element, m a momentum, x a
  /// vector of storage coordinates, l multipliers, g an element of the group, e a single exponential (or another
  /// retraction).
  std::string takes;
  char gives = 'k';
  std::string call;  ///< how it is written: "f(t, y)"
  std::string means; ///< for the documentation
};

/// What a letter of `Word::takes` stands for, with its article: "an algebra element".
[[nodiscard]] std::string_view noun(char letter);
/// The kind of value that a letter stands for.
[[nodiscard]] sema::ValueKind kindOfLetter(char letter);

/// A variable of the state, as the body names it.
struct MethodVariable {
  std::string name;
  sema::ValueKind kind = sema::ValueKind::PhasePoint;
  std::string misfit;     ///< of another value: "must be a point of the phase manifold"
  std::string suggestion; ///< what would be right
};

/// What a model must have. `methods/kinds/Needs.cpp` tells whether it has.
enum class Need : std::uint8_t {
  Configurations,    ///< no first-order states
  Groups,            ///< all configurations on groups
  Lagrangian,        ///< no momenta as variables of their own
  Rates,             ///< configurations with velocities and nothing else
  LegendreTransform, ///< momenta that are affine in the velocities
  ConstantInertia,   ///< a kinetic energy that does not depend on the configuration or the time
  PositionForces,    ///< forces that do not depend on the velocity
  Unconstrained,     ///< no constraints
  HeldByBody,        ///< no constraints for which the body of the method has no equations
  HeldByOnto,        ///< no constraints, unless the method puts its results back onto the manifold
  Series,            ///< equations whose solution has a Taylor series (sym/derivatives/Series.h)
  HolonomicAtMost,   ///< no constraints on velocities; momenta that are affine in the velocities where there are others
};
/// For the documentation: "configurations on groups".
[[nodiscard]] std::string_view describe(Need need);

struct KindOfMethod {
  std::string id = {};   ///< of its class
  std::string name = {}; ///< behind `on`; "variational" for methods that are declared so
  std::string about = {};
  std::vector<MethodVariable> state = {};
  std::vector<Need> needs = {}; ///< in the order in which they are asked for
  std::string movedPoint = {};  ///< a point moved by an algebra element k; empty: states are vectors
  bool pointsFromRight = false; ///< whether a point times an element of the group means something
  bool tableaux = false;        ///< whether tableaux construct such methods
  bool projected = false;       ///< whether projected(T) is such a method
  bool errorEstimates = false;
  bool solves = true;     ///< whether bodies may have `solve`
  bool isFormula = false; ///< the body is a discrete Lagrangian
  char unknown = 'k';     ///< what an unknown of `solve` is when nothing is said
  std::vector<Word> words = {};

  [[nodiscard]] std::vector<std::string> stateNames() const;
  /// The names of its words, each once.
  [[nodiscard]] std::vector<std::string> wordNames() const;
};

/// All rows, in the order in which they are listed. Kinds of one name differ in the states that they step.
[[nodiscard]] const std::vector<KindOfMethod>& kindsOfMethods();
/// The names that may stand behind `on`, each once.
[[nodiscard]] std::vector<std::string> kindNames();

} // namespace lmc::methods
