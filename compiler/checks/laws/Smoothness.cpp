// Operations are finite and differentiable where formulas divide by an angle: at 0, near 0, at the identity.
#include "checks/laws/GroupLaws.h"

namespace lmc::laws {

namespace {

struct Arguments {
  Place place = Place::Origin;
  std::vector<Quantity> list;
  std::vector<Vector> directions; ///< of a derivative, one per argument
};

/// What an operation is tried with. The last argument of (u, v) is an ordinary algebra element: the first one matters.
std::vector<Arguments> argumentsOf(Group& g, const std::string& operation) {
  std::vector<Arguments> list;
  const Vector v = g.algebraSamples().at(static_cast<std::size_t>(g.dimension()) + 1).value;
  const auto ofAlgebra = [&](const Sample& u, bool pair) {
    list.push_back({u.place, {g.algebra("u", u.value)}, {v}});
    if (!pair) return;
    list.back().list.push_back(g.algebra("v", v));
    list.back().directions.emplace_back(v);
  };
  const bool onElements = operation == "product" || operation == "inverse" || operation == "log" || operation == "Ad";
  if (!onElements) {
    const bool pair = operation == "bracket" || operation.front() == 'd';
    for (const Sample& u : g.algebraSamples())
      if (u.place != Place::Far) ofAlgebra(u, pair);
    return list;
  }
  for (const Sample& a : g.elements()) {
    if (a.place == Place::Far) continue;
    list.push_back({a.place, {g.element("A", a.value)}, {Vector::Zero(a.value.size())}});
    if (operation == "inverse" || operation == "log") continue;
    const bool product = operation == "product";
    list.back().list.push_back(product ? g.element("B", a.value) : g.algebra("v", v));
    list.back().directions.push_back(product ? Vector::Ones(a.value.size()) : v);
  }
  return list;
}

void test(Group& g, const std::string& operation, Tests& t) {
  bool valued = true, differentiable = true;
  for (const Arguments& a : argumentsOf(g, operation)) {
    std::vector<Vector> values;
    for (const Quantity& q : a.list) values.push_back(q.value);
    const bool finite = isFinite(g.operations().value(operation, values));
    valued = valued && finite;
    t.expect(finite, a.place, a.list, "its value is not a number");
    if (!finite || operation == "log") continue; // of log, values alone are used
    const bool smooth = isFinite(g.operations().derivative(operation, values, a.directions));
    differentiable = differentiable && smooth;
    t.expect(smooth, a.place, a.list, "its derivative is not a number");
  }
  if (!valued && t.failedAt(Place::Origin) && !t.failedAt(Place::Ordinary))
    t.hint("a formula that divides by the angle has no value at 0: stumpff(k, dot(w, w)) has, with all derivatives");
  if (valued && !differentiable) t.hint("norm(w) has no derivative at 0: stumpff(k, dot(w, w)) and sinc(norm(w)) have");
}

} // namespace

std::vector<Law> smoothness(Group& g) {
  std::vector<std::string> operations = {"exp", "product", "inverse", "bracket"};
  for (const char* clause : {"Ad", "log", "dexp", "dexpinv"})
    if (g.declares(clause)) operations.emplace_back(clause);
  for (const std::string& map : retractions(g)) {
    for (const std::string& name : {map, "d" + map, "d" + map + "inv"})
      if (g.declares(name) || g.manifold().functions().contains(name)) operations.push_back(name);
  }
  std::vector<Law> laws;
  laws.reserve(operations.size());
  for (const std::string& o : operations)
    laws.push_back({smooth(o),
                    o + " is smooth near the identity",
                    o,
                    Code::LIE0573,
                    o + " is not smooth near the identity",
                    {},
                    [&g, o](Tests& t) { test(g, o, t); }});
  return laws;
}

} // namespace lmc::laws
