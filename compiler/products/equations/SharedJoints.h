// The joints of a model that a reader is shown once, each by a model of it alone.
#pragma once

#include "present/Present.h"
#include "sema/Compilation.h"
#include "sema/JointReading.h"

namespace lmc::products {

class SharedJoints {
public:
  /// Of a model that nothing has been derived of yet. Joints with two instances or more, members of families counted,
  /// that are said by their arguments; what is not stays as it is.
  SharedJoints(sema::Compilation& compilation, const sema::Model& model, std::vector<sema::JointInstance> calls);
  /// For the equations of the model, with which it has to live.
  [[nodiscard]] const std::vector<present::SharedJoint>& list() const { return list_; }

private:
  void add(sema::Compilation& compilation, const std::vector<const sema::JointInstance*>& instances);

  std::vector<sema::JointInstance> calls_; ///< to which `list_` refers
  std::vector<std::unique_ptr<const sema::Model>> models_;
  std::vector<std::unique_ptr<const mechanics::System>> systems_;
  std::vector<present::SharedJoint> list_;
};

} // namespace lmc::products
