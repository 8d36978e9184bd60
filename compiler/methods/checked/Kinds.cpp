#include "methods/checked/Kinds.h"

#include <algorithm>

namespace lmc::methods {

namespace {

constexpr struct Letter {
  char letter;
  std::string_view noun;
  sema::ValueKind kind;
} letters[] = {
    {'t', "the time", sema::ValueKind::Tensor},
    {'s', "a number", sema::ValueKind::Tensor},
    {'n', "a whole number from 1 to 60", sema::ValueKind::Tensor},
    {'y', "a point", sema::ValueKind::PhasePoint},
    {'k', "an algebra element", sema::ValueKind::PhaseAlgebra},
    {'m', "a momentum", sema::ValueKind::PhaseDual},
    {'x', "a vector of storage coordinates", sema::ValueKind::PhaseVector},
    {'l', "multipliers, which have the form of holds(q)", sema::ValueKind::PhaseDual},
    {'c', "multipliers, which have the form of holds(q, t)", sema::ValueKind::PhaseVector},
    {'g', "an element of the group, such as exp(k)", sema::ValueKind::Opaque},
    {'e', "a single exponential, such as exp(k)", sema::ValueKind::Opaque},
};

const Letter& letter(char c) {
  return *std::find_if(std::begin(letters), std::end(letters), [c](const Letter& l) { return l.letter == c; });
}

constexpr struct {
  const char* name;
  const char* means;
} retractions[] = {{"exp", "the exponential map"},
                   {"cay", "the Cayley map, where the groups have one"},
                   {"retract", "the map that the method's parameter `retract` names; exp without one"}};

std::vector<Word> manifoldWords() {
  std::vector<Word> list = {{"f", "ty", 'k', "f(t, y)", "the right-hand side"}};
  for (const auto& r : retractions) {
    const std::string name = r.name;
    list.push_back({name, "k", 'g', name + "(k)*y", r.means});
    list.push_back({"d" + name, "kk", 'k', "d" + name + "(k, l)", "its right-trivialized derivative"});
    list.push_back({"d" + name + "inv", "kk", 'k', "d" + name + "inv(k, l)", "the inverse of that"});
  }
  list.push_back({"Ad", "ek", 'k', "Ad(exp(k), l)", "the adjoint action"});
  return list;
}

/// The calculus of the groups of all configurations, and words of a kind's own before it.
std::vector<Word> calculusAnd(std::vector<Word> list) {
  for (const auto& r : retractions) {
    const std::string name = r.name;
    list.push_back({name, "k", 'g', name + "(k)", r.means});
    list.push_back({"d" + name, "kk", 'k', "d" + name + "(k, v)", "its right-trivialized derivative"});
    list.push_back({"d" + name + "inv", "kk", 'k', "d" + name + "inv(k, v)", "the inverse of that"});
    for (const bool inverse : {false, true}) {
      const std::string transposed = "d" + name + (inverse ? "invT" : "T");
      list.push_back({transposed, "km", 'm', transposed + "(k, m)",
                      inverse ? "the transpose of the inverse" : "the transpose of the derivative"});
    }
  }
  list.push_back({"Ad", "gk", 'k', "Ad(exp(k), v)", "the adjoint action"});
  list.push_back({"Adstar", "gm", 'm', "Adstar(exp(k), m)", "its transpose"});
  list.push_back({"adstar", "km", 'm', "adstar(k, m)", "the transpose of [k, ·]"});
  return list;
}

std::vector<Word> lagrangianWords() {
  return {{"L", "ykt", 's', "L(q, xi, t)", "the Lagrangian"},
          {"momentum", "ykt", 'm', "momentum(q, xi, t)", "∂L/∂ξ"},
          {"force", "ykt", 'm', "force(q, xi, t)", "∂L/∂q along the algebra, and F"},
          {"F", "ykt", 'm', "F(q, xi, t)", "forces, dissipation, inputs"},
          {"xidot", "ykt", 'k', "xidot(q, xi, t)", "the acceleration"},
          {"retract", "yk", 'y', "retract(q, k)", "the point that q is moved to, in the declared frame"},
          {"velocity", "kk", 'k', "velocity(k, dk)", "of the curve retract(q, k) with k' = dk"},
          {"chord", "k", 'k', "chord(k)", "k times sin(a/2)/(a/2), a the angle of k on each factor"}};
}

/// The model's constraints in the equations of a method. All of them are one column of numbers, so that a body that is
/// written once serves equations on positions and on velocities alike.
std::vector<Word> constraintWords(std::vector<Word> list) {
  const std::vector<Word> own = {
      {"velocityinv", "kk", 'k', "velocityinv(k, v)", "dk of the curve retract(q, k) with the velocity v"},
      {"velocityinvT", "km", 'm', "velocityinvT(k, m)", "the inverse of the transpose of velocity(k, ·)"},
      {"holds", "yt", 'c', "holds(q, t)", "c of constraints on positions, 0 for those on velocities"},
      {"holdsdot", "ykt", 'c', "holdsdot(q, xi, t)", "the rates of these, and the equations of those on velocities"},
      {"holdsT", "yct", 'm', "holdsT(q, lam, t)", "Bᵀ lam, the forces of multipliers"},
      {"along", "yct", 'k', "along(q, lam, t)", "the same numbers as a velocity"},
      {"positions", "c", 'c', "positions(lam)", "lam without the entries of constraints on velocities"},
      {"rolls", "c", 'c', "rolls(lam)", "lam without the entries of constraints on positions"},
      {"accelerated", "ykct", 'k', "accelerated(q, xi, lam, t)", "the acceleration with the forces of lam"},
      {"multipliers", "ykt", 'c', "multipliers(q, xi, t)", "lam of the accelerations xidot"},
      {"idle", "yct", 'c', "idle(q, lam, t)", "the part of lam that makes no force; 0 of independent equations"}};
  list.insert(list.end(), own.begin(), own.end());
  return list;
}

std::vector<Word> contactWords(std::vector<Word> list) {
  list.push_back({"impulses", "ks", 'k', "impulses(v, eps)",
                  "the velocities that the impulses of all contacts make of v, to the relative tolerance eps"});
  return list;
}

} // namespace

std::string_view noun(char c) {
  return letter(c).noun;
}

sema::ValueKind kindOfLetter(char c) {
  return letter(c).kind;
}

std::string_view describe(Need need) {
  switch (need) {
  case Need::Configurations:
    return "no first-order states";
  case Need::Groups:
    return "configurations on groups";
  case Need::Lagrangian:
    return "a Lagrangian";
  case Need::Rates:
    return "configurations with velocities alone";
  case Need::LegendreTransform:
    return "momenta that are affine in the velocities";
  case Need::ConstantInertia:
    return "a constant inertia";
  case Need::PositionForces:
    return "forces that do not depend on velocities";
  case Need::Unconstrained:
    return "no constraints";
  case Need::HeldByBody:
    return "no constraints but those that the body holds";
  case Need::HeldByOnto:
    return "no constraints, where the method does not end with `onto`";
  case Need::Series:
    return "equations whose solution has a power series: no iterations, no sums with pairs that data choose, no "
           "exponentials of matrices";
  case Need::HolonomicAtMost:
    return "no constraints on velocities";
  }
  return {};
}

std::vector<std::string> KindOfMethod::stateNames() const {
  std::vector<std::string> names;
  for (const MethodVariable& v : state) names.push_back(v.name);
  return names;
}

std::vector<std::string> KindOfMethod::wordNames() const {
  std::vector<std::string> names;
  for (const Word& w : words) {
    if (std::find(names.begin(), names.end(), w.name) == names.end()) names.push_back(w.name);
  }
  return names;
}

const std::vector<KindOfMethod>& kindsOfMethods() {
  static const std::vector<KindOfMethod> rows = [] {
    std::vector<KindOfMethod> list;
#define LMC_METHOD_KIND(ID, ...)                                                                                       \
  list.push_back(KindOfMethod __VA_ARGS__);                                                                            \
  list.back().id = #ID;
#include "methods/checked/kinds.def"
#undef LMC_METHOD_KIND
    return list;
  }();
  return rows;
}

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const KindOfMethod& k : kindsOfMethods()) {
    if (!k.isFormula && std::find(names.begin(), names.end(), k.name) == names.end()) names.push_back(k.name);
  }
  return names;
}

} // namespace lmc::methods
