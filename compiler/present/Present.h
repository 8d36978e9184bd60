// The derived equations for a person: as text, LaTeX or JSON, in one of several forms.
#pragma once

#include "mechanics/system/System.h"
#include "sema/joints/FormalJoint.h"

#include <map>

namespace lmc::present {

enum class EquationFormat : std::uint8_t { Text, Latex, Json };

/// Motion: M xi' = r. Matrix: M(q) and what stands beside it, in coordinates. Hamilton: velocities of momenta.
enum class EquationForm : std::uint8_t { Motion, Matrix, Hamilton };

/// A joint whose equations are printed once, with its parameters, for all of its instances.
struct SharedJoint {
  std::string name;
  std::vector<std::string> parameters; ///< that calls say, in order
  std::vector<std::size_t> places;     ///< of these among all parameters (sema::JointInstance::Clause::arguments)
  /// Of a model of this joint alone: bodies are its configurations, other parameters its parameters.
  const mechanics::System* formal = nullptr;
  /// Parameters that stand for functions of time, and their rates.
  std::vector<std::pair<const sym::Array*, const sym::Array*>> rates;
  std::map<std::string, std::string> shown; ///< beginnings of words in the names of `formal`, and what stands for them
  std::vector<const sema::JointInstance*> instances;
};

struct Presentation {
  EquationFormat format = EquationFormat::Text;
  EquationForm form = EquationForm::Motion;
  bool expand = false; ///< families are written out, member by member
  /// Parameters (square matrices) that are to be shown as symmetric.
  std::vector<const sym::Array*> symmetric;
  /// Integers that stand for a name: sizes of families, and what is next to them.
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::map<std::string, std::int64_t> present;  ///< what they are
  const mechanics::System* remarksOf = nullptr; ///< the system itself, where the printed one is of other sizes
  std::vector<SharedJoint> joints;              ///< of the printed system
  /// Parameters that stand for functions of time, and their rates.
  std::vector<std::pair<const sym::Array*, const sym::Array*>> rates;
};

[[nodiscard]] std::string printEquations(const mechanics::System& system, const Presentation& how);

} // namespace lmc::present
