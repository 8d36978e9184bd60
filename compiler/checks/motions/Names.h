// What a user names on the command line: coordinates of the state, numbers of inputs and of parameters.
#pragma once

#include "checks/motions/MotionModel.h"

namespace lmc::checks {

/// A variable, or a part, a member or an entry of it, as typed: "q", "X.R", "q[2]", "Omega[3]", "J[1][2]".
struct TypedName {
  std::string text, base;
  std::vector<std::int64_t> index;
};
/// Nothing where it is no name.
[[nodiscard]] std::optional<TypedName> readName(const std::string& text);

/// The coordinates of what has the name: of a point those of algebra elements that move it, of a velocity, a momentum
/// or an element of a dual its own. Empty where no variable has it.
[[nodiscard]] std::vector<std::size_t> coordinatesNamed(const StateSpace& space, const TypedName& name);
/// Into LinearizedProblem::inputNames and parameterNames.
[[nodiscard]] std::vector<std::size_t> inputsNamed(const runtime::LinearizedProblem& problem, const TypedName& name);
[[nodiscard]] std::vector<std::size_t> parametersNamed(const runtime::LinearizedProblem& problem,
                                                       const TypedName& name);
/// All names of whole things: of variables, or of inputs and parameters; for suggestions.
[[nodiscard]] std::vector<std::string> variableNames(const StateSpace& space);
[[nodiscard]] std::vector<std::string> dataNames(const runtime::LinearizedProblem& problem);

/// A variable of the state and a part of its storage, empty where there is one part alone.
struct StateName {
  std::string variable, part;
};
/// In the order of the fields of the state.
[[nodiscard]] std::vector<StateName> stateNames(const StateSpace& space);

} // namespace lmc::checks
