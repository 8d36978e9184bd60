// Retractions: maps from the algebra to the group that agree with exp to first order.
#include "checks/laws/GroupLaws.h"

namespace lmc::laws {

namespace {

/// The identity at 0, the group everywhere. Where a retraction is no number it has no value.
void startsAtIdentity(Group& g, const std::string& map, Tests& t) {
  const Vector e = g.identity();
  t.compare(Place::Origin, {}, g.element(map + "(0)", g.operations().value(map, {Vector::Zero(g.dimension())})),
            g.element("e", e), sizeOf(e));
}

void satisfiesHolds(Group& g, const std::string& map, Tests& t) {
  for (const Sample& u : g.algebraSamples()) {
    const Vector value = g.operations().value(map, {u.value});
    if (!isFinite(value) && u.place == Place::Far) continue;
    t.vanishes(u.place, {g.algebra("u", u.value), g.element(map + "(u)", value)},
               {"left - right of `holds` at " + map + "(u)", g.defect(value)}, g.defectSizeOfSums(value));
  }
}

void agreesWithExp(Group& g, const std::string& map, Tests& t) {
  const Vector zero = Vector::Zero(g.dimension());
  for (int k = 0; k < g.dimension(); ++k) {
    const Vector v = g.unit(k), slope = g.operations().derivative(map, {zero}, {v});
    t.compare(Place::Origin, {g.algebra("v", v)}, g.element("d/ds " + map + "(s v) at 0", slope),
              g.element("d/ds exp(s v) at 0", g.tangents() * v), sizeOf(slope));
  }
}

void isSymmetric(Group& g, const std::string& map, Tests& t) {
  for (const Sample& u : g.algebraSamples()) {
    const Vector there = g.operations().value(map, {u.value}), back = g.operations().value(map, {-u.value});
    if (!isFinite(there) || !isFinite(back)) continue;
    t.compare(u.place, {g.algebra("u", u.value)}, g.element(map + "(-u) " + map + "(u)", g.product(back, there)),
              g.element("e", g.identity()), sizeOf(there) * sizeOf(back));
  }
}

} // namespace

std::vector<std::string> retractions(const Group& g) {
  std::vector<std::string> names;
  if (g.declares("cay")) names.emplace_back("cay");
  const auto& functions = g.manifold().functions();
  for (const auto& [name, statement] : functions) {
    const auto pair = [&](const std::string& d) {
      const auto f = functions.find(d);
      return f != functions.end() && f->second->params.size() == 2;
    };
    if (statement->params.size() == 1 && (pair("d" + name) || pair("d" + name + "inv"))) names.push_back(name);
  }
  return names;
}

std::vector<Law> retractionLaws(Group& g) {
  std::vector<Law> laws;
  for (const std::string& map : retractions(g)) {
    const auto law = [&g, map](auto test) { return [&g, map, test](Tests& t) { test(g, map, t); }; };
    laws.push_back({map + "(0)",
                    map + "(0) = e",
                    map,
                    Code::LIE0576,
                    map + "(0) is not the identity",
                    {"identity", smooth(map)},
                    law(startsAtIdentity)});
    if (g.hasHolds())
      laws.push_back({map + " satisfies holds",
                      "holds(" + map + "(u))",
                      map,
                      Code::LIE0571,
                      map + " leaves the group: its values do not satisfy `holds`",
                      {"identity satisfies holds", smooth(map)},
                      law(satisfiesHolds)});
    laws.push_back({map + " to first order",
                    "d/ds " + map + "(s v) = d/ds exp(s v) at 0",
                    map,
                    Code::LIE0576,
                    map + " does not agree with exp to first order",
                    {map + "(0)", "coordinates of the algebra"},
                    law(agreesWithExp)});
    if (map == "cay") // methods use it of this clause; functions need not be symmetric
      laws.push_back({map + " is symmetric",
                      map + "(-u) = inverse(" + map + "(u))",
                      map,
                      Code::LIE0576,
                      map + "(-u) is not the inverse of " + map + "(u)",
                      {map + "(0)", "associativity"},
                      law(isSymmetric)});
    addDerivativeLaws(g, map, {map + "(0)", map + " satisfies holds", map + " to first order", map + " is symmetric"},
                      laws);
  }
  return laws;
}

} // namespace lmc::laws
