// Joints: constraints with parameters, declared once (`joint NAME(PARAMETERS) { … }`) and used by calls.
//
// A call binds the parameters of the joint to values in the place where it stands; the body of the joint sees these,
// its own `let`s and the functions of its file, nothing else. A joint may be made of other joints, to any depth.
#pragma once

#include "sema/expressions/ExpressionEvaluator.h"

namespace lmc::sema {

/// One constraint of a joint that was called.
struct JointPart {
  struct Level {
    Found joint;
    const syntax::Expr* call = nullptr; ///< in the body of the level before, the first in the model
  };
  std::string instance;          ///< as the model calls the joint
  std::vector<std::string> path; ///< the name of the constraint within the instance: {"at"}, or {"pin", "at"}
  std::vector<Level> levels;     ///< from the outermost call to the declaration that holds the constraint
  const syntax::Statement* constraint = nullptr;
};

/// All constraints of the joint that `call` makes, in order. Reports calls of unknown joints, with too few or too many
/// arguments, and joints that are made of themselves; `from` is the file of the call.
[[nodiscard]] std::optional<std::vector<JointPart>> jointParts(Session& session, const syntax::Expr& call,
                                                               SourceId from);

/// The value of an expression in the body of the joint that holds the part; `around` is the place of the instance.
/// Reports arguments of a kind that the parameters do not have, and what is wrong with the expression.
[[nodiscard]] Value evaluateInJoint(ExpressionEvaluator& evaluator, const JointPart& part, const syntax::Expr& e,
                                    const Context& around);

/// What a parameter of a joint is in one call.
struct JointArgument {
  Value value;
  bool given = false; ///< by the call; else by its default
  bool rests = false; ///< `world`
};

/// Of the outermost call of a part, in the order of the joint's parameters; empty if something is wrong (reported).
/// `around` is the place of the instance.
[[nodiscard]] std::vector<JointArgument> jointArguments(ExpressionEvaluator& evaluator, const JointPart& part,
                                                        const Context& around);

/// Reports what is wrong with a declaration whatever it is called with.
void checkJoint(Session& session, const Found& joint);

} // namespace lmc::sema
