#include "sema/joints/FormalJoint.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

namespace {

using Kind = FormalParameter::Kind;

/// The square of a part of a velocity: any energy will do, since only constraints are read.
std::string squareOf(const std::string& name, const sym::Shape& shape) {
  if (shape.rank == 0) return fmt::format("{}^2", name);
  if (shape.rank == 1) return fmt::format("dot({0}, {0})", name);
  return fmt::format("trace(transpose({0})*{0})", name);
}

/// A body with a velocity, whose parts are read by the name of the body: `A.w` beside `A.x`. False where it has both.
bool addBody(const std::string& name, const std::string& type, const Manifold& manifold, FormalJoint& joint,
             std::string& energy) {
  const std::string velocity = name + "__v";
  const std::vector<Part>& parts = manifold.algebra();
  joint.text += fmt::format("  config {} : {} velocity {};\n", name, type, velocity);
  for (const Part& part : parts) {
    const auto same = [&](const Part& p) { return p.name == part.name; };
    if (std::any_of(manifold.point().begin(), manifold.point().end(), same)) return false;
    energy +=
        (energy.empty() ? "" : " + ") + squareOf(parts.size() > 1 ? velocity + "." + part.name : velocity, part.shape);
  }
  joint.shown[velocity] = parts.size() > 1 ? name : name + "." + parts.front().name;
  return true;
}

/// A parameter of the model, with any value.
std::string parameter(const std::string& name, const std::string& type) {
  const bool vector = type.starts_with("vec"), matrix = type.starts_with("mat");
  const std::string size = type.substr(type.find('(') + 1, type.rfind(')') - type.find('(') - 1);
  return fmt::format("  param {} : {} = {};\n", name, type,
                     vector   ? "zeros(" + size + ")"
                     : matrix ? "zeros(" + size + ")"
                              : "1");
}

/// The joint under another name, with real numbers for integers.
std::string withRealNumbers(const Sources& sources, const syntax::Declaration& joint, const std::string& name) {
  std::string text(sources.text(joint.range));
  std::vector<std::pair<Range, std::string>> changes{{joint.nameRange, name}};
  for (const syntax::TypePtr& t : joint.paramTypes)
    if (t != nullptr && sources.text(t->range) == "int") changes.emplace_back(t->range, "real");
  for (auto c = changes.rbegin(); c != changes.rend(); ++c)
    text.replace(c->first.begin - joint.range.begin, c->first.end - c->first.begin, c->second);
  return text;
}

} // namespace

std::optional<FormalJoint> formalJoint(const Sources& sources, const syntax::Declaration& joint,
                                       const std::vector<FormalParameter>& parameters) {
  FormalJoint result;
  result.shown["j__."] = "";
  result.text = "model joint__ {\n";
  std::string energy, arguments, called = joint.name;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::string& name = joint.params[k].name;
    const FormalParameter& p = parameters[k];
    if (p.kind == Kind::Left) continue;
    const std::string type = p.kind == Kind::Whole ? "real" : std::string(sources.text(joint.paramTypes[k]->range));
    arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name, name);
    if (p.kind == Kind::Body) {
      if (!addBody(name, type, *p.manifold, result, energy)) return std::nullopt;
      continue;
    }
    result.text += parameter(name, type);
    if (p.kind == Kind::Whole) called = joint.name + "__";
    if (p.kind != Kind::InTime) continue;
    for (const char* rate : {"__1", "__2"}) result.text += parameter(name + rate, type);
    result.shown[name + "__1"] = name + "'";
    result.shown[name + "__2"] = name + "''";
    result.rates.emplace_back(name, name + "__1");
    result.rates.emplace_back(name + "__1", name + "__2");
  }
  result.text += fmt::format("  lagrangian = {};\n  joint j__ = {}({});\n}}\n", energy, called, arguments);
  if (called != joint.name) result.text += withRealNumbers(sources, joint, called) + "\n";
  return result;
}

} // namespace lmc::sema
