#include "products/equations/SharedJoints.h"

#include "mechanics/Derive.h"
#include "mechanics/constraints/Sparse.h"
#include "present/Joints.h"
#include "sema/values/Dependence.h"

#include <algorithm>

namespace lmc::products {

namespace {

using sema::FormalParameter;
using sema::JointInstance;
using Kind = FormalParameter::Kind;

/// Members of all clauses; what is counted may be more than there is.
std::int64_t membersOf(const JointInstance& instance) {
  std::int64_t members = 0;
  for (const JointInstance::Clause& c : instance.clauses) {
    std::int64_t turns = 1;
    for (const sym::Loop& l : c.loops) {
      const auto lo = mechanics::wholeValue(l.lo, {}), hi = mechanics::wholeValue(l.hi, {});
      turns *= lo && hi ? std::max<std::int64_t>(0, *hi - *lo + 1) : 1;
    }
    members += turns;
  }
  return members;
}

/// What a parameter is in all calls; nothing where they differ, or it is none that a model has.
std::optional<FormalParameter> parameterOf(const std::vector<const JointInstance*>& instances, std::size_t k) {
  FormalParameter p;
  bool first = true, given = false, inTime = false;
  for (const JointInstance* instance : instances)
    for (const JointInstance::Clause& c : instance->clauses) {
      const JointInstance::Argument& a = c.arguments[k];
      given = given || a.given;
      inTime = inTime || (a.depends & sema::OnTime) != 0;
      const bool body = a.manifold != nullptr;
      if (!body && a.parts.size() != 1) return std::nullopt;
      const sym::Type type = body ? sym::Type::Real : a.parts[0]->type;
      if (type == sym::Type::Bool) return std::nullopt;
      const Kind kind = body ? Kind::Body : type == sym::Type::Int ? Kind::Whole : Kind::Number;
      if (!first && (p.kind != kind || p.manifold != a.manifold)) return std::nullopt;
      first = false;
      p.kind = kind;
      p.manifold = a.manifold;
    }
  if (!given) return FormalParameter{};
  if (p.kind == Kind::Number && inTime) p.kind = Kind::InTime;
  return p;
}

const sym::Array* arrayOf(const sema::Model& model, const std::string& name) {
  const auto it = std::find_if(model.parameters.begin(), model.parameters.end(),
                               [&](const sema::Parameter& p) { return p.name == name; });
  return it == model.parameters.end() ? nullptr : it->array;
}

} // namespace

SharedJoints::SharedJoints(sema::Compilation& compilation, const sema::Model& model,
                           std::vector<sema::JointInstance> calls)
    : calls_(std::move(calls)) {
  std::vector<std::vector<const JointInstance*>> kinds; // in the order in which they are first called
  for (const JointInstance& j : calls_) {
    const bool whole = std::all_of(j.clauses.begin(), j.clauses.end(),
                                   [&](const auto& c) { return c.arguments.size() == j.joint->params.size(); });
    if (!whole || !present::isSaidByArguments(model, j)) continue;
    const auto own =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.front()->joint == j.joint; });
    if (own == kinds.end())
      kinds.push_back({&j});
    else
      own->push_back(&j);
  }
  for (const auto& instances : kinds) {
    std::int64_t members = 0;
    for (const JointInstance* j : instances) members += membersOf(*j);
    if (members >= 2) add(compilation, instances);
  }
  for (std::size_t k = 0; k < list_.size(); ++k) {
    systems_.push_back(
        std::make_unique<const mechanics::System>(mechanics::deriveSystem(*models_[k], compilation.diagnostics())));
    list_[k].formal = systems_.back().get();
  }
}

void SharedJoints::add(sema::Compilation& compilation, const std::vector<const JointInstance*>& instances) {
  const syntax::Declaration& joint = *instances.front()->joint;
  present::SharedJoint shared;
  shared.name = joint.name;
  shared.instances = instances;
  std::vector<FormalParameter> parameters;
  for (std::size_t k = 0; k < joint.params.size(); ++k) {
    auto p = parameterOf(instances, k);
    if (!p || (p->kind != Kind::Left && joint.paramTypes[k] == nullptr)) return;
    if (p->kind != Kind::Left) {
      shared.parameters.push_back(joint.params[k].name);
      shared.places.push_back(k);
    }
    parameters.push_back(*p);
  }
  sema::FormalJoint written;
  auto model = sema::jointModel(compilation, joint, parameters, written);
  if (!model || model->factors.empty()) return;
  shared.shown = written.shown;
  for (const auto& [name, rate] : written.rates)
    shared.rates.emplace_back(arrayOf(*model, name), arrayOf(*model, rate));
  models_.push_back(std::move(model));
  list_.push_back(std::move(shared));
}

} // namespace lmc::products
