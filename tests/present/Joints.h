// Joints that are printed once: their equations with the values of the arguments of each instance.
#pragma once

#include "Printed.h"
#include "Values.h"

#include "sema/model/Model.h"

namespace lmc::test {

/// Compares all lines of the sections of joints, for all instances, with the constraints of the model (`v.arrays`), and
/// gives `v` what joints do to bodies. `printed`: all that was printed; `sections` may be read again from texts. Rates
/// of arguments are differences of `at(dt)`, all names after a time dt. Returns how many lines were compared.
std::size_t expectJoints(const sema::Model& model, const nlohmann::json& printed, const nlohmann::json& sections,
                         Values& v, const std::function<Values(double dt)>& at);

/// Names of factors and instances, for texts.
void addJointNames(PrintedNames& names, const sema::Model& model, const nlohmann::json& printed);

/// The title is that of the equations of a joint.
bool isOfJoint(const nlohmann::json& printed, const std::string& title);

} // namespace lmc::test
