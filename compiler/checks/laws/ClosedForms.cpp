// Clauses that are given although they follow from a basis of the algebra or from the factors of the group.
#include "checks/laws/GroupLaws.h"

namespace lmc::laws {

namespace {

/// The value of a clause against what follows, at the given arguments.
void compareAt(Group& g, const std::string& clause, Place place, const std::vector<Quantity>& at, Tests& t) {
  std::vector<Vector> values;
  double size = 1;
  for (const Quantity& q : at) {
    values.push_back(q.value);
    size *= sizeOf(q.value);
  }
  const bool element = clause != "bracket" && clause != "Ad";
  const auto quantity = [&](const std::string& name, const Vector& v) {
    return element ? g.element(name, v) : g.algebra(name, v);
  };
  const Vector derived = g.operations().value("derived " + clause, values);
  t.compare(place, at, quantity(clause + " as given", g.operations().value(clause, values)),
            quantity(clause + " as it follows", derived), size * sizeOf(derived));
}

void test(Group& g, const std::string& clause, Tests& t) {
  const std::vector<Sample> elements = g.elements();
  const Vector v = g.algebraSamples().at(static_cast<std::size_t>(g.dimension()) + 1).value;
  if (clause == "identity") compareAt(g, clause, Place::Origin, {}, t);
  if (clause == "exp" || clause == "bracket") {
    for (const Sample& u : g.algebraSamples()) {
      if (clause == "exp")
        compareAt(g, clause, u.place, {g.algebra("u", u.value)}, t);
      else
        compareAt(g, clause, u.place, {g.algebra("u", u.value), g.algebra("v", v)}, t);
    }
    return;
  }
  for (const Sample& a : elements) {
    if (clause == "inverse") compareAt(g, clause, a.place, {g.element("A", a.value)}, t);
    if (clause == "Ad") compareAt(g, clause, a.place, {g.element("A", a.value), g.algebra("v", v)}, t);
    if (clause != "product") continue;
    for (const Sample& b : elements)
      compareAt(g, clause, farther(a.place, b.place), {g.element("A", a.value), g.element("B", b.value)}, t);
  }
}

} // namespace

std::vector<Law> closedForms(Group& g) {
  std::vector<Law> laws;
  // A product follows from a basis and from factors alone.
  if (!g.operations().has("derived product")) return laws;
  for (const char* clause : {"identity", "product", "inverse", "bracket", "exp", "Ad"}) {
    const std::string name = clause;
    if (!g.declares(name) || !g.operations().has("derived " + name)) continue;
    laws.push_back({name + " as it follows", name + " is what follows from the basis or the factors", name,
                    Code::LIE0580, "the closed form of " + name + " is not what follows from the basis or the factors",
                    name == "identity" ? std::vector<std::string>{} : std::vector<std::string>{smooth(name)},
                    [&g, name](Tests& t) { test(g, name, t); }});
  }
  return laws;
}

} // namespace lmc::laws
