// States and data of a model as text that a model or a command line takes.
#pragma once

#include "checks/motions/Names.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lmc::tool {

/// `initial R = [[…]];`, one line for each part of a variable, of a family one for each member; all digits.
[[nodiscard]] std::string initialText(const checks::StateSpace& space, const runtime::Problem& problem,
                                      const std::vector<double>& state, const std::string& indent);
/// The present value of a parameter or an input as a word of the command line: `--set l=0.3`, `--set "u=[1, 2]"`.
[[nodiscard]] std::string setText(const runtime::Field& field, const std::string& name,
                                  const std::vector<double>& memory);
/// The numbers of a field, nested by its extents.
[[nodiscard]] nlohmann::ordered_json fieldObject(const runtime::Field& field, const std::vector<double>& memory);
/// All variables of a state by their names.
[[nodiscard]] nlohmann::ordered_json stateObject(const runtime::Problem& problem, const std::vector<double>& state);

} // namespace lmc::tool
