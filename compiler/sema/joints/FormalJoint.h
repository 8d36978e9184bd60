// Joints for readers of equations: how they are called, and each by itself, as a model of free bodies that it holds
// together, whose names are those of its parameters.
#pragma once

#include "base/Source.h"
#include "sema/values/Manifold.h"
#include "sym/Program.h"
#include "syntax/Ast.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lmc::sema {

/// `joint NAME[…] = JOINT(…);` as it is called.
struct JointInstance {
  struct Argument {
    Tuple parts;                        ///< of an element, or one tensor
    const Manifold* manifold = nullptr; ///< of an element; null: a tensor
    unsigned depends = 0;               ///< sema/values/Dependence.h
    bool given = false;                 ///< by the call; else by the default of the parameter
    bool rests = false;                 ///< `world`
  };
  struct Clause { ///< for all values of the loops
    std::vector<sym::Loop> loops;
    bool guarded = false;            ///< not for all of them
    std::vector<sym::Expr> index;    ///< of which member, as of the arrays of its constraints
    std::vector<Argument> arguments; ///< in the order of the parameters
  };
  std::string name;
  const syntax::Declaration* joint = nullptr;
  std::vector<Clause> clauses;
};

/// What a parameter of a joint is in its model.
struct FormalParameter {
  enum class Kind : std::uint8_t {
    Left,   ///< out: it has its default
    Body,   ///< a configuration on a group
    Number, ///< a parameter of the model: a number, a vector, a matrix
    InTime, ///< the same, and its first and second rates beside it
    Whole,  ///< an integer in calls, a number here
  };
  Kind kind = Kind::Left;
  const Manifold* manifold = nullptr; ///< of a body
};

struct FormalJoint {
  std::string text; ///< of the model, in the language
  /// Names that the text has to give to what has none in a joint, and what they are for a reader: "j__." (of all that
  /// belongs to the joint) nothing, the velocity "A__v" of a body "A", the rates "s__1", "s__2" of a number "s'",
  /// "s''".
  std::map<std::string, std::string> shown;
  std::vector<std::pair<std::string, std::string>> rates; ///< of parameters that change in time: names in the text
};

/// Nothing where names of a velocity and of a point of a body would be the same. With integers among the parameters the
/// text declares the joint once more, for real numbers in their place, which keep their names.
[[nodiscard]] std::optional<FormalJoint> formalJoint(const Sources& sources, const syntax::Declaration& joint,
                                                     const std::vector<FormalParameter>& parameters);

} // namespace lmc::sema
