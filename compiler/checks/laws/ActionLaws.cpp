// The action of a group on a manifold.
#include "checks/laws/ActionLaws.h"

namespace lmc::laws {

namespace {

void smoothAction(Action& m, Tests& t) {
  Group& g = m.group();
  for (const Sample& q : m.points()) {
    for (const Sample& a : g.elements()) {
      if (a.place == Place::Far || q.place == Place::Far) continue;
      const std::vector<Quantity> at = {g.element("A", a.value), m.point("q", q.value)};
      const bool finite = isFinite(m.act(a.value, q.value));
      t.expect(finite, a.place, at, "its value is not a number");
      if (!finite) continue;
      const Vector moved = m.operations().derivative("action", {a.value, q.value},
                                                     {Vector::Ones(a.value.size()), Vector::Ones(q.value.size())});
      t.expect(isFinite(moved), a.place, at, "its derivative is not a number");
    }
  }
}

void findsPoints(Action& m, Tests& t) {
  t.expect(!m.drawnPoints().empty(), Place::Ordinary, {}, "no point was found on it near random numbers");
  if (!t.passed()) t.hint("a clause `random = …;` gives the points to test with");
}

void randomPointHolds(Action& m, Tests& t) {
  for (const Sample& q : m.drawnPoints())
    t.vanishes(q.place, {m.point("q", q.value)}, {"left - right of `holds` at q", m.defect(q.value)},
               m.defectSize(q.value));
}

void baseHolds(Action& m, Tests& t) {
  const Vector q = m.operations().value("base", {});
  t.vanishes(Place::Ordinary, {m.point("base", q)}, {"left - right of `holds` at base", m.defect(q)}, m.defectSize(q));
}

void identityActs(Action& m, Tests& t) {
  for (const Sample& q : m.points())
    t.compare(q.place, {m.point("q", q.value)}, m.point("action(e, q)", m.act(m.group().identity(), q.value)),
              m.point("q", q.value), sizeOf(q.value));
}

void productsAct(Action& m, Tests& t) {
  Group& g = m.group();
  Tests reversed;
  const std::vector<Sample> all = g.elements();
  const std::vector<Sample>& points = m.points();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Vector &a = all[i].value, &b = all[j].value, &q = points[(i + j) % points.size()].value;
      const Place place = farther(farther(all[i].place, all[j].place), points[(i + j) % points.size()].place);
      const Quantity whole = m.point("action(A B, q)", m.act(g.product(a, b), q));
      const Quantity parts = m.point("action(A, action(B, q))", m.act(a, m.act(b, q)));
      // An action may make points larger than its arguments are.
      const double size = std::max(sizeOf(a) * sizeOf(b) * sizeOf(g.inverse(a)) * sizeOf(g.inverse(b)) * sizeOf(q),
                                   std::min(sizeOf(whole.value), sizeOf(parts.value)));
      t.compare(place, {g.element("A", a), g.element("B", b), m.point("q", q)}, whole, parts, size);
      reversed.compare(place, {}, whole, {"", m.act(b, m.act(a, q))}, size);
    }
  }
  if (!t.passed() && reversed.passed())
    t.hint(
        "it is a right action, action(A B, q) = action(B, action(A, q)); action(inverse(A), q) makes a left action of "
        "it");
}

void actionHolds(Action& m, Tests& t) {
  Group& g = m.group();
  for (const Sample& a : g.elements()) {
    for (const Sample& q : m.points()) {
      const Vector moved = m.act(a.value, q.value);
      const double size = m.defectSize(moved) * sizeOf(a.value) * sizeOf(g.inverse(a.value));
      t.vanishes(farther(a.place, q.place),
                 {g.element("A", a.value), m.point("q", q.value), m.point("action(A, q)", moved)},
                 {"left - right of `holds` at action(A, q)", m.defect(moved)}, size);
    }
  }
}

void sameDimension(Action& m, Tests& t) {
  const Vector& first = m.points().front().value;
  const Eigen::Index dimension = rankOf(m.generator(first));
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Eigen::Index here = rankOf(m.generator(q.value));
    t.expect(here == dimension, q.place, {m.point("p", first), m.point("q", q.value)},
             "it moves p in " + std::to_string(dimension) + " directions and q in " + std::to_string(here));
  }
}

void transitive(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Eigen::Index moves = rankOf(m.generator(q.value)), left = m.freedom(q.value);
    t.expect(left <= moves, q.place, {m.point("q", q.value)},
             "it leaves " + std::to_string(left) + " directions, and the group moves points in " +
                 std::to_string(moves));
  }
}

} // namespace

/// Long because it is a list: one entry a law.
std::vector<Law> actionLaws(Action& m) {
  const auto law = [&m](auto test) { return [&m, test](Tests& t) { test(m, t); }; };
  std::vector<Law> laws = {
      {"points",
       "random, or what `holds` describes",
       m.hasHolds() ? "holds" : "",
       Code::LIE0571,
       "the manifold has no points to test with",
       {},
       law(findsPoints)},
  };
  if (m.hasHolds() && m.declares("random"))
    laws.push_back({"random satisfies holds",
                    "holds(random)",
                    "random",
                    Code::LIE0571,
                    "random points do not satisfy `holds`",
                    {"points"},
                    law(randomPointHolds)});
  if (m.hasHolds() && m.declares("base"))
    laws.push_back({"base satisfies holds",
                    "holds(base)",
                    "base",
                    Code::LIE0571,
                    "the base point does not satisfy `holds`",
                    {"points"},
                    law(baseHolds)});
  laws.push_back({"smooth action",
                  "action is smooth",
                  "action",
                  Code::LIE0573,
                  "the action is not smooth",
                  {"points"},
                  law(smoothAction)});
  laws.push_back({"identity acts",
                  "action(e, q) = q",
                  "action",
                  Code::LIE0577,
                  "the identity moves points",
                  {"smooth action"},
                  law(identityActs)});
  laws.push_back({"products act",
                  "action(A B, q) = action(A, action(B, q))",
                  "action",
                  Code::LIE0577,
                  "it is not a left action of the group",
                  {"identity acts"},
                  law(productsAct)});
  if (m.hasHolds())
    laws.push_back({"action satisfies holds",
                    "holds(action(A, q))",
                    "action",
                    Code::LIE0571,
                    "the action leaves the manifold: moved points do not satisfy `holds`",
                    {"products act", "random satisfies holds"},
                    law(actionHolds)});
  laws.push_back({"dimension",
                  "the same number of directions everywhere",
                  "action",
                  Code::LIE0577,
                  "points move in different numbers of directions: they are not one manifold with this action",
                  {"products act"},
                  law(sameDimension)});
  if (m.hasHolds())
    laws.push_back({"dimension of holds",
                    "as many directions as the group moves points in",
                    "holds",
                    Code::LIE0579,
                    "`holds` has too few equations",
                    {"action satisfies holds", "dimension"},
                    law(transitive),
                    true});
  return laws;
}

} // namespace lmc::laws
