#include "sema/values/Values.h"

namespace lmc::sema {

std::string describe(sym::Expr e) {
  if (e->type == sym::Type::Int) return "int";
  if (e->type == sym::Type::Bool) return "a condition";
  return e->shape.text();
}

std::string describe(const Value& v) {
  switch (v.kind) {
  case ValueKind::Error:
    return "an error";
  case ValueKind::Tensor:
    return describe(v.parts[0]);
  case ValueKind::Point:
    return "a point of " + v.manifold->name();
  case ValueKind::Velocity:
    return "a velocity of " + v.manifold->name();
  case ValueKind::Momentum:
    return "a momentum of " + v.manifold->name();
  case ValueKind::String:
    return "a text";
  case ValueKind::Family:
    return "a family";
  case ValueKind::Parts:
    return "an element given by its parts " + listed(v.names);
  case ValueKind::PhasePoint:
    return "a point of the phase manifold";
  case ValueKind::PhaseAlgebra:
    return "an element of the Lie algebra";
  case ValueKind::PhaseDual:
    return "a momentum";
  case ValueKind::PhaseVector:
    return "a vector of storage coordinates";
  case ValueKind::Opaque:
    return "`" + v.text + "`";
  }
  return "a value";
}

Value element(ValueKind kind, const Manifold& manifold, Tuple parts) {
  Value v;
  v.kind = kind;
  v.manifold = &manifold;
  v.parts = std::move(parts);
  return v;
}

bool isOneTensor(const Value& v) {
  switch (v.kind) {
  case ValueKind::Tensor:
    return true;
  case ValueKind::Point:
  case ValueKind::Velocity:
  case ValueKind::Momentum:
    return v.parts.size() == 1;
  default:
    return false;
  }
}

bool areNumbersOfTwoSpaces(const Value& a, const Value& b) {
  const auto isNumber = [](const Value& v) { return v.parts.size() == 1 && v.parts[0]->shape.rank == 0; };
  return isElement(a) && a.kind == b.kind && a.manifold != b.manifold && isNumber(a) && isNumber(b);
}

std::vector<std::string> partNames(const Value& v) {
  if (v.kind == ValueKind::Parts) return v.names;
  std::vector<std::string> names;
  if (v.manifold == nullptr) return names;
  for (const Part& p : v.kind == ValueKind::Point ? v.manifold->point() : v.manifold->algebra())
    names.push_back(p.name);
  return names;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& p : parts) name += (name.empty() ? "" : ".") + p;
  return name;
}

std::string listParts(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& p : parts) text += (text.empty() ? "" : ", ") + p.name + " : " + p.shape.text();
  return text;
}

sym::Expr asReal(sym::Expr e) {
  return e->type == sym::Type::Int ? e->graph->toReal(e) : e;
}

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string didYouMean(const std::string& text) {
  return "did you mean `" + text + "`?";
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

} // namespace lmc::sema
