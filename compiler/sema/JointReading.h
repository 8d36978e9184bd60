// A model with the calls of its joints, and joints by themselves, for readers of equations.
#pragma once

#include "sema/joints/FormalJoint.h"
#include "sema/model/Model.h"

namespace lmc::sema {

class Compilation;

/// A model, and how its joints are called, in expressions of its program.
struct JointReading {
  std::unique_ptr<Model> model;
  std::vector<JointInstance> joints;
};

/// The model that `check` has accepted, once more.
[[nodiscard]] JointReading readJoints(Compilation& compilation);

/// A joint of that model by itself (sema/joints/FormalJoint.h), and how it is written; null where there is no such
/// model, of which nothing is reported.
[[nodiscard]] std::unique_ptr<Model> jointModel(Compilation& compilation, const syntax::Declaration& joint,
                                                const std::vector<FormalParameter>& parameters, FormalJoint& written);

} // namespace lmc::sema
